//! How a launch was carried out, which changes nothing that it does.

use std::fmt;
use std::ops::AddAssign;

/// How much of a launch could not be carried out for all warps of a block at once. Tests check with it that the fast way is
/// taken. It is no result: it depends on the way that is taken, so its `Debug` shows nothing, and reports can be compared by theirs.
#[derive(Clone, Copy, Default)]
pub struct Effort {
    /// Times that the lanes which stand at the same instruction were gathered.
    pub gathered: u64,
    /// Warp instructions that were carried out for one warp by itself.
    pub apart: u64,
}

impl fmt::Debug for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Effort")
    }
}

impl AddAssign for Effort {
    fn add_assign(&mut self, more: Effort) {
        self.gathered += more.gathered;
        self.apart += more.apart;
    }
}
