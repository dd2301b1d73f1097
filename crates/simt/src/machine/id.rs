//! Ids of allocations and modules, by which an emulator recognises its own.
//!
//! They are unique in the process and appear in no report, so no result depends on them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// An id that nothing else has, except copies of the same thing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u64);

impl fmt::Debug for Id {
    /// Without its number, so that equal runs print equal texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Id")
    }
}

impl Id {
    /// The next id.
    pub fn new() -> Id {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Id(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
