//! Advice about one launch: what its memory accesses, branches, barriers and fences cost, and what they could cost.
//!
//! A launch is watched once, and every number in the advice was counted in that run. Where a change can be made without
//! understanding the program (a padded row, a barrier that is left out, a fence with a smaller scope), it is made and run, and
//! the advice says what came of it. There is one file for each kind of advice; the words are in `words`. Nothing here guesses
//! at time. What is left out: changes to the algorithm, and whatever another launch of the same kernel would show.

mod case;
mod idle;
mod observe;
mod order;
mod padding;
mod traffic;
mod words;

use anyhow::Result;
use simt::Site;

pub use case::{Case, Placed};
pub use words::render;

use observe::Observed;

/// A finding below this part of the launch's total is not worth a reader's time.
const LEAST_SHARE: f64 = 0.05;

/// A piece of advice.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The instruction that it is about; where it is about several of one line, the first of them.
    pub site: Site,
    /// What was found.
    pub about: About,
}

/// What a piece of advice is about.
#[derive(Clone, Debug)]
pub enum About {
    /// Requests to global memory touch more sectors than their bytes need.
    Sectors(traffic::Sectors),
    /// Lanes of a request want different words of one bank.
    Banks(traffic::Banks),
    /// Lanes of a request update the same word, one after another.
    SameWord(traffic::SameWord),
    /// A block reads the same sectors again and again.
    Reuse(traffic::Reuse),
    /// Most lanes are idle.
    Idle(idle::Idle),
    /// A barrier or a fence does more than the launch needs.
    Order(order::Unneeded),
}

/// The kinds of advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Most lanes are idle.
    IdleLanes,
    /// Requests to global memory touch more sectors than they need.
    Sectors,
    /// A block reads the same sectors again.
    Reuse,
    /// Lanes of a request want different words of one bank.
    BankConflicts,
    /// Lanes of a request update one word.
    SameWord,
    /// A barrier or a fence orders nothing.
    UnneededOrder,
}

impl Kind {
    /// All kinds, in the order in which they are said of a line.
    pub const ALL: [Kind; 6] = [
        Kind::IdleLanes,
        Kind::Sectors,
        Kind::Reuse,
        Kind::BankConflicts,
        Kind::SameWord,
        Kind::UnneededOrder,
    ];

    /// Its name, as `lanes explain` knows it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::IdleLanes => "idle-lanes",
            Kind::Sectors => "sectors",
            Kind::Reuse => "reuse",
            Kind::BankConflicts => "bank-conflicts",
            Kind::SameWord => "same-word",
            Kind::UnneededOrder => "unneeded-order",
        }
    }
}

/// What was found in a launch.
#[derive(Debug)]
pub struct Advised {
    /// In the order of the kernel's lines.
    pub advice: Vec<Advice>,
    /// Whether a checker found an error: then the launch may have ended early, and nothing was tried.
    pub has_error: bool,
}

/// Runs a launch and says what could cost less.
///
/// # Errors
/// The launch cannot be carried out.
pub fn advise(case: &Case<'_>) -> Result<Advised> {
    let (observed, outcome) = Observed::of(case)?;
    let mut advice = traffic::advice(&observed, case);
    advice.extend(idle::advice(&observed));
    if !outcome.has_error {
        advice.extend(order::advice(case, &observed, &outcome)?);
    }
    advice.sort_by_key(|advice| {
        (advice.site.source.as_ref().map(|source| source.line), advice.site.ptx_line, advice.about.kind())
    });
    Ok(Advised { advice, has_error: outcome.has_error })
}

impl About {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            About::Idle(_) => Kind::IdleLanes,
            About::Sectors(_) => Kind::Sectors,
            About::Reuse(_) => Kind::Reuse,
            About::Banks(_) => Kind::BankConflicts,
            About::SameWord(_) => Kind::SameWord,
            About::Order(_) => Kind::UnneededOrder,
        }
    }
}
