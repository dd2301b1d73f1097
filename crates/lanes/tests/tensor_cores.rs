//! Products of `wgmma` and of `nvcuda::wmma`, compared bit for bit with an H200: the programs that made the records run on the
//! emulator too.
//!
//! The records, `h200_wgmma.csv` and `h200_wmma.csv` in `tools/benchmarks/gpu/mma`, have for each instruction and each kind of
//! operands a sum over all bits of the results of some products, and how many of them differ from those of another way: of
//! `mma` beside `wgmma`, and of PTX's own `wmma` beside the header. The first shows that the numbers of `mma`, which
//! `crates/simt/tests/mma.rs` compares, hold for `wgmma` of f16, bf16, tf32 and integers, and that other rules hold for numbers of
//! eight bits.

use std::process::Command;

struct Record {
    program: &'static str,
    arch: &'static str,
    text: &'static str,
    rows: usize,
    /// How many columns a row has for so many products, behind their number.
    columns: usize,
}

const WARPGROUPS: Record = Record {
    program: concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/benchmarks/gpu/mma/wgmma.cu"),
    arch: "90a",
    text: include_str!("../../../tools/benchmarks/gpu/mma/h200_wgmma.csv"),
    rows: 96,
    // The emulator has no `mma` for floating-point numbers of eight bits, so the second column is the H200's alone.
    columns: 1,
};

const WARPS: Record = Record {
    program: concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/benchmarks/gpu/mma/wmma.cu"),
    arch: "90",
    text: include_str!("../../../tools/benchmarks/gpu/mma/h200_wmma.csv"),
    rows: 198,
    columns: 2,
};

impl Record {
    /// Types, kind, number of products and what was found, of the rows with so many products first.
    fn of(&self, text: &str, products: &str) -> Vec<Vec<String>> {
        let cells =
            |line: &str| line.split(',').take(3 + self.columns).map(str::to_owned).collect::<Vec<_>>();
        text.lines().map(cells).filter(|row| row.len() == 3 + self.columns && row[2] == products).collect()
    }

    /// Multiplies on the emulator, and compares with the record.
    fn compare(&self, products: &str) {
        let door = ["run", "--host", "interpret", "--compiler", "cudac", "--arch", self.arch];
        let output = Command::new(env!("CARGO_BIN_EXE_lanes"))
            .args(door)
            .args([self.program, "--", products, "0"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (found, expected) = (String::from_utf8(output.stdout).unwrap(), self.of(self.text, products));
        assert_eq!(expected.len(), self.rows);
        assert_eq!(self.of(&found, products), expected);
    }
}

#[test]
fn sums_of_warpgroups_are_those_of_an_h200() {
    WARPGROUPS.compare("64");
}

#[test]
fn sums_of_warps_are_those_of_an_h200() {
    WARPS.compare("16");
}

#[test]
#[ignore = "thorough: it multiplies 94 thousand times"]
fn more_sums_of_warpgroups_are_those_of_an_h200() {
    WARPGROUPS.compare("1024");
}

#[test]
#[ignore = "thorough: it multiplies 200 thousand times"]
fn more_sums_of_warps_are_those_of_an_h200() {
    WARPS.compare("1024");
}

/// Only numbers of eight bits are added in another way by `mma`.
#[test]
fn on_an_h200_sums_of_warpgroups_are_those_of_mma() {
    let lines: Vec<Vec<&str>> =
        WARPGROUPS.text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let counts = |cells: &[&str]| cells[2..].chunks(3).any(|part| part[2] != "0");
    let differ: Vec<&str> = lines.iter().filter(|cells| counts(cells)).map(|cells| cells[0]).collect();
    assert!(differ.iter().all(|types| types.contains(".e4m3") || types.contains(".e5m2")), "{differ:?}");
    assert!(differ.contains(&"f32.e4m3.e4m3"));
}
