//! Accesses to memory: which bytes an instruction accesses in each lane, and what that costs.
//!
//! Everything here is a function of an instruction's form, the registers of its lanes, and a memory. [`crate::exec`]
//! carries accesses out, and [`crate::checkers`] checks them.

pub mod address;
pub mod element;
pub mod lane_order;
pub mod row;
pub mod traffic;
pub mod window;
