//! Whether `hunt` finds the errors that it is meant for: a slice that ends between a load and the store that depends on
//! it.

use simt::{Emulator, Launch, Limits, Schedule};

use super::kernel::{At, Cells, Spin, Writer};

/// One lane of each of two warps waits a while, and then adds one to the same word by a load and a store. Returns with
/// how many of 200 seeds an addition is lost.
fn lost_updates(schedule: Schedule) -> usize {
    let mut kernel = Writer::new(Cells::Shared, Spin::Plain);
    kernel.code("setp.ne.u32 %p2, %r2, 0;\n@%p2 bra $out;\nmov.u32 %r10, 0;\n$delay:");
    kernel.code("add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 50;\n@%p3 bra $delay;");
    kernel.read("%r11", At::Word(0)).code("add.u32 %r11, %r11, 1;").write(At::Word(0), "%r11");
    kernel.code("$out:\nbar.sync 0;").read("%r11", At::Word(0)).result("%r11");
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("lost", &kernel.text()).unwrap();
    let out = emulator.alloc("out", 256 + 4 * 64).unwrap();
    let lost = |&seed: &u64| {
        let launch = Launch { schedule, seed, ..Launch::new(1, 64).arg(out.address()) };
        let report = emulator.launch(&module, "kernel", &launch).unwrap();
        assert!(report.faults.is_empty(), "{}", report.faults[0]);
        emulator.read(out).unwrap()[256] != 2
    };
    (0..200).filter(lost).count()
}

#[test]
fn hunt_loses_updates_more_often_than_random() {
    let found = [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt].map(lost_updates);
    let [round_robin, random, hunt] = found;
    // Taken in order, both warps load before either stores.
    assert!(round_robin == 200 && hunt > 2 * random && hunt > 20, "{found:?}");
}
