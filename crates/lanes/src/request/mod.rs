//! What the user asks for: the command line and scenario files, checked as far as that is possible without the program that
//! they are about.

pub mod buffers;
pub mod checks;
pub mod compile;
pub mod exec;
pub mod given;
mod help;
pub mod launch;
pub mod nvcc;
pub mod options;
pub mod report;
pub mod scenario;
pub mod together;
pub mod topic;
pub mod words;

pub use buffers::{Picture, Print, Save};
pub use compile::{Compile, Compiler};
pub use exec::ExecOptions;
pub use given::Expect;
pub use options::{Format, ListOptions, PlayOptions, RunOptions, TestOptions};
pub use report::{Device, Host};
pub use topic::{Remark, Topic};
