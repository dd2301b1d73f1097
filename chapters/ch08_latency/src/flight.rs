//! How many loads a thread can have in flight according to its code: those in one straight-line piece that do not
//! depend on each other.
//!
//! A warp does not wait for a load; it waits for an instruction that reads the result of a load. The order of the PTX
//! does not decide when that is, because the assembler moves loads forward where nothing forbids it. A branch or a
//! store does forbid it, and so does an address that depends on the result of another load. So the loads that can be in
//! flight together are counted in a trace, by their dependences on each other. It leaves out that a multiprocessor can
//! have only a limited number in flight; what the assembler makes of the code is in the record of machine code.

use std::collections::BTreeSet;

use anyhow::Result;
use thirty_two_lanes::{Device, Launch, Row, Traced};

/// The most that a thread can have in flight at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InFlight {
    pub loads: usize,
    pub bytes: usize,
}

impl InFlight {
    /// The most in the first warp of a launch.
    pub fn of(device: &mut Device, launch: &Launch) -> Result<InFlight> {
        let trace = device.trace(launch)?;
        let first = trace.first().map(|step| (step.block, step.warp));
        let steps = trace.iter().filter(|step| Some((step.block, step.warp)) == first);
        Ok(most(steps))
    }

    /// Adds as facts what a thread has in flight, and what all threads of this many warps have in flight together.
    pub fn facts(self, row: Row, warps: u32) -> Row {
        let row = row.fact("loads_in_flight", self.loads as f64);
        row.fact("kib_in_flight", (self.bytes * 32 * warps as usize) as f64 / 1024.0)
    }
}

/// Instructions across which no load is moved.
const ENDS: [&str; 5] = ["bra", "st.", "bar.", "atom.", "red."];

fn most<'a>(steps: impl Iterator<Item = &'a Traced>) -> InFlight {
    let (mut now, mut most) = (InFlight::default(), InFlight::default());
    // The registers with results of loads in flight, and those computed from them.
    let mut brought: BTreeSet<&str> = BTreeSet::new();
    for step in steps {
        let ptx = unguarded(&step.ptx);
        if ENDS.iter().any(|end| ptx.starts_with(end)) {
            now = InFlight::default();
            brought.clear();
            continue;
        }
        let registers = registers(ptx);
        let is_load = ptx.starts_with("ld.global");
        let (written, read) = registers.split_at(width(ptx).min(registers.len()));
        let needs = read.iter().any(|register| brought.contains(register));
        if is_load && needs {
            // The address depends on earlier loads, so these have arrived before this load is issued.
            now = InFlight::default();
            brought.clear();
        }
        if is_load {
            now = InFlight { loads: now.loads + 1, bytes: now.bytes + 4 * written.len() };
            most = InFlight { loads: most.loads.max(now.loads), bytes: most.bytes.max(now.bytes) };
        }
        for register in written {
            if is_load || needs {
                brought.insert(register)
            } else {
                brought.remove(register)
            };
        }
    }
    most
}

/// The number of registers that an instruction writes: those of a wide load, or one.
fn width(ptx: &str) -> usize {
    if ptx.starts_with("ld.global.v4") { 4 } else { 1 }
}

/// The instruction without its guard.
fn unguarded(ptx: &str) -> &str {
    let rest = ptx.strip_prefix('@').and_then(|ptx| ptx.split_once(char::is_whitespace));
    rest.map_or(ptx, |(_, ptx)| ptx.trim_start())
}

/// The registers of an instruction in the order in which it names them, beginning with those that it writes.
fn registers(ptx: &str) -> Vec<&str> {
    let is_apart = |c: char| !(c.is_alphanumeric() || c == '%' || c == '_' || c == '.');
    ptx.split(is_apart).filter(|word| word.starts_with('%')).collect()
}

#[cfg(test)]
mod tests {
    use thirty_two_lanes::Dim3;

    use super::*;

    fn most_of(lines: &[&str]) -> (usize, usize) {
        let step = |ptx: &&str| Traced {
            block: Dim3::new(0, 0, 0),
            warp: 0,
            mask: u32::MAX,
            active: u32::MAX,
            line: None,
            ptx: (*ptx).to_owned(),
        };
        let steps: Vec<Traced> = lines.iter().map(step).collect();
        let InFlight { loads, bytes } = most(steps.iter());
        (loads, bytes)
    }

    const LOAD: [&str; 2] = ["ld.global.f32 %f1, [%rd1];", "ld.global.f32 %f2, [%rd2];"];
    const ADD: [&str; 2] = ["add.f32 %f3, %f3, %f1;", "add.f32 %f3, %f3, %f2;"];

    #[test]
    fn independent_loads_are_in_flight_together() {
        assert_eq!(most_of(&[LOAD[0], LOAD[1], ADD[0], ADD[1]]), (2, 8));
        assert_eq!(most_of(&[LOAD[0], ADD[0], LOAD[1], ADD[1]]), (2, 8));
        assert_eq!(
            most_of(&["ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "st.global.f32 [%rd2], %f4;"]),
            (1, 16)
        );
    }

    #[test]
    fn a_branch_a_store_and_an_address_separate_loads() {
        assert_eq!(most_of(&[LOAD[0], ADD[0], "@%p1 bra $L;", LOAD[1], ADD[1]]), (1, 4));
        assert_eq!(most_of(&[LOAD[0], "st.global.f32 [%rd9], %f9;", LOAD[1]]), (1, 4));
        assert_eq!(most_of(&[LOAD[0], "cvt.u64.f32 %rd2, %f1;", LOAD[1]]), (1, 4));
    }
}
