//! The press.
