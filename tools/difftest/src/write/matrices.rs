//! Statements with matrices, for whole warps: `mma` of every shape and type, `ldmatrix`, `stmatrix` and `movmatrix`.
//!
//! Each lane has a row in its land. Rows are written before a warp barrier and read after it, and another one
//! is before the next time.

use super::{Place, Register, Writer};
use crate::family::MATRICES;
use crate::shape::{Kind, Source};
use crate::values::Domain;

/// Bytes of a row of a matrix.
const ROW: usize = 16;

impl Writer {
    /// Writes a statement with matrices, or a branch that whole warps take.
    pub(super) fn matrices(&mut self, place: Place) {
        let if_deep = |weight| if place.depth < 3 { weight } else { 0 };
        let write = self.dice.weighted::<fn(&mut Writer, Place)>(&[
            (10, |writer, _| writer.multiply()),
            (5, Writer::load_rows),
            (4, Writer::store_rows),
            (3, |writer, _| writer.transpose()),
            (if_deep(2), Writer::branch_of_warps),
        ]);
        write(self, place);
    }

    /// A branch whose condition is the same in all lanes of a warp.
    fn branch_of_warps(&mut self, place: Place) {
        let Some(mask) = place.mask else { return };
        let (asked, takes, end) = (self.held(Kind::Pred), self.fresh(Kind::Pred), self.label());
        let mode = *self.dice.pick(&["any", "all", "uni"]);
        self.line(format!("vote.sync.{mode}.pred {takes}, {asked}, {mask};"));
        self.line(format!("@!{takes} bra {end};"));
        let count = 1 + self.dice.below(3);
        self.scope(count, Place { full: place.full, ..place.inside(Some(mask)) });
        self.mark(&end);
    }

    /// Registers for an operand of `mma`, each with values of the type of its elements or with any.
    fn fragment(&mut self, domain: Domain, count: usize) -> String {
        let registers: Vec<String> = (0..count)
            .map(|_| {
                let is_new = self.dice.chance(35);
                let register =
                    if is_new { self.input(Source::new(domain)) } else { self.held(domain.kind()) };
                register.to_string()
            })
            .collect();
        format!("{{{}}}", registers.join(", "))
    }

    fn multiply(&mut self) {
        let opcode = self.drawn_of(MATRICES, |opcode| opcode.starts_with("mma"));
        let Some(shape) = Shape::of(&opcode) else { return };
        let [a, b, c] = shape.registers();
        let (kind, is_wide) = (shape.d.kind(), shape.d == Domain::Double);
        let results: Vec<Register> = (0..c).map(|_| self.fresh(kind)).collect();
        let d = results.iter().map(Register::to_string).collect::<Vec<_>>().join(", ");
        let of = |domain: Domain| if is_wide || domain.bits() == 32 { domain } else { Domain::Bits(32) };
        let (a, b) = (self.fragment(of(shape.a), a), self.fragment(of(shape.b), b));
        let c = self.fragment(shape.d, c);
        let instruction = format!("{opcode} {{{d}}}, {a}, {b}, {c};");
        self.line(&instruction);
        for result in results {
            self.result(result, &opcode, &instruction);
        }
    }

    fn transpose(&mut self) {
        let opcode = self.drawn_of(MATRICES, |opcode| opcode.starts_with("movmatrix"));
        let (result, source) = (self.fresh(Kind::B32), self.held(Kind::B32));
        let instruction = format!("{opcode} {result}, {source};");
        self.line(&instruction);
        self.result(result, &opcode, &instruction);
    }

    /// The address of another lane's row: each lane has a different one, or all have the same if `may_repeat`.
    fn row_of_another(&mut self, land: usize, may_repeat: bool) -> String {
        let (own, lane) = (self.fresh(Kind::B32), self.fresh(Kind::B32));
        self.line(format!("mov.u32 {own}, %laneid;"));
        let number = self.dice.below(32);
        match self.dice.below(if may_repeat { 4 } else { 3 }) {
            0 => self.line(format!("xor.b32 {lane}, {own}, {number};")),
            1 => {
                self.line(format!("add.u32 {lane}, {own}, {number};"));
                self.line(format!("and.b32 {lane}, {lane}, 31;"));
            }
            2 => self.line(format!("sub.u32 {lane}, 31, {own};")),
            _ => self.line(format!("and.b32 {lane}, {own}, {number};")),
        }
        let address = self.land_of_lane("%land", lane);
        Writer::at(&address, land)
    }

