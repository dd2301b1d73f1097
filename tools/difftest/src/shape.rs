//! The operands of an arithmetic instruction, derived from its opcode.
//!
//! For most instructions, old and new, the last type of the opcode is the type of all operands. Then the emulator's
//! decoder is asked how many operands there are, so a form that is added to one of its families is covered without a
//! line here. The other instructions are listed by mnemonic. Only widths matter: registers are declared as `.b16`,
//! `.b32` and `.b64`, which the PTX ISA allows for every type of that size (section 9.4), so the result of any
//! instruction can be an operand of any other. Instructions for memory, other lanes and control flow are not
//! arithmetic; [`crate::write`] has them.

use simt::isa::FAMILIES;

use crate::values::Domain;

/// The contents of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // PTX's own names.
pub enum Kind {
    Pred,
    B16,
    B32,
    B64,
}

impl Kind {
    /// The kind of register for this many bits; values with fewer than 16 bits use the narrowest one.
    pub fn of_bits(bits: u32) -> Kind {
        match bits {
            0..=16 => Kind::B16,
            17..=32 => Kind::B32,
            _ => Kind::B64,
        }
    }

    /// Its width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Kind::Pred => 1,
            Kind::B16 => 16,
            Kind::B32 => 32,
            Kind::B64 => 64,
        }
    }

    /// Its type in a declaration.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Pred => "pred",
            Kind::B16 => "b16",
            Kind::B32 => "b32",
            Kind::B64 => "b64",
        }
    }
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The register that it takes.
    pub kind: Kind,
    /// Which values it should have.
    pub domain: Domain,
}

impl Source {
    /// A source of this domain, in a register of the same width.
    pub fn new(domain: Domain) -> Source {
        Source { kind: domain.kind(), domain }
    }
}

/// The operands of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// One result, or two, which are written `d|q`.
    pub results: Vec<Kind>,
    /// The sources, in order.
    pub sources: Vec<Source>,
}

fn shape(results: &[Kind], sources: &[Domain]) -> Shape {
    Shape { results: results.to_vec(), sources: sources.iter().copied().map(Source::new).collect() }
}

/// The shape of an arithmetic opcode; `None` if it has none.
pub fn of(opcode: &str) -> Option<Shape> {
    let words: Vec<&str> = opcode.split('.').collect();
    let types: Vec<Domain> = words.iter().filter_map(|word| Domain::of_type(word)).collect();
    irregular(&words, &types).or_else(|| regular(opcode, *types.last()?))
}

/// The shapes of instructions whose operands do not all have the last type.
fn irregular(words: &[&str], types: &[Domain]) -> Option<Shape> {
    let last = *types.last()?;
    let own = last.kind();
    let (b32, pred) = (Domain::Bits(32), Domain::Pred);
    let has = |word| words.contains(&word);
    let combined = has("and") || has("or") || has("xor");
    let third = if combined { &[pred][..] } else { &[] };
    Some(match words[0] {
        "mul" | "mad" if has("wide") => {
            let wide = Domain::Bits(2 * own.bits());
            let sources = [last, last, wide];
            shape(&[wide.kind()], &sources[..if words[0] == "mul" { 2 } else { 3 }])
        }
        "dp4a" | "dp2a" => shape(&[Kind::B32], &[b32; 3]),
        "popc" | "clz" | "bfind" => shape(&[Kind::B32], &[last]),
        "fns" => shape(&[Kind::B32], &[b32, Domain::Below(32), Domain::Small]),
        "div" | "rem" if last.is_integer() => shape(&[own], &[last, Domain::NonZero(own.bits())]),
        "div" if has("approx") => shape(&[own], &[last, Domain::Divisor]),
        "sin" | "cos" => shape(&[own], &[Domain::Angle]),
        "bfe" => shape(&[own], &[last, Domain::Below(256), Domain::Below(256)]),
        "bfi" => shape(&[own], &[last, last, Domain::Below(256), Domain::Below(256)]),
        "shl" | "shr" | "szext" => shape(&[own], &[last, Domain::Shift]),
        "shf" => shape(&[own], &[b32, b32, Domain::Shift]),
        "bmsk" => shape(&[own], &[Domain::Shift, Domain::Shift]),
        "lop3" if combined => shape(&[own, Kind::Pred], &[b32, b32, b32, Domain::Table, pred]),
        "lop3" => shape(&[own], &[b32, b32, b32, Domain::Table]),
        "selp" => shape(&[own], &[last, last, pred]),
        "slct" => shape(&[types[0].kind()], &[types[0], types[0], last]),
        // The form for one half has one result, the form for two halves has one for each; in all other forms the second
        // result is optional.
        "setp" if own == Kind::B16 && !last.is_integer() => {
            shape(&[Kind::Pred], &[&[last, last], third].concat())
        }
        "setp" => shape(&[Kind::Pred, Kind::Pred], &[&[last, last], third].concat()),
        "set" => shape(&[types[0].kind()], &[&[last, last], third].concat()),
        "testp" => shape(&[Kind::Pred], &[last]),
        "cvt" if has("pack") => {
            let packed = [Domain::Bits(32); 3];
            shape(&[Kind::B32], &packed[..if types.len() == 3 { 3 } else { 2 }])
        }
        "cvt" if types[0].kind().bits() == 32 && types[0].is_pair() => shape(&[Kind::B32], &[last; 2]),
        "cvt" => shape(&[types[0].kind()], &[last]),
        _ => return None,
    })
}

