//! Snapshots of an emulator's memory restore what a launch changed, and what the host allocated and freed.

use simt::{Checks, Emulator, FaultKind, Launch, LaunchError, Limits, MemoryError, Module, Report};

/// Adds the number of the thread to each word, and counts launches in a variable.
const ADD: &str = ".version 8.0
.target sm_70
.global .u32 launches = 7;
.visible .entry add(.param .u64 x) {
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2;
    ld.global.u32 %r2, [%rd2];
    add.u32 %r2, %r2, %r1;
    st.global.u32 [%rd2], %r2;
    red.global.add.u32 [launches], 1;
    ret;
}";

fn start() -> (Emulator, Module) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("add.ptx", ADD).unwrap();
    (emulator, module)
}

fn add(emulator: &mut Emulator, module: &Module, address: u64) -> Report {
    let launch = Launch { checks: Checks::ALL, ..Launch::new(1, 32).arg(address) };
    emulator.launch(module, "add", &launch).unwrap()
}

#[test]
fn a_launch_can_be_repeated_from_a_snapshot() {
    let (mut emulator, module) = start();
    let x = emulator.alloc("x", 128).unwrap();
    emulator.write(x).unwrap().fill(1);
    let snapshot = emulator.snapshot().unwrap();
    let variable = module.variable("launches").unwrap();
    let mut results = Vec::new();
    for _ in 0..3 {
        let report = add(&mut emulator, &module, x.address());
        assert!(report.faults.is_empty());
        results.push([emulator.read(x).unwrap().to_vec(), emulator.read(variable).unwrap().to_vec()]);
        emulator.restore(&snapshot).unwrap();
    }
    assert_eq!(
        (emulator.read(x).unwrap(), emulator.read(variable).unwrap()),
        (&[1; 128][..], &[7, 0, 0, 0][..])
    );
    assert_eq!((&results[0], &results[1]), (&results[1], &results[2]));
    assert_eq!(results[0][1], [39, 0, 0, 0]);
    assert_ne!(results[0][0], [1; 128]);
}

#[test]
fn uninitialised_bytes_are_uninitialised_again() {
    let (mut emulator, module) = start();
    let x = emulator.alloc_uninitialized("x", 128).unwrap();
    let snapshot = emulator.snapshot().unwrap();
    let first = add(&mut emulator, &module, x.address());
    assert_eq!(first.faults[0].kind, FaultKind::Uninitialized);
    assert!(add(&mut emulator, &module, x.address()).faults.is_empty());
    emulator.restore(&snapshot).unwrap();
    assert_eq!(add(&mut emulator, &module, x.address()).faults, first.faults);
}

#[test]
fn allocations_are_restored() {
    let (mut emulator, module) = start();
    let [kept, freed] = ["kept", "freed"].map(|name| emulator.alloc(name, 128).unwrap());
    emulator.write(freed).unwrap().fill(9);
    let snapshot = emulator.snapshot().unwrap();

    emulator.free(freed).unwrap();
    let later = emulator.alloc("later", 128).unwrap();
    let late_module = emulator.load("late.ptx", ADD).unwrap();
    emulator.restore(&snapshot).unwrap();
    assert_eq!(emulator.read(freed).unwrap(), [9; 128]);
    assert!(emulator.read(kept).is_ok());
    assert_eq!(emulator.read(later).unwrap_err(), MemoryError::ForeignBuffer { bytes: 128 });
    let launch = Launch::new(1, 32).arg(kept.address());
    let error = emulator.launch(&late_module, "add", &launch).unwrap_err();
    assert!(matches!(error, LaunchError::ForeignModule { .. }), "{error}");
    assert!(add(&mut emulator, &module, kept.address()).faults.is_empty());

    // The same requests get the same addresses, but the old buffer is not mistaken for the new one.
    let again = emulator.alloc("again", 128).unwrap();
    assert_eq!(again.address(), later.address());
    assert!(emulator.read(later).is_err() && emulator.read(again).is_ok());
}

#[test]
fn a_snapshot_can_be_restored_into_another_emulator_and_counts_against_its_own_limit() {
    let mut one = Emulator::new(Limits { memory_bytes: 300 });
    let x = one.alloc("x", 200).unwrap();
    one.write(x).unwrap().fill(3);
    let snapshot = one.snapshot().unwrap();
    let mut other = Emulator::new(Limits::default());
    other.alloc("y", 1000).unwrap();
    other.restore(&snapshot).unwrap();
    assert_eq!(other.read(x).unwrap(), [3; 200]);
    let error = other.alloc("z", 200).unwrap_err();
    assert_eq!(error, MemoryError::OutOfMemory { name: "z".to_owned(), wanted: 200, left: 100 });
    one.free(x).unwrap();
    assert_eq!(other.read(x).unwrap(), [3; 200]);
}
