//! The machine's state: registers, memories, warps and blocks.
//!
//! Plain data, with the operations that keep it consistent. [`crate::exec`] decides what runs next, and
//! [`crate::checkers`] what is worth reporting.

pub mod affine;
mod aligned;
pub mod block;
pub mod bulk;
pub mod cluster;
pub mod copies;
pub mod descriptor;
pub mod divergence;
pub mod file;
pub mod fork;
pub mod global;
pub mod id;
mod journal;
pub mod kept;
pub mod local;
pub mod mbarriers;
pub mod put_off;
pub mod registers;
mod snapshot;
pub mod sums;
pub mod tensor_box;
pub mod tensor_map;
pub mod warpgroup;
pub mod written;
