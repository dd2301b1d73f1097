//! Shows on a terminal what is running, if it takes more than a second.
//!
//! It is drawn on standard error, so that piped output stays clean, and only if that is a terminal. What it leaves out:
//! how much remains, which is not known for a kernel.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How long a run may take before it is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows what is being run, after one second and until it is dropped.
pub struct Progress {
    message: Arc<Mutex<String>>,
    thread: Option<(Sender<()>, thread::JoinHandle<()>)>,
}

impl Progress {
    /// Starts the clock.
    pub fn start() -> Progress {
        let message = Arc::new(Mutex::new(String::new()));
        if !std::io::stderr().is_terminal() {
            return Progress { message, thread: None };
        }
        let (stop, stopped) = channel();
        let shown = Arc::clone(&message);
        let handle = thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_style(style()).with_elapsed(PATIENCE);
            while stopped.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                bar.set_message(shown.lock().unwrap_or_else(PoisonError::into_inner).clone());
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Progress { message, thread: Some((stop, handle)) }
    }

    /// Sets the name of what is being run.
    pub fn set(&self, message: &str) {
        message.clone_into(&mut self.message.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let Some((stop, handle)) = self.thread.take() else { return };
        drop(stop);
        // It is no reason to fail if this thread has panicked.
        let _ = handle.join();
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {elapsed:>3}  {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}
