//! The kernels of the book on generated launches: this compiler's PTX beside the committed PTX of NVIDIA's compiler.
//!
//! Every pointer gets a buffer of small numbers, every number a small value. That is not what a kernel expects, and need
//! not be: both texts have to do the same with it. Compared are the memory after the launch, the kinds of faults with the CUDA
//! lines of their threads, and what each CUDA line did to global and shared memory. If a kernel differs, and NVIDIA's text
//! itself does something else when the warps take turns in another order, its threads compete, and it is left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use simt::{Checks, Counters, Emulator, Launch, Limits, Report, Schedule};

/// Kernels that differ, each with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("atomics.cu max_float_cas", IN_REGISTER),
    ("sum.cu sum_last_block", "NVIDIA's compiler charges inline assembly to the line of its last operand"),
    ("sum.cu sum_last_block_no_fence", "the same"),
    ("branch.cu uniform_condition", BOTH_SIDES),
    ("branch.cu uniform_condition, sm_60", BOTH_SIDES),
    (
        "in_flight.cu stream_wide_4",
        "NVIDIA's compiler loads the four members of a `float4` with one instruction",
    ),
    ("matrices.cu from_tile, sm_80", LINE_OF_OPERAND),
    ("matrices.cu from_tile_no_barrier, sm_80", LINE_OF_OPERAND),
    ("matrices.cu from_tile_not_turned, sm_80", LINE_OF_OPERAND),
    ("products_bulk.cu product_supplied, sm_90", LINE_OF_WAIT),
    ("products_bulk.cu product_supplied_no_empty, sm_90", LINE_OF_WAIT),
    ("products_bulk.cu product_supplied_no_fence, sm_90", LINE_OF_WAIT),
    ("products_bulk.cu product_supplied_too_few, sm_90", LINE_OF_WAIT),
    ("products_bulk.cu product_supplied_too_many, sm_90", LINE_OF_WAIT),
    ("redux.cu redux_halves, sm_80", BOTH_SIDES),
    ("scan.cu scan_block_in_place", IN_REGISTER),
    ("scan.cu scan_warp_group_exclusive", "NVIDIA's functions of the group load a second time"),
    ("scan_array.cu scan_pass", BOTH_SIDES),
    ("sorting.cu fill_lists", IN_REGISTER),
    ("sorting.cu fill_lists, sm_60", IN_REGISTER),
];

const LINE_OF_OPERAND: &str =
    "NVIDIA's compiler gives an `asm` statement the line of a function that is called in its operands";
const LINE_OF_WAIT: &str = "a block of this test has no warp that orders copies, so its threads wait for ever, in a loop that has two lines";
const IN_REGISTER: &str =
    "all ways to the load have the value in a register, and NVIDIA's compiler takes it from there";
const BOTH_SIDES: &str =
    "NVIDIA's compiler moves a load that both sides of a branch have to before the branch";

fn is_exception(kernel: &str) -> bool {
    EXCEPTIONS.iter().any(|(known, _)| *known == kernel)
}

/// Kernels that may execute more than twice NVIDIA's instructions, each with the reason.
const MORE_THAN_TWICE: &[(&str, &str)] = &[
    ("modern_barriers.cu turn_syncthreads", ONE_STEP),
    ("modern_barriers.cu turn_syncthreads, sm_80", ONE_STEP),
    ("modern_barriers.cu turn_syncthreads, sm_90", ONE_STEP),
];

const ONE_STEP: &str =
    "NVIDIA's compiler makes one product and one sum of eight steps `value * a + c` in a row";

/// Launches of each kernel that `cargo test` makes.
const RUNS: u64 = 2;

/// Where kernels are stopped: those that wait would wait for ever. One that ends has to end before, because which instruction
/// is the last one that it may execute depends on how many there are, and not on the kernel: `modern_barriers.cu relay` needs
/// 600,000 for 150 rounds.
const MAX_STEPS: u64 = 1_000_000;

/// Bytes of a buffer.
const BYTES: u64 = 1 << 16;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels")
}

/// What a launch left and did.
struct Outcome {
    memory: Vec<Vec<u8>>,
    faults: Vec<String>,
    lines: BTreeMap<u32, Traffic>,
    instructions: u64,
}

/// What a line did to memory, by counter.
type Traffic = BTreeMap<&'static str, u64>;

