//! `wmma` of every shape, type and layout: the product of matrices of small whole numbers, which is exact in every type.

use simt::{Checks, Emulator, Launch, Limits};

/// How many elements lie between the ends of two lines, which nobody may touch.
const GAP: usize = 8;

/// A type of elements: its name, its bits, and a small whole number in it.
#[derive(Clone, Copy)]
struct Type {
    name: &'static str,
    bits: usize,
    encode: fn(i64) -> u64,
}

fn f16(value: i64) -> u64 {
    match value.unsigned_abs() {
        0 => 0,
        magnitude => {
            let exponent = magnitude.ilog2();
            let mantissa = (magnitude << 10 >> exponent) & 0x3ff;
            u64::from(value < 0) << 15 | u64::from(exponent + 15) << 10 | mantissa
        }
    }
}

fn f32(value: i64) -> u64 {
    u64::from((value as f32).to_bits())
}

const F16: Type = Type { name: "f16", bits: 16, encode: f16 };
const BF16: Type = Type { name: "bf16", bits: 16, encode: |value| f32(value) >> 16 };
const TF32: Type = Type { name: "tf32", bits: 32, encode: f32 };
const F32: Type = Type { name: "f32", bits: 32, encode: f32 };
const F64: Type = Type { name: "f64", bits: 64, encode: |value| (value as f64).to_bits() };
const S8: Type = Type { name: "s8", bits: 8, encode: |value| value as u64 & 0xff };
const U8: Type = Type { name: "u8", bits: 8, encode: |value| value as u64 & 0xff };
const S4: Type = Type { name: "s4", bits: 4, encode: |value| value as u64 & 0xf };
const U4: Type = Type { name: "u4", bits: 4, encode: |value| value as u64 & 0xf };
const S32: Type = Type { name: "s32", bits: 32, encode: |value| value as u64 & 0xffff_ffff };

/// A matrix of `rows` times `columns`, of which the lines that are named lie one after another.
struct Stored {
    ty: Type,
    rows: usize,
    columns: usize,
    by_row: bool,
}

impl Stored {
    fn stride(&self) -> usize {
        GAP + if self.by_row { self.columns } else { self.rows }
    }

    fn layout(&self) -> &'static str {
        if self.by_row { "row" } else { "col" }
    }

    /// Its bytes, with ones in the gaps.
    fn bytes(&self, element: impl Fn(usize, usize) -> i64) -> Vec<u8> {
        let lines = if self.by_row { self.rows } else { self.columns };
        let mut bytes = vec![0xff; lines * self.stride() * self.ty.bits / 8];
        for row in 0..self.rows {
            for column in 0..self.columns {
                let (line, at) = if self.by_row { (row, column) } else { (column, row) };
                let bit = (line * self.stride() + at) * self.ty.bits;
                let value = (self.ty.encode)(element(row, column)) << (bit % 8);
                let mask = (u64::MAX >> (64 - self.ty.bits)) << (bit % 8);
                for byte in 0..self.ty.bits.div_ceil(8) {
                    let (value, mask) = ((value >> (8 * byte)) as u8, (mask >> (8 * byte)) as u8);
                    let place = &mut bytes[bit / 8 + byte];
                    *place = *place & !mask | value & mask;
                }
            }
        }
        bytes
    }
}

/// Registers of an operand: how many, and their declared type.
fn registers(prefix: &str, count: usize) -> String {
    let all: Vec<String> = (0..count).map(|index| format!("%{prefix}{index}")).collect();
    format!("{{{}}}", all.join(", "))
}

/// How many registers a lane has of so many elements.
fn count_of(ty: Type, elements: usize, is_factor: bool) -> usize {
    if ty.name == "f16" && is_factor { 8 } else { elements / 32 * ty.bits / ty.bits.max(32) }
}

/// The declaration of an operand's registers, and the list of them.
fn operand(prefix: &str, ty: Type, elements: usize, is_factor: bool) -> (String, String) {
    let count = count_of(ty, elements, is_factor);
    let kind = match ty.name {
        "f64" => "f64",
        "f32" => "f32",
        _ => "b32",
    };
    (format!(".reg .{kind} %{prefix}<{count}>;\n"), registers(prefix, count))
}

struct Case {
    shape: (usize, usize, usize),
    a: Type,
    b: Type,
    c: Type,
    d: Type,
}

