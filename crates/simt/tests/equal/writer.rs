//! Writes a kernel line by line: chooses which registers are read and written, and which instructions are guarded.
//!
//! Each register has a hint, which says how its value varies across the lanes as far as the writer knows. A hint may be
//! wrong, because of a guard or a branch. Hints make many values uniform or linear in the lane, which they would soon
//! cease to be with random arithmetic.

use std::collections::BTreeMap;

use crate::memory::Area;
use test_support::Random;

/// How a value varies across the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The same in all lanes.
    Uniform,
    /// A base and a stride.
    Linear,
    /// In any way.
    Any,
}

/// The width of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    B16,
    B32,
    B64,
}

impl Width {
    /// Its bits.
    pub fn bits(self) -> u32 {
        match self {
            Width::B16 => 16,
            Width::B32 => 32,
            Width::B64 => 64,
        }
    }

    /// The letter of its registers, and how many there are.
    fn registers(self) -> (char, u64) {
        match self {
            Width::B16 => ('h', 4),
            Width::B32 => ('r', 12),
            Width::B64 => ('q', 8),
        }
    }
}

/// The style of a kernel, drawn once for each.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each says yes or no to one thing, and they are drawn independently.
pub struct Style {
    /// The target, 60 or 70 or 80.
    pub sm: u64,
    /// How many of a hundred instructions are guarded.
    pub guards: u64,
    /// The weight of each family of statements: values, memory, forks, loops, synchronisation, calls and ends.
    pub weights: [u64; 6],
    /// Whether blocks store where other blocks load.
    pub communicates: bool,
    /// Whether blocks that do not communicate otherwise load what other blocks store or add up.
    pub peeks: bool,
    /// The iterations of an empty loop, so that blocks take long enough to run side by side.
    pub delay: u64,
    /// Whether blocks add to the same words.
    pub tallies: bool,
    /// Whether it reads the clock.
    pub looks_at_clock: bool,
    /// Whether it prints.
    pub prints: bool,
    /// Whether some addresses are wrong.
    pub is_faulty: bool,
    /// Whether it has a line table.
    pub has_lines: bool,
    /// The number of threads in a block, and of blocks.
    pub threads: u64,
    pub blocks: u64,
    /// The largest number of iterations of a loop.
    pub turns: u64,
}

/// The kernel as far as it has been written.
pub struct Writer {
    pub numbers: Random,
    pub style: Style,
    pub areas: Vec<Area>,
    pub lines: Vec<String>,
    /// With this many lines, no new block of code is begun.
    pub budget: usize,
    /// Whether all threads of the block execute this together, as far as the writer knows.
    pub together: bool,
    /// The enclosing loops: their counters, and the labels of their next iteration and of their end.
    pub loops: Vec<Loop>,
    hints: BTreeMap<String, Hint>,
    labels: usize,
}

/// A loop that is being written.
#[derive(Clone, Debug)]
pub struct Loop {
    pub counter: String,
    pub again: String,
    pub end: String,
}

/// Numbers at which errors are likely.
const EDGES: [i64; 40] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    12,
    16,
    31,
    32,
    33,
    63,
    64,
    128,
    255,
    256,
    1000,
    4096,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_fff0,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0010,
    0xffff_fff0,
    0xffff_ffe1,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_fff0,
    -1,
    -2,
    -4,
    -31,
    -32,
    -128,
    i64::MIN,
];

