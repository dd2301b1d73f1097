//! Grades on a thread of its own, so that the screen remains responsive.
//!
//! A panic in that thread is a bug of this program; it becomes a message, and the program continues. What it leaves
//! out: how an attempt is graded, which is in the crate `grader`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use anyhow::{Context, Result};
use grader::{Exercise, Verdict};

/// Grades an attempt.
pub type Grade = dyn Fn(&Exercise, &str) -> Result<Verdict> + Send + Sync;

/// The thread's name, by which its panics are recognised.
pub const THREAD: &str = "grading";

/// Compilers recurse, and the smallest stack that systems give to a thread is too small for some of them.
const STACK_BYTES: usize = 64 << 20;

/// The thread that grades, one attempt after the other.
#[derive(Debug)]
pub struct Worker {
    jobs: Sender<(usize, Exercise, String)>,
}

impl Worker {
    /// Calls `done` on the worker's thread after each attempt, with the text of an error if it could not be graded.
    ///
    /// # Errors
    /// If the system cannot create a thread.
    pub fn start(
        grade: Arc<Grade>,
        done: impl Fn(usize, Result<Verdict, String>) + Send + 'static,
    ) -> Result<Worker> {
        let (jobs, received) = channel::<(usize, Exercise, String)>();
        let work = move || {
            for (at, exercise, text) in received {
                done(at, attempt(&*grade, &exercise, &text));
            }
        };
        let thread = thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK_BYTES);
        thread.spawn(work).context("cannot start the thread that grades; close some programs")?;
        Ok(Worker { jobs })
    }

    /// Queues an attempt to be graded.
    pub fn grade(&self, at: usize, exercise: &Exercise, text: String) {
        let _ = self.jobs.send((at, exercise.clone(), text));
    }
}

/// Grades an attempt. A panic becomes an error.
pub fn attempt(grade: &Grade, exercise: &Exercise, text: &str) -> Result<Verdict, String> {
    match catch_unwind(AssertUnwindSafe(|| grade(exercise, text))) {
        Ok(verdict) => verdict.map_err(|error| format!("{error:#}")),
        Err(panic) => Err(format!(
            "the grader itself failed ({}), please report it with your file",
            said(panic.as_ref())
        )),
    }
}

fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_panic_is_told_and_the_next_attempt_is_graded() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let exercise = grader::all(&fixtures).unwrap().swap_remove(0);
        let (sender, receiver) = channel();
        let grade = |_: &Exercise, text: &str| match text {
            "panic" => panic!("lane 32 does not exist"),
            "error" => anyhow::bail!("no such exercise"),
            _ => Ok(Verdict::Passed(grader::Passed::default())),
        };
        let worker =
            Worker::start(Arc::new(grade), move |at, outcome| sender.send((at, outcome)).unwrap()).unwrap();
        for (at, text) in ["panic", "error", "right"].iter().enumerate() {
            worker.grade(at, &exercise, (*text).to_owned());
        }
        let next = || receiver.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(next().1.unwrap_err().contains("the grader itself failed (lane 32 does not exist)"));
        assert_eq!(next(), (1, Err("no such exercise".to_owned())));
        assert!(next().1.unwrap().is_passed());
    }
}
