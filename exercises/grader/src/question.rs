//! A question about a run, how it is answered, and what the run says.

use serde::Deserialize;

/// Something to predict.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The name under which the answer is written.
    pub name: String,
    /// What is asked.
    pub ask: String,
    /// What to look at where the answer is wrong.
    pub look: String,
    /// What answers it.
    pub from: From,
    /// The words to choose from, where the answer is a word.
    #[serde(default)]
    pub choices: Vec<String>,
}

/// What of a run answers a question. A place is named by a mark, a word of a comment that stands at the end of its line in
/// the source: `// (A)` is named `(A)`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum From {
    /// The lanes of a warp that carry out any instruction of the marked line: `0-15, 20`.
    Lanes {
        /// The mark.
        at: String,
        /// The block's number.
        #[serde(default)]
        block: u64,
        /// The warp in the block.
        #[serde(default)]
        warp: u32,
    },
    /// A counter of the launch, or of the marked line: `12`. Any name that a gate may have.
    Counter {
        /// Its name.
        name: String,
        /// The mark; none for the whole launch.
        at: Option<String>,
    },
    /// An element of a buffer afterwards: `7`.
    Value {
        /// The argument's name.
        of: String,
        /// The element.
        index: u64,
    },
    /// Elements of a buffer afterwards, one for each lane of the first warp: `0, 0, 2, …`.
    Values {
        /// The argument's name.
        of: String,
        /// How many.
        count: u64,
    },
    /// Which elements of a buffer differ from 0 afterwards, as lanes are written: `0-3, 8`.
    Marked {
        /// The argument's name.
        of: String,
    },
    /// The kind of the first fault, or `none`.
    Fault,
    /// The warps that the first fault names, as lanes are written.
    Warps,
    /// The lanes that the first fault names.
    FaultLanes,
}
