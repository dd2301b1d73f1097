//! What cannot be run is refused with status 2, with one line that names the thing and the remedy, and with nothing on
//! standard output.

use std::fs;

use crate::{GOOD, SAXPY, assert_refused, file, lanes, root, stdout, words};

/// A kernel with an instruction that is not supported.
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
fn unsupported_instructions_are_listed_and_refused_when_they_are_reached() {
    let path = file("odd.ptx", UNSUPPORTED.as_bytes());
    let output = lanes(&["list", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).contains("not supported: 1 instruction\n  ! line 6, column 5: "),
        "{}",
        stdout(&output)
    );
    let refused = lanes(&["run", path.to_str().unwrap()]);
    assert_refused(&refused, "line 6, column 5: ", "odd.ptx");
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(stderr.matches("column 5").count(), 1, "the place is named twice: {stderr}");
}

/// Files, and a part of the one line that is printed for each.
const FILES: [(&str, &[u8], &str); 12] = [
    ("empty.ptx", b"", "the text is empty"),
    ("zeros.ptx", b"\0\0\0", "is a binary file"),
    ("elf.ptx", b"\x7fELF\x02\x01", "is a compiled binary (ELF): give a `.cu` file, or PTX"),
    ("nul.ptx", b".version 8.0\n\0.target sm_70", "is a binary file: give a `.cu` file, or PTX"),
    ("latin.ptx", b".version 8.0 // \xe9\n", "not UTF-8"),
    ("prose.ptx", b"Dear reader", "starts with `.version`"),
    ("disguised.ptx", b"#include <cstdio>\n", "it looks like CUDA source"),
    ("binary.cu", b"\x7fELF\x02\x01", "is a compiled binary (ELF): CUDA source is text"),
    ("nul.cu", b"__global__ void f() {\0}\n", "is a binary file: CUDA source is text"),
    ("empty.cu", b" \n", "is empty: write a `__global__` function"),
    ("cuda.txt", b"__global__ void f() {}\n", "compiled only if the file's name ends in `.cu`: rename it"),
    ("bare.ptx", b".version 8.0\n.target sm_70\n", "has no kernel"),
];

#[test]
fn a_file_that_is_not_ptx_is_refused_in_one_line() {
    for (name, bytes, message) in FILES {
        let path = file(name, bytes);
        assert_refused(&lanes(&["run", path.to_str().unwrap()]), message, name);
    }
}

/// Command lines, and a part of the one line that is printed for each.
const LINES: &[(&str, &str)] = &[
    ("", "requires a subcommand"),
    ("walk x.ptx", "unrecognized subcommand `walk`"),
    ("run", "<FILE>"),
    ("list missing.ptx", "cannot read `missing.ptx`: there is no such file"),
    ("run missing.ptx", "cannot read `missing.ptx`: there is no such file"),
    ("run kernels", "cannot read `kernels`: it is a directory"),
    ("run missing.cu", "cannot read `missing.cu`: there is no such file"),
    ("run --json missing.ptx", "cannot read `missing.ptx`: there is no such file"),
    ("list --json missing.ptx", "cannot read `missing.ptx`: there is no such file"),
    ("list --arch 80 kernels/ptx/saxpy.sm_70.ptx", "is not a `.cu` file, so there is nothing to compile"),
    ("explain rice", "there is no such thing in a report: choose one of race, volatile-race, uninitialized"),
    ("explain race races", "unexpected argument `races`"),
    ("run kernels/ptx/branch.sm_70.ptx", "choose one with `--kernel`: `"),
];

