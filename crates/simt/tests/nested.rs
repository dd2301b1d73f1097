//! Grids that kernels launch, by the calls that CUDA's compiler writes: with every way to run a launch, they run the same.

use std::ops::ControlFlow;

use simt::launch::Hooks;
use simt::{Checks, Emulator, FaultKind, Launch, LaunchError, Limits, Report, Schedule};

/// Each thread of `parent` stores 1 in its word of `x`, and the first thread of each block launches `child` on the words of the
/// block, which adds what it is given.
fn text(end_of_child: &str) -> String {
    let shape = |name: &str, x: &str| {
        format!(
            ".param .align 4 .b8 {name}[12]; st.param.b32 [{name}], {x}; st.param.b32 [{name}+4], 1; st.param.b32 [{name}+8], 1;"
        )
    };
    format!(
        ".version 8.0
         .target sm_70
         .extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(
            .param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
         .extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 s);
         .visible .entry parent(.param .u64 x, .param .u32 value) {{
             .reg .pred %p;
             .reg .b64 %rd<9>;
             .reg .b32 %r<9>;
             ld.param.u64 %rd1, [x];
             ld.param.u32 %r1, [value];
             mov.u32 %r2, %ctaid.x;
             mov.u32 %r3, %tid.x;
             mov.u32 %r4, %ntid.x;
             mul.lo.u32 %r5, %r2, %r4;
             mul.wide.u32 %rd2, %r5, 4;
             add.s64 %rd3, %rd1, %rd2;
             mul.wide.u32 %rd4, %r3, 4;
             add.s64 %rd4, %rd3, %rd4;
             st.global.u32 [%rd4], 1;
             setp.ne.u32 %p, %r3, 0;
             @%p ret;
             mov.u64 %rd5, child;
             {{
             .param .b64 f; st.param.b64 [f], %rd5;
             {}
             {}
             .param .b32 s; st.param.b32 [s], 0;
             .param .b64 r;
             call.uni (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);
             ld.param.b64 %rd6, [r];
             }}
             st.u64 [%rd6], %rd3;
             st.u32 [%rd6+8], %r1;
             {{
             .param .b64 a; st.param.b64 [a], %rd6;
             .param .b64 s; st.param.b64 [s], 0;
             .param .b32 r;
             call.uni (r), __cudaCDP2LaunchDeviceV2, (a, s);
             ld.param.b32 %r6, [r];
             }}
             ret;
         }}
         .visible .entry child(.param .u64 x, .param .u32 value) {{
             .reg .b64 %rd<9>;
             .reg .b32 %r<9>;
             ld.param.u64 %rd1, [x];
             ld.param.u32 %r1, [value];
             mov.u32 %r3, %tid.x;
             mul.wide.u32 %rd2, %r3, 4;
             add.s64 %rd3, %rd1, %rd2;
             ld.global.u32 %r4, [%rd3];
             add.u32 %r4, %r4, %r1;
             st.global.u32 [%rd3], %r4;
             {end_of_child}
             ret;
         }}",
        shape("g", "1"),
        shape("b", "%r4"),
    )
}

const BLOCKS: u32 = 20;
const THREADS: u32 = 128;

/// A launch of `parent`, and what it leaves.
fn launched(end_of_child: &str, launch: &Launch) -> (Result<Report, LaunchError>, Vec<u32>) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("nested.ptx", &text(end_of_child)).unwrap();
    let x = emulator.alloc_uninitialized("x", u64::from(4 * BLOCKS * THREADS)).unwrap();
    let launch = launch.clone().arg(x.address()).arg(6_u32);
    let outcome = emulator.launch(&module, "parent", &launch);
    let words = emulator.read(x).unwrap().chunks_exact(4);
    (outcome, words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
}

fn plain() -> Launch {
    Launch { checks: Checks::ALL, ..Launch::new(BLOCKS, THREADS) }
}

#[test]
fn children_run_the_same_however_a_launch_runs() {
    let ways = [
        plain(),
        Launch { cores: 4, ..plain() },
        Launch { resident_blocks: 1, ..plain() },
        Launch { checks: Checks::NONE, ..plain() },
        Launch { schedule: Schedule::Hunt, seed: 5, ..plain() },
        Launch { schedule: Schedule::Random, seed: 6, weak_memory: true, ..plain() },
        Launch { hooks: Hooks::default().plain(true), ..plain() },
    ];
    for launch in ways {
        let (report, words) = launched("", &launch);
        let report = report.unwrap();
        assert_eq!(report.faults, [], "{launch:?}");
        assert!(words.iter().all(|word| *word == 7), "{launch:?}");
        assert_eq!(
            report.counters.warps,
            u64::from(2 * BLOCKS * THREADS / 32),
            "those of the children count"
        );
    }
}

#[test]
fn a_watcher_is_shown_the_parent_only() {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("nested.ptx", &text("")).unwrap();
    let x = emulator.alloc("x", u64::from(4 * BLOCKS * THREADS)).unwrap();
    let (mut moments, mut last) = (0, String::new());
    let mut watcher = |moment: &simt::Moment<'_>| {
        moments += 1;
        last = moment.site().ptx;
        ControlFlow::Continue(())
    };
    let launch = plain().arg(x.address()).arg(6_u32);
    let report = emulator.launch_watched(&module, "parent", &launch, &mut watcher).unwrap();
    assert!(!report.was_stopped && report.faults.is_empty());
    assert!(last.contains("ret") && moments < report.counters.ptx_instructions, "{last}");
    assert_eq!(emulator.read(x).unwrap()[..4], [7, 0, 0, 0]);
    // The arguments of the children are not kept.
    let again = emulator.alloc("again", 4).unwrap();
    assert!(again.address() > x.address());
}

#[test]
fn the_last_store_may_be_a_childs() {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("nested.ptx", &text("")).unwrap();
    let x = emulator.alloc("x", u64::from(4 * BLOCKS * THREADS)).unwrap();
    let launch = Launch { follow: Some(x.address() + 8), ..plain() }.arg(x.address()).arg(6_u32);
    let last = emulator.launch(&module, "parent", &launch).unwrap().last_store.unwrap();
    assert!(last.lane == 2 && last.site.ptx.contains("st.global.u32 [%rd3], %r4"), "{last:?}");
}

#[test]
fn what_ends_a_child_ends_the_launch() {
    let (report, words) = launched("trap;", &plain());
    let report = report.unwrap();
    assert_eq!(report.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::Trap]);
    assert!(report.faults[0].actors[0].site.ptx.contains("trap"));
    // The first child has begun, and the second has not.
    assert!(
        words[..32].iter().all(|word| *word == 7) && words[THREADS as usize..].iter().all(|word| *word == 1)
    );
}

#[test]
fn an_instruction_that_is_not_supported_undoes_children_and_parents() {
    let (outcome, words) = launched("wmma.load.a.sync;", &plain());
    assert!(matches!(outcome, Err(LaunchError::Unsupported { .. })), "{outcome:?}");
    assert!(words.iter().all(|word| *word == 0));
}
