//! Launches on 1, 2, 3 and 8 cores: memory and report are the same, and blocks run side by side where they can.
//!
//! Each kernel gets two buffers, `x` with numbers in it and `y` without, and has `%r1` the thread in its block, `%r2`
//! the block, `%r3` the thread in the grid, `%rd1` and `%rd2` the buffers, and `%rd3` and `%rd4` this thread's word in
//! each.

use crate::compile::lower::lower;
use crate::exec::cores::*;
use crate::launch::{Checks, Dim3};
use crate::machine::global::Buffer;
use crate::ptx;
use crate::report::Report;

const BLOCKS: u32 = 150;
const THREADS: u32 = 128;
const WORDS: u64 = 150 * 128;

/// A launch that is tried on several numbers of cores.
struct Trial {
    text: String,
    launch: Launch,
    /// Whether `y` counts as not written.
    is_unwritten: bool,
}

fn kernel(body: &str) -> Trial {
    let text = format!(
        ".version 7.8\n.target sm_70\n.address_size 64\n\
         .extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
         .global .align 1 .b8 text[3] = {{104, 105, 0}};\n\
         .visible .entry k(.param .u64 px, .param .u64 py)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<9>;\n\
         .shared .align 4 .b8 words[1024];\n\
         ld.param.u64 %rd1, [px]; ld.param.u64 %rd2, [py];\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, {THREADS}, %r1;\n\
         mul.wide.u32 %rd5, %r3, 4; add.u64 %rd3, %rd1, %rd5; add.u64 %rd4, %rd2, %rd5;\n\
         {body}\nret;\n}}\n"
    );
    Trial { text, launch: Launch::new(BLOCKS, THREADS), is_unwritten: false }
}

/// A memory with the two buffers, and what runs in it.
struct Ready {
    global: Global,
    program: Program,
    launch: Launch,
    buffers: [Buffer; 2],
}

impl Trial {
    fn ready(&self, cores: u32) -> Ready {
        let mut global = Global::new(1 << 30);
        let program = lower("test", &self.text, &ptx::parse(&self.text).unwrap(), &mut global).unwrap();
        let x = global.alloc("x", WORDS * 4).unwrap();
        let y = if self.is_unwritten {
            global.alloc_uninitialized("y", WORDS * 4)
        } else {
            global.alloc("y", WORDS * 4)
        };
        let y = y.unwrap();
        for (number, word) in global.bytes_mut(x).chunks_exact_mut(4).enumerate() {
            word.copy_from_slice(&(number as u32 * 7 + 1).to_le_bytes());
        }
        let launch = Launch { cores, ..self.launch.clone().arg(x.address()).arg(y.address()) };
        Ready { global, program, launch, buffers: [x, y] }
    }

    /// Whether the blocks can be run side by side, with so many cores.
    fn is_apart(&self, cores: u32) -> bool {
        self.ready(cores).run(|mut run| run.blocks_on_cores().is_some())
    }

    /// What a launch leaves in memory and reports.
    fn transcript(&self, cores: u32) -> (Vec<u8>, String) {
        let mut ready = self.ready(cores);
        let report = ready.run(report);
        let written = |number: usize| format!("{:?}", ready.global.region(number));
        let regions: String = (0..2).map(written).collect();
        let memory = ready.buffers.map(|buffer| ready.global.bytes(buffer).to_vec()).concat();
        (memory, format!("{report:?}\n{regions}"))
    }

    fn check(&self, is_apart: bool) {
        let one = self.transcript(1);
        for cores in [2, 3, 8] {
            assert_eq!(self.is_apart(cores), is_apart, "{cores} cores\n{}", self.text);
            let many = self.transcript(cores);
            assert!(one.0 == many.0, "memory with {cores} cores\n{}", self.text);
            assert_eq!(one.1, many.1, "{cores} cores\n{}", self.text);
        }
    }

    /// With every checker, and with none.
    fn check_all(mut self, is_apart: bool) {
        self.check(is_apart);
        self.launch.checks = Checks::ALL;
        self.check(is_apart);
    }
}

