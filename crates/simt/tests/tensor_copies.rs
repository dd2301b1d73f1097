//! Tensor copies against a plain model: shapes, types, steps, swizzles and places are drawn at random.
//!
//! The model goes through the elements of a box one by one, and knows a swizzle as the exchange of chunks in a line. A load is
//! compared in shared memory, of which the kernel writes all bytes to a buffer; stores and reductions in the tensor.

use std::ops::ControlFlow;

use simt::{
    AccessKind, Arg, Buffer, Checks, Emulator, Launch, Limits, Schedule, Space, TensorMap, TensorMapRequest,
};
use test_support::Random;

/// Bytes of shared memory.
const SHARED: usize = 40 << 10;
/// Where in it the box begins.
const PLACES: [u32; 4] = [0, 128, 384, 1024];
const TYPES: [(&str, usize); 10] = [
    ("u8", 1),
    ("u16", 2),
    ("u32", 4),
    ("i32", 4),
    ("u64", 8),
    ("i64", 8),
    ("f16", 2),
    ("bf16", 2),
    ("f32", 4),
    ("f64", 8),
];

/// What is drawn.
#[derive(Debug)]
struct Drawn {
    ty: (&'static str, usize),
    sizes: Vec<u64>,
    strides: Vec<u64>,
    lengths: Vec<u32>,
    steps: Vec<u32>,
    swizzle: u32,
    fills_nan: bool,
    coordinates: Vec<i32>,
    place: u32,
}

impl Drawn {
    fn new(random: &mut Random) -> Drawn {
        let mut below = |count: u64| random.below(count);
        let (rank, ty) = (1 + below(5) as usize, TYPES[below(10) as usize]);
        let swizzle = below(4) as u32;
        let width = if swizzle == 0 { 64 } else { 16 << swizzle };
        // With a swizzle rows are as wide as it.
        let row = if swizzle == 0 { 16 * (1 + below(4)) } else { width };
        let mut drawn = Drawn {
            ty,
            sizes: vec![1 + below(40)],
            strides: Vec::new(),
            lengths: vec![(row / ty.1 as u64) as u32],
            steps: vec![1 + below(8) as u32],
            swizzle,
            fills_nan: below(2) == 0 && ty.0.contains('f'),
            coordinates: Vec::new(),
            place: PLACES[below(4) as usize],
        };
        let mut stride = (drawn.sizes[0] * ty.1 as u64).next_multiple_of(16) + 16 * below(3);
        for _ in 1..rank {
            drawn.strides.push(stride);
            drawn.sizes.push(1 + below(6));
            drawn.lengths.push(1 + below(4) as u32);
            drawn.steps.push(if below(3) == 0 { 1 + below(3) as u32 } else { 1 });
            stride = stride * drawn.sizes.last().unwrap() + 16 * below(2);
        }
        for (size, length) in drawn.sizes.iter().zip(&drawn.lengths) {
            let span = size + 2 * u64::from(*length);
            drawn.coordinates.push(below(span) as i32 - *length as i32);
        }
        // A box begins at a multiple of 16 bytes.
        let whole = 16 / ty.1 as i32;
        drawn.coordinates[0] = drawn.coordinates[0].div_euclid(whole) * whole;
        drawn
    }

    fn map(&self, address: u64) -> Vec<u8> {
        let request = TensorMapRequest {
            element: TensorMap::element_named(self.ty.0).unwrap().0,
            rank: self.sizes.len() as u32,
            address,
            sizes: &self.sizes,
            strides: &self.strides,
            lengths: &self.lengths,
            steps: &self.steps,
            swizzle: self.swizzle,
            fill: self.fills_nan.into(),
            ..TensorMapRequest::default()
        };
        TensorMap::encode(&request).unwrap_or_else(|error| panic!("{self:?}: {error}")).to_vec()
    }

    /// Bytes of the tensor.
    fn bytes(&self) -> usize {
        let outer: u64 =
            self.sizes[1..].iter().zip(&self.strides).map(|(size, stride)| (size - 1) * stride).sum();
        outer as usize + self.sizes[0] as usize * self.ty.1
    }

