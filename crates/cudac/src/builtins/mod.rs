//! What a kernel may use without declaring it, in texts of our own.

pub(crate) mod headers;
#[cfg(feature = "host")]
pub(crate) mod host;
mod plain;
