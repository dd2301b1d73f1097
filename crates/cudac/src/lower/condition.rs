//! Conditions: `&&`, `||` and `!` as branches, or as predicates where both sides are cheap.
//!
//! C++ evaluates the right side only if the left one does not decide ([expr.log.and], [expr.log.or]). A branch says
//! that literally, but lanes may then diverge; if the right side can be computed without need, one `and` of two
//! predicates does.
//!
//! ```text
//!     branch A: more, no        if (A && B), where B is not cheap
//! more:
//!     branch B: yes, no
//! ```

use super::Lower;
use crate::check::typed::{Binary, Expr, Kind};
use crate::code::{BlockId, Operand, Place, Ty};
use crate::source::Result;

impl<'t> Lower<'t> {
    /// Whether a value can be computed without need: it costs little, changes nothing and cannot fault.
    pub(super) fn is_cheap(&self, expr: Expr<'t>, budget: usize) -> bool {
        self.cost(expr).is_some_and(|cost| cost <= budget)
    }

    /// How many instructions a value needs; `None` if it must not be computed without need.
    fn cost(&self, expr: Expr<'t>) -> Option<usize> {
        let one = |inner: &Expr| self.cost(inner).map(|cost| cost + 1);
        let two = |a: Expr<'t>, b: Expr<'t>| Some(self.cost(a)? + self.cost(b)? + 1);
        match &expr.kind {
            Kind::Integer(_) | Kind::Float(_) | Kind::Special(_) => Some(0),
            // A local variable is in a register, or will be. Anything else may fault or be changed by another thread.
            Kind::Load(place) | Kind::Temporary(place) => match place.kind {
                Kind::Local(_) if self.ty(place.ty).is_some() && !place.ty.is_volatile() => {
                    let Kind::Local(var) = place.kind else { return None };
                    let frame = self.frames.last()?;
                    let declared = &self.checked.program.functions[frame.function].vars[var];
                    // A reference may lead to memory.
                    (!self.checked.types.is_reference(declared.ty)).then_some(0)
                }
                _ if !place.is_place() => self.cost(place),
                _ => None,
            },
            Kind::Convert(inner) => self.cost(inner),
            Kind::Negate(inner) | Kind::Complement(inner) | Kind::Not(inner) => one(inner),
            // Only those that become shifts: a division takes long, and by zero it is undefined.
            Kind::Binary(Binary::Div | Binary::Rem, a, b) => match b.kind {
                Kind::Integer(value) if value > 0 && (value as u64).is_power_of_two() => one(a),
                _ => None,
            },
            Kind::Binary(_, a, b)
            | Kind::Compare(_, a, b)
            | Kind::PointerAdd(a, b, _)
            | Kind::And(a, b)
            | Kind::Or(a, b) => two(a, b),
            _ => None,
        }
    }

    /// A truth value in a predicate.
    pub(super) fn truth(&mut self, expr: Expr<'t>) -> Result<Operand> {
        let (is_and, a, b) = match &expr.kind {
            Kind::And(a, b) => (true, a, b),
            Kind::Or(a, b) => (false, a, b),
            _ => return self.scalar(expr),
        };
        if self.is_cheap(b, 5) {
            let left = self.truth(a)?;
            // The left side is known: it decides, or the right one is the whole.
            if let Operand::Int(value) = left {
                return if (value != 0) == is_and { self.truth(b) } else { Ok(left) };
            }
            let right = self.truth(b)?;
            let op = if is_and { Binary::And } else { Binary::Or };
            return Ok(self.binary(op, Ty::Pred, left, right));
        }
        // The value passes through a slot, which `promote` turns into a predicate.
        let (yes, no, after) = (self.new_block(), self.new_block(), self.new_block());
        if let Some(known) = self.branch_on(expr, yes, no)? {
            self.start(if known { yes } else { no });
            return Ok(Operand::Int(i64::from(known)));
        }
        let bool = expr.ty;
        let slot: Place = self.new_slot(bool, None);
        for (block, value) in [(yes, 1), (no, 0)] {
            self.start(block);
            self.store_operand(slot, Ty::Pred, Operand::Int(value), false);
            self.jump(after);
        }
        self.start(after);
        Ok(self.load_scalar(slot, Ty::Pred, false))
    }

    /// Branches on a condition. If it is known, says so; the caller may then leave the other block out. Unlike
    /// [`Self::truth`] it makes no value of `&&` and `||`: each side branches by itself.
    pub(super) fn branch_on(&mut self, expr: Expr<'t>, yes: BlockId, no: BlockId) -> Result<Option<bool>> {
        match &expr.kind {
            Kind::Not(inner) if matches!(inner.kind, Kind::And(..) | Kind::Or(..)) => {
                let known = self.branch_on(inner, no, yes)?;
                return Ok(known.map(|holds| !holds));
            }
            Kind::And(a, b) if !self.is_cheap(b, 5) => {
                let more = self.new_block();
                let first = self.branch_on(a, more, no)?;
                // The right side is never evaluated, and is not lowered.
                if first == Some(false) {
                    return Ok(first);
                }
                self.start(more);
                let second = self.branch_on(b, yes, no)?;
                return Ok(first.and(second));
            }
            Kind::Or(a, b) if !self.is_cheap(b, 5) => {
                let more = self.new_block();
                let first = self.branch_on(a, yes, more)?;
                if first == Some(true) {
                    return Ok(first);
                }
                self.start(more);
                let second = self.branch_on(b, yes, no)?;
                return Ok(first.and(second));
            }
            _ => {}
        }
        let condition = self.truth(expr)?;
        self.branch(condition, yes, no);
        Ok(match condition {
            Operand::Int(value) => Some(value != 0),
            _ => None,
        })
    }
}
