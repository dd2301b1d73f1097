//! Where a kernel can be mutated: its instructions in order, and for each one the mutants that a change of it makes.
//!
//! It works on the parsed text, so that it changes instructions, and not words that look like one. Left out:
//! arithmetic, constants and addresses, because comparing results would find such mutants. This test is about
//! communication between threads.

use std::fmt;

use simt::ptx::ast::{Block, Instruction, Module, Operand, Statement};
use simt::ptx::{LineIndex, Span};

use crate::edits::{self, Edit};
use crate::flow::{Among, Flow};

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A barrier of the block is removed.
    NoBarrier,
    /// A barrier of the warp is removed.
    NoWarpBarrier,
    /// A fence is removed.
    NoFence,
    /// A mask loses its lowest lane, or its highest.
    NarrowMask,
    /// A mask that is not full gets its lowest free lane.
    WideMask,
    /// An atomic becomes a relaxed load, the operation, and a relaxed store.
    SplitAtomic,
    /// All lanes do what a condition kept some of them from. Left out are cases in which that makes no difference: a
    /// store of one number to one address, which one thread does for its block.
    NoGuard,
    /// A barrier is removed, and all accesses of the kernel are volatile.
    Volatile,
    /// A fence or an atomic gets the scope of the block.
    NarrowScope,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::NoBarrier => "no-barrier",
            Kind::NoWarpBarrier => "no-warp-barrier",
            Kind::NoFence => "no-fence",
            Kind::NarrowMask => "narrow-mask",
            Kind::WideMask => "wide-mask",
            Kind::SplitAtomic => "split-atomic",
            Kind::NoGuard => "no-guard",
            Kind::Volatile => "volatile",
            Kind::NarrowScope => "narrow-scope",
        })
    }
}

/// A kernel with one change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The line of the source at which it was changed.
    pub line: u32,
    /// What was changed.
    pub kind: Kind,
    /// The number of this change among several of the same kind on the line, from 1.
    pub nth: usize,
    /// The mutated text.
    pub ptx: String,
}

/// As in the list of equivalent mutants: `23 no-guard`, or `23 no-guard 2`.
impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.line, self.kind)?;
        if self.nth > 1 { write!(f, " {}", self.nth) } else { Ok(()) }
    }
}

/// A step of the code in the order of the text.
pub enum Step<'m, 't> {
    /// A label's name.
    Label(&'t str),
    /// An instruction.
    Instruction(&'m Instruction<'t>),
}

/// Every mutant of a text. Lines are those of `file`, or of the text itself if it names no file.
pub fn mutants(text: &str, file: &str) -> Vec<Mutant> {
    let module = simt::ptx::parse(text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut found: Vec<Mutant> = Vec::new();
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        let mut steps = Vec::new();
        flatten(body, &mut steps);
        let (flow, in_block) = (Flow::of(&steps, Among::Launch), Flow::of(&steps, Among::Block));
        let code = Code { text, sm: module.target.sm, flow, in_block, steps };
        for (at, step) in code.steps.iter().enumerate() {
            let Step::Instruction(inst) = step else { continue };
            let line = line(&module, inst, text, file);
            for (kind, edits) in code.changes(inst, at) {
                let nth = 1 + found.iter().filter(|other| (other.line, other.kind) == (line, kind)).count();
                found.push(Mutant { line, kind, nth, ptx: edits::apply(text, edits) });
            }
        }
    }
    found
}

fn flatten<'m, 't>(block: &'m Block<'t>, steps: &mut Vec<Step<'m, 't>>) {
    for statement in &block.statements {
        match statement {
            Statement::Label(name) => steps.push(Step::Label(name.text)),
            Statement::Instruction(inst) => steps.push(Step::Instruction(inst)),
            Statement::Block(inner) => flatten(inner, steps),
            Statement::Targets { .. } | Statement::Prototype { .. } => {}
        }
    }
}

/// The line of the learner's file, also for instructions that the compiler took from a header.
fn line(module: &Module<'_>, inst: &Instruction<'_>, text: &str, file: &str) -> u32 {
    let Some(loc) = inst.loc else { return LineIndex::new(text).line(inst.span.start) };
    let own = module.files.iter().find(|known| known.name.ends_with(file)).map(|file| file.index);
    let around = std::iter::once(&loc).chain(loc.calls(&module.calls));
    around.filter(|loc| Some(loc.file) == own).map(|loc| loc.line).next().unwrap_or(loc.line)
}

/// The code of a function.
struct Code<'m, 't> {
    text: &'t str,
    sm: u32,
    steps: Vec<Step<'m, 't>>,
    flow: Flow<'t>,
    in_block: Flow<'t>,
}

impl<'t> Code<'_, 't> {
    /// The changes of one instruction.
    fn changes(&self, inst: &Instruction<'t>, at: usize) -> Vec<(Kind, Vec<Edit>)> {
        let mut all = Vec::new();
        let parts: Vec<&str> = inst.opcode.text.split('.').collect();
        let remove = || vec![edits::removed(self.text, inst)];
        match parts[..] {
            ["bar", "warp", ..] => {
                all.push((Kind::NoWarpBarrier, remove()));
                all.push((Kind::Volatile, self.volatile(remove())));
            }
            ["bar" | "barrier", ..] => {
                all.push((Kind::NoBarrier, remove()));
                all.push((Kind::Volatile, self.volatile(remove())));
            }
            ["membar" | "fence", ..] => all.push((Kind::NoFence, remove())),
            ["atom" | "red", ..] => {
                all.push((Kind::SplitAtomic, vec![edits::split(self.text, self.sm, inst)]));
            }
            _ => {}
        }
        if let Some(mask) = mask(inst, &parts) {
            let bits = self.flow.constant(mask);
            let narrow = edits::narrowed(self.text, inst, mask, bits);
            let wide = edits::widened(self.text, inst, mask, bits);
            all.extend(narrow.into_iter().map(|edit| (Kind::NarrowMask, vec![edit])));
            all.extend(wide.map(|edit| (Kind::WideMask, vec![edit])));
        }
        if self.is_guarded(inst, &parts, at) {
            let edit =
                if parts[0] == "bra" { edits::removed(self.text, inst) } else { edits::unguarded(inst) };
            all.push((Kind::NoGuard, vec![edit]));
        }
        all.extend(edits::for_the_block(inst, self.sm).map(|edit| (Kind::NarrowScope, vec![edit])));
        all
    }

