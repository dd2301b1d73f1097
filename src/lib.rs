//! Lanes.

pub mod kernel;
pub mod kernels;
