//! What came of the runs: which of them is reported, whether it is a failure, and whether tests passed.

pub mod contents;
pub mod finished;
pub mod reported;
pub mod search;
pub mod seen;
pub mod unchecked;
pub mod verdict;

pub use contents::{Content, Contents};
pub use finished::{Finished, Traced};
pub use search::Search;
pub use seen::Seen;
pub use verdict::{Problem, Suite, Verdict};
