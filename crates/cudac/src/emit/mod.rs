//! Intermediate code to PTX text.
//!
//! Registers are numbered in the order in which they appear, by class, so that equal code has equal text and a change
//! in one place does not move all numbers after a pass has removed some. The head with their counts is therefore
//! written last. A line of the text gets a `.loc` where it changes. The style (blanks, names of labels and parameters)
//! is NVIDIA's. Specification: PTX ISA 8.0.
//!
//! ```text
//! $L__BB0_2:                       block 2 of kernel 0
//!     .loc    1 12 9               line 12, column 9 of file 1
//!     setp.lt.s32     %p3, %r4, 10;
//!     @!%p3 bra       $L__BB0_4;   the other side is the next block
//! ```

mod instruction;
mod module;
pub(crate) mod name;
mod names;

pub(crate) use module::Module;
#[cfg(feature = "host")]
pub(crate) use module::spelt;

use std::fmt::Write;

use crate::check::Checked;
use crate::code::live::Live;
use crate::code::{Class, End, Function, Inlined, Inst, Operand, Reg, Site, Space};
use crate::optimise::spaces::of_symbol;
use crate::source::joined;
use crate::source::map::Map;
use name::Name;
use names::Lines;

/// A kernel on its way to text.
struct Emitter<'c> {
    function: &'c Function<'c>,
    checked: &'c Checked<'c>,
    /// The number of the kernel, for its labels.
    nth: usize,
    /// The number of each register in its class; 0 before it appears.
    numbers: Vec<u32>,
    /// How many registers of each class have appeared.
    counts: [u32; 6],
    /// What has been written, without the kernel's head.
    text: String,
    /// That of the last `.loc`.
    line: Option<u32>,
    /// Which of [`Function::lines`] the last `.loc` with a position was.
    positions: Map<(u16, u32, u32), u32>,
    /// The functions that `.loc` names.
    inlined: Vec<usize>,
    /// How many calls of `vprintf` there were, for names in them.
    strings: usize,
    /// How many lines so many bytes of the text have.
    counted: (usize, u32),
}

/// About how much text an instruction becomes. For the room of a text, which grows without copying then.
const BYTES: usize = 40;

/// A kernel as text.
struct Kernel {
    text: String,
    /// How many lines the text has.
    lines: u32,
    /// Which variables its registers hold, in which of these lines.
    names: Vec<Name>,
    /// The functions that its lines name.
    inlined: Vec<usize>,
}

/// The label of the name of a function that was inlined, less its number.
const NAME: &str = "$L__info_string";

/// The text of a kernel, which is the `nth` of its module. What is live in it is found anew.
fn kernel(function: &Function<'_>, checked: &Checked<'_>, nth: usize, live: &mut Live) -> Kernel {
    let insts: usize = function.blocks.iter().map(|block| block.insts.len() + 1).sum();
    let mut emitter = Emitter {
        function,
        checked,
        nth,
        numbers: vec![0; function.regs.len()],
        counts: [0; 6],
        text: String::with_capacity(BYTES * insts),
        line: None,
        positions: Map::default(),
        inlined: Vec::new(),
        strings: 0,
        counted: (0, 0),
    };
    let mut lines = Vec::with_capacity(insts);
    let mut ends = Vec::with_capacity(function.blocks.len());
    for (at, block) in function.blocks.iter().enumerate() {
        if at > 0 {
            let _ = writeln!(emitter.text, "\n$L__BB{nth}_{at}:");
        }
        for inst in &block.insts {
            lines.push(emitter.lines_of(inst.line, |emitter| {
                emitter.loc(inst.line);
                emitter.inst(inst);
            }));
        }
        lines.push(emitter.lines_of(block.line, |emitter| emitter.end(at, &block.end, block.line)));
        ends.push(lines.len());
    }
    let mut text = emitter.head();
    let before = count_lines(&text);
    // Lines were counted without the head.
    for Lines { ptx, .. } in &mut lines {
        *ptx = ptx.start + before..ptx.end + before;
    }
    let names = names::names(function, &lines, &ends, live, |reg| emitter.known(reg));
    text.reserve(emitter.text.len() + 2);
    text.extend([&emitter.text, "}\n"]);
    Kernel { lines: before + emitter.lines() + 1, text, names, inlined: emitter.inlined }
}

