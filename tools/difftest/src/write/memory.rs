//! Loads, stores, atomics and fences, in every space and width.
//!
//! A thread stores only to its own areas: 64 bytes of a buffer, 32 of shared memory, and in the kernel 64 of local
//! memory. All threads read the same variable in global memory, variable in constant memory, and structure among the
//! parameters. Opcodes are drawn word by word from the forms that the emulator declares.

use simt::isa::{FAMILIES, Form};

use super::{Cell, Register, Writer};
use crate::dice::Dice;
use crate::shape::{Kind, Source};
use crate::values::Domain;

/// The size of the areas in bytes. All of them are read, and all except the last one are written.
pub(super) const OWN_BYTES: usize = 64;
pub(super) const SHOWN_BYTES: usize = 32;
pub(super) const COMMON_BYTES: usize = 64;

/// An operand that names a place in memory.
pub(super) struct Spot {
    /// The base, a register or a variable.
    pub(super) base: String,
    pub(super) bytes: usize,
    /// Whether a register may be added to the base.
    pub(super) dynamic: bool,
}

/// An opcode that accesses memory, and the meaning of its words.
pub(super) struct Access {
    opcode: String,
    pub(super) space: String,
    count: usize,
    domain: Domain,
}

impl Writer {
    /// Writes a load or a store.
    pub(super) fn access(&mut self) {
        let is_store = self.dice.chance(35);
        let access = self.drawn(if is_store { &["st"] } else { &["ld", "ld", "ld", "ldu"] });
        let spot = self.spot(&access, is_store);
        self.access_at(&access, &spot, is_store);
    }

    /// Writes a load or a store in a place.
    pub(super) fn access_at(&mut self, access: &Access, spot: &Spot, is_store: bool) {
        let bytes = access.count * access.domain.bits() as usize / 8;
        let address = self.address_in(spot, bytes);
        // A register may be wider than the type that is loaded or stored (PTX ISA, 9.4.1).
        let own = access.domain.kind();
        let widest = [own, own, Kind::B32.max(own), Kind::B64];
        let kind = if access.domain.is_integer() { *self.dice.pick(&widest) } else { own };
        let narrow = access.domain.bits() < kind.bits();
        let registers: Vec<Register> = (0..access.count)
            .map(|_| match is_store {
                true if narrow => self.copied(kind),
                true => self.held(kind),
                false => self.fresh(kind),
            })
            .collect();
        let list: Vec<String> = registers.iter().map(Register::to_string).collect();
        let values = if access.count > 1 { format!("{{{}}}", list.join(", ")) } else { list.concat() };
        if is_store {
            self.line(format!("{} [{address}], {values};", access.opcode));
            return;
        }
        let instruction = format!("{} {values}, [{address}];", access.opcode);
        self.line(&instruction);
        for register in registers {
            self.result(register, &access.opcode, &instruction);
        }
    }

    /// Draws an opcode of one of these mnemonics that the target has.
    fn drawn(&mut self, mnemonics: &[&str]) -> Access {
        let mnemonic = *self.dice.pick(mnemonics);
        let forms = forms(mnemonic, self.target);
        loop {
            let form = self.dice.pick(&forms);
            let words = draw(&mut self.dice, form);
            let readable = read(&words, self.target);
            // Only the kernel itself can name its parameters.
            if let Some(access) = readable.filter(|access| access.space != "param" || !self.frame.is_function)
            {
                return access;
            }
        }
    }

    /// Draws an opcode of one of these mnemonics for an address in the shared memory of the cluster, or a generic one.
    pub(super) fn drawn_in_cluster(&mut self, mnemonics: &[&str]) -> Access {
        let mnemonic = *self.dice.pick(mnemonics);
        let mut forms = all_forms(mnemonic, self.target);
        forms.retain(|form| !form.contains(".async"));
        loop {
            let form = self.dice.pick(&forms);
            let words = draw(&mut self.dice, form);
            // What steers caches is for global memory.
            let steers = words.iter().any(|word| word.starts_with('L') || word == "nc");
            let readable = read(&words, self.target).filter(|_| !steers);
            let is_distant = |space: &str| space == "shared::cluster" || space.is_empty();
            if let Some(access) = readable.filter(|access| is_distant(&access.space)) {
                return access;
            }
        }
    }

