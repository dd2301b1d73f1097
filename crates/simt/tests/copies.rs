//! Asynchronous copies under many seeds: what is right is right whenever the copies take place, and what is wrong is found
//! whenever they do. The counters of copies equal those of an H200.

use simt::{Checks, Emulator, Launch, Limits, Schedule, Severity};

mod cases;

/// How many seeds each file is run with; `SEEDS` asks for others.
const SEEDS: u64 = 40;

/// The folders of pairs of a wrong and a right kernel in which something else than the lanes themselves acts: copies, other blocks of
/// a cluster, matrix instructions.
const FOLDERS: [&str; 6] = ["/copy/", "/bulk/", "/cluster/", "/tensor/", "/proxy/", "/wgmma/"];

/// The errors of a file under a seed, as kinds.
fn errors(case: &cases::Case, seed: u64) -> Vec<&'static str> {
    let mechanisms = case.mechanisms();
    let reconvergence = mechanisms[seed as usize / 2 % mechanisms.len()];
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load(&case.name, &case.text).unwrap();
    let schedule = [Schedule::Random, Schedule::Hunt, Schedule::RoundRobin][seed as usize % 3];
    let checks = match case.all("checks").next() {
        Some("races") => Checks { races: true, ..Checks::NONE },
        Some("initialisation") => Checks { initialisation: true, ..Checks::NONE },
        _ => Checks { volatile_races: false, ..Checks::ALL },
    };
    let mut launch = Launch { seed, schedule, checks, reconvergence, ..case.launch() };
    let buffers = case.arguments(&mut emulator, &mut launch);
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    for expected in case.all("expect") {
        let words = emulator.read(buffers[0]).unwrap().chunks(4).map(|word| word.try_into().unwrap());
        let words: Vec<u32> = words.map(u32::from_le_bytes).collect();
        assert_eq!(words, cases::numbers(expected), "{}, seed {seed}", case.name);
    }
    let errors = report.faults.iter().filter(|fault| fault.severity == Severity::Error);
    errors.map(|fault| fault.kind.name()).collect()
}

fn copies(folder: &str) -> Vec<cases::Case> {
    cases::cases(folder)
        .into_iter()
        .filter(|case| FOLDERS.iter().any(|folder| case.name.contains(folder)))
        .collect()
}

#[test]
fn right_copies_are_right_under_every_seed() {
    let seeds = test_support::seeds(SEEDS);
    test_support::side_by_side(&copies("pass"), |case| {
        for seed in seeds.clone() {
            assert_eq!(errors(case, seed), <Vec<&str>>::new(), "{}, seed {seed}", case.name);
        }
    });
}

#[test]
fn wrong_copies_are_found_under_every_seed() {
    let seeds = test_support::seeds(SEEDS);
    test_support::side_by_side(&copies("fail"), |case| {
        let kind = case.all("fault").next().unwrap().split(' ').next().unwrap();
        for seed in seeds.clone() {
            // What is read too early may be unwritten, which is a finding of its own.
            let found = errors(case, seed);
            let rest = found.split_first().filter(|(first, _)| **first == kind).map(|(_, rest)| rest);
            let follows = rest.is_some_and(|rest| rest.iter().all(|kind| *kind == "uninitialized"));
            assert!(follows, "{}, seed {seed}: {found:?}", case.name);
        }
    });
}

const UNORDERED: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u64 in) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 tile[4];
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, tile;
    st.shared.u32 [%r1], 1;
    cp.async.ca.shared.global [%r1], [%rd2], 4;
    st.global.u32 [%rd2], 3;
    st.global.u32 [%rd1+8], 0;
    ld.shared.u32 %r2, [%r1];
    st.global.u32 [%rd1], %r2;
    cp.async.wait_all;
    ld.shared.u32 %r2, [%r1];
    st.global.u32 [%rd1+4], %r2;
    ret;
}";

