//! From a module's tree to a program: dense instructions with their control flow, and what is known of their registers.

pub mod affine;
pub mod dead_results;
mod flow;
pub mod inst;
mod layout;
pub mod liveness;
pub mod lower;
pub mod plan;
pub mod planner;
pub mod program;
pub mod reach;
mod regions;
pub mod shapes;
pub mod shared;
