//! Watchers and traces see every instruction that is counted exactly once, and change nothing.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use simt::launch::Hooks;
use simt::{
    AccessKind, Buffer, Checks, Dim3, Emulator, FaultKind, Launch, Limits, Module, Moment, Reconvergence,
    Report, Schedule, Site, Space, TraceStep, Waiting,
};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The hand-written kernels: correct and wrong ones, of every family of instructions.
fn files(under: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder(under))
        .unwrap()
        .flat_map(|family| fs::read_dir(family.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() > 20, "{under}");
    files
}

/// A new emulator with a module, and a launch with a buffer of zeros or a zero for each parameter.
fn ready(name: &str, text: &str, shape: (u32, u32), choices: &Launch) -> (Emulator, Module, Launch) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load(name, text).unwrap();
    let mut launch =
        Launch { grid: shape.0.into(), block: shape.1.into(), args: Vec::new(), ..choices.clone() };
    for param in module.kernels()[0].params.clone() {
        launch = match param.bytes {
            8 => launch.arg(emulator.alloc("buffer", 4096).map(Buffer::address).unwrap()),
            bytes => launch.arg(simt::Arg::bytes(&vec![0; bytes as usize])),
        };
    }
    (emulator, module, launch)
}

fn traced(emulator: &mut Emulator, module: &Module, launch: &Launch) -> Option<(Vec<TraceStep>, Report)> {
    let mut steps = Vec::new();
    let kernel = &module.kernels()[0].name;
    let report = emulator.launch_traced(module, kernel, launch, &mut |step| steps.push(*step));
    Some((steps, report.ok()?))
}

/// Steps of a launch of which every moment is compared as a whole, at most.
const LONGEST: usize = 2000;

/// Checks a kernel with both mechanisms and several schedules; returns how often it could be run.
fn check(name: &str, text: &str, shape: (u32, u32)) -> usize {
    let mut ran = 0;
    for reconvergence in [Reconvergence::Stack, Reconvergence::Its] {
        for (schedule, seed) in [(Schedule::RoundRobin, 0), (Schedule::Random, 1), (Schedule::Random, 2)] {
            let label = format!("{name}, {reconvergence:?}, {schedule:?}, seed {seed}");
            // With checkers and without them, the trace must be the same.
            let checks = if seed == 1 { Checks::ALL } else { Checks::NONE };
            let choices =
                Launch { reconvergence, schedule, seed, checks, max_steps: 20_000, ..Launch::new(1, 1) };
            let (mut emulator, module, launch) = ready(name, text, shape, &choices);
            let Some((steps, report)) = traced(&mut emulator, &module, &launch) else { continue };
            ran += 1;
            assert_eq!(steps.len() as u64, report.counters.ptx_instructions, "{label}");
            assert!(steps.iter().enumerate().all(|(index, step)| step.step == index as u64), "{label}");
            assert!(steps.iter().all(|step| step.active & !step.mask == 0 && step.mask != 0), "{label}");
            assert!(steps.iter().all(|step| !module.site(step.instruction).ptx.is_empty()), "{label}");
            if steps.len() > LONGEST {
                continue;
            }
            let plainly = Launch { hooks: Hooks::default().plain(true), ..launch.clone() };
            let [moments, plain] = [&launch, &plainly].map(|launch| told(name, text, shape, launch));
            let differs = moments.iter().zip(&plain).find(|(one, other)| one != other);
            assert!(differs.is_none() && moments.len() == plain.len(), "{label}: {differs:#?}");
            for step in [steps.len() / 3, steps.len() / 2, steps.len() - 1] {
                let [stopped, plain] =
                    [&launch, &plainly].map(|launch| stopped_at(step as u64, name, text, shape, launch));
                assert_eq!(stopped, plain, "{label}: stopped at step {step}");
            }
            let (mut other, module, launch) = ready(name, text, shape, &launch);
            let plain = other.launch(&module, &module.kernels()[0].name, &launch).unwrap();
            assert_eq!(format!("{plain:?}"), format!("{report:?}"), "{label}: the trace changed the run");
            check_steps_of_faults(&label, (name, text, shape), &launch, &plain);
        }
    }
    ran
}

