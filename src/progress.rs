//! A sign of life on a terminal, for runs that take more than a second.
//!
//! It is drawn on standard error, so that what is piped stays clean, and not at all where that is no terminal. What
//! it leaves out: how much is left, which nobody knows of a kernel.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How long a run may stay silent.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows what is being run, from one second on until it is dropped.
pub struct Progress {
    message: Arc<Mutex<String>>,
    thread: Option<(Sender<()>, thread::JoinHandle<()>)>,
}

impl Progress {
    /// Starts to wait.
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

    /// Says what is being run now.
    pub fn set(&self, message: &str) {
        message.clone_into(&mut self.message.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let Some((stop, handle)) = self.thread.take() else { return };
        drop(stop);
        // A sign of life that died is no reason to fail.
        let _ = handle.join();
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {elapsed:>3}  {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}