/// The counters of global and shared memory, without those that are zero.
fn traffic(counters: &Counters) -> Traffic {
    let all = counters.all().into_iter().filter(|(name, _, _, value)| {
        (name.starts_with("global_") || name.starts_with("shared_")) && *value > 0
    });
    all.map(|(name, _, _, value)| (name, value)).collect()
}

/// The order in which warps take turns: in turn, or as this seed has it.
type Turns = Option<(Schedule, u64)>;

fn run(ptx: &str, kernel: &str, seed: u32, turns: Turns) -> Option<Outcome> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("kernel.ptx", ptx).unwrap();
    let info = module.kernels().iter().find(|info| info.name == kernel)?.clone();
    let mut launch = Launch::new(3, 64 + 32 * (seed % 2));
    launch.checks = Checks::NONE;
    launch.max_steps = MAX_STEPS;
    if let Some((schedule, seed)) = turns {
        (launch.schedule, launch.seed) = (schedule, seed);
    }
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
    Some(Outcome { memory, faults: faults(&report), lines: lines(&report), instructions })
}

/// Kinds of faults, and the lines of the threads that they name.
fn faults(report: &Report) -> Vec<String> {
    let line = |actor: &simt::Actor| actor.site.source.as_ref().map(|source| source.line);
    let told = |fault: &simt::Fault| {
        format!("{:?} at {:?}", fault.kind, fault.actors.iter().map(line).collect::<Vec<_>>())
    };
    report.faults.iter().map(told).collect()
}

fn lines(report: &Report) -> BTreeMap<u32, Traffic> {
    let mut found: BTreeMap<u32, Traffic> = BTreeMap::new();
    for line in &report.lines {
        for (name, count) in traffic(&line.counters) {
            *found.entry(line.source.line).or_default().entry(name).or_default() += count;
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

/// A kernel file for a target, and what NVIDIA's compiler made of it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct File {
    name: String,
    sm: u32,
    text: String,
    theirs: String,
}

/// The kernel files that are compared, for each target that NVIDIA's compiler built them for.
fn files() -> Vec<File> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("ptx")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Some((name, sm)) = name.split_once(".sm_") else { continue };
        // Builds for a debugger have a suffix after the number.
        let (false, Ok(sm)) = (name.starts_with("features_"), sm.parse()) else { continue };
        let text = fs::read_to_string(root().join(format!("{name}.cu"))).unwrap();
        found.push(File { name: name.to_owned(), sm, text, theirs: fs::read_to_string(path).unwrap() });
    }
    found.sort();
    found
}

/// A kernel on both sides.
struct Compared {
    /// Its file and its name.
    kernel: String,
    /// What differs.
    difference: Option<&'static str>,
    /// Instructions of ours for one of theirs, where nothing stopped the kernel.
    ratio: Option<f64>,
}

/// Whether what a kernel does depends on the order of turns: with this input or, because not every order shows it, with one of
/// two others. Orders in which the lanes of a warp are separated change the counters of every kernel, so there only the memory
/// and the faults count.
fn competes(ptx: &str, kernel: &str, input: u32) -> bool {
    let is_other = |seed, schedule, turns| {
        let run = |turns| run(ptx, kernel, seed, turns);
        let (Some(usual), Some(other)) = (run(None), run(Some((schedule, turns)))) else { return false };
        let is_same = usual.memory == other.memory && usual.faults == other.faults;
        !is_same || schedule == Schedule::Random && usual.lines != other.lines
    };
    let orders = [(Schedule::Random, 1), (Schedule::Random, 2), (Schedule::Hunt, 1), (Schedule::Hunt, 2)];
    [input, 0, 1]
        .into_iter()
        .any(|seed| orders.iter().any(|(schedule, turns)| is_other(seed, *schedule, *turns)))
}

/// Instructions of ours for one of theirs, in the runs that nothing stopped.
fn ratio<'r>(runs: impl Iterator<Item = &'r (Outcome, Outcome)>) -> Option<f64> {
    let sound = runs.filter(|(ours, theirs)| ours.faults.is_empty() && theirs.faults.is_empty());
    let (ours, theirs) = sound
        .fold((0, 0), |(ours, theirs), (one, other)| (ours + one.instructions, theirs + other.instructions));
    (theirs > 0).then_some(ours as f64 / theirs as f64)
}

