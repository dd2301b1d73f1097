//! Texts that repeat, nest and double, and what a compiler may need for each.
//!
//! A shape is written `HEAD | OPEN | CORE | CLOSE | TAIL`, and its text of the size *n* is the head, *n* times what opens, the core,
//! *n* times what closes, and the tail. In what opens and closes, `@` is the number of the round and `$` that of the round before, so a
//! declaration can mention the one before it, or mention it twice. `~` is the place of what another shape has made. `\\|` is a bar.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

/// The stack of a program's first thread, on which `lanes` compiles. That of a web page is smaller, and so are the frames
/// in it.
const STACK_BYTES: usize = 8 << 20;

const MAX_BYTES: usize = 1 << 30;

/// For one text. Without optimisation a compiler is about ten times slower.
const MAX_TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });

/// Sizes from which most are drawn: from a few rounds to as many as a text has room for.
pub const SIZES: [usize; 14] = [2, 5, 9, 20, 33, 48, 64, 90, 130, 260, 1000, 5000, 20_000, 100_000];

/// The text of a shape, of a size. Long rounds are fewer, so that no text has many more bytes than asked for.
pub fn text(shape: &str, size: usize, inner: &str, most: usize) -> String {
    let parts: Vec<&str> = shape.split('|').collect();
    // `\|` is a bar.
    let parts: Vec<String> = join_escaped(&parts);
    let [head, open, core, close, tail] = &parts[..] else { panic!("the shape `{shape}` has no five parts") };
    let fill = |part: &str| part.replace('~', inner);
    let size = size.min(most / (fill(open).len() + fill(close).len()).max(1)).max(1);
    let round = |part: &str, at: usize| {
        part.replace('@', &at.to_string()).replace('$', &at.saturating_sub(1).to_string())
    };
    let (open, close) = (fill(open), fill(close));
    let mut text = fill(head);
    (1..=size).for_each(|at| text.push_str(&round(&open, at)));
    text.push_str(&fill(core));
    (1..=size).for_each(|at| text.push_str(&round(&close, at)));
    text.push_str(&fill(tail));
    text
}

fn join_escaped(parts: &[&str]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push('|');
                last.push_str(part);
            }
            _ => joined.push((*part).to_owned()),
        }
    }
    joined
}

/// Does something with a text on a thread of its own, and returns the message in which it ends. `memory` is the allocator of the
/// test.
///
/// # Panics
/// If it panics, takes too long, or needs too much memory.
pub fn measured(memory: &PeakAlloc, name: &str, run: impl FnOnce() -> String + Send) -> String {
    /// One text at a time, or they would be measured together.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = memory.current_usage();
    memory.reset_peak_usage();
    let done = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        let run = || {
            let start = Instant::now();
            let message = run();
            (start.elapsed(), message)
        };
        thread.spawn_scoped(scope, run).unwrap().join()
    });
    let Ok((time, message)) = done else { panic!("{name}: it panics") };
    let bytes = memory.peak_usage().saturating_sub(before);
    let report = format!("{name}: {time:?}, {bytes} bytes: {message}");
    // Shown if the test fails, or by `--nocapture`.
    println!("{report}");
    assert!(time < MAX_TIME && bytes < MAX_BYTES, "{report}");
    message
}
