//! Compiling a text while time and memory are measured.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

/// The stack of a program's first thread, on which `lanes` compiles. That of a web page is smaller, and so are the frames
/// in it.
const STACK_BYTES: usize = 8 << 20;

const MAX_BYTES: usize = 1 << 30;

/// For one compilation. Without optimisation the compiler is about ten times slower.
const MAX_TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One text at a time, or they would be measured together.
static ALONE: Mutex<()> = Mutex::new(());

/// Compiles a text, as kernels and as a program, on a thread of its own. Returns the first message of the kernels.
pub fn check(name: &str, text: &str) -> String {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let compiled = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, || compile(text)).unwrap().join()
    });
    let Ok((time, message)) = compiled else { panic!("{name}: the compiler panics") };
    let bytes = MEMORY.peak_usage().saturating_sub(before);
    let report = format!("{name}: {time:?}, {bytes} bytes: {message}");
    // Shown if the test fails, or by `--nocapture`.
    println!("{report}");
    assert!(time < MAX_TIME && bytes < MAX_BYTES, "{report}");
    message
}

/// The longer time of the two, and the message.
fn compile(text: &str) -> (Duration, String) {
    let source = cudac::Source { name: "structured.cu", text };
    let options = cudac::Options::default();
    let start = Instant::now();
    let message = match cudac::compile(&source, &options) {
        Ok(_) => "compiles".to_owned(),
        Err(errors) => errors.0.first().expect("there is a reason").message.chars().take(150).collect(),
    };
    let time = start.elapsed();
    #[cfg(feature = "host")]
    let time = {
        let start = Instant::now();
        if let Err(errors) = cudac::compile_program(&source, &options) {
            assert!(!errors.0.is_empty(), "there is a reason");
        }
        time.max(start.elapsed())
    };
    (time, message)
}
