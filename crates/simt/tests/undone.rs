//! A launch that cannot be carried out leaves memory, variables, and the record of initialised bytes as they were; one
//! that ends in a fault keeps what it wrote.

use simt::{Buffer, Checks, Emulator, FaultKind, Launch, LaunchError, Limits, Module};

/// Each block writes its words of `x` and increments the module's variable. The block with the number `last` then
/// executes `end`.
fn text(end: &str) -> String {
    format!(
        ".version 8.0
         .target sm_70
         .global .u32 launches = 5;
         .func helper() {{ wmma.load.a.sync; ret; }}
         .extern .func nowhere();
         .visible .entry k(.param .u64 x, .param .u32 last) {{
             .reg .pred %p;
             .reg .b64 %rd<4>;
             .reg .b32 %r<8>;
             ld.param.u64 %rd1, [x];
             ld.param.u32 %r1, [last];
             mov.u32 %r2, %ctaid.x;
             mov.u32 %r3, %tid.x;
             mov.u32 %r4, %ntid.x;
             mad.lo.s32 %r5, %r2, %r4, %r3;
             mul.wide.s32 %rd2, %r5, 4;
             add.s64 %rd2, %rd1, %rd2;
             st.global.u32 [%rd2], %r5;
             atom.global.add.u32 %r6, [launches], 1;
             setp.ne.u32 %p, %r2, %r1;
             @%p ret;
             {end}
             ret;
         }}"
    )
}

struct Bench {
    emulator: Emulator,
    module: Module,
    x: Buffer,
    fresh: Buffer,
}

const THREADS: u32 = 64;
const BLOCKS: u32 = 40;

impl Bench {
    fn new(end: &str) -> Bench {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("k.ptx", &text(end)).unwrap();
        let bytes = u64::from(4 * THREADS * BLOCKS);
        let (x, fresh) =
            (emulator.alloc("x", bytes).unwrap(), emulator.alloc_uninitialized("fresh", bytes).unwrap());
        emulator.write(x).unwrap().fill(0x11);
        Bench { emulator, module, x, fresh }
    }

    /// The contents of memory.
    fn memory(&self) -> [Vec<u8>; 3] {
        let variable = self.module.variable("launches").unwrap();
        [self.x, self.fresh, variable].map(|buffer| self.emulator.read(buffer).unwrap().to_vec())
    }
}

/// A launch that writes into a buffer; the block with the number `last` executes the end.
fn launch(into: Buffer, last: u32) -> Launch {
    Launch { checks: Checks::ALL, ..Launch::new(BLOCKS, THREADS).arg(into.address()).arg(last) }
}

#[test]
fn an_unsupported_instruction_leaves_everything_as_it_was() {
    let ends = ["wmma.load.a.sync;", "call helper;", "call nowhere;", "call k;"];
    for (end, cores) in ends.into_iter().flat_map(|end| [(end, 1), (end, 3)]) {
        let mut bench = Bench::new(end);
        let before = bench.memory();
        for into in [bench.x, bench.fresh] {
            let launch = Launch { cores, ..launch(into, BLOCKS - 1) };
            let error = bench.emulator.launch(&bench.module, "k", &launch).unwrap_err();
            assert!(matches!(error, LaunchError::Unsupported { .. }), "{end}: {error}");
            assert_eq!(bench.memory(), before, "{end}, {cores} cores");
        }
    }
}

#[test]
fn uninitialised_bytes_stay_uninitialised() {
    let mut bench = Bench::new("wmma.load.a.sync;");
    let reader = ".version 8.0\n.target sm_70
        .visible .entry reads(.param .u64 x) {
            .reg .b64 %rd<2>;
            .reg .b32 %r<2>;
            ld.param.u64 %rd1, [x];
            ld.global.u32 %r1, [%rd1];
            st.global.u32 [%rd1], %r1;
            ret;
        }";
    let reader = bench.emulator.load("reads.ptx", reader).unwrap();
    let reads = Launch { checks: Checks::ALL, ..Launch::new(1, 1).arg(bench.fresh.address()) };
    let fails = launch(bench.fresh, 0);
    bench.emulator.launch(&bench.module, "k", &fails).unwrap_err();
    let report = bench.emulator.launch(&reader, "reads", &reads).unwrap();
    assert_eq!(report.faults[0].kind, FaultKind::Uninitialized, "the first block had written it");
    // No block executes the instruction.
    let ends = launch(bench.fresh, BLOCKS);
    assert!(bench.emulator.launch(&bench.module, "k", &ends).unwrap().faults.is_empty());
    assert!(bench.emulator.launch(&reader, "reads", &reads).unwrap().faults.is_empty());
}

#[test]
fn a_launch_that_never_executes_the_instruction_keeps_what_it_wrote() {
    for cores in [1, 3] {
        let mut bench = Bench::new("wmma.load.a.sync;");
        let launch = Launch { cores, ..launch(bench.x, BLOCKS) };
        assert!(bench.emulator.launch(&bench.module, "k", &launch).unwrap().faults.is_empty());
        let [x, _, variable] = bench.memory();
        let words = x.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
        assert!(words.eq(0..THREADS * BLOCKS));
        assert_eq!(variable, (5 + THREADS * BLOCKS).to_le_bytes());
    }
}

#[test]
fn a_fault_keeps_what_was_written_before_it() {
    for end in ["trap;", "@%p wmma.load.a.sync; trap;"] {
        let mut bench = Bench::new(end);
        let launch = launch(bench.x, BLOCKS - 1);
        let report = bench.emulator.launch(&bench.module, "k", &launch).unwrap();
        assert_eq!(report.faults[0].kind, FaultKind::Trap);
        assert_eq!(bench.memory()[0][..8], [0, 0, 0, 0, 1, 0, 0, 0], "{end}");
    }
}

#[test]
fn moments_that_were_shown_remain_and_arguments_are_checked_first() {
    let mut bench = Bench::new("wmma.load.a.sync;");
    let (before, mut steps) = (bench.memory(), 0);
    let launch = launch(bench.x, 0);
    let error = bench.emulator.launch_traced(&bench.module, "k", &launch, &mut |_| steps += 1);
    assert!(error.is_err() && steps > 0);
    for launch in [launch.clone().arg(1_u32), Launch { shared_bytes: 1 << 30, ..launch }] {
        bench.emulator.launch(&bench.module, "k", &launch).unwrap_err();
        assert_eq!(bench.memory(), before);
    }
}
