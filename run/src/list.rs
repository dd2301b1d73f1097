//! The output of `lanes list`: the kernels of a file, their parameters, and what cannot be run.
//!
//! What it leaves out: device functions and variables, which cannot be launched.

use layout::{counted, paragraph, table};
use simt::{KernelInfo, Module};

use super::source::Program;

/// How many unsupported instructions are listed one by one.
const LISTED: usize = 20;

/// PTX does not distinguish the two.
const POINTERS: &str = "A `u64` is a pointer or a number: give `lanes run` a buffer, as in \
                        `--arg buf:f32:1024:zeros`, or a number, as in `--arg u64:1`.";

/// Everything about a module.
pub(super) fn render(program: &Program, module: &Module) -> String {
    let kernels = counted(module.kernels().len() as u64, "kernel");
    let made = match &program.compiler {
        Some(by) => format!("compiled by {by}"),
        None => format!("target sm_{}", module.target_sm()),
    };
    let mut out = paragraph("", &format!("{}: {made}, {kernels}", program.name));
    module.kernels().iter().for_each(|info| out += &kernel(info));
    if module.kernels().iter().flat_map(|info| &info.params).any(|param| param.ty == "u64") {
        out.push('\n');
        out += &paragraph("", POINTERS);
    }
    out + &unsupported(module)
}

fn kernel(info: &KernelInfo) -> String {
    let shared = format!("static shared memory: {}", counted(info.shared_bytes, "byte"));
    let out = format!("\n{}", paragraph("", &format!("{} ({shared})", info.name)));
    if info.params.is_empty() {
        return out + "  no parameters\n";
    }
    let mut rows = vec![["  argument", "type", "bytes"].map(str::to_owned).to_vec()];
    rows.extend(
        info.params
            .iter()
            .enumerate()
            .map(|(index, param)| vec![format!("  {index}"), param.ty.clone(), param.bytes.to_string()]),
    );
    table(&rows).iter().fold(out, |out, line| out + line + "\n")
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