    /// A place in the space that an opcode names.
    fn spot(&mut self, access: &Access, is_store: bool) -> Spot {
        let own = || Spot { base: "%own".to_owned(), bytes: OWN_BYTES, dynamic: true };
        let shown = || Spot { base: "%shown".to_owned(), bytes: SHOWN_BYTES, dynamic: true };
        let common = |name: &str| Spot { base: name.to_owned(), bytes: COMMON_BYTES, dynamic: true };
        let only_read = !is_store && self.dice.chance(50);
        match access.space.as_str() {
            // Memory that is read by a read-only load must not be written during the launch (PTX ISA, 9.7.9.9).
            "global" if access.opcode.contains(".nc") || access.opcode.starts_with("ldu") || only_read => {
                let base = self.variable("table");
                common(&base)
            }
            "global" => own(),
            "shared" | "shared::cta" => shown(),
            "const" => {
                let base = self.variable("fixed");
                common(&base)
            }
            "param" => Spot { dynamic: false, ..common("given") },
            "local" => {
                let base = self.variable("mine");
                Spot { base, bytes: OWN_BYTES, dynamic: true }
            }
            _ if access.opcode.starts_with("ldu") => {
                let base = self.variable("table");
                common(&base)
            }
            _ => self.generic(is_store),
        }
    }

    /// A register with the address of a variable.
    pub(super) fn variable(&mut self, name: &str) -> String {
        let register = self.fresh(Kind::B64);
        self.line(format!("mov.u64 {register}, {name};"));
        register.to_string()
    }

    /// A place, named by its generic address.
    fn generic(&mut self, is_store: bool) -> Spot {
        let choices = [
            ("shared", "%shown", SHOWN_BYTES),
            ("global", "%own", OWN_BYTES),
            ("local", "mine", OWN_BYTES),
            ("const", "fixed", COMMON_BYTES),
        ];
        let (space, name, bytes) = choices[self.dice.below(if is_store { 3 } else { 4 })];
        let base = if name.starts_with('%') { name.to_owned() } else { self.variable(name) };
        let generic = self.fresh(Kind::B64);
        self.line(format!("cvta.{space}.u64 {generic}, {base};"));
        Spot { base: generic.to_string(), bytes, dynamic: true }
    }

    /// An aligned address in a place: a constant offset, or one that is computed.
    fn address_in(&mut self, spot: &Spot, bytes: usize) -> String {
        let places = spot.bytes / bytes;
        if !spot.dynamic || self.dice.chance(50) {
            return match self.dice.below(places) * bytes {
                0 => spot.base.clone(),
                offset => format!("{}+{offset}", spot.base),
            };
        }
        let (index, place) = (self.held(Kind::B32), self.fresh(Kind::B32));
        let (wide, address) = (self.fresh(Kind::B64), self.fresh(Kind::B64));
        self.line(format!("and.b32 {place}, {index}, {};", places - 1));
        self.line(format!("mul.wide.u32 {wide}, {place}, {bytes};"));
        self.line(format!("add.u64 {address}, {}, {wide};", spot.base));
        address.to_string()
    }

    /// Converts an address to a generic one and back, and asks for its space.
    pub(super) fn address(&mut self) {
        let spaces = [
            ("global", "%own"),
            ("global", "table"),
            ("const", "fixed"),
            ("shared", "%shown"),
            ("local", "mine"),
        ];
        let &(space, name) = self.dice.pick(&spaces);
        let base = if name.starts_with('%') { name.to_owned() } else { self.variable(name) };
        let (generic, back) = (self.fresh(Kind::B64), self.fresh(Kind::B64));
        let (difference, is) = (self.fresh(Kind::B64), self.fresh(Kind::Pred));
        let asked = *self.dice.pick(&["global", "const", "shared", "shared::cta", "local"]);
        self.line(format!("cvta.{space}.u64 {generic}, {base};"));
        let question = format!("isspacep.{asked} {is}, {generic};");
        self.line(&question);
        self.result(is, &format!("isspacep.{asked}"), &format!("{question} // of {space}"));
        self.line(format!("cvta.to.{space}.u64 {back}, {generic};"));
        let round = format!("sub.u64 {difference}, {back}, {base};");
        self.line(&round);
        self.result(difference, &format!("cvta.to.{space}.u64"), &round);
    }

    /// Writes an atomic operation on a thread's own area.
    pub(super) fn own_atomic(&mut self) {
        let access = self.drawn(&["atom", "atom", "red"]);
        let spot = match access.space.as_str() {
            "global" => Spot { base: "%own".to_owned(), bytes: OWN_BYTES, dynamic: true },
            "" => self.generic_atomic(),
            _ => Spot { base: "%shown".to_owned(), bytes: SHOWN_BYTES, dynamic: true },
        };
        self.atomic_at(&access, &spot);
    }