impl Writer {
    pub fn new(numbers: Random, style: Style, areas: Vec<Area>, budget: usize) -> Writer {
        Writer {
            numbers,
            style,
            areas,
            lines: Vec::new(),
            budget,
            together: true,
            loops: Vec::new(),
            hints: BTreeMap::new(),
            labels: 0,
        }
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.numbers.below(bound)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.numbers.chance(percent)
    }

    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        self.numbers.pick(choices)
    }

    /// Adds a line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        if self.style.has_lines && self.numbers.chance(20) {
            let line = 1 + self.numbers.below(9);
            self.lines.push(format!("\t.loc 1 {line} 0"));
        }
        self.lines.push(format!("\t{}", text.as_ref()));
    }

    /// Adds an instruction, sometimes guarded; returns whether it is.
    pub fn guarded(&mut self, text: impl AsRef<str>) -> bool {
        let guards = self.style.guards;
        if !self.chance(guards) {
            self.line(text);
            return false;
        }
        let (not, p) = (self.pick(&["", "!"]), self.predicate());
        self.line(format!("@{not}{p} {}", text.as_ref()));
        true
    }

    /// Adds an instruction that gives `to` a value of this kind.
    pub fn define(&mut self, to: &str, hint: Hint, text: impl AsRef<str>) {
        let is_guarded = self.guarded(text);
        self.hints.insert(to.to_owned(), if is_guarded { Hint::Any } else { hint });
    }

    /// Sets the hint of a register.
    pub fn hint(&mut self, register: &str, hint: Hint) {
        self.hints.insert(register.to_owned(), hint);
    }

    pub fn label(&mut self) -> String {
        self.labels += 1;
        format!("$l{}", self.labels)
    }

    pub fn place(&mut self, label: &str) {
        self.lines.push(format!("{label}:"));
    }

    /// One of the predicates that contain values.
    pub fn predicate(&mut self) -> String {
        format!("%p{}", self.below(5))
    }

    /// A register to write.
    pub fn target(&mut self, width: Width) -> String {
        let (letter, count) = width.registers();
        format!("%{letter}{}", self.below(count))
    }

    /// A register to read.
    pub fn source(&mut self, width: Width) -> String {
        if width == Width::B32 && self.chance(25) {
            return self.given();
        }
        self.target(width)
    }

    /// A 32-bit register that the kernel got from its launch, or from a loop.
    fn given(&mut self) -> String {
        let counters: Vec<String> = self.loops.iter().map(|around| around.counter.clone()).collect();
        let known = ["%x0", "%x0", "%x1", "%x2", "%n0", "%n1", "%n2", "%n3"].map(str::to_owned);
        let all = [counters, known.to_vec()].concat();
        self.pick(&all)
    }

    fn hint_of(&self, register: &str) -> Hint {
        let given = if register.starts_with("%n") { Hint::Uniform } else { Hint::Linear };
        let known = self.hints.get(register).copied();
        known.unwrap_or(if register.starts_with("%n") || register.starts_with("%x") {
            given
        } else {
            Hint::Any
        })
    }

    /// A register with one of these hints, if one is found soon, and its hint.
    pub fn like(&mut self, width: Width, wanted: &[Hint]) -> (String, Hint) {
        for _ in 0..6 {
            let register = self.source(width);
            let hint = self.hint_of(&register);
            if wanted.contains(&hint) {
                return (register, hint);
            }
        }
        let register = self.source(width);
        let hint = self.hint_of(&register);
        (register, hint)
    }

    /// A number, usually one at which errors are likely.
    pub fn number(&mut self, width: Width) -> String {
        let number = match self.below(10) {
            0 => self.numbers.bits() as i64,
            1..5 => self.pick(&EDGES[..20]),
            _ => self.pick(&EDGES),
        };
        // Numbers are written so that they fit, as signed or unsigned ones.
        match width {
            Width::B16 if number < 0 => format!("{}", number as i16),
            Width::B16 => format!("{}", number as u16),
            Width::B32 if number < 0 => format!("{}", number as i32),
            Width::B32 => format!("{}", number as u32),
            Width::B64 => format!("{number}"),
        }
    }

    /// A small number that is not zero.
    pub fn small(&mut self) -> u64 {
        self.pick(&[1, 1, 2, 2, 3, 4, 4, 5, 7, 8, 16, 32])
    }

    /// An operand: a register, or sometimes a number.
    pub fn operand(&mut self, width: Width) -> (String, Hint) {
        if self.chance(25) {
            return (self.number(width), Hint::Uniform);
        }
        let register = self.source(width);
        let hint = self.hint_of(&register);
        (register, hint)
    }

    /// An operand that is uniform, as far as the writer knows.
    pub fn uniform(&mut self, width: Width) -> (String, Hint) {
        if self.chance(50) {
            return (self.number(width), Hint::Uniform);
        }
        self.like(width, &[Hint::Uniform])
    }
}
