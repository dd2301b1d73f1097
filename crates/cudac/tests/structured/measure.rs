//! Compiling a text while time and memory are measured.

use std::thread;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

/// The stack of a program's first thread, on which `lanes` compiles. That of a web page is smaller, and so are the frames
/// in it.
const STACK_BYTES: usize = 8 << 20;

const MAX_BYTES: usize = 1 << 30;

/// Without optimisation the compiler is about ten times slower. The rest is for a busy machine.
const MAX_TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Compiles a text, as kernels and as a program. Returns the first message.
pub fn check(name: &str, text: &str) -> String {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let message = thread::scope(|scope| {
        let compile = || compile(text);
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, compile).unwrap();
        thread.join().unwrap_or_else(|_| panic!("{name}: panic"))
    });
    let (time, bytes) = (start.elapsed(), MEMORY.peak_usage().saturating_sub(before));
    let report = format!("{name}: {time:?}, {bytes} bytes: {message}");
    if std::env::var_os("CUDAC_REPORT").is_some() {
        println!("{report}");
    }
    assert!(time < MAX_TIME && bytes < MAX_BYTES, "{report}");
    message
}

fn compile(text: &str) -> String {
    let source = cudac::Source { name: "structured.cu", text };
    let result = cudac::compile(&source, &cudac::Options::default()).map(|_| ());
    let message = |result: Result<(), cudac::Errors>| match result {
        Ok(()) => "compiles".to_owned(),
        Err(errors) => {
            assert!(!errors.0.is_empty(), "no reason is given");
            errors.0[0].message.chars().take(150).collect()
        }
    };
    let first = message(result);
    #[cfg(feature = "host")]
    let first = format!(
        "{first} / {}",
        message(cudac::compile_program(&source, &cudac::Options::default()).map(|_| ()))
    );
    first
}
