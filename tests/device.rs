//! A device on the emulator: what a launch returns, what is refused, and what is freed.

use thirty_two_lanes::device::Watch;
use thirty_two_lanes::kernels::divergence::{MATH_EVEN_THREAD, MATH_UNGUARDED};
use thirty_two_lanes::kernels::races::{SAME_VALUE, TREE_NO_BARRIER, WARP_TREE_GUARDED, WARP_TREE_UNGUARDED};
use thirty_two_lanes::{Choice, Device, Launch, Schedule, Tolerance, Verdict};

fn device() -> Device {
    Device::open(Choice::Sim).unwrap()
}

#[test]
fn what_is_written_can_be_read() {
    let mut device = device();
    let buffer = device.upload("x", &[1.5_f64, -0.0, f64::INFINITY]).unwrap();
    let contents = device.read(buffer).unwrap();
    assert_eq!(contents.sim, [1.5, 0.0, f64::INFINITY]);
    assert_eq!(contents.gpu, None);
    let error = device.write(buffer, &[1.0]).unwrap_err();
    assert_eq!(error.to_string(), "a buffer of 3 elements was given 1: write all of it");
}

#[test]
fn a_right_kernel_is_ok_and_one_with_an_error_is_wrong() {
    let mut device = device();
    let mut judge = |expected: &[f64]| {
        let c = device.zeroed::<f32>("c", 2).unwrap();
        let run = device.launch(&Launch::cover(&MATH_EVEN_THREAD, 2, 32).arg(c).arg(2)).unwrap();
        device.check(run, c, expected, &Tolerance::Exact).unwrap().verdict
    };
    assert_eq!(judge(&[100.0, 200.0]), Verdict::Ok);
    assert_eq!(judge(&[100.0, 201.0]), Verdict::Wrong);
}

#[test]
fn an_access_outside_of_an_array_is_a_fault_and_not_an_error() {
    let mut device = device();
    let c = device.zeroed::<f32>("c", 33).unwrap();
    let run = device.launch(&Launch::cover(&MATH_UNGUARDED, 33, 32).arg(c)).unwrap();
    assert_eq!(run.faults[0].kind.name(), "out-of-bounds");
    let row = device.check(run, c, &[0.0; 33], &Tolerance::Exact).unwrap();
    assert_eq!(row.verdict, Verdict::Fault);
}

#[test]
fn arguments_are_counted_before_any_machine_runs() {
    let mut device = device();
    let c = device.zeroed::<f32>("c", 1).unwrap();
    let error = device.launch(&Launch::cover(&MATH_EVEN_THREAD, 1, 32).arg(c)).unwrap_err();
    assert_eq!(error.to_string(), "`math_even_thread` takes parameters of [8, 4] bytes and was given [8]");
    let error = device.launch(&Launch::cover(&MATH_EVEN_THREAD, 1, 2048).arg(c).arg(1)).unwrap_err();
    assert_eq!(error.to_string(), "cannot launch `math_even_thread`");
}

#[test]
fn a_scope_frees_its_memory() {
    let mut device = device();
    let (memory, _) = device.memory();
    let outer = device.upload("outer", &[7_u8]).unwrap();
    // All four together would not fit into the memory.
    for _ in 0..4 {
        device.scope(|device| device.zeroed::<u8>("large", (memory / 2) as usize)).unwrap();
    }
    assert_eq!(device.read(outer).unwrap().sim, [7]);
}