    /// Writes an atomic operation in a place.
    pub(super) fn atomic_at(&mut self, access: &Access, spot: &Spot) {
        let bytes = access.domain.bits() as usize / 8;
        let address = self.address_in(spot, bytes);
        if access.opcode.ends_with("add.f64") {
            self.own_sum(access, &address);
            return;
        }
        let kind = access.domain.kind();
        let operand =
            if self.dice.chance(50) { self.input(Source::new(access.domain)) } else { self.held(kind) };
        let mut operands = format!("[{address}], {operand}");
        if access.opcode.contains(".cas") {
            operands = format!("{operands}, {}", self.held(kind));
        }
        if access.opcode.starts_with("red") {
            self.line(format!("{} {operands};", access.opcode));
            return;
        }
        let result = self.fresh(kind);
        let instruction = format!("{} {result}, {operands};", access.opcode);
        self.line(&instruction);
        self.result(result, &access.opcode, &instruction);
    }

    /// Writes a sum of doubles, neither of which is a NaN, because the PTX ISA does not say which of two NaNs results.
    fn own_sum(&mut self, access: &Access, address: &str) {
        let (before, added) = (self.finite(), self.finite());
        let space = if access.space.is_empty() { String::new() } else { format!(".{}", access.space) };
        self.line(format!("st{space}.f64 [{address}], {before};"));
        if access.opcode.starts_with("red") {
            self.line(format!("{} [{address}], {added};", access.opcode));
            return;
        }
        let result = self.fresh(Kind::B64);
        let instruction = format!("{} {result}, [{address}], {added};", access.opcode);
        self.line(&instruction);
        self.result(result, &access.opcode, &instruction);
    }

    /// A register with a double that is a number, and so small that the sum of two is finite.
    fn finite(&mut self) -> Register {
        let (source, finite) = (self.held(Kind::B64), self.fresh(Kind::B64));
        self.line(format!("and.b64 {finite}, {source}, 0xbfffffffffffffff;"));
        finite
    }

    fn generic_atomic(&mut self) -> Spot {
        let (space, base, bytes) =
            *self.dice.pick(&[("shared", "%shown", SHOWN_BYTES), ("global", "%own", OWN_BYTES)]);
        let generic = self.fresh(Kind::B64);
        self.line(format!("cvta.{space}.u64 {generic}, {base};"));
        Spot { base: generic.to_string(), bytes, dynamic: true }
    }

    /// An operation on a word that all threads update, whose final value does not depend on the order; the first value, the
    /// kind of the operand, and the operand.
    pub(super) fn common_operation(&mut self) -> (&'static str, u64, Kind, String) {
        const OPERATIONS: [(&str, u32); 20] = [
            ("add.u32", 32),
            ("add.s32", 32),
            ("add.u64", 64),
            ("min.u32", 32),
            ("min.s32", 32),
            ("min.u64", 64),
            ("min.s64", 64),
            ("max.u32", 32),
            ("max.s32", 32),
            ("max.u64", 64),
            ("max.s64", 64),
            ("and.b32", 32),
            ("and.b64", 64),
            ("or.b32", 32),
            ("or.b64", 64),
            ("xor.b32", 32),
            ("xor.b64", 64),
            ("inc.u32", 32),
            ("dec.u32", 32),
            ("add.f32", 32),
        ];
        let &(operation, bits) = self.dice.pick(&OPERATIONS);
        let counts = operation.starts_with("inc") || operation.starts_with("dec");
        // All threads count up to the same bound, from a start below it, so the order does not matter; sums of small
        // whole floats are exact.
        let start = match operation {
            "add.f32" => 0,
            _ if counts => self.dice.bits() % 8,
            _ => Domain::Bits(bits).value(&mut self.dice),
        };
        let operand = match operation {
            "add.f32" => self.whole_float().to_string(),
            _ if counts => "7".to_owned(),
            _ => self.held(Kind::of_bits(bits)).to_string(),
        };
        (operation, start, Kind::of_bits(bits), operand)
    }

    /// Writes an atomic operation on a word that all threads update.
    pub(super) fn common_atomic(&mut self) {
        let (operation, start, kind, operand) = self.common_operation();
        let is_shared = self.dice.chance(40);
        let (space, address) = if is_shared {
            let name = format!("cell{}", self.shared_cells.len());
            ("shared", name)
        } else {
            ("global", format!("%cells+{}", 8 * self.cells.len()))
        };
        let instruction = if self.dice.chance(50) {
            format!("red.{space}.{operation} [{address}], {operand};")
        } else {
            let ignored = self.fresh(kind);
            format!("atom.{space}.{operation} {ignored}, [{address}], {operand};")
        };
        self.line(&instruction);
        if is_shared {
            self.shared_cells.push((instruction, start));
        } else {
            self.cells.push(Cell { instruction, start });
        }
    }

