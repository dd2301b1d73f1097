//! What a phase of an mbarrier orders: a thread stores and arrives, another thread waits and loads.
//!
//! The arrival may release, and so may a fence before it. The wait may acquire, and so may a fence after it. The model
//! orders the two accesses if both sides do, in either way; otherwise they race, and the weak memory may return the old
//! value. The two threads are in two warps, so nothing else orders them.

use simt::{Checks, Emulator, FaultKind, Launch, Limits, Schedule};

/// How a side orders: by its operation on the mbarrier, and by a fence next to it.
#[derive(Clone, Copy, Debug)]
struct Side {
    by_itself: bool,
    by_a_fence: bool,
}

impl Side {
    const ALL: [Side; 4] = [
        Side { by_itself: false, by_a_fence: false },
        Side { by_itself: false, by_a_fence: true },
        Side { by_itself: true, by_a_fence: false },
        Side { by_itself: true, by_a_fence: true },
    ];

    fn orders(self) -> bool {
        self.by_itself || self.by_a_fence
    }

    /// The order of its operation, and its fence.
    fn words(self, order: &'static str) -> (&'static str, &'static str) {
        let fence = if self.by_a_fence { "fence.acq_rel.cta;" } else { "" };
        (if self.by_itself { order } else { "relaxed" }, fence)
    }
}

fn kernel(arrives: Side, waits: Side) -> String {
    let ((arrive, before), (wait, after)) = (arrives.words("release"), waits.words("acquire"));
    format!(
        "
.version 8.6
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out) {{
    .shared .align 8 .b64 barrier;
    .shared .align 4 .b32 x;
    .reg .pred %p<3>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p0, %r0, 0;
    @!%p0 mbarrier.init.shared.b64 [barrier], 1;
    @!%p0 st.shared.u32 [x], 7;
    bar.sync 0;
    @%p0 bra WAIT;
    st.shared.u32 [x], 8;
    {before}
    mbarrier.arrive.{arrive}.cta.shared.b64 _, [barrier];
    ret;
WAIT:
    setp.ne.u32 %p1, %r0, 32;
    @%p1 bra END;
AGAIN:
    mbarrier.test_wait.parity.{wait}.cta.shared.b64 %p2, [barrier], 0;
    @!%p2 bra AGAIN;
    {after}
    ld.shared.u32 %r1, [x];
    st.global.u32 [%rd0], %r1;
END:
    ret;
}}"
    )
}

/// The value that the thread loads, and whether the load is part of a race.
fn run(text: &str, launch: Launch) -> (u32, bool) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("mbarrier", text).unwrap();
    let out = emulator.alloc("out", 4).unwrap();
    let report = emulator.launch(&module, "kernel", &launch.arg(out.address())).unwrap();
    assert!(report.faults.iter().all(|fault| fault.kind == FaultKind::Race), "{:?}", report.faults);
    (u32::from_le_bytes(emulator.read(out).unwrap().try_into().unwrap()), !report.faults.is_empty())
}

fn each_pair(check: impl Fn(&str, bool, &str)) {
    for arrives in Side::ALL {
        for waits in Side::ALL {
            let is_ordered = arrives.orders() && waits.orders();
            check(&kernel(arrives, waits), is_ordered, &format!("{arrives:?}, {waits:?}"));
        }
    }
}

#[test]
fn accesses_race_if_a_side_does_not_order_them() {
    each_pair(|text, is_ordered, label| {
        for (schedule, seed) in [(Schedule::RoundRobin, 0), (Schedule::Random, 1), (Schedule::Hunt, 2)] {
            let launch = Launch { schedule, seed, checks: Checks::ALL, ..Launch::new(1, 64) };
            assert_eq!(run(text, launch).1, !is_ordered, "{label}, {schedule:?}");
        }
    });
}

#[test]
fn the_weak_memory_returns_older_stores_exactly_where_accesses_race() {
    each_pair(|text, is_ordered, label| {
        let loaded = |seed| {
            let launch = Launch { seed, weak_memory: true, schedule: Schedule::Random, ..Launch::new(1, 64) };
            run(text, launch).0
        };
        let values: Vec<u32> = (0..64).map(loaded).collect();
        assert!(values.iter().all(|value| [7, 8].contains(value)), "{label}: {values:?}");
        assert_eq!(values.contains(&7), !is_ordered, "{label}: {values:?}");
    });
}