    /// An address in shared memory as an opcode wants it: generic, or of 64 or 32 bits.
    fn row_operand(&mut self, opcode: &str, address: &str) -> String {
        if opcode.contains("shared") && self.dice.chance(30) {
            let (base, offset) = address.split_once('+').unwrap_or((address, "0"));
            let narrow = self.fresh(Kind::B32);
            self.line(format!("cvt.u32.u64 {narrow}, {base};"));
            return format!("[{narrow}+{offset}]");
        }
        self.object(opcode, address)
    }

    /// Each lane writes its row, and all load matrices.
    fn load_rows(&mut self, place: Place) {
        let (Some(mask), Some(land)) = (place.mask, self.take_land(ROW)) else { return };
        let opcode = self.drawn_of(MATRICES, |opcode| opcode.starts_with("ldmatrix"));
        self.fill("shared", &Writer::at("%land", land), ROW);
        self.line(format!("bar.warp.sync {mask};"));
        for _ in 0..=self.dice.below(2) {
            let address = self.row_of_another(land, true);
            let operand = self.row_operand(&opcode, &address);
            let results: Vec<Register> = (0..count_of(&opcode)).map(|_| self.fresh(Kind::B32)).collect();
            let list = results.iter().map(Register::to_string).collect::<Vec<_>>().join(", ");
            let instruction = format!("{opcode} {{{list}}}, {operand};");
            self.line(&instruction);
            for result in results {
                self.result(result, &opcode, &instruction);
            }
        }
        self.line(format!("bar.warp.sync {mask};"));
        self.give_land(land);
    }

    /// All store matrices, and each lane reads its row.
    fn store_rows(&mut self, place: Place) {
        if self.target < 90 {
            return self.load_rows(place);
        }
        let (Some(mask), Some(land)) = (place.mask, self.take_land(ROW)) else { return };
        let opcode = self.drawn_of(MATRICES, |opcode| opcode.starts_with("stmatrix"));
        let row = Writer::at("%land", land);
        self.fill("shared", &row, ROW);
        self.line(format!("bar.warp.sync {mask};"));
        let address = self.row_of_another(land, false);
        let operand = self.row_operand(&opcode, &address);
        let values: Vec<String> = (0..count_of(&opcode)).map(|_| self.held(Kind::B32).to_string()).collect();
        self.line(format!("{opcode} {operand}, {{{}}};", values.join(", ")));
        self.line(format!("bar.warp.sync {mask};"));
        self.show("shared", &row, ROW, &opcode);
        self.line(format!("bar.warp.sync {mask};"));
        self.give_land(land);
    }
}

/// How many matrices an opcode loads or stores.
fn count_of(opcode: &str) -> usize {
    match opcode {
        _ if opcode.contains(".x4") => 4,
        _ if opcode.contains(".x2") => 2,
        _ => 1,
    }
}

/// The shape of an `mma`, and the types of A, B, and of C and D, as registers hold them.
struct Shape {
    m: usize,
    n: usize,
    k: usize,
    /// Bits of an element of A and of B.
    bits: [usize; 2],
    a: Domain,
    b: Domain,
    d: Domain,
}

impl Shape {
    /// The shape of an opcode; `None` if one of its types is not known here.
    fn of(opcode: &str) -> Option<Shape> {
        let words: Vec<&str> = opcode.split('.').collect();
        let [m, n, k] = *words
            .iter()
            .find_map(|word| {
                let sizes: Vec<usize> =
                    word.strip_prefix('m')?.split(['n', 'k']).map_while(|size| size.parse().ok()).collect();
                <[usize; 3]>::try_from(sizes).ok()
            })
            .as_ref()?;
        let types: Vec<(Domain, usize)> = words.iter().filter_map(|word| element(word)).collect();
        let &[(d, _), (a, of_a), (b, of_b), _] = types.as_slice() else { return None };
        Some(Shape { m, n, k, bits: [of_a, of_b], a, b, d })
    }

    /// How many registers each lane has of A, B and C.
    fn registers(&self) -> [usize; 3] {
        let Shape { m, n, k, bits: [a, b], d, .. } = *self;
        let of = |elements: usize, bits: usize| elements * bits / 32 / bits.max(32);
        let c = if d == Domain::Halves { 16 } else { d.bits() as usize };
        [of(m * k, a), of(k * n, b), of(m * n, c)]
    }
}

/// What a register holds of elements of a type, and the bits of an element.
fn element(word: &str) -> Option<(Domain, usize)> {
    Some(match word {
        "f16" => (Domain::Halves, 16),
        "bf16" => (Domain::Brains, 16),
        "tf32" | "f32" => (Domain::Single, 32),
        "f64" => (Domain::Double, 64),
        "s32" => (Domain::Bits(32), 32),
        "u8" | "s8" => (Domain::Bits(32), 8),
        "u4" | "s4" => (Domain::Bits(32), 4),
        _ => return None,
    })
}