    /// A small whole number as `f32`.
    fn whole_float(&mut self) -> Register {
        let (source, small, float) = (self.held(Kind::B32), self.fresh(Kind::B32), self.fresh(Kind::B32));
        self.line(format!("and.b32 {small}, {source}, 1023;"));
        self.line(format!("cvt.rn.f32.u32 {float}, {small};"));
        float
    }

    /// Writes a fence, which changes nothing that a thread can see in its own memory.
    pub(super) fn fence(&mut self) {
        let mnemonics: &[&str] = if self.target >= 70 { &["membar", "fence"] } else { &["membar"] };
        let mnemonic = *self.dice.pick(mnemonics);
        let forms = forms(mnemonic, self.target);
        let words = loop {
            let form = self.dice.pick(&forms);
            let words = draw(&mut self.dice, form);
            if self.target >= 90 || !words.contains(&"cluster".to_owned()) {
                break words;
            }
        };
        self.line(format!("{};", words.join(".")));
    }
}

/// The forms of a mnemonic that a target has, without what only clusters need: kernels without a family are launched
/// without clusters, and their text must stay as it is.
pub(super) fn forms(mnemonic: &str, target: u32) -> Vec<String> {
    let forms = all_forms(mnemonic, target).into_iter();
    let forms = forms.map(|syntax| syntax.replace("|shared::cluster", ""));
    forms
        .filter(|syntax| !["shared::cluster", "tensormap"].iter().any(|word| syntax.contains(word)))
        .filter(|syntax| !syntax.starts_with("barrier.cluster"))
        .collect()
}

/// All forms of a mnemonic that a target has.
fn all_forms(mnemonic: &str, target: u32) -> Vec<String> {
    let forms = FAMILIES.iter().flat_map(|family| family.forms);
    let forms = forms.filter(|form| form.min_sm <= target && target <= form.max_sm);
    forms.map(Form::written_out).filter(|syntax| syntax.split('.').next() == Some(mnemonic)).collect()
}

/// An opcode of a form, as its words.
pub(super) fn draw(dice: &mut Dice, syntax: &str) -> Vec<String> {
    let mut words = Vec::new();
    for segment in syntax.split('.') {
        if segment.ends_with('?') && dice.chance(60) {
            continue;
        }
        let choices: Vec<&str> =
            segment.trim_end_matches('?').trim_start_matches('(').trim_end_matches(')').split('|').collect();
        words.push((*dice.pick(&choices)).to_owned());
    }
    words
}

/// What the words of a load, a store or an atomic say; `None` if the PTX ISA does not allow the combination.
fn read(words: &[String], target: u32) -> Option<Access> {
    let has = |word: &str| words.iter().any(|is| is == word);
    let starts = |prefix: &str| words.iter().any(|is| is.starts_with(prefix));
    let spaces = ["global", "shared", "shared::cta", "shared::cluster", "local", "const", "param"];
    let space = words.iter().find(|word| spaces.contains(&word.as_str())).cloned().unwrap_or_default();
    let domain = Domain::of_type(words.last()?)?;
    let count = if has("v4") { 4 } else { 1 + usize::from(has("v2")) };
    let steers = ["ca", "cg", "cs", "lu", "cv", "wb", "wt"].iter().any(|word| has(word));
    let may_be_global = space.is_empty() || space == "global";
    let refused = [
        count * domain.bits() as usize > 128,
        // The eviction policy is given by one modifier only, and only for global memory.
        starts("L1::") && (steers || !may_be_global || target < 70),
        starts("L2::") && (!may_be_global || target < 80),
        has("volatile") && (space == "const" || space == "param" || space == "local"),
        (space == "const" || space == "param" || space == "local") && (starts("L1") || starts("L2")),
        has("cluster") && target < 90,
        // Functions load their parameters by instructions that `flow` writes.
        space == "param" && words[0] == "st",
        words[0] != "ld" && words[0] != "ldu" && words[0] != "st" && !has("relaxed") && has("cluster"),
        needs_sm_70_order(words) && target < 70,
    ];
    (!refused.contains(&true)).then(|| Access { opcode: words.join("."), space, count, domain })
}

fn needs_sm_70_order(words: &[String]) -> bool {
    words.iter().any(|word| ["weak", "relaxed", "acquire", "release", "acq_rel"].contains(&word.as_str()))
}
