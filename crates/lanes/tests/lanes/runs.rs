//! Runs that end: correct kernels, wrong ones, and what is printed about them.

use crate::{GOOD, SAXPY, TOO_SMALL, assert_readable, file, lanes, root, stdout, words};

#[test]
fn a_run_of_a_right_kernel_is_described() {
    let output = words(&format!("run {SAXPY} {GOOD} --print 2 --print 1:3"));
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_readable(text);
    for part in ["saxpy of kernels/ptx", "grid (2,1,1), block (32,1,1), seed 0", "saxpy.cu:14", "no fault"] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    assert!(!text.contains("atomic"), "counters that are zero are left out: {text}");
    assert!(text.contains("arg1 afterwards, the first 3 of 64 (f32)\n  0:  0.0  1.0  2.0\n"), "{text}");
    let all = text.split("arg2 afterwards, all 64 (f32)\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let numbers = all.lines().flat_map(|line| line.split_once(':').unwrap().1.split_whitespace());
    let numbers: Vec<f32> = numbers.map(|number| number.parse().unwrap()).collect();
    let expected: Vec<f32> = (0..64).map(|i| if i < 60 { 2.0 * i as f32 + 1.0 } else { 1.0 }).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn lines_of_other_kernels_are_not_counted() {
    let line = "run kernels/ptx/messages.sm_70.ptx --kernel last_block_fence --arg buf:i32:1:zeros \
                --arg buf:u32:1:zeros --arg buf:i32:1:zeros";
    let output = words(line);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let (_, table) = text.split_once("8 of 11 CUDA lines, the most expensive first\n").expect(text);
    let rows = table.lines().take_while(|line| !line.is_empty()).filter(|line| line.contains("messages.cu:"));
    assert!(rows.clone().count() == 8 && rows.clone().all(|row| !row.contains("  0.00")), "{text}");
}

#[test]
fn the_same_command_prints_the_same_text() {
    let line = format!("run {SAXPY} {GOOD} --schedule random --seed 7 --print 2");
    assert_eq!(words(&line).stdout, words(&line).stdout);
}

#[test]
fn a_buffer_that_is_too_small_is_a_fault() {
    let output = words(&format!("run {SAXPY} {TOO_SMALL} --print 2:1"));
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_readable(text);
    let printed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(printed.contains("1 error error: out-of-bounds: just past the end of `arg2`"), "{text}");
    assert!(printed.contains("block (1,0,0), warp 0, lane 8 (thread (8,0,0)) at saxpy.cu:14"), "{text}");
    assert!(
        printed.contains("counted until it was stopped") && printed.contains("arg2 afterwards"),
        "{text}"
    );
}

#[test]
fn help_names_dynamic_shared_memory_that_was_not_asked_for() {
    let printed = |options: &str| {
        let kernel = "run kernels/ptx/features_memory.sm_70.ptx --kernel dynamic_shared --block 64";
        let args = "--arg buf:i32:64:zeros --arg buf:i32:64:iota";
        let output = words(&format!("{kernel} {args} {options}"));
        (output.status.code(), stdout(&output).split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (status, text) = printed("");
    assert!(
        status == Some(1) && text.contains("ask for enough dynamic shared memory at the launch"),
        "{text}"
    );
    let (status, text) = printed("--shared-bytes 8");
    assert!(status == Some(1) && !text.contains("ask for enough dynamic"), "{text}");
}

#[test]
fn a_kernel_that_takes_too_many_steps_is_stopped() {
    let output = words(&format!("run {SAXPY} {GOOD} --max-steps 10"));
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("step-limit"), "{}", stdout(&output));
}

#[test]
fn what_a_kernel_prints_is_shown() {
    let ptx = r"
.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
.visible .entry hello() {
    .reg .b64 %a;
    mov.u64 %a, text;
    cvta.global.u64 %a, %a;
    { .param .b64 p; .param .b64 q; .param .b32 r;
      st.param.b64 [p], %a; st.param.b64 [q], 0; call.uni (r), vprintf, (p, q); }
    ret;
}";
    let path = file("hello.ptx", ptx.as_bytes());
    let output = lanes(&["run", path.to_str().unwrap(), "--block", "1"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(stdout(&output).contains("printed by the kernel\n  hi\n"), "{}", stdout(&output));
}

#[test]
fn a_list_has_every_kernel_and_its_parameters() {
    let output = words(&format!("list {SAXPY}"));
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for part in
        ["target sm_70, 1 kernel\n", "\nsaxpy (static shared memory: 0 bytes)\n", "  0          f32      4\n"]
    {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    assert!(text.contains("not supported: nothing"));
    assert!(text.contains("\nA `u64` is a pointer or a number: "), "{text}");
    assert_readable(text);
}

#[test]
fn help_shows_how_to_write_arguments() {
    let all = [
        ("--help", "Examples:"),
        ("run --help", "buf:f32:1024:zeros"),
        ("run --help", "Accesses outside every buffer are always reported"),
        ("--version", "lanes "),
        ("run --help", "warps run in random order, unless"),
        ("list --help", "PTX"),
        ("explain --help", "without a kind, list all"),
    ];
    for (line, part) in all {
        let output = words(line);
        assert_eq!(output.status.code(), Some(0));
        let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(part.trim_end()) && stdout(&output).ends_with('\n'), "{line}");
    }
}

/// A kernel that returns at once, to see what the buffers contain at first.
const NOTHING: &str = "\
.version 8.0
.target sm_70
.address_size 64
.visible .entry nothing(.param .u64 x)
{
    ret;
}
";

#[test]
fn buffers_are_filled_in_every_way() {
    let path = file("nothing.ptx", NOTHING.as_bytes());
    let data = file("data.bin", &[1, 0, 2, 0, 0xff, 0xff]);
    let fills = [
        ("i16:3:zeros", "0  0  0"),
        ("i16:3:iota", "0  1  2"),
        ("f16:3:fill=1.5", "1.5  1.5  1.5"),
        ("i16:3:list=7,-8,9", "7  -8   9"),
        (&format!("i16:3:file={}", data.display()), "1   2  -1"),
        ("u16:2:uninitialized", "0  0"),
    ];
    for (fill, values) in fills {
        let output = lanes(&["run", path.to_str().unwrap(), "--arg", &format!("buf:{fill}"), "--print", "0"]);
        let text = stdout(&output);
        assert!(text.trim_end().ends_with(values), "{fill}: {text}");
    }
    let random = |fill: &str| {
        let output = lanes(&["run", path.to_str().unwrap(), "--arg", fill, "--print", "0", "--seed", "5"]);
        stdout(&output).split("afterwards").nth(1).unwrap().to_owned()
    };
    assert_eq!(random("buf:u32:4:rand"), random("buf:u32:4:rand=0"));
    assert_ne!(random("buf:u32:4:rand"), random("buf:u32:4:rand=1"));
}

#[test]
fn parts_of_a_buffer_are_printed_with_their_place() {
    let output = words(&format!("run {SAXPY} {GOOD} --print 1:60..63"));
    let part = "arg1 afterwards, elements 60 to 62 of 64 (f32)\n  60:  60.0  61.0  62.0\n";
    assert!(stdout(&output).contains(part), "{}", stdout(&output));
}

/// The command after the last `replay:` in a text.
fn replay(text: &str) -> &str {
    text.lines().rev().find_map(|line| line.strip_prefix("  replay: ")).expect("a fault ends with its replay")
}

#[cfg(unix)]
#[test]
fn a_fault_ends_with_the_command_that_repeats_it() {
    let path = file("a name with 'quotes'.ptx", &std::fs::read(root().join(SAXPY)).unwrap());
    let options = "--kernel saxpy --check race,sync --schedule hunt --seed 7 --resident-blocks 2 --reconvergence its \
                   --weak-memory --strict --max-steps 1000 --shared-bytes 16 --print 2:1";
    let rest = options.split_whitespace().chain(TOO_SMALL.split_whitespace());
    let line: Vec<&str> = ["run", path.to_str().unwrap()].into_iter().chain(rest).collect();
    let first = lanes(&line);
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    let shell = std::process::Command::new("sh").args(["-c", replay(stdout(&first))]).output().unwrap();
    assert_eq!((shell.status.code(), stdout(&shell)), (Some(1), stdout(&first)));
    for part in ["race,sync,", "--kernel saxpy", "--weak-memory", "--strict", "--max-steps 1000", "--seed 7"]
    {
        let part = part.replace("race,sync,", "--check races,synchronisation,memory");
        assert!(replay(stdout(&first)).contains(&part), "{part}");
    }
}

/// The kernel's name in the PTX is the one that C++ mangled.
#[test]
fn a_kernel_is_found_by_its_name_in_the_source() {
    let text = |names: &[&str]| {
        let kernels = names.iter().map(|name| format!(".visible .entry {name}() {{ ret; }}\n"));
        format!(".version 8.0\n.target sm_70\n.address_size 64\n{}", kernels.collect::<String>())
    };
    let path = file("mangled.ptx", text(&["_Z3oneIfEvv", "_Z3twov", "_Z3twoi"]).as_bytes());
    let run = |name: &str| lanes(&["run", path.to_str().unwrap(), "--kernel", name]);
    assert!(stdout(&run("one")).starts_with("one<float> of "));
    assert!(stdout(&run("_Z3twov")).starts_with("two of "));
    crate::assert_refused(
        &run("two"),
        "has no kernel `two`: it has `one<float>`, `_Z3twov`, `_Z3twoi`",
        "two of a name",
    );
}
