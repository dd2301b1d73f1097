//! Fences of one thread that order what other threads did, through a barrier: the last block of a grid, with every
//! combination of fences.
//!
//! All threads of a block store, one of them draws a ticket, and the threads of the block that drew the last ticket
//! load what the others stored. A fence may be in four places, and of four kinds. The model orders stores and loads if
//! the thread that draws the ticket has a fence right before and right after it, which makes a release pattern and an
//! acquire pattern. It also orders them if there is a `fence.sc` anywhere before the ticket and anywhere after it,
//! because in the other order of the two fences the ticket would be read before it was written. Two patterns in a row
//! are left to the litmus tests.

use simt::{Checks, Emulator, FaultKind, Launch, Limits, Schedule};

/// A fence, or none.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fence {
    None,
    Block,
    AcqRel,
    Sc,
}

const FENCES: [Fence; 4] = [Fence::None, Fence::Block, Fence::AcqRel, Fence::Sc];

impl Fence {
    fn text(self) -> &'static str {
        match self {
            Fence::None => "",
            Fence::Block => "membar.cta;",
            Fence::AcqRel => "fence.acq_rel.gpu;",
            Fence::Sc => "membar.gl;",
        }
    }

    fn reaches(self) -> bool {
        matches!(self, Fence::AcqRel | Fence::Sc)
    }
}

/// The kernel with a fence, or none, of every thread before the barrier, before and after the ticket, and of every
/// thread after the barrier.
fn kernel([stored, before, after, loads]: [Fence; 4]) -> String {
    let (stored, before, after, loads) = (stored.text(), before.text(), after.text(), loads.text());
    format!(
        "
.version 8.0
.target sm_70
.address_size 64
.visible .entry kernel(.param .u64 data, .param .u64 ticket) {{
    .shared .align 4 .u32 last;
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [data];
    ld.param.u64 %rd1, [ticket];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.lo.u32 %r2, %r1, 32, %r0;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd2, %rd0, %rd2;
    st.global.u32 [%rd2], 1;
    {stored}
    bar.sync 0;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra DRAWN;
    {before}
    atom.global.add.u32 %r3, [%rd1], 1;
    {after}
    st.shared.u32 [last], %r3;
DRAWN:
    bar.sync 0;
    ld.shared.u32 %r4, [last];
    setp.ne.u32 %p1, %r4, 1;
    @%p1 bra END;
    {loads}
    mul.wide.u32 %rd3, %r0, 4;
    add.u64 %rd3, %rd0, %rd3;
    ld.global.u32 %r5, [%rd3];
    ld.global.u32 %r6, [%rd3+128];
END:
    ret;
}}"
    )
}

/// Whether a run of two blocks has a race.
fn races(text: &str, schedule: Schedule, seed: u64) -> bool {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("last", text).unwrap();
    let (data, ticket) = (emulator.alloc("data", 256).unwrap(), emulator.alloc("ticket", 4).unwrap());
    let launch = Launch::new(2, 32).arg(data.address()).arg(ticket.address());
    let launch = Launch { schedule, seed, checks: Checks::ALL, ..launch };
    let faults = emulator.launch(&module, "kernel", &launch).unwrap().faults;
    assert!(faults.iter().all(|fault| fault.kind == FaultKind::Race), "{faults:?}");
    !faults.is_empty()
}

#[test]
fn a_ticket_orders_accesses_exactly_where_the_model_says_so() {
    for number in 0..256_usize {
        let fences = [0, 2, 4, 6].map(|shift| FENCES[number >> shift & 3]);
        let [stored, before, after, loads] = fences;
        let is_pattern = before.reaches() && after.reaches();
        let is_sequential = [stored, before].contains(&Fence::Sc) && [after, loads].contains(&Fence::Sc);
        let text = kernel(fences);
        for (schedule, seed) in [(Schedule::RoundRobin, 0), (Schedule::Random, 1), (Schedule::Hunt, 2)] {
            let races = races(&text, schedule, seed);
            assert_eq!(races, !(is_pattern || is_sequential), "{fences:?}, {schedule:?}");
        }
    }
}
