//! How far a launch has come, and stopping it, on one core and on several.

use std::sync::Arc;

use simt::{Checks, Emulator, Launch, Limits, Pulse, Report};

/// The first thread of each block stores the block's number, if it gets there.
const TEXT: &str = "\
.version 8.0
.target sm_70
.address_size 64
.visible .entry number(.param .u64 out)
{
    .reg .pred %p;
    .reg .u32 %r<4>;
    .reg .u64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    mov.u32 %r2, %tid.x;
    setp.eq.u32 %p, %r2, 0;
    @%p st.global.u32 [%rd3], %r1;
    ret;
}
";

fn run(pulse: &Arc<Pulse>, cores: u32) -> (Report, Vec<u8>) {
    let mut emulator = Emulator::new(Limits { memory_bytes: 1 << 20 });
    let module = emulator.load("number.ptx", TEXT).unwrap();
    let out = emulator.alloc("out", 4 * 1024).unwrap();
    let launch = Launch {
        checks: Checks::ALL,
        cores,
        pulse: Some(Arc::clone(pulse)),
        ..Launch::new(1024, 32).arg(out.address())
    };
    let report = emulator.launch(&module, "number", &launch).unwrap();
    (report, emulator.read(out).unwrap().to_vec())
}

#[test]
fn a_pulse_counts_steps_and_blocks_and_changes_nothing() {
    let mut reports = Vec::new();
    for cores in [1, 2] {
        let pulse = Arc::new(Pulse::default());
        let (report, bytes) = run(&pulse, cores);
        assert_eq!(
            (pulse.steps(), pulse.blocks()),
            (report.counters.ptx_instructions, 1024),
            "{cores} cores"
        );
        assert!(!report.was_stopped && bytes[4 * 1023..] == 1023_u32.to_le_bytes());
        reports.push(report);
    }
    assert_eq!(reports[0].counters, reports[1].counters);
}

/// A loop that ends soon after its block has been probed for threads that make no progress.
const LONG: &str = "\
.version 8.0
.target sm_70
.visible .entry long()
{
    .reg .pred %p;
    .reg .u32 %r<2>;
    mov.u32 %r1, 0;
NEXT:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, 5500;
    @%p bra NEXT;
    ret;
}
";

#[test]
fn blocks_that_end_while_they_are_probed_are_counted() {
    for cores in [1, 2] {
        let pulse = Arc::new(Pulse::default());
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("long.ptx", LONG).unwrap();
        let launch = Launch { cores, pulse: Some(Arc::clone(&pulse)), ..Launch::new(256, 64) };
        let report = emulator.launch(&module, "long", &launch).unwrap();
        assert!(!report.was_stopped, "{cores} cores");
        assert_eq!((pulse.steps(), pulse.blocks()), (report.counters.ptx_instructions, 256), "{cores} cores");
    }
}

#[test]
fn a_launch_that_shall_stop_ends_with_what_it_has_done() {
    for cores in [1, 2] {
        let pulse = Arc::new(Pulse::default());
        pulse.stop();
        let (report, bytes) = run(&pulse, cores);
        assert!(report.was_stopped && report.faults.is_empty(), "{cores} cores: {report:?}");
        assert!(report.counters.warps < 1024 && bytes[4 * 1023..] == [0; 4], "{cores} cores");
    }
}