    /// The elements of the box in their order: where each is in the tensor, if it is there, and where in shared memory.
    fn elements(&self) -> Vec<(Option<usize>, usize)> {
        let steps: Vec<u32> = std::iter::once(1).chain(self.steps[1..].iter().copied()).collect();
        let counts: Vec<u32> =
            self.lengths.iter().zip(&steps).map(|(length, step)| length.div_ceil(*step)).collect();
        let mut found = Vec::new();
        for number in 0..counts.iter().product::<u32>() {
            let (mut left, mut offset) = (number, Some(0));
            for (d, count) in counts.iter().enumerate() {
                let place = i64::from(self.coordinates[d]) + i64::from(left % count * steps[d]);
                left /= count;
                let stride = if d == 0 { self.ty.1 as u64 } else { self.strides[d - 1] };
                let inside = (0..self.sizes[d] as i64).contains(&place);
                offset = offset.filter(|_| inside).map(|offset| offset + place as usize * stride as usize);
            }
            found.push((offset, self.exchanged(self.place as usize + number as usize * self.ty.1)));
        }
        found
    }

    /// Where the swizzle puts a byte: in lines of eight chunks, the numbers of chunk and line are combined.
    fn exchanged(&self, at: usize) -> usize {
        let (line, chunk, byte) = (at / 128, at / 16 % 8, at % 16);
        let within = [1, 2, 4, 8][self.swizzle as usize];
        line * 128 + (chunk / within * within + (chunk ^ line) % within) * 16 + byte
    }

    fn kernel(&self, copy: &str, before: &str) -> String {
        let rank = self.sizes.len();
        let all = |each: &dyn Fn(usize) -> String| (0..rank).fold(String::new(), |text, d| text + &each(d));
        let params = all(&|d| format!(", .param .b32 c{d}"));
        let loads = all(&|d| format!("ld.param.b32 %c{d}, [c{d}];\n"));
        let all: Vec<String> = (0..rank).map(|d| format!("%c{d}")).collect();
        let copy = copy
            .replace("AT", &format!("[%rd2, {{{}}}]", all.join(", ")))
            .replace("RANK", &format!("{rank}d"));
        format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n
            .visible .entry kernel(.param .u64 shared, .param .align 64 .b8 map[128]{params}) {{
            .reg .pred %p<4>;
            .reg .b32 %r<8>, %c<5>;
            .reg .b64 %rd<8>;
            .shared .align 1024 .b8 tile[{SHARED}];
            .shared .align 8 .b64 barrier;
            ld.param.u64 %rd1, [shared];
            mov.b64 %rd2, map;
            cvta.param.u64 %rd2, %rd2;
            {loads}
            mov.u32 %r1, tile;
            mov.u32 %r4, %tid.x;
            setp.eq.u32 %p0, %r4, 0;
            {before}
            fence.proxy.async;
            bar.sync 0;
            {copy}
            ret;
            }}"
        )
    }

    fn launch(&self, buffer: Buffer, tensor: Buffer, seed: u64) -> Launch {
        let mut launch =
            Launch { checks: Checks::ALL, schedule: Schedule::Random, seed, ..Launch::new(1, 32) };
        launch.args.push(buffer.address().into());
        launch.args.push(Arg::bytes(&self.map(tensor.address())));
        launch.args.extend(self.coordinates.iter().map(|at| Arg::from(*at as u32)));
        launch
    }
}

/// Writes a byte pattern to all of shared memory.
const FILL: &str = "mov.u32 %r2, %r4;
FILL: shl.b32 %r3, %r2, 2; add.u32 %r3, %r3, %r1;
mul.lo.u32 %r5, %r2, 0x9e3779b1;
st.shared.u32 [%r3], %r5;
add.u32 %r2, %r2, 32; setp.lt.u32 %p1, %r2, WORDS;
@%p1 bra FILL;";

/// The pattern.
fn pattern() -> Vec<u8> {
    (0..SHARED as u32 / 4).flat_map(|word| word.wrapping_mul(0x9e37_79b1).to_le_bytes()).collect()
}

fn fill() -> String {
    FILL.replace("WORDS", &(SHARED / 4).to_string())
}

/// An emulator with a tensor of random bytes, and a buffer as large as shared memory.
fn machine(drawn: &Drawn, random: &mut Random) -> (Emulator, Buffer, Buffer, Vec<u8>) {
    let mut emulator = Emulator::new(Limits::default());
    let tensor = emulator.alloc("tensor", drawn.bytes() as u64).unwrap();
    let bytes: Vec<u8> = (0..drawn.bytes()).map(|_| random.below(256) as u8).collect();
    emulator.write(tensor).unwrap().copy_from_slice(&bytes);
    let buffer = emulator.alloc("shared", SHARED as u64).unwrap();
    (emulator, tensor, buffer, bytes)
}

