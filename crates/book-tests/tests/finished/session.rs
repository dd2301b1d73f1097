//! What a test does in a browser, whichever it is: open a page of the book, run scripts in it, and read what went wrong.

use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;

/// How long a page may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A browser that a test controls.
pub trait Session {
    /// Opens a page of the book, and waits until it is loaded.
    fn go(&self, page: &str);

    /// The value of an expression of JavaScript. If it is a promise, waits for it.
    ///
    /// # Errors
    /// The script threw an exception, which is returned as text.
    fn evaluate(&self, script: &str) -> Result<Value, String>;

    /// What went wrong since the last call: errors of scripts, messages in the console, and requests that left the book.
    fn faults(&self) -> Vec<String>;

    /// The value of an expression, as a type of the test.
    fn ask<T: DeserializeOwned>(&self, script: &str) -> Result<T, String> {
        serde_json::from_value(self.evaluate(script)?).map_err(|error| error.to_string())
    }

    /// Waits until the script returns true. While the browser leaves a page, scripts fail; such errors are ignored.
    fn wait(&self, script: &str) {
        let start = Instant::now();
        let mut last = Ok(false);
        while start.elapsed() < PATIENCE {
            last = self.ask::<bool>(script);
            if last == Ok(true) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("this did not come to be: {script}: {last:?}; and there was {:?}", self.faults());
    }

    /// Fails unless the script returns true.
    fn sees(&self, script: &str) {
        assert_eq!(self.ask::<bool>(script), Ok(true), "{script}");
    }

    /// Runs a script that lists what is wrong on each of these pages: a file whose first lines are a comment and whose rest is
    /// a function. Faults of the browser count too.
    fn list(&self, script: &str, pages: &[String]) -> Vec<String> {
        let script = script.split_once("\nasync ").expect("the script is a function under a comment").1;
        let mut found = Vec::new();
        for page in pages {
            let start = Instant::now();
            self.go(page);
            let wrong = self.ask::<Vec<String>>(&format!("(async {script})()"));
            let wrong = wrong.unwrap_or_else(|error| vec![error]);
            found.extend(wrong.into_iter().chain(self.faults()).map(|what| format!("{page}: {what}")));
            // In an engine in which all pages take minutes, one wants to see how far it is.
            println!("{page}: {:.1} s", start.elapsed().as_secs_f64());
        }
        found
    }
}
