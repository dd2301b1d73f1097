//! Compiling a text while time and memory are measured.

use peak_alloc::PeakAlloc;
use test_support::structured::measured;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Compiles a text, as kernels and as a program. Returns the first message of the kernels.
pub fn check(name: &str, text: &str) -> String {
    let source = cudac::Source { name: "structured.cu", text };
    let options = cudac::Options::default();
    #[cfg(feature = "host")]
    measured(&MEMORY, &format!("{name}, as a program"), || match cudac::compile_program(&source, &options) {
        Ok(_) => "compiles".to_owned(),
        Err(errors) => errors.0.first().expect("there is a reason").message.clone(),
    });
    measured(&MEMORY, name, || match cudac::compile(&source, &options) {
        Ok(_) => "compiles".to_owned(),
        Err(errors) => errors.0.first().expect("there is a reason").message.chars().take(150).collect(),
    })
}