impl Ready {
    fn run<T>(&mut self, what: impl FnOnce(Run<'_>) -> T) -> T {
        let params = self.buffers.map(|buffer| buffer.address().to_le_bytes()).concat();
        let kernel = self.program.functions.iter().position(|code| code.is_entry).unwrap();
        what(Run::new(&self.program, kernel as u32, &self.launch, &mut self.global, params))
    }
}

fn report(run: Run<'_>) -> Result<Report, ptx::Error> {
    run.finish()
}

#[test]
fn blocks_that_touch_their_own_run_side_by_side() {
    kernel("ld.global.u32 %r4, [%rd3]; add.u32 %r4, %r4, %r2; st.global.u32 [%rd4], %r4;").check_all(true);
}

#[test]
fn a_launch_knows_nothing_of_the_one_before() {
    let trial = kernel(
        "setp.gt.u32 %p1, %r3, 15; @%p1 ld.global.u32 %r4, [%rd3]; mad.lo.u32 %r4, %r4, 3, %r3;\n\
         @%p1 st.global.u32 [%rd3], %r4; and.b32 %r6, %r4, 4; setp.ne.u32 %p2, %r6, 0;\n\
         @%p2 st.global.u32 [%rd4], %r4; and.b32 %r5, %r4, 60; cvt.u64.u32 %rd6, %r5; add.u64 %rd6, %rd6, %rd1;\n\
         red.global.add.u32 [%rd6], %r3;",
    );
    let (mut one, mut two) = (trial.ready(1), trial.ready(2));
    for launch in 0..3 {
        one.run(report).unwrap();
        assert!(two.run(|mut run| run.blocks_on_cores()).is_some(), "launch {launch}");
        assert_eq!(one.global.differs_at(&two.global), None, "launch {launch}");
    }
}

#[test]
fn neighbours_may_share_a_page_but_no_byte() {
    // A byte of each block lies between two of others.
    kernel(
        "setp.ne.u32 %p1, %r1, 0; @%p1 bra END; cvt.u64.u32 %rd6, %r2; add.u64 %rd6, %rd6, %rd2;\n\
         st.global.u8 [%rd6], %r2; ld.global.u8 %r5, [%rd6]; st.global.u8 [%rd6+1000], %r5;\nEND:",
    )
    .check_all(true);
}

#[test]
fn what_the_last_thread_of_another_block_wrote_is_seen() {
    kernel("st.global.u32 [%rd4], %r3; ld.global.u32 %r4, [%rd4+-4]; st.global.u32 [%rd4], %r4;")
        .launch_fault();
    kernel(
        "st.global.u32 [%rd4], %r3; bar.sync 0; setp.eq.u32 %p1, %r3, 0; @%p1 bra END;\n\
         ld.global.u32 %r4, [%rd4+-4]; st.global.u32 [%rd3], %r4;\nEND:",
    )
    .check_all(false);
}

impl Trial {
    /// The first thread is denied its access: the same fault for all.
    fn launch_fault(&self) {
        assert!(self.transcript(1).1.contains("before the start of `y`"));
        self.check(false);
    }
}

#[test]
fn blocks_wait_at_mbarriers_side_by_side() {
    let mut trial = kernel(
        ".shared .align 8 .b64 barrier; setp.eq.u32 %p1, %r1, 0;\n\
         @%p1 mbarrier.init.shared.b64 [barrier], {THREADS}; bar.sync 0;\n\
         xor.b32 %r4, %r1, 1; shl.b32 %r5, %r1, 2; shl.b32 %r6, %r4, 2; mov.u32 %r7, words;\n\
         add.u32 %r5, %r5, %r7; add.u32 %r6, %r6, %r7; st.shared.u32 [%r5], %r3;\n\
         mbarrier.arrive.shared.b64 %rd6, [barrier];\n\
         AGAIN: mbarrier.test_wait.shared.b64 %p2, [barrier], %rd6; @!%p2 bra AGAIN;\n\
         ld.shared.u32 %r8, [%r6]; st.global.u32 [%rd4], %r8;",
    );
    trial.text = trial.text.replace("sm_70", "sm_80").replace("{THREADS}", &THREADS.to_string());
    trial.check_all(true);
}

#[test]
fn reading_what_nobody_writes_is_no_communication() {
    kernel("ld.global.u32 %r4, [%rd1+400]; add.u32 %r4, %r4, %r1; st.global.u32 [%rd4], %r4;")
        .check_all(true);
}

#[test]
fn what_the_first_blocks_only_read_may_be_written_by_later_ones() {
    // The last half of the blocks write to words of their own.
    let write = "ld.global.u32 %r4, [%rd3]; setp.lt.u32 %p1, %r2, 75; @%p1 bra END; add.u32 %r4, %r4, %r2;\n\
                 st.global.u32 [%rd3], %r4; ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd4], %r5;\nEND:";
    kernel(write).check_all(true);
    kernel(&write.replace("st.global.u32 [%rd3], %r4", "red.global.add.u32 [%rd3+-300], %r4")).check(false);
    // The last block writes to a word that all have read.
    kernel(
        "ld.global.u32 %r4, [%rd1+400]; st.global.u32 [%rd4], %r4; setp.ne.u32 %p1, %r3, 19199; @%p1 bra END;\n\
         st.global.u32 [%rd1+400], %r3;\nEND:",
    )
    .check_all(false);
    // Only that block reads another one, which no other does.
    kernel(
        "ld.global.u32 %r4, [%rd1+400]; st.global.u32 [%rd4], %r4; setp.ne.u32 %p1, %r3, 19199; @%p1 bra END;\n\
         ld.global.u32 %r5, [%rd1+404]; st.global.u32 [%rd1+404], %r3; st.global.u32 [%rd4], %r5;\nEND:",
    )
    .check_all(true);
}

#[test]
fn tickets_are_taken_in_order() {
    kernel("atom.global.add.u32 %r4, [%rd2], 1; st.global.u32 [%rd3], %r4;").check_all(false);
}

#[test]
fn sums_of_integers_whose_result_is_not_read_are_no_communication() {
    for operation in ["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"] {
        kernel(&format!("red.global.{operation} [%rd1+8], %r3; st.global.u32 [%rd4], %r3;")).check_all(true);
        kernel(&format!("atom.global.{operation} %r9, [%rd1+8], %r3;")).check_all(true);
    }
    kernel("cvt.u64.u32 %rd6, %r3; red.global.add.u64 [%rd2+16], %rd6; red.global.max.u64 [%rd2+24], %rd6;")
        .check_all(true);
    let histogram = "and.b32 %r4, %r3, 63; mul.wide.u32 %rd6, %r4, 4; add.u64 %rd6, %rd6, %rd2;\n\
                     red.global.add.u32 [%rd6], 1;";
    kernel(histogram).check_all(true);
    // Also beside an atomic whose result is read.
    kernel(
        "atom.global.add.u32 %r9, [%rd3], 1; st.global.u32 [%rd3], %r9; red.global.add.u32 [%rd2+8], %r3;",
    )
    .check_all(true);
}

#[test]
fn sums_that_somebody_reads_or_that_depend_on_the_order_are() {
    kernel("red.global.add.u32 [%rd2], 1; ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd3], %r4;")
        .check(false);
    kernel("red.global.add.u32 [%rd2], 1; red.global.max.u32 [%rd2], %r3;").check_all(false);
    kernel("cvt.u64.u32 %rd6, %r3; red.global.add.u64 [%rd2], %rd6; red.global.add.u32 [%rd2+4], 1;")
        .check(false);
    kernel("red.global.inc.u32 [%rd2], 1000;").check_all(false);
    // One block stores where all others add.
    kernel(
        "setp.eq.u32 %p1, %r2, 149; @!%p1 red.global.add.u32 [%rd2], 1;\n\
         setp.eq.u32 %p2, %r3, 19199; @%p2 st.global.u32 [%rd2], 5;",
    )
    .check(false);
}

/// A sum of numbers whose order makes a difference: from block to block and from turn to turn they are of another size.
const SUM: &str = "cvt.rn.f32.u32 %f1, %r3; and.b32 %r4, %r2, 3; mul.lo.u32 %r4, %r4, 0x4000000; add.u32 %r4, %r4, 0x3f800001;\n\
                   mov.b32 %f2, %r4; mul.f32 %f1, %f1, %f2; red.global.add.f32 [%rd2], %f1;";

#[test]
fn sums_of_floating_point_numbers_are_those_of_one_core() {
    kernel(SUM).check_all(true);
    kernel(&SUM.replace("red.global.add.f32", "atom.global.add.f32 %f3,")).check_all(true);
    let double = "{ .reg .f64 %d1; cvt.f64.f32 %d1, %f1; red.global.add.f64 [%rd2+8], %d1; }";
    kernel(&format!("{SUM} {double}")).check_all(true);
    // Only so many blocks take turns beside each other.
    for residents in [1, 3, 150] {
        let mut trial = kernel(SUM);
        trial.launch.resident_blocks = residents;
        trial.check_all(true);
    }
}

#[test]
fn the_order_is_not_that_of_the_blocks() {
    // With several blocks beside each other, each adds in many turns; the shorter ones make room for others.
    let some = SUM.replace("red.global", "@%p2 red.global");
    let body = format!(
        "and.b32 %r6, %r2, 7; mul.lo.u32 %r6, %r6, 40; mov.u32 %r7, 0; setp.lt.u32 %p2, %r1, 2;\n\
         LOOP: {some}\n\
         xor.b32 %r3, %r3, %r7; add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, %r6; @%p1 bra LOOP;"
    );
    let sum = |residents: u32| {
        let mut trial = kernel(&body);
        trial.launch.resident_blocks = residents;
        trial.check(true);
        trial.transcript(1).0
    };
    assert_ne!(sum(1), sum(16));
    assert_ne!(sum(2), sum(16));
}

#[test]
fn what_is_added_in_long_blocks_is_in_order_too() {
    // Longer than the first probe takes to come, which runs a warp ahead of the others.
    let body = |before: &str, after: &str| {
        format!(
            "{before} mov.u32 %r5, words; add.u32 %r6, %r2, 5000; mov.u32 %r7, 0;\n\
             LOOP: atom.shared.add.u32 %r8, [%r5], %r1;\n\
             add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r6; @%p1 bra LOOP; {after}"
        )
    };
    for (before, after) in [(SUM, ""), ("", SUM), (SUM, SUM)] {
        let mut trial = kernel(&body(before, after));
        trial.launch.resident_blocks = 3;
        trial.check(true);
    }
}

#[test]
fn who_reads_own_sums_has_them() {
    // A word for each block, which it sets, adds to and reads.
    let own = "mul.wide.u32 %rd6, %r2, 4; add.u64 %rd6, %rd6, %rd2; cvt.rn.f32.u32 %f1, %r3;\n\
               st.global.f32 [%rd6], %f1; bar.sync 0; red.global.add.f32 [%rd6], %f1; bar.sync 0;\n\
               ld.global.f32 %f2, [%rd6]; st.global.f32 [%rd3], %f2;";
    let mut trial = kernel(own);
    trial.check(true);
    // Beside them, a sum of all.
    trial = kernel(&format!("{own} red.global.add.f32 [%rd2+4096], %f1;"));
    trial.check(false);
}

#[test]
fn sums_of_floating_point_numbers_that_somebody_reads_are_not_put_off() {
    kernel(&format!("{SUM} ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd3], %r4;")).check(false);
    kernel(&format!("{SUM} red.global.add.u32 [%rd2], %r3;")).check_all(false);
    kernel("cvt.rn.f32.u32 %f1, %r3; atom.global.add.f32 %f2, [%rd2], %f1; st.global.f32 [%rd3], %f2;")
        .check_all(false);
}

#[test]
fn a_reduction_of_too_small_a_scope_is_a_race_on_any_number_of_cores() {
    let mut trial = kernel("red.global.cta.add.u32 [%rd2], 1;");
    trial.launch.checks.races = true;
    trial.check(false);
    assert!(trial.transcript(2).1.contains("scope"));
}

#[test]
fn a_fault_in_the_last_block_is_the_same_fault() {
    kernel(
        "st.global.u32 [%rd4], %r3; setp.ne.u32 %p1, %r3, 19199; @%p1 bra END;\n\
         st.global.u32 [%rd4+4], %r3;\nEND:",
    )
    .check_all(false);
    kernel("setp.ne.u32 %p1, %r3, 19199; @%p1 bra END; trap;\nEND:").check_all(false);
}

#[test]
fn words_come_in_the_order_of_one_core() {
    let body = "mov.u64 %rd6, text; cvta.global.u64 %rd6, %rd6; mov.u64 %rd7, 0;\n\
                setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\n\
                { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd6; st.param.b64 [a], %rd7;\n\
                call.uni (r), vprintf, (f, a); }\nEND:";
    kernel(body).check_all(false);
}

#[test]
fn the_clock_is_one_for_all_blocks() {
    kernel("mov.u32 %r4, %clock; st.global.u32 [%rd4], %r4;").check_all(false);
}

#[test]
fn lanes_that_wait_for_each_other_are_let_go_alike() {
    // Lane 0 waits for what lane 1 stores behind a loop that takes longer than anybody's patience.
    kernel(
        "mov.u32 %r10, words; and.b32 %r4, %r1, 31; shr.u32 %r5, %r1, 5; mad.lo.u32 %r10, %r5, 4, %r10;\n\
         setp.ne.u32 %p1, %r4, 0; @%p1 bra OTHERS;\nSPIN: ld.volatile.shared.u32 %r6, [%r10];\n\
         setp.eq.u32 %p2, %r6, 0; @%p2 bra SPIN; bra MEET;\nOTHERS: mov.u32 %r7, 0;\n\
         LOOP: add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 900; @%p3 bra LOOP;\n\
         setp.eq.u32 %p4, %r4, 1; @%p4 st.volatile.shared.u32 [%r10], 1;\nMEET: st.global.u32 [%rd4], %r7;",
    )
    .check(true);
    // Lane 0 of each warp waits at a meeting for the others, which wait for what it stores behind the meeting. Each warp runs out
    // of patience by itself, however many there are.
    let mut trial = kernel(
        "mov.u32 %r10, words; and.b32 %r4, %r1, 31; shr.u32 %r5, %r1, 5; mad.lo.u32 %r10, %r5, 4, %r10;\n\
         setp.eq.u32 %p1, %r4, 0; @%p1 bra MEET;\n\
         SPIN: ld.volatile.shared.u32 %r6, [%r10]; setp.eq.u32 %p2, %r6, 0; @%p2 bra SPIN;\n\
         MEET: st.volatile.shared.u32 [%r10], 1; mad.lo.u32 %r3, %r2, 896, %r3; mul.wide.u32 %rd5, %r3, 4;\n\
         add.u64 %rd4, %rd2, %rd5; st.global.u32 [%rd4], %r1;",
    );
    (trial.launch.grid, trial.launch.block) = (Dim3::new(18, 1, 1), Dim3::new(1024, 1, 1));
    trial.check(true);
}

#[test]
fn blocks_that_wait_for_each_other_run_on_one_core() {
    // Every block waits until the one before it has been there.
    kernel(
        "setp.ne.u32 %p1, %r1, 0; @%p1 bra END; mul.wide.u32 %rd6, %r2, 4; add.u64 %rd6, %rd6, %rd2;\n\
         setp.eq.u32 %p2, %r2, 0; @%p2 bra GO;\nSPIN: ld.volatile.global.u32 %r6, [%rd6+-4];\n\
         setp.eq.u32 %p3, %r6, 0; @%p3 bra SPIN;\nGO: st.volatile.global.u32 [%rd6], 1;\nEND:",
    )
    .check_all(false);
}

#[test]
fn what_nobody_has_written_is_found_alike() {
    for (body, is_apart) in [
        ("st.global.u32 [%rd4], %r3; ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd3], %r4;", true),
        ("ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd3], %r4;", false),
        ("setp.gt.u32 %p1, %r3, 9000; @%p1 st.global.u32 [%rd4], %r3;", true),
    ] {
        let mut trial = kernel(body);
        trial.is_unwritten = true;
        trial.launch.checks = Checks::ALL;
        trial.check(is_apart);
    }
    let mut trial = kernel("setp.gt.u32 %p1, %r3, 9000; @%p1 st.global.u32 [%rd4], %r3;");
    trial.is_unwritten = true;
    trial.check(true);
}

#[test]
fn a_race_inside_of_a_block_has_one_outcome() {
    let body = "mov.u32 %r10, words; st.shared.u32 [%r10], %r1; ld.shared.u32 %r4, [%r10];\n\
                atom.shared.add.u32 %r5, [%r10+4], 1; add.u32 %r4, %r4, %r5; st.global.u32 [%rd4], %r4;\n\
                mul.wide.u32 %rd6, %r2, 4; add.u64 %rd6, %rd6, %rd1; st.global.u32 [%rd6], %r1;";
    let mut trial = kernel(body);
    trial.check(true);
    trial.launch.checks = Checks::ALL;
    trial.check(false);
}

#[test]
fn long_blocks_are_probed_alike() {
    // Every warp counts in shared memory for longer than the first probe takes to come.
    kernel(
        "mov.u32 %r10, words; mov.u32 %r4, 0;\nLOOP: atom.shared.add.u32 %r5, [%r10], %r1;\n\
         add.u32 %r4, %r4, 1; xor.b32 %r6, %r6, %r5; setp.lt.u32 %p1, %r4, 2000; @%p1 bra LOOP;\n\
         st.global.u32 [%rd4], %r6;",
    )
    .check(true);
}

#[test]
fn long_blocks_may_add_to_one_sum() {
    kernel(
        "mov.u32 %r4, 0;\nLOOP: red.global.add.u32 [%rd2], 3; add.u32 %r4, %r4, 1;\n\
         setp.lt.u32 %p1, %r4, 2000; @%p1 bra LOOP;",
    )
    .check(true);
}

#[test]
fn the_bound_on_steps_is_one_for_all_cores() {
    let mut trial = kernel("st.global.u32 [%rd4], %r3;");
    let steps = 150 * 4 * 10;
    (trial.launch.max_steps, trial.launch.seed) = (steps, 3);
    let (_, one) = trial.transcript(1);
    assert!(one.contains("faults: []"), "{one}");
    trial.check(true);
    trial.launch.max_steps -= 1;
    trial.check(false);
}