impl Emitter<'_> {
    fn loc(&mut self, at: u32) {
        if self.line != Some(at) {
            self.line = Some(at);
            self.position(at);
        }
    }

    /// Writes a `.loc`. It names a call by its position alone, so that of the call has to be the last with this position
    /// (PTX ISA, 11.5.3).
    fn position(&mut self, at: u32) {
        let first = Site { file: 0, line: 1, column: 1, inlined: None };
        let site = *self.function.lines.get(at as usize).unwrap_or(&first);
        let call = site.inlined.map(|Inlined { function, call }| {
            let place = self.function.lines[call as usize];
            if self.positions.get(&place.position()) != Some(&call) {
                self.position(call);
            }
            (function, place)
        });
        self.positions.insert(site.position(), at);
        self.place("\t.loc\t", site);
        if let Some((function, place)) = call {
            if !self.inlined.contains(&function) {
                self.inlined.push(function);
            }
            self.add(&[", function_name ", NAME]);
            add_number(function as u32, &mut self.text);
            self.place(", inlined_at ", place);
        }
        self.add(&["\n"]);
    }

    /// Writes a file, a line and a column after a text. PTX numbers files from 1.
    fn place(&mut self, before: &str, Site { file, line, column, .. }: Site) {
        self.add(&[before]);
        add_number(u32::from(file) + 1, &mut self.text);
        self.add(&[" "]);
        add_number(line, &mut self.text);
        self.add(&[" "]);
        add_number(column, &mut self.text);
    }

    /// Writes parts of an instruction.
    fn add(&mut self, parts: &[&str]) {
        for part in parts {
            self.text.push_str(part);
        }
    }

    /// Writes an instruction: these parts, and then its results and arguments.
    fn simple(&mut self, parts: &[&str], inst: &Inst<'_>) {
        self.add(parts);
        self.operands(inst);
        self.add(&[";\n"]);
    }

    /// Jumps to a block, always or after a condition that has been written.
    fn jump(&mut self, kind: &str, to: usize) {
        self.add(&[kind, "\t$L__BB"]);
        add_number(self.nth as u32, &mut self.text);
        self.add(&["_"]);
        add_number(to as u32, &mut self.text);
        self.add(&[";\n"]);
    }

    fn reg(&mut self, reg: Reg) {
        self.operand(Operand::Reg(reg));
    }

    fn operands(&mut self, inst: &Inst<'_>) {
        let operands = inst.dsts.iter().map(|dst| Operand::Reg(*dst)).chain(inst.args.iter().copied());
        for (nth, operand) in operands.enumerate() {
            if nth > 0 {
                self.add(&[", "]);
            }
            self.operand(operand);
        }
    }

    /// Floats are written by their bits (PTX ISA, section 4.5.2), which needs no rounding.
    fn operand(&mut self, operand: Operand) {
        let _ = match operand {
            Operand::Reg(reg) => {
                let number = self.number(reg);
                self.add(&["%", prefix(self.function.class(reg))]);
                return add_number(number, &mut self.text);
            }
            // Most constants are small, and need no formatter.
            Operand::Int(value @ 0..=0xffff) => return add_number(value as u32, &mut self.text),
            Operand::Int(value) => write!(self.text, "{value}"),
            Operand::F32(bits) => write!(self.text, "0f{bits:08X}"),
            Operand::F64(bits) => write!(self.text, "0d{bits:016X}"),
        };
    }

    /// The number of a register, which it gets when it is first asked for.
    fn number(&mut self, reg: Reg) -> u32 {
        let class = self.function.class(reg);
        let (number, count) = (&mut self.numbers[reg as usize], &mut self.counts[class as usize]);
        if *number == 0 {
            *count += 1;
            *number = *count;
        }
        *number
    }

    /// A jump to the next block is none. Unconditional ones are `bra.uni`: all lanes that are there take it.
    fn end(&mut self, at: usize, end: &End, line: u32) {
        let is_next = |block: usize| block == at + 1;
        match *end {
            End::Return => {
                self.loc(line);
                self.add(&["\tret;\n"]);
            }
            End::Jump(to) if is_next(to) => {}
            End::Jump(to) => {
                self.loc(line);
                self.jump("\tbra.uni ", to);
            }
            End::Branch { condition, is_negated, yes, no } => {
                self.loc(line);
                // The side that follows in the text is fallen into.
                let (to, other, negates) =
                    if is_next(yes) { (no, yes, !is_negated) } else { (yes, no, is_negated) };
                let sign = if negates { "!" } else { "" };
                self.add(&["\t@", sign]);
                self.reg(condition);
                self.jump(" bra ", to);
                if !is_next(other) {
                    self.jump("\tbra.uni ", other);
                }
            }
        }
    }

    /// The lines that something adds to the PTX, for one of [`Function::lines`].
    fn lines_of(&mut self, line: u32, adds: impl FnOnce(&mut Self)) -> Lines {
        let start = self.lines();
        adds(self);
        let text = self.function.lines.get(line as usize).map_or(0, |line| self.outermost(*line));
        Lines { ptx: start..self.lines(), text }
    }

    /// The line of the kernel that a place belongs to.
    fn outermost(&self, mut place: Site) -> u32 {
        while let Some(Inlined { call, .. }) = place.inlined {
            place = self.function.lines[call as usize];
        }
        place.line
    }

    /// How many lines there are. Only what was added since the last time is looked at.
    fn lines(&mut self) -> u32 {
        let (bytes, lines) = self.counted;
        self.counted = (self.text.len(), lines + count_lines(&self.text[bytes..]));
        self.counted.1
    }

    /// The kernel's head and its registers.
    fn head(&self) -> String {
        let function = self.function;
        let mut text = format!("\n.visible .entry {}(", function.name);
        for (nth, param) in function.params.iter().enumerate() {
            let comma = if nth == 0 { "" } else { "," };
            let _ = match param.ty {
                Some(ty) => write!(text, "{comma}\n\t.param .{}", param_type(ty)),
                None => write!(text, "{comma}\n\t.param .align {} .b8", param.align),
            };
            let _ = write!(text, " {}_param_{nth}", function.name);
            if param.ty.is_none() {
                let _ = write!(text, "[{}]", param.size);
            }
        }
        text.push_str("\n)\n");
        // PTX ISA, `.maxntid` and `.minnctapersm`: the bounds of `__launch_bounds__`.
        if let Some(threads) = function.launch_bounds.first() {
            let _ = writeln!(text, ".maxntid {threads}, 1, 1");
        }
        if let Some(blocks) = function.launch_bounds.get(1).filter(|blocks| **blocks > 0) {
            let _ = writeln!(text, ".minnctapersm {blocks}");
        }
        if let Some(x) = function.cluster_dims.first() {
            let [y, z] = [1, 2].map(|axis| function.cluster_dims.get(axis).copied().unwrap_or(1));
            let _ = writeln!(text, ".explicitcluster\n.reqnctapercluster {x}, {y}, {z}");
        }
        text.push_str("{\n");
        self.shared_variables(&mut text);
        if let Some(slot) = function.slots.first().filter(|slot| slot.size > 0) {
            let _ = writeln!(
                text,
                "\t.local .align {} .b8 \t__local_depot{}[{}];",
                slot.align, self.nth, slot.size
            );
        }
        for class in CLASSES {
            let count = self.counts[class as usize];
            if count > 0 {
                let _ =
                    writeln!(text, "\t.reg .{} \t%{}<{}>;", register_type(class), prefix(class), count + 1);
            }
        }
        text
    }

    /// Declares the static shared memory that the kernel uses. As a variable of the module it would also be that of other kernels.
    fn shared_variables(&self, text: &mut String) {
        let globals = self.checked.program.globals.iter().enumerate();
        for (at, global) in globals.filter(|(_, global)| !global.is_extern && !global.is_host) {
            if of_symbol(self.checked, at) == Space::Shared && mentions(&self.text, global.name) {
                let (align, size) = (global.align, self.checked.types.size(global.ty));
                let _ = writeln!(text, "\t.shared .align {align} .b8 {}[{size}];", global.name);
            }
        }
    }

    /// A register as the text writes it, if it does.
    fn known(&self, reg: Reg) -> Option<String> {
        let number = self.numbers[reg as usize];
        (number > 0).then(|| joined(&["%", prefix(self.function.class(reg)), &number.to_string()], ""))
    }
}

