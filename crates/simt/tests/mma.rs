//! Matrix instructions, compared bit for bit with an H200.
//!
//! The record, `h200.csv` in `tools/benchmarks/gpu/mma`, has for each `mma` and each kind of operands a sum over all bits of the
//! results of the first 1024 products, and of all of them. `mma.cu` beside it says how operands are made from numbers; it is
//! done here in the same way. There are sums for `ldmatrix`, `stmatrix` and `movmatrix` too, and, in `h200_accesses.csv`, what the
//! profiler counts of accesses with many patterns. Without the record, the tests end in `…_skipped_without_record`.

use std::fmt::Write as _;

use simt::{Checks, Counters, Emulator, Launch, Limits};

const SOURCE: &str = include_str!("../../../tools/benchmarks/gpu/mma/mma.cu");
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/benchmarks/gpu/mma");

/// The lines of a record, as cells; none if there is no record.
fn record(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{name}")).unwrap_or_default();
    if text.is_empty() {
        println!("skipped: there is no {name}; tools/benchmarks/gpu/mma/run.sh makes it");
    }
    let lines = text.lines().filter(|line| !line.starts_with(['#', 'a']));
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn mixed(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A floating-point number of a kind.
fn number(exponent_bits: u32, mantissa_bits: u32, accumulates: bool, kind: u64, r: u64) -> u64 {
    let top = (1 << exponent_bits) - 1_u64;
    let (bias, mantissa, drawn) = (top >> 1, r & ((1 << mantissa_bits) - 1), r >> 40 & 0x7fff);
    let few = mantissa & !((1 << (mantissa_bits - 2)) - 1);
    let is_wide = accumulates && exponent_bits >= 8;
    let near = bias.wrapping_sub(4) + drawn % 8;
    let (exponent, mantissa) = match kind {
        0 if exponent_bits == 11 => return 0,
        0 => return r & ((1 << (1 + exponent_bits + mantissa_bits)) - 1),
        2 => (1 + drawn % (top - 1), mantissa),
        3 => (bias - 1 + drawn % 3, few),
        4 => (drawn % 3, mantissa),
        5 if (r >> 56 & 3) < if is_wide { 1 } else { 3 } => (0, 0),
        5 if is_wide => (bias - 24 + drawn % 48, mantissa),
        5 => (bias - 12 + drawn % 24, mantissa),
        6 if (r >> 55).is_multiple_of(64) => (top, if r >> 61 & 1 == 1 { 0 } else { mantissa }),
        1 | 6 => (near, mantissa),
        7 if is_wide => (bias - 28 + drawn % 56, mantissa),
        7 => (bias - 14 + drawn % 28, mantissa),
        9 if is_wide && r >> 56 & 3 != 0 => (0, 0),
        9 => {
            let exponent = match exponent_bits {
                _ if is_wide => drawn % 3,
                ..8 => drawn % 6,
                _ => bias - 66 - drawn % 12,
            };
            (exponent, if r >> 58 & 1 == 1 { few } else { mantissa })
        }
        _ if is_wide => (drawn % 24, mantissa),
        _ => (bias / 2 - 4 + drawn % 16, mantissa),
    };
    (r >> 63) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa
}

/// An integer of a kind.
fn whole(bits: u32, kind: u64, r: u64) -> u64 {
    let (all, top) = ((1 << bits) - 1_u64, 1 << (bits - 1));
    match r >> 40 & 3 {
        _ if kind == 0 => r & all,
        0 => r & all,
        odd if bits == 32 && odd & 1 == 1 => top - 1 - (r & 0xfff),
        _ if bits == 32 => top + (r & 0xfff),
        which => [top, top - 1, all][which as usize - 1],
    }
}

fn bits(ty: &str) -> u32 {
    ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap().min(if ty == "bf16" {
        16
    } else {
        64
    })
}

fn element(ty: &str, accumulates: bool, kind: u64, r: u64) -> u64 {
    match ty {
        "f16" => number(5, 10, accumulates, kind, r),
        "bf16" => number(8, 7, accumulates, kind, r),
        "tf32" => number(8, 10, accumulates, kind, r) << 13 | (r >> 20 & 0x1fff),
        "f32" => number(8, 23, accumulates, kind, r),
        "f64" => number(11, 52, accumulates, kind, r),
        _ => whole(bits(ty), kind, r),
    }
}

/// An instruction: its opcode, the types of D and C, A and B, and the registers of A, B and C.
struct Instruction {
    opcode: String,
    types: [String; 3],
    registers: [usize; 3],
    word_bytes: usize,
}

impl Instruction {
    fn of(opcode: &str) -> Instruction {
        let words: Vec<&str> = opcode.split('.').collect();
        let size: Vec<usize> = words[3].split(['m', 'n', 'k']).filter_map(|size| size.parse().ok()).collect();
        let types: Vec<&str> = words[6..].iter().copied().filter(|word| *word != "satfinite").collect();
        let word_bytes = if types[0] == "f64" { 8 } else { 4 };
        let count = |elements: usize, ty: &str| elements * bits(ty) as usize / 8 / word_bytes / 32;
        let registers = [
            count(size[0] * size[2], types[1]),
            count(size[2] * size[1], types[2]),
            count(size[0] * size[1], types[3]),
        ];
        let types = [types[1], types[2], types[3]].map(str::to_owned);
        Instruction { opcode: opcode.to_owned(), types, registers, word_bytes }
    }

    /// What the lanes hold of operand 0, 1 or 2 of some products.
    fn operands(&self, operand: usize, kind: u64, products: std::ops::Range<u64>) -> Vec<u8> {
        let (ty, width) = (self.types[operand].as_str(), bits(&self.types[operand]) as usize);
        let places = self.word_bytes * 8 / width;
        let mut bytes = Vec::new();
        for (index, lane) in products.flat_map(|index| (0..32).map(move |lane| (index, lane))) {
            for register in 0..self.registers[operand] as u64 {
                let place = |place: usize| {
                    let key = kind << 60
                        | index << 24
                        | (operand as u64) << 20
                        | lane << 12
                        | register << 8
                        | place as u64;
                    element(ty, operand == 2, kind, mixed(key)) << (place * width)
                };
                let word = (0..places).map(place).fold(0, |word, part| word | part);
                bytes.extend(&word.to_le_bytes()[..self.word_bytes]);
            }
        }
        bytes
    }

    /// A kernel in which each warp multiplies once.
    fn kernel(&self) -> String {
        let (bytes, names) = (self.word_bytes, ["a", "b", "c", "d"]);
        let (ty, [a, b, c]) = (format!("b{}", bytes * 8), self.registers);
        let counts = [a, b, c, c];
        let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(".to_owned();
        text += &names.map(|name| format!(".param .u64 p{name}")).join(", ");
        write!(text, ") {{\n.reg .b32 %t<4>; .reg .b64 %a<5>; .reg .{ty} a<8>; .reg .{ty} b<8>; .reg .{ty} c<8>; .reg .{ty} d<8>;
            mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, %t1, %t2;\n").unwrap();
        for (number, (name, count)) in names.iter().zip(counts).enumerate() {
            writeln!(
                text,
                "ld.param.u64 %a4, [p{name}]; mad.wide.u32 %a{number}, %t0, {}, %a4;",
                count * bytes
            )
            .unwrap();
        }
        let each = |text: &mut String, number: usize, loads: bool| {
            for register in 0..counts[number] {
                let (value, address) =
                    (format!("{}{register}", names[number]), format!("[%a{number}+{}]", register * bytes));
                let line = if loads {
                    format!("ld.global.{ty} {value}, {address};\n")
                } else {
                    format!("st.global.{ty} {address}, {value};\n")
                };
                text.push_str(&line);
            }
        };
        (0..3).for_each(|number| each(&mut text, number, true));
        let list = |number: usize| {
            let registers: Vec<_> =
                (0..counts[number]).map(|register| format!("{}{register}", names[number])).collect();
            format!("{{{}}}", registers.join(", "))
        };
        writeln!(text, "{} {}, {}, {}, {};", self.opcode, list(3), list(0), list(1), list(2)).unwrap();
        each(&mut text, 3, false);
        text + "ret; }"
    }

    /// The sum over the results of some products.
    fn sum(&self, kind: u64, products: std::ops::Range<u64>) -> u64 {
        let (mut emulator, first) = (Emulator::new(Limits::default()), products.start);
        let module = emulator.load("mma", &self.kernel()).unwrap();
        let mut launch = Launch::new((products.end - first) as u32 / 32, 1024);
        for operand in 0..3 {
            let bytes = self.operands(operand, kind, products.clone());
            let buffer = emulator.alloc("operand", bytes.len() as u64).unwrap();
            emulator.write(buffer).unwrap().copy_from_slice(&bytes);
            launch.args.push(buffer.address().into());
        }
        let of_d = self.registers[2];
        let out = emulator.alloc("d", (products.end - first) * (32 * of_d * self.word_bytes) as u64).unwrap();
        let report = emulator.launch(&module, "kernel", &launch.arg(out.address())).unwrap();
        assert!(report.faults.is_empty(), "{:?}", report.faults);
        let words = emulator.read(out).unwrap().chunks_exact(self.word_bytes).enumerate();
        let term = |(at, word): (usize, &[u8])| {
            let value = word.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            let (register, lane, index) = (at % of_d, at / of_d % 32, first + (at / of_d / 32) as u64);
            mixed(value ^ mixed(index << 16 | (lane as u64) << 8 | register as u64))
        };
        words.map(term).fold(0, u64::wrapping_add)
    }
}

/// The lines of the record whose first products, or all of them, have another sum here.
fn differing(takes_all: bool) -> Vec<String> {
    let lines: Vec<_> = record("h200.csv").into_iter().filter(|line| line[0].starts_with("mma")).collect();
    let differs = |line: &Vec<String>| {
        let (instruction, kind) = (Instruction::of(&line[0]), line[1].parse().unwrap());
        let (count, sum) = if takes_all { (&line[4], &line[5]) } else { (&line[2], &line[3]) };
        let count: u64 = count.parse().unwrap();
        let parts = (0..count).step_by(1 << 12);
        let found = parts
            .map(|first| instruction.sum(kind, first..count.min(first + (1 << 12))))
            .fold(0, u64::wrapping_add);
        (format!("{found:016x}") != *sum).then(|| format!("{}, operands of kind {kind}", line[0]))
    };
    test_support::side_by_side(&lines, differs).into_iter().flatten().collect()
}

#[test]
fn products_equal_those_of_an_h200_skipped_without_record() {
    assert_eq!(differing(false), <Vec<String>>::new());
}

#[test]
#[ignore = "thorough: it multiplies 65 million times"]
fn all_products_equal_those_of_an_h200() {
    assert_eq!(differing(true), <Vec<String>>::new());
}

/// Runs a statement between loads from and stores to shared memory. Lane l has registers `d0` to `d3` with words of `values`, and
/// `at` with an address. Returns what the registers hold, the first 2 KiB of shared memory, and the counters.
fn run(statement: &str, at: &[u32], values: &[u32]) -> (Vec<u32>, Vec<u32>, Counters) {
    let each = |count: usize, text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<String>();
    let cells = |from: &str, to: &str, loads: &str, stores: &str| {
        each(16, &|i| format!("{loads} %t2, [{from}+{}]; {stores} [{to}+{}], %t2;\n", i * 128, i * 128))
    };
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 cells[32768];
        .visible .entry kernel(.param .u64 memory) {{\n.reg .b32 %t<4>; .reg .b32 d<4>; .reg .b32 at; .reg .b64 %a<4>;
        mov.u32 %t0, %tid.x; ld.param.u64 %a0, [memory]; mad.wide.u32 %a1, %t0, 4, %a0; mad.wide.u32 %a2, %t0, 16, %a0;
        mov.u32 %t1, cells; mad.lo.u32 %t1, %t0, 4, %t1; ld.global.u32 at, [%a1+2560]; mov.u32 %t3, cells; add.u32 at, at, %t3;
        {}{}bar.warp.sync -1;\n{statement}\nbar.warp.sync -1;\n{}{}ret; }}",
        cells("%a1", "%t1", "ld.global.b32", "st.shared.b32"),
        each(4, &|i| format!("ld.global.b32 d{i}, [%a2+{}];\n", 2048 + 4 * i)),
        each(4, &|i| format!("st.global.b32 [%a2+{}], d{i};\n", 2048 + 4 * i)),
        cells("%t1", "%a1", "ld.shared.b32", "st.global.b32"),
    );
    let cell = |i: u32| (i.wrapping_mul(40_503) + 1) & 0xffff;
    let words = (0..512)
        .map(|i| cell(2 * i) | cell(2 * i + 1) << 16)
        .chain(values.iter().copied())
        .chain(at.iter().copied());
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("matrices", &text).unwrap();
    let memory = emulator.alloc("memory", bytes.len() as u64).unwrap();
    emulator.write(memory).unwrap().copy_from_slice(&bytes);
    let launch = Launch { checks: Checks { initialisation: false, ..Checks::ALL }, ..Launch::new(1, 32) };
    let report = emulator.launch(&module, "kernel", &launch.arg(memory.address())).unwrap();
    // Rows may be stored twice.
    let is_wrong = report.faults.iter().any(|fault| fault.severity == simt::Severity::Error);
    assert!(!is_wrong, "{statement}: {:?}", report.faults);
    let words: Vec<u32> = emulator
        .read(memory)
        .unwrap()
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect();
    (words[512..640].to_vec(), words[..512].to_vec(), report.counters)
}

/// The statement of a move, by its number in `mma.cu`.
fn statement(which: usize) -> String {
    let count = [1, 2, 4][which % 3];
    let list = (0..count).map(|i| format!("d{i}")).collect::<Vec<_>>().join(", ");
    let trans = if which / 3 % 2 == 1 { ".trans" } else { "" };
    match which {
        0..6 => format!("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{list}}}, [at];"),
        6..12 => format!("stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [at], {{{list}}};"),
        12 => "movmatrix.sync.aligned.m8n8.trans.b16 d0, d1;".to_owned(),
        _ => "ld.volatile.shared.v4.u32 {d0, d1, d2, d3}, [at];".to_owned(),
    }
}

#[test]
fn matrices_move_as_on_an_h200_skipped_without_record() {
    for line in record("h200.csv").iter().filter(|line| line[0] == "move") {
        let which: usize = line[1].parse().unwrap();
        let at: Vec<u32> = (0..32).map(|lane| lane * 7 % 32 * 16).collect();
        let values: Vec<u32> = (0..128).map(|i| if which < 6 { 0 } else { mixed(i) as u32 }).collect();
        let (registers, cells, _) = run(&statement(which), &at, &values);
        let term = |value: u32, place: usize| mixed(u64::from(value) ^ mixed(place as u64));
        let count = if which == 12 { 1 } else { [1, 2, 4][which % 3] };
        let sum = if (6..12).contains(&which) {
            cells.iter().enumerate().map(|(i, cell)| term(*cell, i)).fold(0, u64::wrapping_add)
        } else {
            let all = (0..32).flat_map(|lane| (0..count).map(move |i| (lane, i)));
            all.map(|(lane, i)| term(registers[4 * lane + i], lane << 8 | i)).fold(0, u64::wrapping_add)
        };
        assert_eq!(format!("{sum:016x}"), line[2], "{}", statement(which));
    }
}

/// The addresses of each pattern of `mma.cu`, which says what the five numbers mean.
fn patterns() -> Vec<Vec<u32>> {
    let list = SOURCE.split("kPatterns[] = {").nth(1).unwrap().split("};").next().unwrap();
    let numbers: Vec<u32> =
        list.split([',', '{', '}']).filter_map(|number| number.trim().parse().ok()).collect();
    let at = |pattern: &[u32], lane: u32| {
        let [divisor, modulus, step, jump, bend] = pattern.try_into().unwrap();
        ((lane / divisor % modulus * step + lane / 8 * jump) ^ (lane % 8 * bend)) % 32_768
    };
    numbers.chunks(5).map(|pattern| (0..32).map(|lane| at(pattern, lane)).collect()).collect()
}

#[test]
fn bank_conflicts_equal_those_of_an_h200_skipped_without_record() {
    let patterns = patterns();
    assert_eq!(patterns.len(), 18);
    for line in record("h200_accesses.csv") {
        let (which, pattern): (usize, usize) = (line[0].parse().unwrap(), line[1].parse().unwrap());
        let (.., counters) = run(&statement(which), &patterns[pattern], &[0; 128]);
        let found = [counters.shared_load_bank_conflicts, counters.shared_store_bank_conflicts];
        assert_eq!(
            found.map(|count| count.to_string()),
            line[5..7],
            "{}, pattern {pattern}",
            statement(which)
        );
    }
}
