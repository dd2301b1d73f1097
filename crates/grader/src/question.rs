//! A question about a run, how to answer it, and which part of the run has the answer.

use serde::Deserialize;

/// A question to predict the answer of.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The name of the answer.
    pub name: String,
    /// The question.
    pub ask: String,
    /// What to look at if the answer is wrong.
    pub look: String,
    /// The source of the answer.
    pub from: From,
    /// The words to choose from, if the answer is a word.
    #[serde(default)]
    pub choices: Vec<String>,
}

/// The part of a run that answers a question. A line is referred to by a mark, a word in a comment at its end: `// (A)`
/// is the mark `(A)`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum From {
    /// The lanes of a warp that execute any instruction of the marked line: `0-15, 20`.
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
    /// A counter of the launch, or of the marked line: `12`. Any name that a gate can have.
    Counter {
        /// Its name.
        name: String,
        /// The mark; none for the whole launch.
        at: Option<String>,
    },
    /// An element of a buffer after the run: `7`.
    Value {
        /// The argument's name.
        of: String,
        /// The element.
        index: u64,
    },
    /// Elements of a buffer after the run, one for each lane of the first warp: `0, 0, 2, …`.
    Values {
        /// The argument's name.
        of: String,
        /// How many.
        count: u64,
    },
    /// Which elements of a buffer differ from 0 after the run, written like lanes: `0-3, 8`.
    Marked {
        /// The argument's name.
        of: String,
    },
    /// The kind of the first fault, or `none`.
    Fault,
    /// The warps that the first fault names, written like lanes.
    Warps,
    /// The lanes that the first fault names.
    FaultLanes,
}
