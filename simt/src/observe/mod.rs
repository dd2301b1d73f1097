//! What watches a run. Observers see events and change nothing: memory after the run is the same with any set
//! of them.

pub mod counters;
pub mod traffic;
