//! How many loads a thread can have in flight, by its code: those in one straight piece that do not need each other.
//!
//! A warp does not wait for a load; it waits for an instruction that reads what a load brings. The order of the PTX
//! does not decide when that is, because the assembler moves loads forward where nothing forbids it. A branch or a
//! store does forbid it, and so does an address that is computed from what another load brings. So the loads that
//! can be under way together are counted in a trace, by which of them need the result of another. It leaves out that
//! a multiprocessor has room for only so many; what the assembler makes of it is in the record of machine code.

use std::collections::BTreeSet;

use anyhow::Result;
use lanes::{Device, Launch, Row, Traced};

/// The most that a thread can wait for at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InFlight {
    pub loads: usize,
    pub bytes: usize,
}

impl InFlight {
    /// In the first warp of a launch.
    pub fn of(device: &mut Device, launch: &Launch) -> Result<InFlight> {
        let trace = device.trace(launch)?;
        let first = trace.first().map(|step| (step.block, step.warp));
        let steps = trace.iter().filter(|step| Some((step.block, step.warp)) == first);
        Ok(most(steps))
    }

    /// Adds what a thread has in flight, and all threads of so many warps together.
    pub fn facts(self, row: Row, warps: u32) -> Row {
        let row = row.fact("loads_in_flight", self.loads as f64);
        row.fact("kib_in_flight", (self.bytes * 32 * warps as usize) as f64 / 1024.0)
    }
}

/// What no load is moved across.
const ENDS: [&str; 5] = ["bra", "st.", "bar.", "atom.", "red."];

fn most<'a>(steps: impl Iterator<Item = &'a Traced>) -> InFlight {
    let (mut now, mut most) = (InFlight::default(), InFlight::default());
    // What the loads under way bring, and what is computed from it.
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
            // Its address waits for those before it, which have arrived then.
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

/// How many registers it writes: those of a wide load, or one.
fn width(ptx: &str) -> usize {
    if ptx.starts_with("ld.global.v4") { 4 } else { 1 }
}

/// The instruction without the condition before it.
fn unguarded(ptx: &str) -> &str {
    let rest = ptx.strip_prefix('@').and_then(|ptx| ptx.split_once(char::is_whitespace));
    rest.map_or(ptx, |(_, ptx)| ptx.trim_start())
}

/// The registers of an instruction in the order in which it names them, those that it writes first.
fn registers(ptx: &str) -> Vec<&str> {
    let is_apart = |c: char| !(c.is_alphanumeric() || c == '%' || c == '_' || c == '.');
    ptx.split(is_apart).filter(|word| word.starts_with('%')).collect()
}

#[cfg(test)]
mod tests {
    use lanes::Dim3;

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
    fn loads_that_do_not_need_each_other_are_under_way_together() {
        assert_eq!(most_of(&[LOAD[0], LOAD[1], ADD[0], ADD[1]]), (2, 8));
        assert_eq!(most_of(&[LOAD[0], ADD[0], LOAD[1], ADD[1]]), (2, 8));
        assert_eq!(
            most_of(&["ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "st.global.f32 [%rd2], %f4;"]),
            (1, 16)
        );
    }

    #[test]
    fn a_branch_a_store_and_an_address_keep_them_apart() {
        assert_eq!(most_of(&[LOAD[0], ADD[0], "@%p1 bra $L;", LOAD[1], ADD[1]]), (1, 4));
        assert_eq!(most_of(&[LOAD[0], "st.global.f32 [%rd9], %f9;", LOAD[1]]), (1, 4));
        assert_eq!(most_of(&[LOAD[0], "cvt.u64.f32 %rd2, %f1;", LOAD[1]]), (1, 4));
    }
}
