//! The files that a text includes, which the caller finds: this crate reads none.

use std::fmt;
use std::sync::Arc;

/// Finds the files that a text includes. This crate reads no files itself.
pub trait Headers: fmt::Debug + Send + Sync {
    /// The file that `#include "name"` means, or with `is_quoted` false `#include <name>`, in the file with the key
    /// `from`; that of a text to compile is its name. `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// There is one, and it cannot be read: why, as the end of a sentence that begins with its name.
    fn find(&self, name: &str, is_quoted: bool, from: &str) -> Result<Option<Header>, String>;

    /// Where files were looked for, for the message that there is none.
    fn places(&self) -> String;
}

/// A file that is included.
#[derive(Clone, Debug)]
pub struct Header {
    /// What tells it from others, whichever way it is named.
    pub key: String,
    /// What messages and the line table call it.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
}
