//! Many seeds: until the first one with a fault, or all of them.

use std::fs;
use std::path::Path;

use crate::{GOOD, SAXPY, assert_readable, file, lanes, object, stdout, words};

/// Warp 0 traps if warp 1 ran before it. That never happens in the default order, because the code of warp 0 comes first, and
/// sometimes happens when the order is random.
const RIVALS: &str = "\
.version 8.0
.target sm_70
.address_size 64
.visible .entry rivals(.param .u64 flag)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd1;
    .reg .pred %p<3>;
    ld.param.u64 %rd1, [flag];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra SECOND;
    atom.global.add.u32 %r3, [%rd1], 0;
    setp.ne.u32 %p2, %r3, 0;
    @%p2 trap;
    ret;
SECOND:
    atom.global.exch.b32 %r2, [%rd1], 1;
    ret;
}
";

fn rivals(options: &[&str]) -> std::process::Output {
    let path = file("rivals.ptx", RIVALS.as_bytes());
    // The checker of races would report this kernel under every order, but these tests need runs without a fault.
    let line =
        ["run", path.to_str().unwrap(), "--block", "64", "--arg", "buf:i32:1:zeros", "--check", "memory"];
    lanes(&[&line, options].concat())
}

#[test]
fn the_search_stops_at_the_first_seed_with_a_fault_and_replays_it() {
    assert_eq!(rivals(&[]).status.code(), Some(0), "in turn the first warp is first");
    let output = rivals(&["--seeds", "0..64"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_readable(text);
    let found = object(&rivals(&["--seeds", "0..64", "--json"]));
    let seed = found["seed"].as_u64().unwrap();
    assert_eq!((&found["schedule"], &found["seeds"]["end"]), (&"random".into(), &64.into()));
    assert_eq!(
        (found["seeds"]["ran"].as_u64(), found["seeds"]["with_findings"].as_u64()),
        (Some(seed + 1), Some(1))
    );
    assert!(text.contains("trap: the kernel executed `trap`"), "{text}");
    assert!(text.contains(&format!("--schedule random --seed {seed}\n")), "{text}");
    for before in 0..seed {
        let clean = rivals(&["--schedule", "random", "--seed", &before.to_string()]);
        assert_eq!(clean.status.code(), Some(0), "seed {before}");
    }
    let again = rivals(&["--schedule", "random", "--seed", &seed.to_string()]);
    assert_eq!(again.status.code(), Some(1));
}

#[test]
fn every_number_of_cores_prints_the_same() {
    let printed = |cores: &str, options: &[&str]| {
        let output = rivals(&[&["--cores", cores], options].concat());
        (output.status.code(), stdout(&output).to_owned())
    };
    for options in [&["--seeds", "0..64"][..], &["--seeds", "0..64", "--json"], &["--seeds", "0..2"], &[]] {
        let alone = printed("1", options);
        for cores in ["2", "3", "8"] {
            assert_eq!(printed(cores, options), alone, "{cores} cores, {options:?}");
        }
    }
    let path = file("stores.ptx", SAME.as_bytes());
    let notes = |cores: &str| {
        let line =
            ["run", path.to_str().unwrap(), "--arg", "buf:i32:1:zeros", "--seeds", "3..40", "--print", "0"];
        stdout(&lanes(&[&line[..], &["--cores", cores]].concat())).to_owned()
    };
    assert!(notes("1").contains("--seed 3") && !notes("1").contains("--cores"), "{}", notes("1"));
    assert_eq!((notes("2"), notes("5")), (notes("1"), notes("1")));
}

#[test]
fn an_explicit_schedule_is_used_with_many_seeds() {
    let output = rivals(&["--seeds", "0..64", "--schedule", "round-robin"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("(schedule round-robin)"), "{text}");
}

#[test]
fn seeds_without_a_fault_are_counted() {
    let output = words(&format!("run {SAXPY} {GOOD} --seeds 3..8 --print 2:1"));
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("seeds: 3 to 7: all 5 ran without findings; shown is seed 7 (schedule random, because"),
        "{text}"
    );
    let last = words(&format!("run {SAXPY} {GOOD} --seeds 18446744073709551614..18446744073709551615"));
    assert_eq!(last.status.code(), Some(0), "{last:?}");
}

/// All lanes store the same value to the same address, which is a note.
const SAME: &str = "\
.version 8.0
.target sm_70
.address_size 64
.visible .entry same(.param .u64 x)
{
    .reg .b64 %rd1;
    ld.param.u64 %rd1, [x];
    st.global.u32 [%rd1], 7;
    ret;
}
";

#[test]
fn notes_are_printed_and_count_as_errors_only_with_strict() {
    let path = file("same.ptx", SAME.as_bytes());
    let run = |options: &[&str]| {
        let line = ["run", path.to_str().unwrap(), "--arg", "buf:i32:1:zeros"];
        lanes(&[&line, options].concat())
    };
    let output = run(&[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_readable(text);
    assert!(text.contains("\n1 note\nnote: race: ") && text.contains("\n  replay: "), "{text}");
    assert!(!text.contains("until it was stopped"), "{text}");
    let strict = run(&["--strict"]);
    assert_eq!(strict.status.code(), Some(1));
    assert!(stdout(&strict).trim_end().ends_with("--schedule round-robin --seed 0 --strict"), "{strict:?}");
    assert_eq!(run(&["--strict", "--check", "none"]).status.code(), Some(0));
    assert_eq!(object(&run(&["--json"]))["faults"][0]["severity"], "note");
    let many = run(&["--seeds", "0..4"]);
    let printed = stdout(&many).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(many.status.code(), Some(0));
    assert!(
        printed.contains("all 4 ran without an error, 4 of them with warnings or notes; shown is seed 0"),
        "{printed}"
    );
    let first = object(&run(&["--seeds", "2..4", "--strict", "--json"]));
    assert_eq!((&first["seeds"]["ran"], &first["seed"]), (&1.into(), &2.into()));
}

#[test]
fn a_read_of_uninitialised_memory_is_reported() {
    let args = "--grid 2 --arg f32:2 --arg buf:f32:64:uninitialized --arg buf:f32:64:zeros --arg i32:64";
    let run = object(&words(&format!("run {SAXPY} {args} --json")));
    assert_eq!((&run["faults"][0]["kind"], &run["failed"]), (&"uninitialized".into(), &true.into()));
    assert!(run["faults"][0]["count"].as_u64() > Some(1), "{run}");
    let unwatched = words(&format!("run {SAXPY} {args} --check races,sync"));
    assert_eq!(unwatched.status.code(), Some(0), "{unwatched:?}");
}

#[test]
fn after_one_clean_run_a_kernel_with_locks_is_advised_to_try_other_seeds() {
    let printed =
        |options: &[&str]| stdout(&rivals(options)).split_whitespace().collect::<Vec<_>>().join(" ");
    let hint = "no fault only one order of turns was tried";
    assert!(
        printed(&[]).contains(hint) && printed(&[]).contains("`--seeds 0..100` and with `--schedule hunt`"),
        "{}",
        printed(&[])
    );
    for options in [&["--seeds", "0..1"][..], &["--schedule", "hunt", "--seed", "1"]] {
        assert!(!printed(options).contains(hint), "{}", printed(options));
    }
    let without = words(&format!("run {SAXPY} {GOOD}"));
    assert!(
        stdout(&without).contains("no fault\n") && !stdout(&without).contains("one order"),
        "{without:?}"
    );
}

/// All threads except those of the first warp end, and the first warp waits at a barrier; or all threads of the block
/// end.
fn left_early(others: &str) -> String {
    format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry early(.param .u64 x)\n{{\n.reg .b32 %r1;\n\
         .reg .pred %p1;\nmov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\n{others}\nbar.sync 0;\nret;\n}}\n"
    )
}

#[test]
fn a_warning_is_in_the_first_line_of_the_verdict() {
    let run = |name: &str, others: &str, options: &[&str]| {
        let path = file(name, left_early(others).as_bytes());
        let line = ["run", path.to_str().unwrap(), "--block", "64", "--arg", "buf:i32:1:zeros"];
        lanes(&[&line, options].concat())
    };
    let output = run("early.ptx", "@%p1 ret;", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).contains("\nno error, but 1 warning: barrier-divergence\n"),
        "{}",
        stdout(&output)
    );
    let strict = run("early.ptx", "@%p1 ret;", &["--strict"]);
    assert_eq!(strict.status.code(), Some(1));
    assert!(stdout(&strict).contains("\n1 warning\n"), "{}", stdout(&strict));
    let right = run("all.ptx", "", &[]);
    assert!(stdout(&right).contains("\nno fault\n"), "{}", stdout(&right));
}

/// How often the files of a folder have a text.
fn occurrences(folder: &Path, text: &str) -> usize {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let in_file = |path: &Path| fs::read_to_string(path).unwrap().matches(text).count();
    files.map(|path| if path.is_dir() { occurrences(&path, text) } else { in_file(&path) }).sum()
}

/// Every run begins with a copy of the emulator that `Loaded::read` made, so a text is read once. Each command that runs
/// kernels or lists them calls it once. Only advice loads more: the program with something changed.
#[test]
fn a_program_is_loaded_once_for_all_seeds() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let expected =
        [("resolve", 1, 2), ("execute", 0, 0), ("outcome", 0, 0), ("render", 0, 0), ("command", 0, 1)];
    for (folder, loads, reads) in expected {
        let count = |text| occurrences(&sources.join(folder), text);
        assert_eq!((count(".load("), count("Loaded::read(&")), (loads, reads), "{folder}");
    }
}
