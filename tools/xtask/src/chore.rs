//! What all chores share: where the repository is, and how a chore ends.

use std::path::PathBuf;

/// How a chore ended, if not with an error.
pub enum Outcome {
    /// Nothing is wrong.
    Done,
    /// A check found something stale, and has printed what.
    Stale,
}

/// The root of the repository, whatever the working directory is.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
