//! The kernels of the book on generated launches: this compiler's PTX beside the committed PTX of NVIDIA's compiler.
//!
//! Every pointer gets a buffer of small numbers, every number a small value. That is not what a kernel expects, and need
//! not be: both texts have to do the same with it. Compared are the memory after the launch, the kinds and the lines of
//! faults, and what each CUDA line did to memory. Kernels whose threads compete are left out, because what they leave
//! depends on the order of instructions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use simt::{Checks, Counters, Emulator, Launch, Limits, Report};

/// Files whose kernels compete for something: locks, messages, races, and work that is drawn.
const COMPETING: &[&str] = &[
    "atomics",
    "bare_votes",
    "locks",
    "messages",
    "modern_barriers",
    "modern_locks",
    "modern_messages",
    "modern_progress",
    "patterns",
    "progress",
    "races",
    "scan_ahead",
    "scan_array",
    "syncwarp",
    "sum",
    "last_rounds",
    "compaction",
    "in_flight",
];

/// Kernels that differ, each with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("fill_lists", "NVIDIA's compiler keeps what it has loaded from one turn of the loop to the next"),
    ("filter_each", "the threads compete for places"),
    (
        "hold",
        "with these sizes most loads are outside of the buffer, and the order of the loads decides which fault is first",
    ),
    ("hold_bounded", "as `hold`"),
    ("scan_warp_group_exclusive", "NVIDIA's functions of the group load a second time"),
    ("sum_tile", "NVIDIA's compiler charges a load to the function that it has inlined"),
    (
        "uniform_condition",
        "NVIDIA's compiler moves a load that both sides of a branch have to before the branch",
    ),
];

/// Bytes of a buffer.
const BYTES: u64 = 1 << 16;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels")
}

/// What a launch left and did.
#[derive(PartialEq)]
struct Outcome {
    memory: Vec<Vec<u8>>,
    faults: Vec<String>,
    lines: BTreeMap<u32, [u64; 4]>,
}

fn traffic(counters: &Counters) -> [u64; 4] {
    [
        counters.global_load_requests,
        counters.global_load_sectors,
        counters.global_store_requests,
        counters.global_store_sectors,
    ]
}

fn run(ptx: &str, kernel: &str, seed: u32) -> Option<(Outcome, u64)> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("kernel.ptx", ptx).unwrap();
    let info = module.kernels().iter().find(|info| info.name == kernel)?.clone();
    let mut launch = Launch::new(3, 64 + 32 * (seed % 2));
    launch.checks = Checks::NONE;
    launch.max_steps = 2_000_000;
    launch.shared_bytes = 4096;
    let mut buffers = Vec::new();
    for (nth, param) in info.params.iter().enumerate() {
        launch = match param.bytes {
            8 => {
                let buffer = emulator.alloc(&format!("buffer {nth}"), BYTES).unwrap();
                for (at, bytes) in emulator.write(buffer).unwrap().chunks_exact_mut(4).enumerate() {
                    let value = (at as u32).wrapping_mul(2_654_435_761).wrapping_add(seed) >> 24;
                    bytes.copy_from_slice(&value.to_le_bytes());
                }
                buffers.push(buffer);
                launch.arg(buffer.address())
            }
            4 => launch.arg([150_u32, 40, 7, 3][(nth + seed as usize) % 4]),
            _ => return None,
        };
    }
    let report = emulator.launch(&module, kernel, &launch).ok()?;
    let memory = buffers.iter().map(|buffer| emulator.read(*buffer).unwrap().to_vec()).collect();
    let instructions = report.counters.ptx_instructions;
    Some((Outcome { memory, faults: faults(&report), lines: lines(&report) }, instructions))
}

fn faults(report: &Report) -> Vec<String> {
    report.faults.iter().map(|fault| format!("{:?}", fault.kind)).collect()
}

fn lines(report: &Report) -> BTreeMap<u32, [u64; 4]> {
    let mut found: BTreeMap<u32, [u64; 4]> = BTreeMap::new();
    for line in &report.lines {
        let own = traffic(&line.counters);
        if own != [0; 4] {
            let sum = found.entry(line.source.line).or_default();
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
    }
    found
}

fn differs(ours: &Outcome, theirs: &Outcome) -> Option<&'static str> {
    match () {
        () if ours.faults != theirs.faults => Some("the faults"),
        () if ours.memory != theirs.memory => Some("the memory"),
        () if ours.lines != theirs.lines => Some("the memory counters of a line"),
        () => None,
    }
}

#[test]
fn kernels_do_what_nvidias_do() {
    let mut failed = Vec::new();
    let (mut compared, mut ratios) = (0, Vec::new());
    for entry in fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let theirs = root().join(format!("ptx/{name}.sm_70.ptx"));
        let is_kernel = path.extension().is_some_and(|extension| extension == "cu");
        if !is_kernel || name.starts_with("features_") || COMPETING.contains(&&name[..]) || !theirs.exists() {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let source = cudac::Source { name: &format!("{name}.cu"), text: &text };
        let ours = cudac::compile(&source, &cudac::Options::default()).unwrap().ptx;
        let theirs = fs::read_to_string(theirs).unwrap();
        let kernels: Vec<String> = {
            let module = Emulator::new(Limits::default()).load("kernel.ptx", &theirs).unwrap();
            module.kernels().iter().map(|info| info.name.clone()).collect()
        };
        for kernel in kernels {
            let runs =
                (0..2).filter_map(|seed| Some((run(&ours, &kernel, seed)?, run(&theirs, &kernel, seed)?)));
            let mut what = None;
            let mut ran = false;
            for ((ours, count), (theirs, their_count)) in runs {
                ran = true;
                what = what.or_else(|| differs(&ours, &theirs));
                if their_count > 0 && ours.faults.is_empty() {
                    ratios.push(count as f64 / their_count as f64);
                }
            }
            compared += usize::from(ran);
            let is_exception = EXCEPTIONS.iter().any(|(known, _)| *known == kernel);
            match what {
                Some(what) if !is_exception => failed.push(format!("{name}.cu: `{kernel}`: {what} differ")),
                None if is_exception => failed.push(format!("{name}.cu: `{kernel}` is an exception no more")),
                _ => {}
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    let at = |part: f64| ratios[((ratios.len() - 1) as f64 * part) as usize];
    println!(
        "{compared} kernels; instructions beside NVIDIA's: median {:.2}, 80 % {:.2}, 97 % {:.2}",
        at(0.5),
        at(0.8),
        at(0.97)
    );
    assert!(compared >= 50, "only {compared} kernels were compared");
    failed.sort();
    assert!(failed.is_empty(), "{} of {compared}:\n{}", failed.len(), failed.join("\n"));
}
