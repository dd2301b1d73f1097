//! Writes a kernel: a tree of random statements as PTX text.
//!
//! The writer keeps what it has written so far: registers that hold a value (the pool, which a branch gives back as it
//! was), input columns, slots, cells. Statements are drawn by `Writer::statements`; each kind has a file. What keeps a
//! kernel right is decided here and there by construction: registers are read after they were written on every way,
//! places in memory belong to one thread or are exchanged across a barrier, loops count, and a warp's exchange names
//! exactly the lanes that come to it (`Place`).

mod arithmetic;
mod block;
mod entry;
mod flow;
mod memory;
mod warp;

use std::fmt;
use std::fmt::Write as _;
use std::sync::OnceLock;

use crate::dice::Dice;
use crate::kernel::{Alone, Compare, Slot};
use crate::shape::{Kind, Opcodes};
use crate::values::Domain;

pub use entry::kernel;

/// The column of the output after which revealed operands stand; kernels have fewer slots.
pub const REVEALED: usize = 400;
/// Columns of the output, revealed operands included.
const COLUMNS: usize = REVEALED + 8;
/// Slots after which no statement begins any more.
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

/// A word in global memory that all threads change by one operation in any order.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The instruction that changes it.
    pub instruction: String,
    /// What it holds at first.
    pub start: u64,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The register with the lanes of the warp that come here, where that is known.
    mask: Option<Register>,
    /// Whether all 32 lanes of every warp come here.
    full: bool,
    /// Whether all threads of the block come here, the same number of times.
    uniform: bool,
    /// Branches and loops around it.
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
    /// Whether it takes the mask of the lanes that call it.
    wants_mask: bool,
    /// Whether it calls itself, as often as its last argument says.
    recursive: bool,
    arguments: Vec<Kind>,
    result: Kind,
}

/// What a function is written with: its own registers and text.
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
    /// Threads of the grid, and of a block.
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
}

/// The arithmetic opcodes, found once.
fn catalogue() -> &'static [Opcodes] {
    static CATALOGUE: OnceLock<Vec<Opcodes>> = OnceLock::new();
    CATALOGUE.get_or_init(crate::shape::arithmetic)
}

impl Writer {
    /// Appends a line.
    fn line(&mut self, text: impl fmt::Display) {
        writeln!(self.frame.body, "    {text}").expect("writing to a string does not fail");
    }

    /// A label, put by [`Writer::mark`].
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn mark(&mut self, label: &str) {
        writeln!(self.frame.body, "{label}:").expect("writing to a string does not fail");
    }

    /// A register that nothing has been written to.
    fn fresh(&mut self, kind: Kind) -> Register {
        let count = &mut self.frame.counts[kind as usize];
        *count += 1;
        Register { kind, number: *count - 1 }
    }

    /// A register that holds something, the later ones more often.
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

    /// A copy of a register that holds something, for operands that may be narrower than it. There the assembler takes an
    /// untyped register that a floating-point instruction has written for a number, and stores it, or shifts by it, made an
    /// integer; a copy is bits again.
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

    /// Notes that a register holds something that later instructions may read.
    fn keep(&mut self, register: Register) {
        self.frame.pool.push(register);
    }

    /// Stores a result to a slot of its own, and lets later instructions read it.
    fn result(&mut self, register: Register, opcode: &str, instruction: &str) {
        self.slot(register, opcode, instruction, Compare::Exact, None);
        self.keep(register);
    }

    /// Stores a result to a slot of its own.
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

    /// Whether there is no room for more.
    fn is_full(&self) -> bool {
        self.slots.len() >= MOST_SLOTS
    }

    /// Random statements, at most this many.
    fn statements(&mut self, count: usize, place: Place) {
        for _ in 0..count {
            if !self.is_full() {
                self.statement(place);
            }
        }
    }

    fn statement(&mut self, place: Place) {
        // Each kind of statement with its weight; 0 where it cannot stand.
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
            (if_uniform(3), |writer, _| writer.meeting()),
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