fn run(emulator: &mut Emulator, drawn: &Drawn, text: &str, launch: &Launch) {
    let module = emulator.load("kernel.ptx", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let report =
        emulator.launch(&module, "kernel", launch).unwrap_or_else(|error| panic!("{drawn:?}: {error}"));
    assert!(report.faults.is_empty(), "{drawn:?}\n{}", report.faults[0]);
}

#[test]
fn loads_bring_what_the_model_says() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let drawn = Drawn::new(&mut random);
        let (mut emulator, tensor, buffer, bytes) = machine(&drawn, &mut random);
        let elements = drawn.elements();
        let copy = format!(
            "add.u32 %r6, %r1, {};
            @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], {};
            @%p0 cp.async.bulk.tensor.RANK.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r6], AT, [barrier];
            WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [barrier], 0;
            @!%p2 bra WAIT;
            mov.u32 %r2, %r4;
            OUT: shl.b32 %r3, %r2, 2; cvt.u64.u32 %rd4, %r3; add.u64 %rd4, %rd4, %rd1; add.u32 %r3, %r3, %r1;
            ld.shared.u32 %r5, [%r3];
            st.global.u32 [%rd4], %r5;
            add.u32 %r2, %r2, 32; setp.lt.u32 %p1, %r2, {};
            @%p1 bra OUT;",
            drawn.place,
            elements.len() * drawn.ty.1,
            SHARED / 4
        );
        let text =
            drawn.kernel(&copy, &format!("@%p0 mbarrier.init.shared::cta.b64 [barrier], 1;\n{}", fill()));
        run(&mut emulator, &drawn, &text, &drawn.launch(buffer, tensor, seed));
        let mut expected = pattern();
        for (from, to) in elements {
            let filler: &[u8] = match (drawn.fills_nan, drawn.ty.1) {
                (false, _) => &[0; 8],
                (true, _) => &[0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f],
            };
            let element = from.map_or(filler, |from| &bytes[from..]);
            expected[to..to + drawn.ty.1].copy_from_slice(&element[..drawn.ty.1]);
        }
        assert!(emulator.read(buffer).unwrap() == expected, "seed {seed}: {drawn:?}");
    }
}

#[test]
fn stores_write_what_lies_in_the_tensor_and_nothing_else() {
    for seed in 0..300 {
        let mut random = Random::new(1000 + seed);
        let mut drawn = Drawn::new(&mut random);
        // What is stored doesn't begin before the tensor.
        drawn.coordinates.iter_mut().for_each(|coordinate| *coordinate = (*coordinate).max(0));
        let (mut emulator, tensor, buffer, mut expected) = machine(&drawn, &mut random);
        let adds = ["u32", "i32"].contains(&drawn.ty.0);
        let opcode = if adds { "cp.reduce.async" } else { "cp.async" };
        let copy = format!(
            "add.u32 %r6, %r1, {};
            @%p0 {opcode}.bulk.tensor.RANK.global.shared::cta{}.tile.bulk_group AT, [%r6];
            @%p0 cp.async.bulk.commit_group;
            @%p0 cp.async.bulk.wait_group 0;",
            drawn.place,
            if adds { ".add" } else { "" }
        );
        run(&mut emulator, &drawn, &drawn.kernel(&copy, &fill()), &drawn.launch(buffer, tensor, seed));
        let shared = pattern();
        for (to, from) in drawn.elements() {
            let Some(to) = to else { continue };
            let (old, new) = (&mut expected[to..to + drawn.ty.1], &shared[from..from + drawn.ty.1]);
            if adds {
                let [a, b] = [&*old, new].map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
                old.copy_from_slice(&a.wrapping_add(b).to_le_bytes());
            } else {
                old.copy_from_slice(new);
            }
        }
        assert!(emulator.read(tensor).unwrap() == expected, "seed {seed}: {drawn:?}");
    }
}

