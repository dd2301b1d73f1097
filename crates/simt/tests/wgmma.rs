//! Products of warpgroups, compared with plain ones: all types, all sizes, matrices in registers and in all layouts of shared memory.
//!
//! The elements are small whole numbers, so that every sum is exact, in whichever order it is made. How inexact sums come out is the
//! business of `tensor.rs` and of `tests/mma.rs`. The layouts are those of the PTX ISA, section 9.7.15.5.1.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use simt::{Buffer, Checks, Emulator, Launch, Limits, Module, Schedule};

/// Random numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }
}

/// The types of an instruction: of D, A and B.
#[derive(Clone, Copy)]
struct Types(&'static str, &'static str, &'static str);

const ALL: [Types; 14] = [
    Types("f32", "f16", "f16"),
    Types("f16", "f16", "f16"),
    Types("f32", "bf16", "bf16"),
    Types("f32", "tf32", "tf32"),
    Types("f32", "e4m3", "e4m3"),
    Types("f32", "e4m3", "e5m2"),
    Types("f32", "e5m2", "e4m3"),
    Types("f16", "e5m2", "e5m2"),
    Types("f16", "e4m3", "e4m3"),
    Types("s32", "s8", "s8"),
    Types("s32", "u8", "u8"),
    Types("s32", "s8", "u8"),
    Types("s32", "u8", "s8"),
    Types("f32", "e5m2", "e5m2"),
];

fn bytes(ty: &str) -> usize {
    match ty {
        "f16" | "bf16" => 2,
        "tf32" | "f32" | "s32" => 4,
        _ => 1,
    }
}

/// The bits of a whole number.
fn bits(ty: &str, value: i64) -> u64 {
    let float = |exponent_bits: u32, mantissa_bits: u32| {
        if value == 0 {
            return 0;
        }
        let (magnitude, bias) = (value.unsigned_abs(), (1 << (exponent_bits - 1)) - 1);
        let exponent = magnitude.ilog2();
        assert!(magnitude.trailing_zeros() + mantissa_bits >= exponent, "{value} is no {ty}");
        let mantissa = (magnitude << mantissa_bits >> exponent) & ((1 << mantissa_bits) - 1);
        let sign = u64::from(value < 0) << (exponent_bits + mantissa_bits);
        sign | u64::from(exponent + bias) << mantissa_bits | mantissa
    };
    match ty {
        "f16" => float(5, 10),
        "bf16" => float(8, 7),
        // What is behind the mantissa does not count.
        "tf32" => float(8, 10) << 13 | 0x155,
        "f32" => float(8, 23),
        "e4m3" => float(4, 3),
        "e5m2" => float(5, 2),
        "s32" => u64::from(value as u32),
        _ => u64::from(value as u8),
    }
}

fn element(ty: &str, random: &mut Random) -> i64 {
    let few = random.below(8) as i64;
    match ty {
        "s8" => random.below(256) as i64 - 128,
        "u8" => random.below(256) as i64,
        "e5m2" => [0, 1, -1, 2, -2, 3, -3, 4][few as usize],
        _ => few - 4,
    }
}

/// A matrix of lines, each with the elements of one row of A or of one column of B.
struct Matrix {
    ty: &'static str,
    lines: Vec<Vec<i64>>,
}

impl Matrix {
    fn random(ty: &'static str, lines: usize, random: &mut Random) -> Matrix {
        let depth = 32 / bytes(ty);
        let mut line = || (0..depth).map(|_| element(ty, random)).collect();
        Matrix { ty, lines: (0..lines).map(|_| line()).collect() }
    }
}

/// Where a matrix is in shared memory: the rows of its atoms in bytes, and the distances.
#[derive(Clone, Copy, Debug)]
struct Layout {
    start: usize,
    row: usize,
    leading: usize,
    stride: usize,
    is_transposed: bool,
}

impl Layout {
    /// A layout of a matrix of so many lines, from a multiple of 1024 on.
    fn random(from: usize, ty: &str, lines: usize, random: &mut Random) -> Layout {
        let row = [16, 32, 64, 128][random.below(4) as usize];
        let is_transposed = bytes(ty) == 2 && random.below(2) == 0;
        let (mut start, atom) = (from, 8 * row);
        let swaps = random.below(2) == 0;
        // Atoms in the direction of `k`, and in the other.
        let (deep, wide) = match (is_transposed, row) {
            (false, 16) => (2, lines / 8),
            (false, _) => (1, lines / 8),
            (true, _) => (2, (lines * 2).div_ceil(row)),
        };
        let near = atom * (1 + random.below(2) as usize);
        let far = near * if swaps { deep } else { wide };
        let [of_depth, of_width] = if swaps { [near, far] } else { [far, near] };
        // Without a swizzle, the stride is the distance across `k` in both cases.
        let (leading, stride) = match (is_transposed, row) {
            (_, 16) => (of_depth, of_width),
            (false, _) => (16, of_width),
            (true, _) => (of_width, of_depth),
        };
        if !is_transposed && row > 32 {
            start += 32 * random.below(row as u64 / 32) as usize;
        }
        Layout { start, row, leading, stride, is_transposed }
    }

    fn descriptor(&self) -> u64 {
        let swizzle = match self.row {
            128 => 1,
            64 => 2,
            32 => 3,
            _ => 0_u64,
        };
        let field = |bytes: usize| (bytes / 16) as u64;
        field(self.start) | field(self.leading) << 16 | field(self.stride) << 32 | swizzle << 62
    }

    /// Where an element is, given its line, its place in it, and its size.
    fn place(&self, line: usize, at: usize, size: usize) -> usize {
        let offset = if self.is_transposed {
            let across = line * size;
            match self.row {
                16 => across / 16 * self.stride + at / 8 * self.leading + at % 8 * 16 + across % 16,
                row => across / row * self.leading + at / 8 * self.stride + at % 8 * row + across % row,
            }
        } else {
            let across = at * size;
            match self.row {
                16 => line / 8 * self.stride + line % 8 * 16 + across / 16 * self.leading + across % 16,
                row => line / 8 * self.stride + line % 8 * row + across,
            }
        };
        let address = self.start + offset;
        let mask = match self.row {
            128 => 0x70,
            64 => 0x30,
            32 => 0x10,
            _ => 0,
        };
        address ^ (address >> 3 & mask)
    }

    /// Puts a matrix into an image of shared memory.
    fn put(&self, matrix: &Matrix, image: &mut Vec<u8>) {
        let size = bytes(matrix.ty);
        for (line, elements) in matrix.lines.iter().enumerate() {
            for (at, &value) in elements.iter().enumerate() {
                let place = self.place(line, at, size);
                if image.len() < place + size {
                    image.resize(place + size, 0);
                }
                image[place..place + size].copy_from_slice(&bits(matrix.ty, value).to_le_bytes()[..size]);
            }
        }
    }
}

/// One product: what is multiplied and how.
struct Case {
    types: Types,
    n: usize,
    a: Matrix,
    b: Matrix,
    a_is_in_registers: bool,
    layouts: [Layout; 2],
    adds: bool,
    negates: [bool; 2],
    saturates: bool,
}

impl Case {
    fn random(types: Types, n: usize, random: &mut Random) -> Case {
        let (a, b) = (Matrix::random(types.1, 64, random), Matrix::random(types.2, n, random));
        let layouts = [Layout::random(0, types.1, 64, random), Layout::random(64 * 1024, types.2, n, random)];
        let is_float = types.0 != "s32";
        let negates = [(); 2].map(|()| is_float && random.below(2) == 0);
        Case {
            types,
            n,
            a,
            b,
            a_is_in_registers: random.below(3) == 0,
            layouts,
            adds: random.below(3) != 0,
            negates,
            saturates: !is_float && random.below(2) == 0,
        }
    }

    fn depth(&self) -> usize {
        32 / bytes(self.types.1)
    }

    /// Registers of D of each thread.
    fn registers(&self) -> usize {
        self.n / if self.types.0 == "f16" { 4 } else { 2 }
    }

    /// The instruction and its operands.
    fn instruction(&self) -> String {
        let Types(d, a, b) = self.types;
        let saturates = if self.saturates { ".satfinite" } else { "" };
        let register = |number: usize| format!("%f{number}");
        let of_d: Vec<String> = (0..self.registers()).map(register).collect();
        let from = if self.a_is_in_registers { "{%r20, %r21, %r22, %r23}" } else { "%rd10" };
        let mut text = format!(
            "wgmma.mma_async.sync.aligned.m64n{}k{}{saturates}.{d}.{a}.{b} {{{}}}, {from}, %rd11, %p1",
            self.n,
            self.depth(),
            of_d.join(", ")
        );
        if d != "s32" {
            self.negates.iter().for_each(|&negates| text += if negates { ", -1" } else { ", 1" });
        }
        if bytes(a) == 2 {
            let transposed = |layout: &Layout| if layout.is_transposed { ", 1" } else { ", 0" };
            if !self.a_is_in_registers {
                text += transposed(&self.layouts[0]);
            }
            text += transposed(&self.layouts[1]);
        }
        text + ";"
    }

    /// A kernel that copies an image to shared memory, multiplies, and stores the registers of D.
    fn kernel(&self, words: usize) -> String {
        let mut text = format!(
            ".version 8.4\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 tile[];\n\
             .visible .entry kernel(.param .u64 image, .param .u64 of_a, .param .u64 c, .param .u64 out)\n{{\n\
             .reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .b32 %f<{}>;\n\
             ld.param.u64 %rd1, [image];\nld.param.u64 %rd2, [of_a];\nld.param.u64 %rd3, [c];\nld.param.u64 %rd4, [out];\n\
             mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\nmov.u32 %r3, %r1;\n\
             copy:\nsetp.ge.u32 %p0, %r3, {words};\n@%p0 bra copied;\n\
             mul.wide.u32 %rd5, %r3, 4;\nadd.s64 %rd5, %rd1, %rd5;\nld.global.u32 %r4, [%rd5];\n\
             mad.lo.u32 %r5, %r3, 4, %r2;\nst.shared.u32 [%r5], %r4;\nadd.u32 %r3, %r3, 128;\nbra copy;\n\
             copied:\nfence.proxy.async.shared::cta;\nbar.sync 0;\n\
             mul.wide.u32 %rd6, %r1, 4;\nadd.s64 %rd7, %rd2, %rd6;\nadd.s64 %rd8, %rd3, %rd6;\nadd.s64 %rd9, %rd4, %rd6;\n\
             mov.b64 %rd10, {:#x};\nmov.b64 %rd11, {:#x};\nsetp.eq.u32 %p1, %r2, {};\n",
            self.registers(),
            self.layouts[0].descriptor(),
            self.layouts[1].descriptor(),
            u32::from(!self.adds),
        );
        for register in 0..4 {
            writeln!(text, "ld.global.u32 %r{}, [%rd7+{}];", 20 + register, 512 * register).unwrap();
        }
        for register in 0..self.registers() {
            writeln!(text, "ld.global.u32 %f{register}, [%rd8+{}];", 512 * register).unwrap();
        }
        write!(
            text,
            "wgmma.fence.sync.aligned;\n{}\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
            self.instruction()
        )
        .unwrap();
        for register in 0..self.registers() {
            writeln!(text, "st.global.u32 [%rd9+{}], %f{register};", 512 * register).unwrap();
        }
        text + "ret;\n}\n"
    }

    /// The registers of A of all threads: register after register, and in each the words of 128 threads.
    fn fragments(&self) -> Vec<u32> {
        let (size, mut words) = (bytes(self.types.1), vec![0; 4 * 128]);
        let count = 4 / size;
        for (register, thread) in (0..4).flat_map(|register| (0..128).map(move |thread| (register, thread))) {
            let row = thread / 32 * 16 + thread % 32 / 4 + register % 2 * 8;
            for place in 0..count {
                let k = (register / 2 * 4 + thread % 4) * count + place;
                let bits = bits(self.types.1, self.a.lines[row][k]) as u32;
                words[register * 128 + thread] |= bits << (8 * size * place);
            }
        }
        words
    }

    /// The registers of D of all threads, given each element by its row and its column.
    fn results(&self, element: impl Fn(usize, usize) -> i64) -> Vec<u32> {
        let mut words = vec![0; self.registers() * 128];
        let size = if self.types.0 == "f16" { 2 } else { 4 };
        for (register, thread) in
            (0..self.registers()).flat_map(|register| (0..128).map(move |thread| (register, thread)))
        {
            for place in 0..4 / size {
                let number = register * 4 / size + place;
                let row = thread / 32 * 16 + thread % 32 / 4 + number / 2 % 2 * 8;
                let column = number / 4 * 8 + thread % 4 * 2 + number % 2;
                let bits = bits(self.types.0, element(row, column)) as u32;
                words[register * 128 + thread] |= bits << (8 * size * place);
            }
        }
        words
    }

    fn check(&self, random: &mut Random) {
        let mut image = Vec::new();
        self.layouts[0].put(&self.a, &mut image);
        self.layouts[1].put(&self.b, &mut image);
        image.resize(image.len().next_multiple_of(4), 0);
        let c: Vec<Vec<i64>> =
            (0..64).map(|_| (0..self.n).map(|_| random.below(64) as i64 - 32).collect()).collect();
        let sign = if self.negates[0] == self.negates[1] { 1 } else { -1 };
        let d = |row: usize, column: usize| {
            let products = self.a.lines[row].iter().zip(&self.b.lines[column]).map(|(a, b)| a * b);
            let before = if self.adds { c[row][column] } else { 0 };
            before + sign * products.sum::<i64>()
        };
        let label = format!("{} {:?} of {:?}", self.instruction(), self.adds, self.layouts);
        let found = run(
            &self.kernel(image.len() / 4),
            &image,
            &self.fragments(),
            &self.results(|row, column| c[row][column]),
            random.next(),
        );
        assert!(found == self.results(d), "{label}");
    }
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A kernel that is ready to run with an image of shared memory, registers of A and of C: the buffer with those of D is the last.
fn prepared(
    ptx: &str,
    image: &[u8],
    of_a: &[u32],
    of_c: &[u32],
    seed: u64,
) -> (Emulator, Module, Launch, Buffer) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("wgmma.ptx", ptx).unwrap();
    let mut launch = Launch { checks: Checks::ALL, seed, schedule: Schedule::Random, ..Launch::new(1, 128) };
    launch.shared_bytes = image.len() as u32;
    for data in [image, &to_bytes(of_a), &to_bytes(of_c)] {
        let buffer = emulator.alloc("data", data.len() as u64).unwrap();
        emulator.write(buffer).unwrap().copy_from_slice(data);
        launch = launch.arg(buffer.address());
    }
    let out = emulator.alloc("out", 4 * of_c.len() as u64).unwrap();
    let launch = launch.arg(out.address());
    (emulator, module, launch, out)
}

/// Runs a kernel, and returns the registers of D.
fn run(ptx: &str, image: &[u8], of_a: &[u32], of_c: &[u32], seed: u64) -> Vec<u32> {
    let (mut emulator, module, launch, out) = prepared(ptx, image, of_a, of_c, seed);
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    assert!(report.faults.is_empty(), "{}", report.faults[0]);
    let bytes = emulator.read(out).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn watching_changes_nothing_and_shows_each_warp() {
    let mut random = Random(7);
    for seed in 0..20 {
        let case = Case { adds: true, ..Case::random(ALL[2], 16, &mut random) };
        let mut image = Vec::new();
        case.layouts[0].put(&case.a, &mut image);
        case.layouts[1].put(&case.b, &mut image);
        image.resize(image.len().next_multiple_of(4), 0);
        let (ptx, of_c) = (case.kernel(image.len() / 4), case.results(|row, column| (row + column) as i64));
        for schedule in [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt] {
            let start = || {
                let (emulator, module, launch, out) = prepared(&ptx, &image, &case.fragments(), &of_c, seed);
                (emulator, module, Launch { schedule, ..launch }, out)
            };
            let (mut plain, module, launch, out) = start();
            let report = plain.launch(&module, "kernel", &launch).unwrap();
            let (mut watched, module, launch, watched_out) = start();
            let (mut products, mut results) = ([0; 4], [None; 4]);
            let seen = watched
                .launch_watched(&module, "kernel", &launch, &mut |moment| {
                    let site = moment.site();
                    let warp = moment.warp as usize;
                    products[warp] += usize::from(site.ptx.starts_with("wgmma.mma_async"));
                    if site.ptx.starts_with("wgmma.wait_group") {
                        let mut registers = moment.registers(moment.warp);
                        let first = registers.find(|register| register.name == "%f0").unwrap();
                        results[warp] = Some(first.value(0) as u32);
                    }
                    ControlFlow::Continue(())
                })
                .unwrap();
            assert_eq!((seen.counters, seen.faults), (report.counters, report.faults));
            let bytes = watched.read(watched_out).unwrap();
            assert_eq!(bytes, plain.read(out).unwrap());
            // Lanes that are hunted apart are shown apart.
            assert!(schedule == Schedule::Hunt || products == [1; 4], "{products:?}");
            for (warp, result) in results.into_iter().enumerate() {
                let stored = u32::from_le_bytes(bytes[128 * warp..128 * warp + 4].try_into().unwrap());
                assert_eq!(result, Some(stored), "warp {warp}");
            }
        }
    }
}

#[test]
fn every_size_of_every_type_in_random_layouts() {
    let mut random = Random(90);
    for types in ALL {
        for n in (8..=256).step_by(8) {
            if types.0 == "s32" && n > 24 && n % 16 != 0 {
                continue;
            }
            for _ in 0..if n <= 64 { 3 } else { 1 } {
                Case::random(types, n, &mut random).check(&mut random);
            }
        }
    }
}

#[test]
fn every_layout_of_both_matrices() {
    let mut random = Random(64);
    for types in [ALL[2], ALL[0]] {
        for _ in 0..150 {
            let n = 8 * (1 + random.below(12) as usize);
            Case { a_is_in_registers: false, ..Case::random(types, n, &mut random) }.check(&mut random);
        }
    }
}
