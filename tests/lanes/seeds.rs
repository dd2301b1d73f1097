//! Many seeds: up to the first at fault, or all of them.

use crate::{GOOD, SAXPY, assert_readable, file, lanes, object, stdout, words};

/// Warp 0 traps if warp 1 was before it: in turn it never does, at random it sometimes does.
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
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra FIRST;
    atom.global.exch.b32 %r2, [%rd1], 1;
    ret;
FIRST:
    atom.global.add.u32 %r3, [%rd1], 0;
    setp.ne.u32 %p2, %r3, 0;
    @%p2 trap;
    ret;
}
";

fn rivals(options: &[&str]) -> std::process::Output {
    let path = file("rivals.ptx", RIVALS.as_bytes());
    // Whether an order that nothing holds is an error of its own is not what is asked here.
    let line =
        ["run", path.to_str().unwrap(), "--block", "64", "--arg", "buf:i32:1:zeros", "--check", "memory"];
    lanes(&[&line, options].concat())
}

#[test]
fn the_search_stops_at_the_first_seed_at_fault_and_replays_it() {
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
fn an_explicit_schedule_is_kept() {
    let output = rivals(&["--seeds", "0..64", "--schedule", "round-robin"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).contains("(schedule round-robin)"), "{}", stdout(&output));
}

#[test]
fn seeds_that_run_clean_are_counted() {
    let output = words(&format!("run {SAXPY} {GOOD} --seeds 3..8 --print 2:1"));
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("seeds: 3 to 7: all 5 ran clean; told is seed 7 (schedule random, for"), "{text}");
    let last = words(&format!("run {SAXPY} {GOOD} --seeds 18446744073709551614..18446744073709551615"));
    assert_eq!(last.status.code(), Some(0), "{last:?}");
}