/// Options after `run saxpy.ptx`, and a part of the one line that is printed for each.
const OPTIONS: &[(&str, &str)] = &[
    ("--kernel daxpy", "has no kernel `daxpy`: it has `saxpy`"),
    ("", "`saxpy` takes 4 arguments (f32, u64, u64, u32), not 0"),
    ("--arg i32:1", "takes 4 arguments"),
    ("--arg f64:2 B B --arg i32:1", "argument 0 of `saxpy` is `f32` of 4 bytes, not f64: give `f32:1`"),
    ("--arg i32:2 B B --arg i32:1", "argument 0 of `saxpy` is `f32`"),
    ("--arg f32:2 B B --arg f32:1", "argument 3 of `saxpy` is `u32`"),
    ("--arg f32:2 B B --arg u64:1", "argument 3 of `saxpy` is `u32` of 4 bytes, not u64"),
    ("--arg f32:2 B --arg i32:1 --arg i32:1", "argument 2 of `saxpy` is `u64` of 8 bytes, not i32"),
    ("B B B --arg i32:1", "argument 0 of `saxpy` is not a pointer but `f32`"),
    ("--arg 5", "a number is written `TYPE:VALUE`"),
    ("--arg f8:1", "there is no type `f8`: choose one of i8, u8"),
    ("--arg f16:1e9", "`1e9` is not a number that f16 can hold"),
    ("--arg i32:nan", "`nan` is not a number that i32 can hold"),
    ("--arg u32:-1", "`-1` is not a number that u32 can hold"),
    ("--arg i32:99999999999999999999999999999999999999999", "is not a number that i32 can hold"),
    ("--arg", "a value is required for `--arg <SPEC>`"),
    ("--arg i8:200", "`200` is not a number that i8 can hold"),
    ("--arg f32:one", "`one` is not a number that f32 can hold"),
    ("--arg buf:f32:4", "a buffer is written `buf:TYPE:COUNT:FILL`"),
    ("--arg buf:f32:0:zeros", "at least 1"),
    ("--arg buf:f32:-1:zeros", "at least 1"),
    ("--arg buf:f32:4:ones", "cannot be filled with `ones`: choose `zeros`"),
    ("--arg buf:f32:4:list=1,2", "2 values for 4 elements"),
    ("--arg buf:f32:4:list=", "`` is not a number that f32 can hold"),
    ("--arg buf:i8:4:list=1,2,3,nan", "`nan` is not a number that i8 can hold"),
    ("--arg buf:f32:4:fill=x", "`x` is not a number"),
    ("--arg buf:f32:4:rand=x", "`rand=x` has no seed"),
    ("--arg buf:f32:4:file=", "`file=` needs the name of a file"),
    (
        "--arg f32:2 --arg buf:f32:4:file=missing.bin B --arg i32:1",
        "argument 1 of `saxpy`: cannot read `missing.bin`: there is no such file",
    ),
    ("--arg f32:2 --arg buf:f32:4:file=kernels B --arg i32:1", "cannot read `kernels`: it is a directory"),
    (
        "--arg f32:2 --arg buf:f32:4:file=Cargo.toml B --arg i32:1",
        "`Cargo.toml` has more bytes and the buffer 16 (4 elements of f32)",
    ),
    (
        "--arg f32:2 --arg buf:f32:9999:file=Cargo.toml B --arg i32:1",
        "bytes and the buffer 39996 (9999 elements of f32)",
    ),
    ("--arg buf:i8:200:iota", "`iota` counts to 199, which i8 cannot hold"),
    ("--arg f32:2 --arg buf:f32:99999999999:zeros B --arg i32:1", "`arg1` does not fit into memory"),
    ("--arg f32:2 --arg buf:f32:99999999999999999999999:iota B --arg i32:1", "give it fewer elements"),
    ("--block 0", "a block has 1 to 1024 threads"),
    ("--block 2048", "a block has 1 to 1024 threads"),
    ("--block 1,1,65", "at most 64 in z"),
    ("--block 2147483648,2147483648,4", "a block has 1 to 1024 threads"),
    ("--grid 0", "a grid is one to three whole numbers, each at least 1"),
    ("--grid 1,1,1,1", "a grid is one to three whole numbers, each at least 1"),
    ("--grid -1", "a grid is one to three whole numbers, each at least 1"),
    ("--grid 1,70000 ALL", "a grid may be at most (2147483647,65535,65535)"),
    ("--cluster 9", "a cluster has 1 to 8 blocks"),
    ("--cluster 0", "a cluster has 1 to 8 blocks"),
    ("--shared-bytes 300000 ALL", "at most 232448 bytes of shared memory; this one needs 300000"),
    ("--shared-bytes -1", "--shared-bytes"),
    ("--shared-bytes 99999999999", "--shared-bytes"),
    ("--print 1x", "shown as in `1`, `1:8` or `1:16..32`"),
    ("--print 1:4..4 ALL", "this range is empty"),
    ("--print 1:3..2 ALL", "this range is empty"),
    ("--print 1:2..65 ALL", "`--print 1:2..65`: argument 1 has only 4 elements"),
    ("--print 1:99999999999999999999 ALL", "argument 1 has only 4 elements"),
    ("--print -1 ALL", "an argument is counted from 0"),
    ("--print 9 ALL", "there is no such argument"),
    ("--print 0 ALL", "argument 0 is a number, not a buffer"),
    ("--print 1:65 ALL", "argument 1 has only 4 elements"),
    ("--schedule fair", "choose `round-robin`, `random` or `hunt`"),
    ("--reconvergence hope", "choose `auto`, `stack` or `its`"),
    ("--resident-blocks 0", "1 to 1024 blocks"),
    ("--resident-blocks 4000000000", "1 to 1024 blocks"),
    ("--max-steps 0", "a whole number, at least 1"),
    ("--max-steps -5", "a whole number, at least 1"),
    ("--max-steps 99999999999999999999", "a whole number, at least 1"),
    ("--seed x", "invalid value `x` for `--seed <SEED>`"),
    ("--seed -1", "invalid value `-1` for `--seed <SEED>`"),
    ("--seeds 5", "seeds are written `A..B`"),
    ("--seeds 5..5", "this range is empty"),
    ("--seeds 5..2", "this range is empty"),
    ("--seeds -5..2", "seeds are written `A..B`"),
    ("--seeds 0..99999999999999999999", "seeds are written `A..B`"),
    ("--seeds 0..2 --seed 1 ALL", "give only one of them"),
    ("--seeds 0..2 --trace x.jsonl ALL", "`--trace` records one run: find the seed with `--seeds`"),
    ("--check rice", "there is no checker `rice`: choose from `races`"),
    ("--check all,race", "`all` cannot be combined with other names"),
    ("--check races,", "there is no checker ``"),
    ("--arch 80 ALL", "is not a `.cu` file, so there is nothing to compile: omit `--arch`"),
    ("--arch ampere", "an architecture from 20 on is written as in `80`, `sm_80` or `compute_80`"),
    ("--device tpu", "invalid value `tpu` for `--device <MACHINE>`"),
    ("--trace nowhere/x.jsonl ALL", "cannot write the trace `nowhere/x.jsonl`: there is no such folder"),
    ("--trace kernels ALL", "cannot write the trace `kernels`: it is a directory"),
    (
        "--trace kernels/ptx/saxpy.sm_70.ptx ALL",
        "`--trace` names the file `kernels/ptx/saxpy.sm_70.ptx`, which is an input",
    ),
    ("--trace-steps 5 ALL", "required arguments were not provided: --trace <FILE>"),
    ("--trace x.jsonl --trace-steps 0 ALL", "a number of steps is a whole number, at least 1"),
    ("--device gpu --check none --seeds 0..2 ALL", "`--seeds` is for the emulator"),
    ("--cores 0", "the emulator uses 1 to 1024 cores"),
    ("--cores -1", "the emulator uses 1 to 1024 cores"),
    ("--cores 1.5", "the emulator uses 1 to 1024 cores"),
    ("--device gpu --check none --cores 2 ALL", "`--cores` is for the emulator"),
    ("--device gpu --check none --trace x ALL", "`--trace` is for the emulator"),
    ("--device gpu --check none --strict ALL", "`--strict` is for the emulator"),
    ("--device gpu --check none --max-steps 9 ALL", "`--max-steps` is for the emulator"),
    ("--json --kernel daxpy", "has no kernel `daxpy`: it has `saxpy`"),
    ("--json --arg 5", "a number is written `TYPE:VALUE`"),
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
fn a_byte_order_mark_is_ignored() {
    let text = fs::read(root().join(SAXPY)).unwrap();
    let path = file("marked.ptx", &[b"\xef\xbb\xbf", text.as_slice()].concat());
    let line = ["run", path.to_str().unwrap()].into_iter().chain(GOOD.split_whitespace());
    let output = lanes(&line.collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_file_that_is_cut_short_is_refused_or_runs() {
    let text = fs::read(root().join(SAXPY)).unwrap();
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