/// All checkers watch a chapter's launches, and a finding is as severe as the checker says.
#[test]
fn a_race_is_a_fault_even_if_the_sum_is_right_but_a_note_is_not() {
    let mut device = device();
    let values: Vec<i32> = (0..32).collect();
    let x = device.upload("x", &values).unwrap();
    let mut sum_of = |launch: Launch| {
        let sums = device.zeroed::<i32>("sums", 1).unwrap();
        let run = device.launch(&launch.arg(x).arg(sums)).unwrap();
        device.check(run, sums, &[496.0], &Tolerance::Exact).unwrap()
    };
    assert_eq!(sum_of(Launch::new(&WARP_TREE_GUARDED, 1, 32)).verdict, Verdict::Ok);
    let racing = sum_of(Launch::new(&WARP_TREE_UNGUARDED, 1, 32));
    assert_eq!(racing.verdict, Verdict::Fault);
    assert!(racing.check.is_some_and(|check| check.is_right()), "it hides: the sum is right");
    assert_eq!(sum_of(Launch::new(&WARP_TREE_UNGUARDED, 1, 32).unchecked()).verdict, Verdict::Ok);

    let found = device.zeroed::<i32>("found", 1).unwrap();
    let negative = device.upload("negative", &[-1_i32; 32]).unwrap();
    let launch = Launch::new(&SAME_VALUE, 1, 32).arg(negative).arg(found).arg(32);
    let run = device.launch(&launch).unwrap();
    assert_eq!(run.faults.len(), 1);
    assert_eq!(device.check(run, found, &[1.0], &Tolerance::Exact).unwrap().verdict, Verdict::Ok);
}

#[test]
fn a_trial_leaves_everything_as_it_was() {
    let mut device = device();
    let c = device.upload("c", &[7.0_f32; 40]).unwrap();
    let launch = Launch::cover(&MATH_EVEN_THREAD, 40, 32).arg(c).arg(40);
    let (run, left) = device.trial(&launch, c).unwrap();
    assert_eq!((run.counters.warps, left[..2].to_vec()), (2, vec![100.0, 200.0]));
    assert_eq!(device.read(c).unwrap().sim, [7.0; 40]);
}

#[test]
fn trials_have_the_same_results_side_by_side_and_one_after_another() {
    let mut device = device();
    let x = device.upload("x", &(0..256).collect::<Vec<i32>>()).unwrap();
    let sums = device.upload("sums", &[7_i32]).unwrap();
    let mut launch = Launch::new(&TREE_NO_BARRIER, 1, 256).arg(x).arg(sums).arg(256);
    launch.simt.schedule = Schedule::Random;
    let launches: Vec<Launch> = (0..20).map(|seed| launch.clone().seed(seed)).collect();
    let mut results = |cores| {
        device.set_cores(cores);
        let trials = device.trials(&launches, sums).unwrap();
        assert_eq!(device.read(sums).unwrap().sim, [7]);
        trials.into_iter().map(|(run, left)| format!("{left:?} {run:?}")).collect::<Vec<_>>()
    };
    let alone = results(1);
    assert!(alone.len() == 20 && alone.iter().any(|trial| *trial != alone[0]));
    assert_eq!((results(2), results(7)), (alone.clone(), alone));
}

#[test]
fn a_trace_has_every_instruction_with_its_lanes_and_line() {
    let mut device = device();
    let c = device.zeroed::<f32>("c", 40).unwrap();
    let launch = Launch::cover(&MATH_EVEN_THREAD, 40, 32).arg(c).arg(40);
    let trace = device.trace(&launch).unwrap();
    let (run, _) = device.trial(&launch, c).unwrap();
    assert_eq!(trace.len() as u64, run.counters.ptx_instructions);
    let store = trace.iter().rfind(|step| step.ptx.starts_with("st.global")).unwrap();
    assert_eq!((store.block.x, store.active), (1, 0xff));
    assert!(store.line.is_some());
    assert_eq!(device.read(c).unwrap().sim, [0.0; 40]);
}

#[test]
fn the_reader_can_switch_checkers_off() {
    let mut device = device();
    let x = device.upload("x", &[1_i32; 32]).unwrap();
    let sums = device.zeroed::<i32>("sums", 1).unwrap();
    let launch = Launch::new(&WARP_TREE_UNGUARDED, 1, 32).arg(x).arg(sums);
    let mut races = |watch| {
        device.set_watch(watch);
        device.trial(&launch, sums).unwrap().0.faults.len()
    };
    assert_eq!((races(Watch::On), races(Watch::Auto), races(Watch::Off)), (1, 1, 0));
    assert_eq!(device.unwatched().as_deref(), Some("none"));
}
