//! `kernels/progress.cu`, which can also be run on a real GPU: the results of its two builds on the emulator.
//!
//! Every loop in it gives up after some iterations, so there is no livelock to be proven, and the result is which lanes
//! give up. With the reconvergence stack these are all lanes that need a lane on the other side of a branch; with
//! independent thread scheduling there are none. The results of an H200 are recorded beside this file and compared with
//! the same rule. Which side of a branch runs first with the stack is not specified, and on the H200 it was the other
//! side.

use simt::{Checks, Emulator, Launch, Limits, Schedule};

/// The results of an H200 for the same builds.
const RECORD: &str = include_str!("h200.txt");
const SM_60: &str = include_str!("../../../../kernels/ptx/progress.sm_60.ptx");
const SM_70: &str = include_str!("../../../../kernels/ptx/progress.sm_70.ptx");

/// The checkers. The flags are volatile on purpose, and notes about that do not matter here.
const CHECKS: Checks = Checks { volatile_races: false, ..Checks::ALL };

/// How many iterations a loop has before it gives up.
const PATIENCE: i32 = 20_000;

/// A launch of one warp: the buffers before `through` with their words, and the arguments after it.
struct Asked {
    kernel: &'static str,
    before: Vec<Vec<u32>>,
    producer: Option<i32>,
}

impl Asked {
    fn new(kernel: &'static str, before: &[&[u32]]) -> Asked {
        Asked { kernel, before: before.iter().map(|words| words.to_vec()).collect(), producer: None }
    }

    /// The lanes that got through as a mask, and the first word of the last buffer before `through`.
    fn run(&self, text: &str, schedule: Schedule, seed: u64) -> (u32, u32) {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("progress", text).unwrap();
        let mut launch = Launch { schedule, seed, checks: CHECKS, ..Launch::new(1, 32) };
        let mut last = None;
        for words in &self.before {
            let buffer = emulator.alloc("before", 4 * words.len() as u64).unwrap();
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            emulator.write(buffer).unwrap().copy_from_slice(&bytes);
            launch = launch.arg(buffer.address());
            last = Some(buffer);
        }
        let through = emulator.alloc("through", 128).unwrap();
        launch = launch.arg(through.address());
        if let Some(producer) = self.producer {
            launch = launch.arg(producer);
        }
        let report = emulator.launch(&module, self.kernel, &launch.arg(PATIENCE)).unwrap();
        assert!(report.faults.is_empty(), "{}: {}", self.kernel, report.faults[0]);
        let lanes = emulator.read(through).unwrap().chunks(4).enumerate();
        let mask = lanes.fold(0, |mask, (lane, word)| mask | u32::from(word[0]) << lane);
        let word = emulator.read(last.unwrap()).unwrap()[..4].try_into().unwrap();
        (mask, u32::from_le_bytes(word))
    }

    /// Runs a build with every policy. `right` decides whether a mask and a word are the expected ones.
    fn check(&self, text: &str, right: impl Fn(u32, u32) -> bool) {
        for schedule in [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt] {
            for seed in 0..8 {
                let (mask, word) = self.run(text, schedule, seed);
                assert!(right(mask, word), "{} {schedule:?} {seed}: {mask:#010x}, {word}", self.kernel);
            }
        }
    }
}

const ALL: u32 = u32::MAX;

#[test]
fn a_lock_released_after_the_loop_needs_independent_thread_scheduling() {
    let asked = Asked::new("lock_after", &[&[0], &[0]]);
    asked.check(SM_60, |through, count| through.is_power_of_two() && count == 1);
    asked.check(SM_70, |through, count| through == ALL && count == 32);
}

#[test]
fn a_lock_released_inside_the_loop_works_everywhere() {
    let asked = Asked::new("lock_inside", &[&[0], &[0]]);
    asked.check(SM_60, |through, count| through == ALL && count == 32);
    asked.check(SM_70, |through, count| through == ALL && count == 32);
}

#[test]
fn a_chain_after_the_loop_breaks_at_its_first_link() {
    let mut cells = [0; 33];
    cells[0] = 1;
    let asked = Asked::new("chain_after", &[&cells]);
    asked.check(SM_60, |through, _| through == 1);
    asked.check(SM_70, |through, _| through == ALL);
}

#[test]
fn one_lane_produces_if_its_side_runs_first() {
    for (producer, stack) in [(0, ALL), (31, 1 << 31)] {
        let asked = Asked { producer: Some(producer), ..Asked::new("one_produces", &[&[0]]) };
        asked.check(SM_60, |through, flag| through == stack && flag == 1);
        asked.check(SM_70, |through, flag| through == ALL && flag == 1);
    }
}

#[test]
fn of_two_halves_that_wait_for_each_other_one_gives_up() {
    let asked = Asked::new("handshake", &[&[0, 0]]);
    asked.check(SM_60, |through, _| through == 0xffff_0000);
    asked.check(SM_70, |through, _| through == ALL);
}

/// Whether the lanes that got through are those that the rule allows, no matter which side of a branch runs first.
fn is_allowed(target: &str, kernel: &str, through: u32) -> bool {
    let sides: &[u32] = match (target, kernel) {
        ("sm_70", _) | (_, "lock_inside") => &[ALL],
        (_, "lock_after") => return through.is_power_of_two(),
        (_, "chain_after") => &[1],
        (_, "one_produces:0") => &[ALL, 1],
        (_, "one_produces:31") => &[ALL, 1 << 31],
        (_, "handshake") => &[0x0000_ffff, 0xffff_0000],
        _ => panic!("no rule for `{kernel}` of {target}"),
    };
    sides.contains(&through)
}

#[test]
fn a_gpu_follows_the_same_rules() {
    let lines: Vec<&str> = RECORD.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 12, "six kernels of two targets");
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let [target, kernel, through, count] = words[..] else { panic!("`{line}`") };
        let through = u32::from_str_radix(through.trim_start_matches("0x"), 16).unwrap();
        assert!(is_allowed(target, kernel, through), "{line}");
        // Every lane that had the lock added one, and no other lane did.
        assert!(count == "-" || count == through.count_ones().to_string(), "{line}");
    }
}
