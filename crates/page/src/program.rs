//! The program of a page: PTX that was read, or CUDA C++ that was compiled, in an emulator of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use cudac::{Header, Headers};
use serde_json::{Value, json};
use simt::{Emulator, KernelInfo, Limits, Module, PtxError};

use crate::refusal::{Kind, Refusal};
use crate::request::{Load, MAX_MEMORY_BYTES};

/// A program that was loaded.
#[derive(Debug)]
pub(crate) struct Program {
    /// Its memory has the variables of the module and nothing else.
    pub emulator: Emulator,
    pub module: Module,
}

impl Program {
    /// Loads a text. The answer says what is in it; of CUDA C++ it also has the PTX.
    pub fn load(load: &Load) -> Result<(Program, Value), Refusal> {
        let mut emulator = Emulator::new(Limits { memory_bytes: MAX_MEMORY_BYTES });
        if Path::new(&load.name).extension().is_some_and(|extension| extension == "ptx") {
            let module = emulator.load(&load.name, &load.text).map_err(|error| unreadable(load, &error))?;
            let answer = contents(&module);
            return Ok((Program { emulator, module }, answer));
        }
        let source = cudac::Source { name: &load.name, text: &load.text };
        let defines = load.defines.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let headers = (!load.headers.is_empty()).then(|| Arc::new(Virtual(load.headers.clone())) as _);
        let options = cudac::Options {
            sm: load.sm,
            is_specific: load.is_specific,
            defines,
            instances: Vec::new(),
            leaves_host: false,
            headers,
        };
        let output = cudac::compile(&source, &options).map_err(|errors| wrong(&errors))?;
        let module = emulator.load(&load.name, &output.ptx).map_err(|error| unreadable(load, &error))?;
        let mut answer = contents(&module);
        answer["compiler"] = json!("cudac");
        answer["ptx"] = json!(output.ptx);
        answer["warnings"] = output.warnings.iter().map(diagnostic).collect();
        answer["names"] = output.names.iter().map(name).collect();
        Ok((Program { emulator, module }, answer))
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Result<&KernelInfo, Refusal> {
        let kernels = self.module.kernels();
        kernels.iter().find(|kernel| kernel.name == name).ok_or_else(|| {
            let known: Vec<String> = kernels.iter().map(|kernel| format!("`{}`", kernel.name)).collect();
            let known = if known.is_empty() { "no kernel at all".to_owned() } else { known.join(", ") };
            Refusal::launch(format!("there is no kernel `{name}`: the program has {known}"))
        })
    }
}

/// Files that exist in a request only: their names and texts.
#[derive(Debug)]
struct Virtual(BTreeMap<String, String>);

impl Headers for Virtual {
    fn find(&self, name: &str, is_quoted: bool, from: &str) -> Result<Option<Header>, String> {
        let beside =
            from.rsplit_once('/').filter(|_| is_quoted).map(|(folder, _)| format!("{folder}/{name}"));
        let found =
            beside.and_then(|path| self.0.get_key_value(&path)).or_else(|| self.0.get_key_value(name));
        let header = |(name, text): (&String, &String)| Header {
            key: name.clone(),
            name: name.clone(),
            text: text.as_str().into(),
        };
        Ok(found.map(header))
    }

    fn places(&self) -> String {
        "the files of this page".to_owned()
    }
}

fn contents(module: &Module) -> Value {
    let unsupported: Vec<Value> = module.unsupported().iter().map(place).collect();
    json!({
        "compiler": null,
        "target_sm": module.target_sm(),
        "kernels": module.kernels().iter().map(kernel).collect::<Vec<_>>(),
        "variables": module.variables().map(|(name, at)| json!({ "name": name, "bytes": at.bytes() })).collect::<Vec<_>>(),
        "unsupported": unsupported,
    })
}

fn kernel(info: &KernelInfo) -> Value {
    let parameter = |param: &simt::Param| json!({ "type": param.ty, "bytes": param.bytes });
    json!({
        "name": info.name,
        "shared_bytes": info.shared_bytes,
        "parameters": info.params.iter().map(parameter).collect::<Vec<_>>(),
    })
}

fn name(name: &cudac::Name) -> Value {
    json!({
        "kernel": name.kernel,
        "register": name.register,
        "variable": name.variable,
        "first_line": name.first_line,
        "last_line": name.last_line,
        "ptx_lines": name.ptx_lines.iter().map(|lines| [lines.start, lines.end]).collect::<Vec<_>>(),
    })
}

fn place(error: &PtxError) -> Value {
    json!({ "severity": "error", "message": error.message, "line": error.line, "column": error.column, "width": 1, "help": null })
}

fn unreadable(load: &Load, error: &PtxError) -> Refusal {
    Refusal {
        kind: Kind::Text,
        message: format!("`{}` cannot be read: {error}", load.name),
        diagnostics: vec![place(error)],
    }
}

fn diagnostic(diagnostic: &cudac::Diagnostic) -> Value {
    let severity = match diagnostic.severity {
        cudac::Severity::Error => "error",
        cudac::Severity::Warning => "warning",
    };
    json!({
        "severity": severity,
        "message": diagnostic.message,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "width": diagnostic.width,
        "help": diagnostic.help,
    })
}

/// The message is that of the first error; there is at least one.
fn wrong(errors: &cudac::Errors) -> Refusal {
    let first = errors.0.iter().find(|diagnostic| diagnostic.severity == cudac::Severity::Error);
    let message = first.map_or("the program cannot be compiled".to_owned(), |first| {
        format!(
            "`{}` cannot be compiled: line {}, column {}: {}",
            first.file, first.line, first.column, first.message
        )
    });
    Refusal { kind: Kind::Text, message, diagnostics: errors.0.iter().map(diagnostic).collect() }
}
