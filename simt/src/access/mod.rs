//! Accesses to memory: which bytes an instruction touches in each lane, and what that costs.
//!
//! Everything here is a function of an instruction's form, its lanes' registers and a memory. What carries accesses out is
//! in [`crate::exec`], and what watches them in [`crate::checkers`].

pub mod address;
pub mod element;
pub mod lane_order;
pub mod traffic;
pub mod window;
