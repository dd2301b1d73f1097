//! What a kernel may use without declaring it, in texts of our own.

pub(crate) mod headers;
mod plain;