/// All that the moments of a launch tell. Of the registers and the shared memory it is a hash.
fn told(name: &str, text: &str, shape: (u32, u32), launch: &Launch) -> Vec<String> {
    let (mut emulator, module, launch) = ready(name, text, shape, launch);
    let (mut told, mut sectors, mut conflicts) = (Vec::new(), 0, 0);
    let report = watch(&mut emulator, &module, &launch, &mut |moment| {
        let mut state = DefaultHasher::new();
        moment.shared().hash(&mut state);
        for register in (0..shape.1.div_ceil(32)).flat_map(|warp| moment.registers(warp)) {
            (0..32).for_each(|lane| register.value(lane).hash(&mut state));
        }
        let (accesses, groups) = (moment.accesses(), moment.groups().collect::<Vec<_>>());
        sectors += accesses.iter().map(|access| access.sectors).sum::<u64>();
        conflicts += accesses.iter().map(|access| access.bank_conflicts).sum::<u64>();
        let Moment { step, block, warp, mask, active, instruction, .. } = moment;
        let at = format!("{step} {block:?} {warp} {mask:x} {active:x} {instruction}");
        told.push(format!("{at} {:x} {accesses:?} {groups:?}", state.finish()));
        ControlFlow::Continue(())
    });
    let counters = &report.counters;
    let all_sectors = counters.global_load_sectors
        + counters.global_store_sectors
        + counters.global_atomic_sectors
        + counters.global_reduction_sectors;
    let all_conflicts = counters.shared_load_bank_conflicts
        + counters.shared_store_bank_conflicts
        + counters.shared_atomic_bank_conflicts;
    // An access that memory denies is shown with what it would have cost.
    let is_denied =
        report.faults.iter().any(|fault| !matches!(fault.kind, FaultKind::Race | FaultKind::Uninitialized));
    assert!(
        is_denied || (sectors, conflicts) == (all_sectors, all_conflicts),
        "{name}: {sectors} {conflicts}"
    );
    told
}

