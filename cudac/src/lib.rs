//! CUDA C++ kernels as text to PTX text.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![allow(dead_code)]

mod builtins;
mod check;
mod code;
mod lex;
mod parse;
mod preprocess;
pub mod source;
