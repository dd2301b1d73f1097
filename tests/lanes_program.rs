//! The program `lanes`: a good run, runs at fault, and its one line for everything that cannot be run.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const SAXPY: &str = "kernels/ptx/saxpy.sm_70.ptx";

fn lanes(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanes"));
    command.args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("the program was built")
}

/// Runs the program on words that have no blanks in them.
fn words(line: &str) -> Output {
    lanes(&line.split_whitespace().collect::<Vec<_>>())
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

/// A file of this test's own.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn assert_refused(output: &Output, message: &str, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{what}: {said}");
    assert!(said.starts_with("error: ") && said.contains(message), "{what}: `{message}` is not in: {said}");
    assert_eq!(said.lines().count(), 1, "{what}: {said}");
    assert!(output.stdout.is_empty(), "{what}");
}

fn assert_readable(text: &str) {
    let long = text.lines().find(|line| line.chars().count() > 80);
    assert_eq!(long, None);
}

const GOOD: &str =
    "--grid 2 --block 32 --arg f32:2 --arg buf:f32:64:iota --arg buf:f32:64:fill=1 --arg i32:60";

#[test]
fn a_right_kernel_is_run_and_told() {
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
fn the_same_line_prints_the_same() {
    let line = format!("run {SAXPY} {GOOD} --schedule random --seed 7 --print 2");
    assert_eq!(words(&line).stdout, words(&line).stdout);
}

#[test]
fn a_buffer_that_is_too_small_is_a_fault() {
    let args = "--grid 2 --arg f32:2 --arg buf:f32:64:iota --arg buf:f32:40:zeros --arg i32:64";
    let output = words(&format!("run {SAXPY} {args} --print 2:1"));
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_readable(text);
    let told = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("out-of-bounds: 0 bytes past the end of `arg2`"), "{text}");
    assert!(told.contains("block (1,0,0), warp 0, lane 8 (thread (8,0,0)) at saxpy.cu:14"), "{text}");
    assert!(told.contains("counted until it was stopped") && told.contains("arg2 afterwards"), "{text}");
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
}

/// A kernel that comes to an instruction which nobody runs.
const UNSUPPORTED: &str = "\
.version 8.0
.target sm_70
.address_size 64
.visible .entry odd()
{
    wibble.u32;
    ret;
}
";

#[test]
fn what_is_not_supported_is_listed_and_refused_when_it_is_reached() {
    let path = file("odd.ptx", UNSUPPORTED.as_bytes());
    let output = lanes(&["list", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).contains("not supported: 1 instruction\n  ! line 6, column 5: "),
        "{}",
        stdout(&output)
    );
    assert_refused(&lanes(&["run", path.to_str().unwrap()]), "line 6, column 5: ", "odd.ptx");
}

/// Files, and what the one line says of each.
const FILES: [(&str, &[u8], &str); 9] = [
    ("empty.ptx", b"", "the text is empty"),
    ("zeros.ptx", b"\0\0\0", "is a binary file"),
    ("elf.ptx", b"\x7fELF\x02\x01", "is a compiled binary (ELF): write PTX"),
    ("nul.ptx", b".version 8.0\n\0.target sm_70", "is a binary file: write PTX"),
    ("latin.ptx", b".version 8.0 // \xe9\n", "not UTF-8"),
    ("prose.ptx", b"Dear reader", "starts with `.version`"),
    ("disguised.ptx", b"#include <cstdio>\n", "it looks like CUDA source"),
    ("kernel.cu", b"__global__ void f() {}\n", "is CUDA source: compile it to PTX first, with `nvcc -ptx"),
    ("bare.ptx", b".version 8.0\n.target sm_70\n", "has no kernel"),
];

#[test]
fn what_is_no_ptx_is_refused_in_one_line() {
    for (name, bytes, message) in FILES {
        let path = file(name, bytes);
        assert_refused(&lanes(&["run", path.to_str().unwrap()]), message, name);
    }
}

/// Command lines, and what the one line says of each.
const LINES: &[(&str, &str)] = &[
    ("", "requires a subcommand"),
    ("walk x.ptx", "unrecognized subcommand `walk`"),
    ("run", "<FILE>"),
    ("list missing.ptx", "cannot read `missing.ptx`: there is no such file"),
    ("run missing.ptx", "cannot read `missing.ptx`: there is no such file"),
    ("run kernels", "cannot read `kernels`: it is a directory"),
    ("run kernels/saxpy.cu", "`nvcc -ptx -lineinfo kernels/saxpy.cu -o kernels/saxpy.ptx`"),
    ("run kernels/ptx/branch.sm_70.ptx", "choose one with `--kernel`: `"),
];