/// The report of a launch whose watcher stops at a step.
fn stopped_at(step: u64, name: &str, text: &str, shape: (u32, u32), launch: &Launch) -> String {
    let (mut emulator, module, launch) = ready(name, text, shape, launch);
    let report = watch(&mut emulator, &module, &launch, &mut |moment| {
        if moment.step < step { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    format!("{report:?}")
}

/// Each fault has the step number of a moment, and that moment is of the instruction at which it happened.
fn check_steps_of_faults(label: &str, kernel: (&str, &str, (u32, u32)), launch: &Launch, report: &Report) {
    let (mut emulator, module, launch) = ready(kernel.0, kernel.1, kernel.2, launch);
    let mut moments: Vec<(u64, Site)> = Vec::new();
    let watched = watch(&mut emulator, &module, &launch, &mut |moment| {
        moments.push((moment.step, moment.site()));
        ControlFlow::Continue(())
    });
    assert_eq!(format!("{watched:?}"), format!("{report:?}"), "{label}: the watcher changed the run");
    assert!(moments.is_sorted_by_key(|(step, _)| *step), "{label}");
    for fault in &report.faults {
        let at = moments.iter().find(|(step, _)| *step == fault.step);
        let is_of_access = matches!(
            fault.kind,
            FaultKind::Race
                | FaultKind::OutOfBounds
                | FaultKind::Misaligned
                | FaultKind::Null
                | FaultKind::UseAfterFree
                | FaultKind::Uninitialized
                | FaultKind::Trap
        );
        if is_of_access && fault.location.as_ref().is_none_or(|location| location.space != Space::Const) {
            let site = at.map(|(_, site)| site.ptx_line);
            assert_eq!(site, Some(fault.actors[0].site.ptx_line), "{label}: {fault} at step {}", fault.step);
        }
    }
}

fn watch(
    emulator: &mut Emulator,
    module: &Module,
    launch: &Launch,
    watcher: &mut simt::Watcher<'_>,
) -> Report {
    emulator.launch_watched(module, &module.kernels()[0].name, launch, watcher).unwrap()
}

#[test]
fn every_issued_instruction_is_one_step() {
    let paths = [files("tests/ptx/pass"), files("tests/ptx/fail")].concat();
    let ran = test_support::side_by_side(&paths, |path| {
        let text = fs::read_to_string(path).unwrap();
        check(&path.display().to_string(), &text, (2, 64))
    });
    let ran: usize = ran.into_iter().sum();
    assert!(ran > 500, "only {ran} runs were possible");
}

#[test]
fn compiled_kernels_are_traced_too() {
    for name in ["features_warps.sm_70", "features_groups.sm_70", "sorting.sm_70", "branch.sm_70-debug"] {
        let text = fs::read_to_string(folder("../../kernels/ptx").join(format!("{name}.ptx"))).unwrap();
        assert!(check(name, &text, (2, 40)) > 0, "{name}");
    }
}

const GUARDED: &str = "\
.version 8.0
.target sm_70
.visible .entry guarded()
{
    .reg .b32 %r<3>;
    .reg .pred %p;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 4;
    @%p bra THERE;
    @!%p add.u32 %r2, %r1, 1;
THERE:
    ret;
}
";

#[test]
fn masks_show_active_and_predicated_lanes() {
    let choices = Launch { reconvergence: Reconvergence::Its, ..Launch::new(1, 1) };
    let (mut emulator, module, launch) = ready("guarded.ptx", GUARDED, (1, 8), &choices);
    let (steps, _) = traced(&mut emulator, &module, &launch).unwrap();
    let seen: Vec<_> =
        steps.iter().map(|s| (module.site(s.instruction).ptx_line, s.mask, s.active)).collect();
    assert_eq!(seen[..3], [(7, 0xff, 0xff), (8, 0xff, 0xff), (9, 0xff, 0x0f)]);
    assert!(seen.contains(&(10, 0xf0, 0xf0)), "{seen:?}");
    assert!(steps.iter().all(|step| (step.block, step.warp) == (Dim3::default(), 0)));
}

/// Two groups execute a vote, and each waits for one half of the other.
const CROSSED: &str = "\
.version 8.0
.target sm_70
.visible .entry crossed()
{
    .reg .b32 %r<4>;
    .reg .pred %p, %q;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 8;
    setp.eq.u32 %p, %r2, 0;
    selp.b32 %r3, 0x00ff00ff, 0xff00ff00, %p;
    setp.lt.u32 %q, %r1, 16;
    @%q bra LOW;
    bar.warp.sync %r3;
    bra END;
LOW:
    bar.warp.sync %r3;
END:
    ret;
}
";

#[test]
fn lanes_that_repeat_an_instruction_issue_it_again() {
    assert_eq!(check("crossed.ptx", CROSSED, (1, 32)), 6);
    let choices = Launch { reconvergence: Reconvergence::Its, ..Launch::new(1, 1) };
    let (mut emulator, module, launch) = ready("crossed.ptx", CROSSED, (1, 32), &choices);
    let (steps, _) = traced(&mut emulator, &module, &launch).unwrap();
    let is_sync = |step: &&TraceStep| module.site(step.instruction).ptx.starts_with("bar.warp");
    assert_eq!(steps.iter().filter(is_sync).count(), 4);
}

/// A warp exchanges numbers with another one through shared memory; the second warp takes a divergent branch.
const EXCHANGE: &str = "\
.version 8.0
.target sm_70
.visible .entry exchange(.param .u64 out)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .reg .pred %p;
    .shared .align 4 .b8 part[256];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, part;
    add.s32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    xor.b32 %r5, %r4, 128;
    ld.shared.u32 %r6, [%r5];
    setp.gt.u32 %p, %r1, 47;
    @%p bra HIGH;
    add.s32 %r6, %r6, 100;
HIGH:
    mul.wide.u32 %rd2, %r1, 8;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r6;
    ret;
}
";

/// What `see` returns at the instruction with this text, when this warp executes it.
fn exchange<T>(ptx: &str, warp: u32, see: impl Fn(&Moment<'_>, Buffer) -> T) -> T {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("exchange.ptx", EXCHANGE).unwrap();
    let out = emulator.alloc("out", 512).unwrap();
    let launch = Launch { reconvergence: Reconvergence::Its, ..Launch::new(1, 64) }.arg(out.address());
    let mut seen = None;
    let report = watch(&mut emulator, &module, &launch, &mut |moment| {
        if moment.warp != warp || !moment.site().ptx.contains(ptx) {
            return ControlFlow::Continue(());
        }
        seen = Some(see(moment, out));
        ControlFlow::Break(())
    });
    assert!(report.was_stopped && report.faults.is_empty());
    seen.expect("the warp comes to the instruction")
}

#[test]
fn a_moment_has_the_registers_by_their_names() {
    let value = |name: &'static str| {
        exchange("xor.b32", 1, move |moment, _| {
            let register = moment.registers(1).find(|register| register.name == name);
            register.map(|register| (register.ty, register.value(0), register.value(31)))
        })
    };
    assert_eq!(value("%r1"), Some(("b32", 32, 63)));
    assert_eq!(
        value("%r5"),
        Some(("b32", (32 * 4) ^ 128, (63 * 4) ^ 128)),
        "it is the state after the instruction"
    );
    assert_eq!(value("%p"), Some(("pred", 0, 0)));
    assert_eq!(value("%r7"), None, "no instruction names it");
}

#[test]
fn a_moment_has_the_access_with_its_cost() {
    let access = exchange("st.global", 0, |moment, _| moment.accesses());
    let [store] = &access[..] else { panic!("{access:?}") };
    assert_eq!(
        (store.space, store.kind, store.bytes, store.lanes),
        (Space::Global, AccessKind::Write, 4, u32::MAX)
    );
    assert_eq!(store.addresses[3] - store.addresses[0], 24);
    assert_eq!((store.sectors, store.bank_conflicts), (8, 0), "8 bytes apart, four lanes share a sector");

    let access = exchange("ld.shared", 0, |moment, _| moment.accesses());
    let [load] = &access[..] else { panic!("{access:?}") };
    assert_eq!((load.space, load.kind), (Space::Shared, AccessKind::Read));
    assert_eq!((load.addresses[0], load.addresses[31]), (128, 252));
    assert_eq!((load.sectors, load.bank_conflicts), (0, 0));
    assert!(exchange("xor.b32", 0, |moment, _| moment.accesses().is_empty()));
}

/// Atomics on words 8 bytes and 128 bytes apart, and stores of which half of the lanes go to shared memory.
const SPACES: &str = "
.version 8.0
.target sm_70
.address_size 64
.visible .entry spaces(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    .shared .align 4 .b32 part[1024];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 8;
    add.s64 %rd3, %rd1, %rd2;
    red.global.add.u32 [%rd3], 1;
    atom.global.add.u32 %r2, [%rd3], 1;
    shl.b32 %r3, %r1, 7;
    mov.u32 %r4, part;
    add.s32 %r4, %r4, %r3;
    atom.shared.add.u32 %r5, [%r4], 1;
    cvt.u64.u32 %rd4, %r4;
    cvta.shared.u64 %rd4, %rd4;
    setp.lt.u32 %p, %r1, 16;
    selp.b64 %rd5, %rd4, %rd3, %p;
    st.u32 [%rd5], %r1;
    ret;
}
";

#[test]
fn a_moment_has_the_accesses_of_atomics_and_of_generic_addresses() {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("spaces.ptx", SPACES).unwrap();
    let out = emulator.alloc("out", 256).unwrap();
    let mut seen = Vec::new();
    let report = watch(&mut emulator, &module, &Launch::new(1, 32).arg(out.address()), &mut |moment| {
        let accesses = moment.accesses();
        if accesses.iter().any(|access| access.space != Space::Param) {
            seen.push(accesses);
        }
        ControlFlow::Continue(())
    });
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    let costs: Vec<_> = seen
        .iter()
        .flatten()
        .map(|access| (access.space, access.kind, access.lanes, access.sectors, access.bank_conflicts))
        .collect();
    assert_eq!(
        costs,
        [
            (Space::Global, AccessKind::Update, u32::MAX, 8, 0),
            (Space::Global, AccessKind::Update, u32::MAX, 8, 0),
            (Space::Shared, AccessKind::Update, u32::MAX, 0, 31),
            (Space::Global, AccessKind::Write, 0xffff_0000, 4, 0),
            (Space::Shared, AccessKind::Write, 0x0000_ffff, 0, 15),
        ]
    );
    let generic = &seen[3];
    assert_eq!(generic[0].addresses[16], out.address() + 16 * 8);
    assert_eq!((generic[1].addresses[0], generic[1].addresses[15]), (0, 15 * 128));
}

#[test]
fn a_moment_has_the_memories() {
    let shared = exchange("st.shared", 0, |moment, _| moment.shared().to_vec());
    assert_eq!(shared[4 * 31..4 * 33], [31, 0, 0, 0, 0, 0, 0, 0], "the second warp has not stored yet");
    let out = exchange("ret", 0, |moment, out| moment.read(out).unwrap()[..16].to_vec());
    assert_eq!(out, [132, 0, 0, 0, 0, 0, 0, 0, 133, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a_moment_has_the_program_counters_and_what_lanes_wait_for() {
    let groups = exchange("bar.sync", 0, |moment, _| moment.groups().collect::<Vec<_>>());
    let waiting: Vec<_> = groups.iter().map(|group| (group.warp, group.lanes, group.waiting)).collect();
    assert_eq!(waiting, [(0, u32::MAX, Waiting::Barrier(0)), (1, u32::MAX, Waiting::Nothing)]);

    let ended = exchange("ret", 1, |moment, _| (moment.ended(0), moment.ended(1)));
    assert_eq!(ended.1, u32::MAX);
}

#[test]
fn lanes_that_wait_to_reconverge_name_those_they_wait_for() {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("exchange.ptx", EXCHANGE).unwrap();
    let out = emulator.alloc("out", 512).unwrap();
    let launch = Launch { reconvergence: Reconvergence::Its, ..Launch::new(1, 64) }.arg(out.address());
    let mut waited = Vec::new();
    watch(&mut emulator, &module, &launch, &mut |moment| {
        let waits = |group: &simt::LaneGroup| matches!(group.waiting, Waiting::Reconvergence { .. });
        waited.extend(moment.groups().filter(waits));
        ControlFlow::Continue(())
    });
    let [first, ..] = &waited[..] else { panic!("one half of the second warp waits for the other") };
    let Waiting::Reconvergence { missing } = first.waiting else { panic!("{first:?}") };
    assert_eq!((first.warp, first.lanes ^ missing, first.lanes & missing), (1, u32::MAX, 0), "{first:?}");
    assert!([0xffff, 0xffff_0000].contains(&first.lanes), "{first:?}");
}

/// Going back means launching again and stopping earlier.
#[test]
fn a_launch_that_is_stopped_and_repeated_shows_the_same() {
    let moments = |most: usize| {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("exchange.ptx", EXCHANGE).unwrap();
        let out = emulator.alloc("out", 512).unwrap();
        let launch = Launch { schedule: Schedule::Random, seed: 5, ..Launch::new(1, 64) }.arg(out.address());
        let mut seen = Vec::new();
        let report = watch(&mut emulator, &module, &launch, &mut |moment| {
            let registers: Vec<u64> = moment.registers(1).map(|register| register.value(7)).collect();
            seen.push((moment.step, moment.warp, moment.instruction, registers, moment.shared().to_vec()));
            if seen.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(report.counters.ptx_instructions, seen.len() as u64);
        seen
    };
    let all = moments(usize::MAX);
    assert_eq!(moments(11), all[..11]);
}