/// What each field may be, and the words of the error for what it may not.
#[test]
fn what_no_driver_takes_is_refused() {
    let good = TensorMapRequest {
        element: 7,
        rank: 2,
        address: 256,
        sizes: &[64, 32],
        strides: &[256],
        lengths: &[32, 8],
        steps: &[1, 1],
        ..TensorMapRequest::default()
    };
    assert!(TensorMap::encode(&good).is_ok());
    assert!(TensorMap::encode(&TensorMapRequest { swizzle: 3, ..good }).is_ok());
    let refused = |request: TensorMapRequest<'_>, words: &str| {
        let error = TensorMap::encode(&request).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(TensorMapRequest { element: 16, ..good }, "no type of elements 16");
    refused(TensorMapRequest { element: 13, ..good }, "`16U4_ALIGN8B` are not supported");
    refused(TensorMapRequest { rank: 0, ..good }, "from 1 to 5, not 0");
    refused(TensorMapRequest { rank: 6, ..good }, "from 1 to 5, not 6");
    refused(TensorMapRequest { rank: 3, ..good }, "fewer sizes");
    refused(TensorMapRequest { address: 8, ..good }, "0x8 of the tensor is not a multiple of 16");
    refused(TensorMapRequest { sizes: &[64, 0], ..good }, "size 1 of the tensor is 0");
    refused(TensorMapRequest { sizes: &[1 << 33, 1], ..good }, "size 0 of the tensor is 8589934592");
    refused(TensorMapRequest { strides: &[264], ..good }, "stride 0 of the tensor is 264 bytes");
    refused(TensorMapRequest { strides: &[1 << 40], ..good }, "below 2^40");
    refused(TensorMapRequest { lengths: &[32, 257], ..good }, "257 elements in dimension 1");
    refused(TensorMapRequest { lengths: &[0, 8], ..good }, "0 elements in dimension 0");
    refused(TensorMapRequest { lengths: &[30, 8], ..good }, "a row of the box has 120 bytes");
    refused(TensorMapRequest { steps: &[1, 9], ..good }, "element stride 1 is 9");
    refused(TensorMapRequest { steps: &[0, 1], ..good }, "element stride 0 is 0");
    refused(TensorMapRequest { interleave: 3, ..good }, "no interleave 3");
    refused(TensorMapRequest { interleave: 1, ..good }, "interleaved layouts are not supported");
    refused(TensorMapRequest { swizzle: 7, ..good }, "no swizzle 7");
    refused(TensorMapRequest { swizzle: 4, ..good }, "needs sm_100");
    refused(TensorMapRequest { swizzle: 2, ..good }, "128 bytes, and may have 64");
    refused(TensorMapRequest { promotion: 4, ..good }, "no promotion of L2 4");
    refused(TensorMapRequest { fill: 2, ..good }, "no fill 2");
    refused(TensorMapRequest { fill: 1, element: 2, ..good }, "floating-point types");
}

#[test]
fn a_map_comes_back_as_it_was_made_and_other_bytes_do_not() {
    for seed in 0..100 {
        let drawn = Drawn::new(&mut Random::new(seed));
        let bytes: [u8; 128] = drawn.map(4096).try_into().unwrap();
        let map = TensorMap::decode(&bytes).unwrap();
        assert_eq!(map.rank, drawn.sizes.len());
        let moved = TensorMap::moved(&bytes, 8192).unwrap();
        assert_eq!(moved.to_vec(), drawn.map(8192));
        assert!(TensorMap::moved(&bytes, 8).is_err());
        let mut other = bytes;
        other[3] ^= 1;
        assert!(TensorMap::decode(&other).is_err());
    }
}

/// A watcher sees each row that a copy reads, and where it writes.
#[test]
fn a_watcher_sees_the_rows_of_a_box() {
    let drawn = Drawn {
        ty: ("u32", 4),
        sizes: vec![16, 4],
        strides: vec![64],
        lengths: vec![8, 3],
        steps: vec![1, 1],
        swizzle: 0,
        fills_nan: false,
        coordinates: vec![12, 2],
        place: 128,
    };
    let copy = "add.u32 %r6, %r1, 128;
        @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 96;
        @%p0 cp.async.bulk.tensor.RANK.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r6], AT, [barrier];
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [barrier], 0;
        @!%p2 bra WAIT;";
    let (mut emulator, tensor, buffer, _) = machine(&drawn, &mut Random::new(0));
    let text = drawn.kernel(copy, "@%p0 mbarrier.init.shared::cta.b64 [barrier], 1;");
    let module = emulator.load("kernel.ptx", &text).unwrap();
    let mut seen = Vec::new();
    let report =
        emulator.launch_watched(&module, "kernel", &drawn.launch(buffer, tensor, 3), &mut |moment| {
            let is_copy = moment.site().ptx.contains("tensor");
            let accesses = moment.accesses();
            seen.extend(
                accesses
                    .into_iter()
                    .filter(|_| is_copy)
                    .map(|one| (one.space, one.kind, one.addresses[0], one.bytes)),
            );
            ControlFlow::Continue(())
        });
    assert!(report.unwrap().faults.is_empty());
    let row = |y: u64| (Space::Global, AccessKind::Read, tensor.address() + 64 * y + 48, 16);
    assert_eq!(seen, [row(2), row(3), (Space::Shared, AccessKind::Write, 128, 96)]);
}