/// A result and some sources, all of one type. The emulator's decoder decides how many.
fn regular(opcode: &str, domain: Domain) -> Option<Shape> {
    let count = (1..=4).find(|&count| accepts(opcode, domain.kind(), count))?;
    Some(shape(&[domain.kind()], &vec![domain; count]))
}

/// Whether the emulator accepts the opcode with a result and `count` sources of one kind.
fn accepts(opcode: &str, kind: Kind, count: usize) -> bool {
    let name = kind.name();
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .{name} %r<6>;\n{opcode} %r0{};\nret;\n}}\n",
        (1..=count).fold(String::new(), |text, number| text + &format!(", %r{number}"))
    );
    let module = simt::Emulator::new(simt::Limits::default()).load("shape.ptx", &text);
    module.is_ok_and(|module| module.unsupported().is_empty())
}

/// A form's opcodes and the targets that have it.
#[derive(Clone, Debug)]
pub struct Opcodes {
    /// The opcodes, each with its shape.
    pub all: Vec<(String, Shape)>,
    /// The first target that has them.
    pub min_sm: u32,
    /// The last target that has them.
    pub max_sm: u32,
}

/// The titles of the families whose instructions do more than compute registers from registers. Each has a writer of
/// its own. Matrices, mbarriers, asynchronous and bulk copies, and clusters are only in kernels of a [`crate::family::Family`],
/// so that the kernels without one stay those of which there are records.
pub const NO_ARITHMETIC: [&str; 15] = [
    "Asynchronous copies",
    "Barriers in memory",
    "Bulk copies and asynchronous stores",
    "Clusters",
    "Data movement between registers",
    "Address conversion",
    "Loads, stores and fences",
    "Atomics",
    "Warp-level exchange",
    "Block barriers",
    "Control flow",
    "Matrices",
    "Matrices of `wmma`",
    "Tensor copies; `tensormap.replace` is for sm_90a",
    "Warpgroups, for sm_90a; N of a shape is a multiple of 8 up to 256, and of integers above 32 a multiple of 16",
];

/// The opcodes of every form whose family is not in [`NO_ARITHMETIC`], form by form. Opcodes without a shape are left
/// out, and a test reports them.
pub fn arithmetic() -> Vec<Opcodes> {
    let families = FAMILIES.iter().filter(|family| !NO_ARITHMETIC.contains(&family.title));
    families.flat_map(|family| family.forms).map(opcodes).collect()
}

fn opcodes(form: &simt::isa::Form) -> Opcodes {
    let expanded = simt::isa::grammar::expand(form.syntax);
    // Apart from those that `key` keeps, modifiers do not change the number of operands, so the decoder is asked once
    // for each type.
    let mut known: Vec<(String, Option<Shape>)> = Vec::new();
    let mut all = Vec::new();
    for opcode in expanded.into_iter().filter(|opcode| !is_no_ptx(opcode)) {
        let key = key(&opcode);
        let found = known.iter().find(|(other, _)| *other == key).map(|(_, shape)| shape.clone());
        let shape = found.unwrap_or_else(|| {
            let shape = of(&opcode);
            known.push((key, shape.clone()));
            shape
        });
        all.extend(shape.map(|shape| (opcode, shape)));
    }
    Opcodes { all, min_sm: form.min_sm, max_sm: form.max_sm }
}

/// The part of an opcode on which its shape depends: all its words except roundings and comparisons.
fn key(opcode: &str) -> String {
    const IDLE: [&str; 8] = ["rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"];
    const TESTS: [&str; 18] = [
        "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
        "num", "nan",
    ];
    let compares = opcode.starts_with("set");
    let words = opcode.split('.').filter(|word| !(IDLE.contains(word) || compares && TESTS.contains(word)));
    words.collect::<Vec<_>>().join(".")
}

/// Opcodes of forms that some assemblers refuse: saturation to a type that holds every value, `bf16` of 8 bits, and
/// `cvt.ftz.f32.bf16`, which CUDA 12.9's assembler accepts for `sm_80` and that of 13.0 does not.
fn is_no_ptx(opcode: &str) -> bool {
    let is_refused =
        opcode.ends_with(".bf16.u8") || opcode.ends_with(".bf16.s8") || opcode == "cvt.ftz.f32.bf16";
    is_refused || is_idle_saturation(opcode)
}

/// `cvt.sat` between integers if the target type holds every value.
fn is_idle_saturation(opcode: &str) -> bool {
    let words: Vec<&str> = opcode.split('.').collect();
    let ["cvt", "sat", to, from] = words[..] else { return false };
    let (Some(to_domain), Some(from_domain)) = (Domain::of_type(to), Domain::of_type(from)) else {
        return false;
    };
    let is_signed = |name: &str| name.starts_with('s');
    let (to_bits, from_bits) = (to_domain.bits(), from_domain.bits());
    to_domain.is_integer()
        && from_domain.is_integer()
        && match (is_signed(to), is_signed(from)) {
            (true, false) => to_bits > from_bits,
            (false, true) => false,
            _ => to_bits >= from_bits,
        }
}
