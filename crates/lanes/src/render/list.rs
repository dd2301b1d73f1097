//! The output of `lanes list`: the kernels of a file, their parameters, and what cannot be run.
//!
//! What it leaves out: device functions, which cannot be launched.

use simt::{KernelInfo, Module};
use spec::layout::{counted, paragraph, table};

use crate::resolve::{Loaded, Signatures, sequence, signature};

/// How many unsupported instructions are listed one by one.
const LISTED: usize = 20;

/// PTX does not distinguish the two.
const POINTERS: &str = "A `u64` is a pointer or a number: give `lanes run` a buffer, as in \
                        `--arg buf:f32:1024:zeros`, or a number, as in `--arg u64:1`.";

/// Everything about a module.
pub fn render(Loaded { program, module, .. }: &Loaded, signatures: &Signatures) -> String {
    let kernels = counted(module.kernels().len() as u64, "kernel");
    let made = match &program.compiler {
        Some(by) => format!("compiled by {by}"),
        None => format!("target sm_{}", module.target_sm()),
    };
    let mut out = paragraph("", &format!("{}: {made}, {kernels}", program.name));
    module.kernels().iter().for_each(|info| out += &kernel(info, signatures));
    let unknown = module.kernels().iter().filter(|info| signatures.parameters(info).is_none());
    if unknown.flat_map(|info| &info.params).any(|param| param.ty == "u64") {
        out.push('\n');
        out += &paragraph("", POINTERS);
    }
    let templates = program.cuda_text().map_or(Vec::new(), cudac::kernel_templates);
    if !templates.is_empty() {
        let names = templates.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let which = counted(templates.len() as u64, "template");
        let text = format!(
            "{which} of kernels: {names}. A kernel is made of one where it is named with its arguments, as in \
             `--instantiate '{}<float>'`, or in `lanes run` as in `--kernel '{}<float>'`.",
            templates[0], templates[0]
        );
        out.push('\n');
        out += &paragraph("", &text);
    }
    out += &variables(module);
    out + &unsupported(module)
}

fn kernel(info: &KernelInfo, signatures: &Signatures) -> String {
    let name = signature::short(&info.name);
    let mangled = if name == info.name { String::new() } else { format!("in PTX {}, ", info.name) };
    let shared = format!("static shared memory: {}", counted(info.shared_bytes, "byte"));
    let out = format!("\n{}", paragraph("", &format!("{name} ({mangled}{shared})")));
    if info.params.is_empty() {
        return out + "  no parameters\n";
    }
    let declared = signatures.parameters(info);
    let is_named = declared.iter().flatten().any(|parameter| parameter.name.is_some());
    let head = ["  argument", if is_named { "name" } else { "" }, "type", "bytes", "for example --arg"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(info.params.iter().enumerate().map(|(index, param)| {
        let declared = declared.as_ref().map(|declared| &declared[index]);
        let ty = declared.map_or(&param.ty, |declared| &declared.ty);
        let name = declared.and_then(|declared| declared.name.clone()).unwrap_or_default();
        let example =
            declared.map_or(String::new(), |declared| signature::example(&declared.ty, param.bytes));
        vec![format!("  {index}"), name, ty.clone(), param.bytes.to_string(), example]
    }));
    // Columns in which nothing stands are left out.
    let is_used = |column: usize| rows[1..].iter().any(|row| !row[column].is_empty());
    let used: Vec<usize> = (0..5).filter(|column| is_used(*column)).collect();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| used.iter().map(|column| row[*column].clone()).collect()).collect();
    table(&rows).iter().fold(out, |out, line| out + line.trim_end() + "\n")
}

/// The variables, which `--symbol` sets.
fn variables(module: &Module) -> String {
    let all: Vec<String> = sequence::variables(module)
        .map(|(name, buffer)| format!("{name} ({})", counted(buffer.bytes(), "byte")))
        .collect();
    if all.is_empty() {
        return String::new();
    }
    format!("\n{}", paragraph("variables, which `--symbol` sets: ", &all.join(", ")))
}

fn unsupported(module: &Module) -> String {
    let errors = module.unsupported();
    if errors.is_empty() {
        return "\nnot supported: nothing; everything in this file can be run\n".to_owned();
    }
    let mut out = format!("\nnot supported: {}\n", counted(errors.len() as u64, "instruction"));
    errors.iter().take(LISTED).for_each(|error| out += &paragraph("  ! ", &error.to_string()));
    if let Some(more @ 1..) = errors.len().checked_sub(LISTED) {
        out += &paragraph("  ! ", &format!("and {more} more"));
    }
    out
}