impl Case {
    /// Multiplies with each matrix by rows if its bit is set, and otherwise by columns.
    fn check(&self, by_rows: usize, space: &str) {
        let Case { shape: (m, n, k), a, b, c, d } = *self;
        let stored =
            |bit: usize, ty, rows, columns| Stored { ty, rows, columns, by_row: by_rows >> bit & 1 != 0 };
        let [of_a, of_b, of_c, of_d] =
            [stored(0, a, m, k), stored(1, b, k, n), stored(2, c, m, n), stored(3, d, m, n)];
        let shape = format!("m{m}n{n}k{k}");
        let [(ra, va), (rb, vb), (rc, vc), (rd, vd)] = [
            operand("a", a, m * k, true),
            operand("b", b, k * n, true),
            operand("c", c, m * n, false),
            operand("d", d, m * n, false),
        ];
        let load = |what: &str, stored: &Stored, values: &str, address: &str| {
            let (layout, ty, stride) = (stored.layout(), stored.ty.name, stored.stride());
            format!(
                "wmma.load.{what}.sync.aligned.{layout}.{shape}{space}.{ty} {values}, [{address}], {stride};\n"
            )
        };
        let types = if a.name == "f16" {
            format!("{}.{}", d.name, c.name)
        } else {
            format!("{}.{}.{}.{}", d.name, a.name, b.name, c.name)
        };
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n\
             .visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{\n\
             .reg .b64 %rd<4>;\n{ra}{rb}{rc}{rd}\
             ld.param.u64 %rd0, [pa];\nld.param.u64 %rd1, [pb];\nld.param.u64 %rd2, [pc];\nld.param.u64 %rd3, [pd];\n\
             {}{}{}\
             wmma.mma.sync.aligned.{}.{}.{shape}.{types} {vd}, {va}, {vb}, {vc};\n\
             wmma.store.d.sync.aligned.{}.{shape}{space}.{} [%rd3], {vd}, {};\nret;\n}}\n",
            load("a", &of_a, &va, "%rd0"),
            load("b", &of_b, &vb, "%rd1"),
            load("c", &of_c, &vc, "%rd2"),
            of_a.layout(),
            of_b.layout(),
            of_d.layout(),
            d.name,
            of_d.stride(),
        );
        let is_unsigned = |ty: Type| ty.name.starts_with('u');
        let in_a = |row: usize, column: usize| {
            ((row * 5 + column * 3) % 7) as i64 - if is_unsigned(a) { 0 } else { 3 }
        };
        let in_b = |row: usize, column: usize| {
            ((row * 2 + column * 11) % 5) as i64 - if is_unsigned(b) { 0 } else { 2 }
        };
        let in_c = |row: usize, column: usize| ((row * 13 + column) % 9) as i64 - 4;
        let in_d = |row: usize, column: usize| {
            in_c(row, column) + (0..k).map(|at| in_a(row, at) * in_b(at, column)).sum::<i64>()
        };
        let bytes =
            [of_a.bytes(in_a), of_b.bytes(in_b), of_c.bytes(in_c), vec![0xff; of_d.bytes(in_d).len()]];
        assert!(launched(&text, &bytes) == of_d.bytes(in_d), "{by_rows:04b}\n{text}");
    }
}

/// Launches a warp with these buffers, and returns the last of them. There are no findings.
fn launched(text: &str, contents: &[Vec<u8>; 4]) -> Vec<u8> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("k.ptx", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut launch = Launch { checks: Checks::ALL, ..Launch::new(1, 32) };
    let mut last = None;
    for (name, bytes) in ["a", "b", "c", "d"].into_iter().zip(contents) {
        let buffer = emulator.alloc(name, bytes.len() as u64).unwrap();
        emulator.write(buffer).unwrap().copy_from_slice(bytes);
        launch = launch.arg(buffer.address());
        last = Some(buffer);
    }
    let report = emulator.launch(&module, "k", &launch).unwrap();
    assert!(report.faults.is_empty(), "{text}{:?}", report.faults);
    emulator.read(last.unwrap()).unwrap().to_vec()
}

const SHAPES: [(usize, usize, usize); 3] = [(16, 16, 16), (32, 8, 16), (8, 32, 16)];

#[test]
fn products_are_right_whichever_way_the_matrices_lie() {
    let mut cases = Vec::new();
    for shape in SHAPES {
        for (c, d) in [(F16, F16), (F32, F32), (F16, F32), (F32, F16)] {
            cases.push(Case { shape, a: F16, b: F16, c, d });
        }
        cases.push(Case { shape, a: BF16, b: BF16, c: F32, d: F32 });
        for (a, b) in [(S8, S8), (U8, U8)] {
            cases.push(Case { shape, a, b, c: S32, d: S32 });
        }
    }
    cases.push(Case { shape: (16, 16, 8), a: TF32, b: TF32, c: F32, d: F32 });
    cases.push(Case { shape: (8, 8, 4), a: F64, b: F64, c: F64, d: F64 });
    for case in &cases {
        for by_rows in 0..16 {
            case.check(by_rows, if by_rows % 3 == 0 { "" } else { ".global" });
        }
    }
    // Numbers of four bits lie one way only.
    for (a, b) in [(S4, S4), (U4, U4)] {
        for by_rows in [0b0001, 0b0101, 0b1001, 0b1101] {
            Case { shape: (8, 8, 32), a, b, c: S32, d: S32 }.check(by_rows, "");
        }
    }
}
