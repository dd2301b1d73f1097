//! The emulator and the compiler, as a web page uses them: a request is a text in JSON, and so is the answer.
//!
//! ```
//! let mut page = page::Page::default();
//! let text = "extern \"C\" __global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }";
//! let load = serde_json::json!({ "load": { "name": "square.cu", "text": text } });
//! page.answer(&load.to_string());
//! let launch = r#"{ "launch": { "kernel": "square", "grid": [1], "block": [32],
//!                               "arguments": [{ "name": "x", "is": "buf:i32:32:iota" }],
//!                               "see": { "memory": [{ "name": "x", "from": 12, "bytes": 4 }] } } }"#;
//! let answer: serde_json::Value = serde_json::from_str(&page.answer(launch)).unwrap();
//! assert_eq!(answer["memory"][0]["hex"], "09000000");
//! ```
//!
//! There are four requests ([`request`]): `load` reads PTX or compiles CUDA C++, `launch` runs a kernel to its end, `moments`
//! shows the machine after the steps that it names, and `grade` decides whether an attempt at an exercise is right. Runs are
//! deterministic, so the state after step *k* is computed by running the kernel again up to step *k*. Nothing of the past is
//! stored, and going back costs the same as going forward.
//!
//! What is wrong with a request is an answer too: `{"error": {…}}` with one message ([`refusal`]). Everything has a bound
//! that suits a browser ([`request`] names them). A launch that takes too long is stopped from outside: the module runs in a
//! Worker, which the page can terminate.
//!
//! # In the book
//!
//! The module runs in one Worker (`book/theme/player/worker.js`). A page that is opened from a file may load scripts, but neither
//! modules nor files. So the book's scripts are classic ones, the Worker is made from the text of a function, and the module is
//! committed as a script, packed with LZMA and written in base64.
//!
//! An unchanged listing runs the committed PTX. A changed one is compiled by `cudac`, and its counters are shown beside those of
//! the original, compiled by both compilers, because counters of instructions depend on the compiler. Grading takes seconds, so
//! the module says how far it is, and several Workers share the runs. If an attempt is refused, the answer has the launch that
//! shows why, and the page plays it at the step of the fault, or of the store of the wrong element.
//!
//! # The interface to JavaScript
//!
//! The module has two functions, in `exports`, for texts in and out of its memory. wasm-bindgen would write them and their
//! counterparts in JavaScript, but its program would be one more tool to install in a fixed version, and a page that is
//! opened from a file cannot load the JavaScript modules that it makes. All the values that cross the border are two texts,
//! which takes thirty lines by hand. Tests on any machine call [`Page::answer`], which is what the Worker calls.
//!
//! What it leaves out: everything that is drawn.

pub mod figure;
pub mod refusal;
pub mod request;

#[cfg(target_family = "wasm")]
mod exports;
mod findings;
mod grade;
mod moments;
mod program;
mod run;
mod view;

use serde_json::Value;

use program::Program;
use refusal::Refusal;
use request::Request;
use run::Ready;

/// What a page has loaded and launched so far.
#[derive(Debug, Default)]
pub struct Page {
    program: Option<Program>,
    ready: Option<Ready>,
    progress: Option<Progress>,
}

/// Is called with how many trials of a grading are done, and how many there are.
pub type Progress = fn(done: u32, of: u32);

impl Page {
    /// The answer to a request: an object in JSON, which has the key `error` if the request could not be fulfilled.
    pub fn answer(&mut self, request: &str) -> String {
        match self.fulfil(request) {
            Ok(answer) => answer,
            Err(refusal) => refusal.json().to_string(),
        }
    }

    /// Calls a function before each trial of a grading.
    pub fn on_progress(&mut self, progress: Progress) {
        self.progress = Some(progress);
    }

    fn fulfil(&mut self, request: &str) -> Result<String, Refusal> {
        match request::read(request)? {
            Request::Load(load) => {
                // What was loaded before is gone, also if this text cannot be read: an answer is never about another text.
                (self.program, self.ready) = (None, None);
                let (program, answer) = Program::load(&load)?;
                self.program = Some(program);
                Ok(answer.to_string())
            }
            Request::Launch(asked) => {
                self.ready = None;
                let program = self.program.as_mut().ok_or_else(|| Refusal::first("load"))?;
                let mut ready = Ready::prepare(program, &asked.launch)?;
                let answer: Value = ready.launch(&asked.more.see)?;
                self.ready = Some(ready);
                Ok(answer.to_string())
            }
            Request::Moments(asked) => {
                let ready = self.ready.as_mut().ok_or_else(|| Refusal::first("launch"))?;
                moments::show(ready, &asked)
            }
            Request::Grade(asked) => grade::grade(&asked, self.progress),
        }
    }
}
