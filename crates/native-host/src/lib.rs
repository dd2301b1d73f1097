//! Whole CUDA programs whose host code runs natively: clang compiles both sides, with headers of our own and no part of
//! NVIDIA's toolkit, and the emulator is the device.
//!
//! The program is an ordinary process. What it calls of the CUDA runtime goes through a socket to this one, where `cuda_host`
//! carries it out, as for interpreted programs. While the process waits for the result, its memory is read and written through
//! the same socket ([`Running`]). So there is no code here that could crash, and a program that does is a finding.
//!
//! A call says from where it comes: every function of the runtime is also a macro, which notes the file, the line and the
//! arguments as they are written. What is called otherwise, by a pointer for example, has the line of the call before.
//!
//! Left out: Windows, whose processes have no such sockets for programs that clang links there.
#![cfg(unix)]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod asm;
mod clang;
mod headers;
mod process;
mod program;

pub use clang::{Clang, Compiled, Error, Project};
pub use process::{Given, Running};
pub use program::serve;
