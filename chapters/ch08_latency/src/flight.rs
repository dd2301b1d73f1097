//! How many loads a thread has in flight, by its code: those that are issued before the first of them is needed.
//!
//! A warp issues its instructions in order. It does not wait for a load, it waits for an instruction that reads
//! what a load brings. So the loads in flight can be counted in a trace. It leaves out that the assembler may move
//! loads, and that a multiprocessor has room for only so many.

use std::collections::BTreeMap;

use anyhow::Result;
use lanes::{Device, Launch, Row, Traced};

/// The most that a thread waits for at any time.
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

fn most<'a>(steps: impl Iterator<Item = &'a Traced>) -> InFlight {
    // What is on its way: the load's first register, and its bytes.
    let mut pending: BTreeMap<usize, (Vec<&str>, usize)> = BTreeMap::new();
    let mut most = InFlight::default();
    for (nth, step) in steps.enumerate() {
        let registers = registers(&step.ptx);
        let written = if step.ptx.contains("ld.global.v4") { 4 } else { 1 };
        pending.retain(|_, (targets, _)| !targets.iter().any(|target| registers.contains(target)));
        if step.ptx.contains("ld.global") {
            pending.insert(nth, (registers[..written].to_vec(), 4 * written));
        }
        let bytes = pending.values().map(|(_, bytes)| bytes).sum();
        most = InFlight { loads: most.loads.max(pending.len()), bytes: most.bytes.max(bytes) };
    }
    most
}

/// The registers of an instruction in the order in which it names them, a load's targets first.
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

    #[test]
    fn a_load_is_in_flight_until_its_value_is_read() {
        let load = ["ld.global.f32 %f1, [%rd1];", "ld.global.f32 %f2, [%rd2];"];
        let add = ["add.f32 %f3, %f3, %f1;", "add.f32 %f3, %f3, %f2;"];
        assert_eq!(most_of(&[load[0], load[1], add[0], add[1]]), (2, 8));
        assert_eq!(most_of(&[load[0], add[0], load[1], add[1]]), (1, 4));
        assert_eq!(
            most_of(&["ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "st.global.f32 [%rd2], %f4;"]),
            (1, 16)
        );
    }
}