    /// Whether a condition keeps lanes from something that others do. A condition that is the same for all threads
    /// guards nothing, and neither does the end of a loop.
    fn is_guarded(&self, inst: &Instruction<'t>, parts: &[&str], at: usize) -> bool {
        if !inst.guard.is_some_and(|guard| self.flow.differs(guard.register.text)) {
            return false;
        }
        let Some(Operand::Name(target)) = inst.operands.first().filter(|_| parts[0] == "bra") else {
            return !self.in_block.is_the_same(inst);
        };
        let is_target = |step: &Step<'_, '_>| matches!(step, Step::Label(name) if *name == target.text);
        let Some(to) = self.steps.iter().position(is_target).filter(|&to| to > at) else { return false };
        // A branch that leaves an enclosing loop skips the branch back of that loop.
        let leaves = (at..to).any(|from| self.goes_back(from).is_some_and(|label| label < at));
        let is_the_same = |step: &Step<'_, 't>| match step {
            Step::Label(_) => false,
            Step::Instruction(inst) => self.in_block.is_the_same(inst),
        };
        !leaves && !self.steps[at + 1..to].iter().all(is_the_same)
    }

    /// The index of the label to which the branch at `from` goes back.
    fn goes_back(&self, from: usize) -> Option<usize> {
        let Step::Instruction(inst) = &self.steps[from] else { return None };
        let Some(Operand::Name(target)) =
            inst.operands.first().filter(|_| inst.opcode.text.starts_with("bra"))
        else {
            return None;
        };
        self.steps[..from].iter().position(|step| matches!(step, Step::Label(name) if *name == target.text))
    }

    /// The edits, and others that make each access of the function volatile.
    fn volatile(&self, mut all: Vec<Edit>) -> Vec<Edit> {
        let accesses = self.steps.iter().filter_map(|step| match step {
            Step::Instruction(inst) => edits::made_volatile(inst),
            Step::Label(_) => None,
        });
        all.extend(accesses);
        all
    }
}

/// The operand with the mask of the lanes that take part.
fn mask<'i, 't>(inst: &'i Instruction<'t>, parts: &[&str]) -> Option<&'i Operand<'t>> {
    match parts {
        ["bar", "warp", ..] => inst.operands.first(),
        ["shfl" | "vote" | "match" | "redux", ..] if parts.contains(&"sync") => inst.operands.last(),
        _ => None,
    }
}

/// The text of a span.
pub fn text_of(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}