/// Writes a number. Most of a text's numbers are those of registers, and the standard library's formatter does more than this.
fn add_number(number: u32, text: &mut String) {
    if number >= 10 {
        add_number(number / 10, text);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// Whether a text has a name that is not a part of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    let is_part =
        |other: Option<char>| other.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    text.match_indices(name).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next())
    })
}

fn count_lines(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// In the order in which NVIDIA's compiler declares them.
const CLASSES: [Class; 6] = [Class::Pred, Class::B16, Class::F32, Class::B32, Class::F64, Class::B64];

/// Names of registers, which are NVIDIA's as well.
fn prefix(class: Class) -> &'static str {
    match class {
        Class::Pred => "p",
        Class::B16 => "rs",
        Class::B32 => "r",
        Class::B64 => "rd",
        Class::F32 => "f",
        Class::F64 => "fd",
    }
}

fn register_type(class: Class) -> &'static str {
    match class {
        Class::Pred => "pred",
        Class::B16 => "b16",
        Class::B32 => "b32",
        Class::B64 => "b64",
        Class::F32 => "f32",
        Class::F64 => "f64",
    }
}

/// `bool` is a byte, and an enumeration its underlying type.
fn param_type(ty: crate::code::Ty) -> &'static str {
    use crate::code::Ty;
    match ty {
        Ty::Pred | Ty::U8 | Ty::S8 => "u8",
        Ty::U16 | Ty::S16 => "u16",
        Ty::U32 | Ty::S32 => "u32",
        Ty::U64 | Ty::S64 => "u64",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
    }
}