/// All kernels of the files, each with several sizes and inputs; both tests look at the same runs.
static COMPARED: LazyLock<Vec<Compared>> = LazyLock::new(compared);

fn compared() -> Vec<Compared> {
    let mut found = Vec::new();
    let seeds = test_support::seeds(RUNS);
    for File { name, sm, text, theirs } in files() {
        let source = cudac::Source { name: &format!("{name}.cu"), text: &text };
        let ours = cudac::compile(&source, &cudac::Options { sm, ..Default::default() }).unwrap().ptx;
        let module = Emulator::new(Limits::default()).load("kernel.ptx", &theirs).unwrap();
        for kernel in module.kernels().iter().map(|info| &info.name) {
            let both = |seed| Some((run(&ours, kernel, seed, None)?, run(&theirs, kernel, seed, None)?));
            let runs: Vec<(u32, (Outcome, Outcome))> =
                seeds.clone().filter_map(|seed| Some((seed as u32, both(seed as u32)?))).collect();
            let differing =
                runs.iter().find_map(|(seed, (ours, theirs))| Some((*seed, differs(ours, theirs)?)));
            let label = match sm {
                70 => format!("{name}.cu {kernel}"),
                _ => format!("{name}.cu {kernel}, sm_{sm}"),
            };
            let may_compete = differing.filter(|_| !is_exception(&label));
            if runs.is_empty() || may_compete.is_some_and(|(seed, _)| competes(&theirs, kernel, seed)) {
                continue;
            }
            let difference = differing.map(|(_, what)| what);
            found.push(Compared { kernel: label, difference, ratio: ratio(runs.iter().map(|(_, run)| run)) });
        }
    }
    found
}

#[test]
fn kernels_do_what_nvidias_do() {
    let compared = &*COMPARED;
    let count = compared.len();
    assert!(count >= 250, "only {count} kernels were compared");
    let wrong: Vec<String> = compared
        .iter()
        .filter_map(|Compared { kernel, difference, .. }| match difference {
            Some(what) if !is_exception(kernel) => Some(format!("`{kernel}`: {what} differ")),
            None if is_exception(kernel) => Some(format!("`{kernel}` is an exception no more")),
            _ => None,
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    let strange: Vec<&str> = EXCEPTIONS.iter().map(|(known, _)| *known).collect();
    let known = |name: &&&str| compared.iter().any(|found| found.kernel == **name);
    assert_eq!(strange.iter().find(|name| !known(name)), None, "an exception is no kernel that is compared");
    // At least 95 % are equal.
    assert!(EXCEPTIONS.len() * 20 <= count, "{} of {count} kernels are exceptions", EXCEPTIONS.len());
}

/// Instructions beside NVIDIA's: at most 1.3 times for 80 % of the kernels, and at most twice for 97 %.
#[test]
fn kernels_have_not_many_more_instructions_than_nvidias() {
    let mut ratios: Vec<(f64, &str)> =
        COMPARED.iter().filter_map(|found| Some((found.ratio?, &*found.kernel))).collect();
    ratios.sort_by(|one, other| one.0.total_cmp(&other.0));
    let at = |part: f64| ratios[((ratios.len() - 1) as f64 * part) as usize].0;
    println!(
        "{} kernels; median {:.2}, 80 % {:.2}, 97 % {:.2}; the most {:?}",
        ratios.len(),
        at(0.5),
        at(0.8),
        at(0.97),
        &ratios[ratios.len() - 6..]
    );
    assert!(ratios.len() >= 250, "only {} kernels", ratios.len());
    let above: Vec<&(f64, &str)> = ratios.iter().filter(|(ratio, _)| *ratio > 2.0).collect();
    let is_listed = |name: &str| MORE_THAN_TWICE.iter().any(|(known, _)| *known == name);
    let is_compared = |name: &str| ratios.iter().any(|(_, known)| *known == name);
    assert!(
        MORE_THAN_TWICE.iter().all(|(name, _)| is_compared(name)),
        "a kernel on the list is not compared"
    );
    let unlisted: Vec<_> = above.iter().filter(|(_, name)| !is_listed(name)).collect();
    assert!(unlisted.is_empty(), "more than twice NVIDIA's instructions: {unlisted:?}");
    assert!(at(0.8) <= 1.3 && at(0.97) <= 2.0, "{:.2} and {:.2}", at(0.8), at(0.97));
}