#[test]
fn a_copy_reads_and_writes_when_the_seed_says() {
    let run = |seed: u64| {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("unordered", UNORDERED).unwrap();
        let (out, from) = (emulator.alloc("out", 12).unwrap(), emulator.alloc("in", 4).unwrap());
        emulator.write(from).unwrap()[0] = 2;
        let launch = Launch { seed, ..Launch::new(1, 1) }.arg(out.address()).arg(from.address());
        emulator.launch(&module, "kernel", &launch).unwrap();
        let bytes = emulator.read(out).unwrap();
        (bytes[0], bytes[4])
    };
    let seen: std::collections::BTreeSet<(u8, u8)> = (0..100).map(run).collect();
    // What the two loads find if the copy takes place before the store, after it, and after the first load.
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [(1, 3), (2, 2), (3, 3)]);
}

const SOURCE: &str = include_str!("../../../tools/benchmarks/gpu/mma/mma.cu");
const RECORD: &str = include_str!("../../../tools/benchmarks/gpu/mma/h200_copies.csv");

/// The offsets of the lanes in each pattern of `mma.cu`, which says what the numbers mean.
fn patterns() -> Vec<Vec<u32>> {
    let list = SOURCE.split("kPatterns[] = {").nth(1).unwrap().split("};").next().unwrap();
    let numbers: Vec<u32> =
        list.split([',', '{', '}']).filter_map(|number| number.trim().parse().ok()).collect();
    let at = |pattern: &[u32], lane: u32| {
        let [divisor, modulus, step, jump, _] = pattern.try_into().unwrap();
        (lane / divisor % modulus * step + lane / 8 * jump) % 32_768
    };
    numbers.chunks(5).map(|pattern| (0..32).map(|lane| at(pattern, lane)).collect()).collect()
}

#[test]
fn requests_and_sectors_of_copies_equal_those_of_an_h200() {
    let patterns = patterns();
    let lines: Vec<Vec<&str>> = RECORD.lines().skip(2).map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 4 * patterns.len());
    for line in lines {
        let (bytes, through) = line[0].split_once(' ').unwrap();
        let cache = if through == "1" { "ca" } else { "cg" };
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry kernel(.param .u64 in, .param .u64 at) {{
            .reg .b32 %r<4>; .reg .b64 %rd<5>; .shared .align 16 .b8 tile[32784];
            ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [at]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd2;
            ld.global.u32 %r1, [%rd2]; cvt.u64.u32 %rd3, %r1; add.s64 %rd3, %rd3, %rd1; mov.u32 %r2, tile; add.u32 %r2, %r2, %r1;
            cp.async.{cache}.shared.global [%r2], [%rd3], {bytes}; ret; }}"
        );
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("copy", &text).unwrap();
        let (from, at) = (emulator.alloc("in", 32_784).unwrap(), emulator.alloc("at", 128).unwrap());
        let offsets = &patterns[line[1].parse::<usize>().unwrap()];
        let offsets: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
        emulator.write(at).unwrap().copy_from_slice(&offsets);
        let launch = Launch::new(1, 32).arg(from.address()).arg(at.address());
        let counters = emulator.launch(&module, "kernel", &launch).unwrap().counters;
        // The lanes' addresses are a load of one request and four sectors.
        let found = [counters.global_load_requests - 1, counters.global_load_sectors - 4];
        assert_eq!(found.map(|count| count.to_string()), line[2..4], "{line:?}");
    }
}

const TWINS: &str = include_str!("../../../tools/benchmarks/gpu/twins/h200_twins.csv");

#[test]
fn right_copies_are_right_on_an_h200_too() {
    for case in copies("pass") {
        let name = case.name.trim_start_matches("pass/");
        let row = TWINS.lines().find(|line| line.split(',').next() == Some(name));
        let row = row.unwrap_or_else(|| panic!("`tools/benchmarks/gpu/twins/run.sh` has not run {name}"));
        // A kernel that says nothing of its results has only to end.
        let result = if case.all("expect").next().is_some() { "right" } else { "ends" };
        assert_eq!(row, format!("{name},{result},0"));
    }
}
