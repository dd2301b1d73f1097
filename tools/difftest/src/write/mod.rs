//! Writes a kernel: a tree of random statements as PTX text.
//!
//! The writer keeps a list of what it has written so far: registers that have a value (the pool, which a branch
//! restores at its end), input columns, slots, cells. `Writer::statements` draws the statements; each kind of statement
//! has a file. Kernels are correct by construction: on every path a register is written before it is read, an area of
//! memory belongs to one thread or is exchanged across a barrier, loops count, and the exchanges of a warp name exactly
//! the lanes that execute them (`Place`).
//!
//! A kernel of a [`Family`] has further statements, and memory for them (`extra`). They wait for every copy that they start.

mod arithmetic;
mod block;
mod bulk;
mod clusters;
mod copies;
mod entry;
mod extra;
mod flow;
mod matrices;
mod mbarriers;
mod memory;
mod peers;
mod warp;

use std::fmt;
use std::fmt::Write as _;
use std::sync::OnceLock;

use crate::dice::Dice;
use crate::family::Family;
use crate::kernel::{Alone, Compare, Slot};
use crate::shape::{Kind, Opcodes};
use crate::values::Domain;

pub use entry::kernel;
use extra::Extra;

/// The column of the output at which stored operands begin; kernels have fewer slots.
pub const REVEALED: usize = 400;
/// Columns of the output, including those for stored operands.
const COLUMNS: usize = REVEALED + 8;
/// With this many slots, no further statement is begun.
const MOST_SLOTS: usize = 260;

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    kind: Kind,
    number: u32,
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}{}", letter(self.kind), self.number)
    }
}

fn letter(kind: Kind) -> &'static str {
    match kind {
        Kind::Pred => "p",
        Kind::B16 => "h",
        Kind::B32 => "r",
        Kind::B64 => "d",
    }
}

/// A word in global memory that all threads update with one operation in any order.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The instruction that changes it.
    pub instruction: String,
    /// Its first value.
    pub start: u64,
}

/// The place of a statement in the control flow.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The register with the mask of the lanes that execute it, if that is known.
    mask: Option<Register>,
    /// Whether all 32 lanes of every warp execute it.
    full: bool,
    /// Whether all threads of the block execute it, the same number of times.
    uniform: bool,
    /// How many branches and loops are around it.
    depth: u32,
}

impl Place {
    /// Inside a branch or a loop, with these lanes.
    fn inside(self, mask: Option<Register>) -> Place {
        Place { mask, full: false, uniform: false, depth: self.depth + 1 }
    }
}

/// A device function that can be called.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    /// Whether it gets the mask of the lanes that call it.
    wants_mask: bool,
    /// Whether it calls itself, to the depth that its last argument gives.
    recursive: bool,
    arguments: Vec<Kind>,
    result: Kind,
}

/// The text and the registers of a function that is being written.
#[derive(Default)]
struct Frame {
    body: String,
    counts: [u32; 4],
    pool: Vec<Register>,
    is_function: bool,
}

struct Writer {
    dice: Dice,
    target: u32,
    /// The number of threads of the grid, and of a block.
    threads: usize,
    block_threads: usize,
    frame: Frame,
    labels: u32,
    columns: Vec<Domain>,
    slots: Vec<Slot>,
    cells: Vec<Cell>,
    shared_cells: Vec<(String, u64)>,
    functions: Vec<Function>,
    reveal: Option<usize>,
    /// What the kernel has for its family.
    extra: Option<Extra>,
}

/// The arithmetic opcodes, which are computed once.
fn catalogue() -> &'static [Opcodes] {
    static CATALOGUE: OnceLock<Vec<Opcodes>> = OnceLock::new();
    CATALOGUE.get_or_init(crate::shape::arithmetic)
}

impl Writer {
    /// Appends a line.
    fn line(&mut self, text: impl fmt::Display) {
        writeln!(self.frame.body, "    {text}").expect("writing to a string does not fail");
    }

    /// A new label, which [`Writer::mark`] places.
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn mark(&mut self, label: &str) {
        writeln!(self.frame.body, "{label}:").expect("writing to a string does not fail");
    }

    /// A register that has not been written.
    fn fresh(&mut self, kind: Kind) -> Register {
        let count = &mut self.frame.counts[kind as usize];
        *count += 1;
        Register { kind, number: *count - 1 }
    }

    /// A register from the pool, more often a recent one.
    fn held(&mut self, kind: Kind) -> Register {
        let of_kind: Vec<Register> =
            self.frame.pool.iter().copied().filter(|held| held.kind == kind).collect();
        if of_kind.is_empty() {
            return self.input(Source::any(kind));
        }
        let last = of_kind.len() - 1;
        let back = if self.dice.chance(50) {
            self.dice.below(of_kind.len().min(6))
        } else {
            self.dice.below(last + 1)
        };
        of_kind[last - back]
    }

