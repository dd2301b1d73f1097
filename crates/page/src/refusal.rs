//! Why a request was not fulfilled, as an answer.

use std::fmt::Display;

use serde_json::{Value, json};

/// What was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request: it cannot be read, is beyond a bound, or comes too early.
    Request,
    /// The text of the program.
    Text,
    /// The launch, or memory for it.
    Launch,
}

/// Why a request was not fulfilled.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What was wrong.
    pub kind: Kind,
    /// One line, in lower case, without a full stop.
    pub message: String,
    /// What the compiler or the reader of PTX says, with lines and columns.
    pub diagnostics: Vec<Value>,
}

impl Refusal {
    /// The request is wrong.
    pub fn request(message: impl Into<String>) -> Refusal {
        Refusal { kind: Kind::Request, message: message.into(), diagnostics: Vec::new() }
    }

    /// The launch is wrong.
    pub fn launch(message: impl Display) -> Refusal {
        Refusal { kind: Kind::Launch, message: format!("{message}"), diagnostics: Vec::new() }
    }

    /// Another request has to come first.
    pub(crate) fn first(needed: &str) -> Refusal {
        Refusal::request(format!("send a `{needed}` that succeeds before this request"))
    }

    /// The answer.
    pub fn json(&self) -> Value {
        let kind = match self.kind {
            Kind::Request => "request",
            Kind::Text => "text",
            Kind::Launch => "launch",
        };
        json!({ "error": { "kind": kind, "message": self.message, "diagnostics": self.diagnostics } })
    }
}
