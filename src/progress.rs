//! Shows on a terminal what is running, if it takes more than a second.
//!
//! It is drawn on standard error, so that piped output stays clean, and only if that is a terminal. What it leaves out:
//! what is said, which the caller knows.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal;

/// How long a run may take before it is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows what is being run, after one second and until it is dropped.
pub struct Progress {
    message: Arc<Mutex<String>>,
    /// The bar, once it is shown.
    bar: Arc<Mutex<Option<ProgressBar>>>,
    thread: Option<(Sender<()>, thread::JoinHandle<()>)>,
}

impl Progress {
    /// Starts the clock. [`Progress::set`] says what is running.
    pub fn start() -> Progress {
        let message = Arc::new(Mutex::new(String::new()));
        let shown = Arc::clone(&message);
        let text = move |_| shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut progress = Progress::watching(text);
        progress.message = message;
        progress
    }

    /// Starts the clock. The function returns what to show after so much time.
    pub fn watching(text: impl Fn(Duration) -> String + Send + 'static) -> Progress {
        let message = Arc::default();
        if !std::io::stderr().is_terminal() {
            return Progress { message, bar: Arc::default(), thread: None };
        }
        let shown: Arc<Mutex<Option<ProgressBar>>> = Arc::default();
        let own = Arc::clone(&shown);
        let (stop, stopped) = channel();
        let start = Instant::now();
        let handle = thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_style(style()).with_elapsed(PATIENCE);
            *own.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
            while stopped.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                bar.set_message(terminal::visible(&text(start.elapsed())).into_owned());
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Progress { message, bar: shown, thread: Some((stop, handle)) }
    }

    /// Prints something while the bar is away.
    pub fn suspend(&self, print: impl FnOnce()) {
        match &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
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
    ProgressStyle::with_template("{spinner} {elapsed:>3}  {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}
