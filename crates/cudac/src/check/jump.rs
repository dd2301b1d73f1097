//! Jumps: `goto`, its labels, and the labels of a `switch`.
//!
//! A jump must not lead to where a variable is visible that has been given a value, from where it is not. C++17, [stmt.dcl],
//! paragraph 3. Left out: variables without a value, which may be jumped over if they are numbers.

use super::scope::{ScopeId, Spot};
use super::{Checker, Frame};
use crate::source::budget::{self, Bound};
use crate::source::{Name, Result, Span, error};

impl Frame<'_> {
    pub fn spot(&self, scope: ScopeId) -> Spot {
        Spot { scope, above: self.valued.len() }
    }
}

impl<'t> Checker<'_, 't> {
    /// A declaration has given a variable a value.
    pub(super) fn gets_value(&mut self, scope: ScopeId, name: Name<'t>) {
        if let Some(frame) = self.frame() {
            frame.valued.push((name, scope));
        }
    }

    /// The label may follow, so it is looked for at the end of the function.
    pub(super) fn jump(&mut self, scope: ScopeId, label: Name<'t>, span: Span) {
        if let Some(frame) = self.frame() {
            frame.gotos.push((label, span, frame.spot(scope)));
        }
    }

    pub(super) fn label(&mut self, scope: ScopeId, label: Name<'t>, span: Span) -> Result<()> {
        let Some(frame) = self.frame() else { return Ok(()) };
        let spot = frame.spot(scope);
        if frame.labels.insert(label, spot).is_some() {
            return Err(error(span, format_args!("the label `{label}` is in this function twice")));
        }
        Ok(())
    }

    /// The jumps of a function that has been checked.
    pub(super) fn gotos(&mut self, frame: &Frame<'t>) {
        for (label, span, from) in &frame.gotos {
            let Some(to) = frame.labels.get(label) else {
                self.sink.add(error(*span, format_args!("there is no label `{label}` in this function")));
                continue;
            };
            match self.jumped_over(frame, *from, *to, *span) {
                Ok(None) => {}
                Ok(Some(name)) => {
                    let message = format!("this `goto` jumps over the value that `{name}` gets");
                    let help = format!("declare `{name}` above it, or in a block that ends before `{label}`");
                    self.sink.add(error(*span, message).with_help(help));
                }
                Err(error) => return self.sink.add(error),
            }
        }
    }

    /// A `case` or `default` stands here, to which a `switch` may jump.
    pub(super) fn reached(&self, scope: ScopeId, from: Option<Spot>, span: Span) -> Result<()> {
        let Some((frame, from)) = self.frames.last().zip(from) else { return Ok(()) };
        let Some(name) = self.jumped_over(frame, from, frame.spot(scope), span)? else { return Ok(()) };
        let message = format!("this label is reached without the value that `{name}` gets above");
        Err(error(span, message).with_help("put braces around the statements of the `case` above"))
    }

    /// A variable that has a value where a jump leads to, and not where it comes from.
    fn jumped_over(&self, frame: &Frame<'t>, from: Spot, to: Spot, span: Span) -> Result<Option<Name<'t>>> {
        budget::spend(Bound::Work, frame.valued.len(), span)?;
        let mut valued = frame.valued.iter().enumerate();
        let sees = |spot: Spot, nth, scope| nth < spot.above && self.scopes.is_within(spot.scope, scope);
        let found = valued.find(|&(nth, &(_, scope))| sees(to, nth, scope) && !sees(from, nth, scope));
        Ok(found.map(|(_, (name, _))| *name))
    }
}
