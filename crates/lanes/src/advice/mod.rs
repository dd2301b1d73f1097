//! Advice about one launch: what its memory accesses, branches, barriers and fences cost, and what they could cost.
//!
//! A launch is watched once, and every number in the advice was counted in that run. Where a change can be made without
//! understanding the program (a padded row, a barrier that is left out, a fence with a smaller scope), it is made and run, and
//! the advice says what came of it. There is one file for each kind of advice; the words are in `words`. Nothing here guesses
//! at time. What is left out: changes to the algorithm, and whatever another launch of the same kernel would show.

mod case;
mod idle;
mod kinds;
mod observe;
mod order;
mod padding;
mod traffic;
mod words;

use anyhow::Result;

pub use case::{Case, Placed};
pub use kinds::{Advice, Kind};
pub use words::render;

use observe::Observed;

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
