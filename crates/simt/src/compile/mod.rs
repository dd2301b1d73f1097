//! From a module's tree to a program: dense instructions with their control flow, and what is known of their registers.

pub mod dead_results;
mod flow;
pub mod inst;
mod layout;
pub mod lower;
pub mod program;
pub mod reach;
pub mod shared;
mod temporaries;
mod waiting;