/// Options after `run saxpy.ptx`, and what the one line says of each.
const OPTIONS: &[(&str, &str)] = &[
    ("--kernel daxpy", "has no kernel `daxpy`: it has `saxpy`"),
    ("", "`saxpy` takes 4 arguments (f32, u64, u64, u32), not 0"),
    ("--arg i32:1", "takes 4 arguments"),
    ("--arg f64:2 B B --arg i32:1", "argument 0 of `saxpy` is `f32` of 4 bytes and not f64: give `f32:1`"),
    ("--arg i32:2 B B --arg i32:1", "argument 0 of `saxpy` is `f32`"),
    ("--arg f32:2 B B --arg f32:1", "argument 3 of `saxpy` is `u32`"),
    ("--arg f32:2 B B --arg u64:1", "argument 3 of `saxpy` is `u32` of 4 bytes and not u64"),
    ("--arg f32:2 B --arg i32:1 --arg i32:1", "argument 2 of `saxpy` is `u64` of 8 bytes and not i32"),
    ("B B B --arg i32:1", "argument 0 of `saxpy` is no pointer but `f32`"),
    ("--arg 5", "a number is written `TYPE:VALUE`"),
    ("--arg f16:1", "there is no type `f16`: choose one of i8, u8"),
    ("--arg i8:200", "`200` is no number that i8 can hold"),
    ("--arg f32:one", "`one` is no number that f32 can hold"),
    ("--arg buf:f32:4", "a buffer is written `buf:TYPE:COUNT:FILL`"),
    ("--arg buf:f32:0:zeros", "at least 1"),
    ("--arg buf:f32:-1:zeros", "at least 1"),
    ("--arg buf:f32:4:ones", "cannot be filled with `ones`: choose `zeros`"),
    ("--arg buf:f32:4:list=1,2", "2 values for 4 elements"),
    ("--arg buf:f32:4:fill=x", "`x` is no number"),
    ("--arg buf:i8:200:iota", "`iota` counts to 199, which i8 cannot hold"),
    ("--arg f32:2 --arg buf:f32:99999999999:zeros B --arg i32:1", "`arg1` does not fit into memory"),
    ("--arg f32:2 --arg buf:f32:99999999999999999999999:iota B --arg i32:1", "give it fewer elements"),
    ("--block 0", "a block has 1 to 1024 threads"),
    ("--block 2048", "a block has 1 to 1024 threads"),
    ("--block 1,1,65", "at most 64 in z"),
    ("--block 2147483648,2147483648,4", "a block has 1 to 1024 threads"),
    ("--grid 0", "a grid is one to three whole numbers from 1"),
    ("--grid 1,1,1,1", "a grid is one to three whole numbers from 1"),
    ("--grid -1", "a grid is one to three whole numbers from 1"),
    ("--grid 1,70000 ALL", "a grid is at most (2147483647,65535,65535)"),
    ("--shared-bytes 300000 ALL", "at most 232448 bytes of shared memory, not 300000"),
    ("--shared-bytes -1", "--shared-bytes"),
    ("--print x", "shown as in `1` or `1:8`"),
    ("--print 9 ALL", "there is no such argument"),
    ("--print 0 ALL", "argument 0 is a number and no buffer"),
    ("--print 1:65 ALL", "argument 1 has only 4 elements"),
    ("--schedule fair", "choose `round-robin`, `random` or `hunt`"),
    ("--reconvergence hope", "choose `auto`, `stack` or `its`"),
    ("--resident-blocks 0", "1 to 1024 blocks"),
    ("--resident-blocks 4000000000", "1 to 1024 blocks"),
    ("--max-steps 0", "from 1"),
    ("--seed x", "invalid value `x` for `--seed <SEED>`"),
    ("--girth 1", "unexpected argument `--girth`"),
];

#[test]
fn what_cannot_be_run_is_refused_in_one_line() {
    for (line, message) in LINES {
        assert_refused(&words(line), message, line);
    }
    for (options, message) in OPTIONS {
        let options = options.replace("ALL", "--arg f32:2 B B --arg i32:4");
        let line = format!("run {SAXPY} {}", options.replace('B', "--arg buf:f32:4:zeros"));
        assert_refused(&words(&line), message, &line);
    }
}

#[test]
fn a_file_that_is_cut_short_is_refused_or_runs() {
    let text = fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(SAXPY)).unwrap();
    for length in (0..text.len()).step_by(97) {
        let path = file("cut.ptx", &text[..length]);
        let line: Vec<&str> =
            ["run", path.to_str().unwrap()].into_iter().chain(GOOD.split_whitespace()).collect();
        let output = lanes(&line);
        if output.status.code() != Some(0) {
            assert_refused(&output, "cut.ptx`", &format!("the first {length} bytes"));
        }
    }
}

#[test]
fn help_shows_how_to_write_arguments() {
    for (line, part) in
        [("--help", "Examples:"), ("run --help", "buf:f32:1024:zeros"), ("list --help", "PTX")]
    {
        let output = words(line);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains(part), "{line}");
    }
}
