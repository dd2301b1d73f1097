//! The trace: it has every instruction that was counted, once, and changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use simt::{
    Buffer, Checks, Dim3, Emulator, Launch, Limits, Module, Reconvergence, Report, Schedule, TraceStep,
};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The hand-written kernels: right and wrong ones, of every family of instructions.
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

/// A fresh emulator with a module, and a launch with a buffer of zeros or a zero for each parameter.
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

/// Checks a kernel under both mechanisms and several schedules; how often it could be run.
fn check(name: &str, text: &str, shape: (u32, u32)) -> usize {
    let mut ran = 0;
    for reconvergence in [Reconvergence::Stack, Reconvergence::Its] {
        for (schedule, seed) in [(Schedule::RoundRobin, 0), (Schedule::Random, 1), (Schedule::Random, 2)] {
            let label = format!("{name}, {reconvergence:?}, {schedule:?}, seed {seed}");
            // With checkers and without: the trace is the same business.
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
            let (mut other, module, launch) = ready(name, text, shape, &launch);
            let plain = other.launch(&module, &module.kernels()[0].name, &launch).unwrap();
            assert_eq!(format!("{plain:?}"), format!("{report:?}"), "{label}: the trace changed the run");
        }
    }
    ran
}

#[test]
fn every_issue_is_a_step_and_every_step_an_issue() {
    let mut ran = 0;
    for path in files("tests/ptx/pass").into_iter().chain(files("tests/ptx/fail")) {
        let text = fs::read_to_string(&path).unwrap();
        ran += check(&path.display().to_string(), &text, (2, 64));
    }
    assert!(ran > 500, "only {ran} runs were possible");
}

#[test]
fn compiled_kernels_are_traced_too() {
    for name in ["features_warps.sm_70", "features_groups.sm_70", "sorting.sm_70", "branch.sm_70-debug"] {
        let text = fs::read_to_string(folder("../kernels/ptx").join(format!("{name}.ptx"))).unwrap();
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
fn masks_say_who_runs_and_who_is_switched_off() {
    let choices = Launch { reconvergence: Reconvergence::Its, ..Launch::new(1, 1) };
    let (mut emulator, module, launch) = ready("guarded.ptx", GUARDED, (1, 8), &choices);
    let (steps, _) = traced(&mut emulator, &module, &launch).unwrap();
    let told: Vec<_> =
        steps.iter().map(|s| (module.site(s.instruction).ptx_line, s.mask, s.active)).collect();
    assert_eq!(told[..3], [(7, 0xff, 0xff), (8, 0xff, 0xff), (9, 0xff, 0x0f)]);
    assert!(told.contains(&(10, 0xf0, 0xf0)), "{told:?}");
    assert!(steps.iter().all(|step| (step.block, step.warp) == (Dim3::default(), 0)));
}

/// Two groups come to a vote, and each waits for one half of the other.
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
fn lanes_that_come_again_issue_again() {
    assert_eq!(check("crossed.ptx", CROSSED, (1, 32)), 6);
    let choices = Launch { reconvergence: Reconvergence::Its, ..Launch::new(1, 1) };
    let (mut emulator, module, launch) = ready("crossed.ptx", CROSSED, (1, 32), &choices);
    let (steps, _) = traced(&mut emulator, &module, &launch).unwrap();
    let is_sync = |step: &&TraceStep| module.site(step.instruction).ptx.starts_with("bar.warp");
    assert_eq!(steps.iter().filter(is_sync).count(), 4);
}