    /// A copy of a register from the pool, for operands that may be narrower than the register. If a floating-point
    /// instruction wrote an untyped register, the assembler may take its contents for a number and convert it to an
    /// integer before it is stored or used as a shift count. A copy consists of untyped bits again.
    fn copied(&mut self, kind: Kind) -> Register {
        let (held, copy) = (self.held(kind), self.fresh(kind));
        self.line(format!("mov.{} {copy}, {held};", kind.name()));
        copy
    }

    /// A new input column: a value of the domain for each thread, loaded into a register.
    fn input(&mut self, source: Source) -> Register {
        let register = self.fresh(source.kind);
        let offset = self.columns.len() * self.threads * 8;
        self.columns.push(source.domain);
        match source.kind {
            Kind::Pred => {
                let word = self.fresh(Kind::B32);
                self.line(format!("ld.global.u32 {word}, [%in+{offset}];"));
                self.line(format!("setp.ne.u32 {register}, {word}, 0;"));
            }
            kind => self.line(format!("ld.global.b{} {register}, [%in+{offset}];", kind.bits())),
        }
        register
    }

    /// Adds a register to the pool, so that later instructions may read it.
    fn keep(&mut self, register: Register) {
        self.frame.pool.push(register);
    }

    /// Stores a result in a slot of its own, and lets later instructions read it.
    fn result(&mut self, register: Register, opcode: &str, instruction: &str) {
        self.slot(register, opcode, instruction, Compare::Exact, None);
        self.keep(register);
    }

    /// Stores a result in a slot of its own.
    fn slot(
        &mut self,
        register: Register,
        opcode: &str,
        instruction: &str,
        compare: Compare,
        alone: Option<Alone>,
    ) {
        let column = self.slots.len();
        self.store(register, column);
        let (opcode, instruction) = (opcode.to_owned(), instruction.to_owned());
        self.slots.push(Slot { opcode, instruction, compare, alone });
    }

    fn store(&mut self, register: Register, column: usize) {
        let offset = column * self.threads * 8;
        if register.kind == Kind::Pred {
            let word = self.fresh(Kind::B32);
            self.line(format!("selp.b32 {word}, 1, 0, {register};"));
            self.line(format!("st.global.b32 [%out+{offset}], {word};"));
        } else {
            self.line(format!("st.global.b{} [%out+{offset}], {register};", register.kind.bits()));
        }
    }

    /// The weight of the statements of the kernel's family.
    fn weight_of_family(&self, place: Place) -> usize {
        let is_possible = match self.family() {
            None => false,
            Some(Family::Matrices) => place.full,
            Some(Family::Clusters) => place.uniform || !self.frame.is_function,
            Some(_) => true,
        };
        if is_possible { 80 } else { 0 }
    }

    /// Writes a statement of the kernel's family.
    fn of_family(&mut self, place: Place) {
        match self.family() {
            Some(Family::Copies) => self.copies(place),
            Some(Family::Bulk) => self.bulk(place),
            Some(Family::Clusters) => self.clusters(place),
            Some(Family::Matrices) => self.matrices(place),
            None => {}
        }
    }

    /// Whether there is no space for another statement.
    fn is_full(&self) -> bool {
        self.slots.len() >= MOST_SLOTS
    }

    /// Writes random statements, at most this many.
    fn statements(&mut self, count: usize, place: Place) {
        for _ in 0..count {
            if !self.is_full() {
                self.statement(place);
            }
        }
    }

    fn statement(&mut self, place: Place) {
        // The weight of each kind of statement, 0 where it is not allowed.
        let if_deep = |weight| if place.depth < 3 { weight } else { 0 };
        let if_known = |weight| if place.mask.is_some() { weight } else { 0 };
        let if_uniform = |weight| if place.uniform { weight } else { 0 };
        let if_callable = |weight| if self.functions.is_empty() { 0 } else { if_deep(weight) };
        let write = self.dice.weighted::<fn(&mut Writer, Place)>(&[
            (60, |writer, _| writer.arithmetic()),
            (4, |writer, _| writer.carry_chain()),
            (5, |writer, _| writer.movement()),
            (4, |writer, _| writer.assignment()),
            (9, |writer, _| writer.access()),
            (4, |writer, _| writer.address()),
            (4, |writer, _| writer.own_atomic()),
            (2, |writer, _| writer.common_atomic()),
            (1, |writer, _| writer.fence()),
            (if_known(7), Writer::exchange),
            (if_deep(5), Writer::branch),
            (if_deep(3), Writer::count),
            (if_deep(2), Writer::switch),
            (if_callable(3), Writer::call),
            (if_uniform(3), |writer, _| writer.synchronise()),
            (self.weight_of_family(place), Writer::of_family),
        ]);
        write(self, place);
    }
}

use crate::shape::Source;

impl Source {
    /// Any value of a register.
    fn any(kind: Kind) -> Source {
        let domain = if kind == Kind::Pred { Domain::Pred } else { Domain::Bits(kind.bits()) };
        Source { kind, domain }
    }
}
