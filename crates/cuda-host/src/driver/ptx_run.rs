//! `ptx_run`: a launch of a text of PTX on memory of the process, without contexts, modules and allocations.
//!
//! gpuocelot has this function, and the mocks of CUDA in tinygrad's tests call it: a text, the arguments as numbers, a block, a grid,
//! bytes of shared memory. A number that is an address of the process stands for memory whose size nobody says. So the kernel gets a
//! copy of what is there, beginning with a little; if it leaves that, and the process has more, it is launched again with more.
//! When it has ended, the bytes that it changed are written back, and no others, because the process may use them meanwhile.
//!
//! What this cannot see: an access out of bounds that ends in other memory of the process, memory that nobody has written, and
//! addresses that are in memory instead of in an argument.

use std::ops::Range;
use std::rc::Rc;

use simt::{Arg, Dim3, Fault, FaultKind, LaunchError, Report, Severity};

use super::state::{Driver, Values};
use crate::device::{LoadedKernel, Owner};
use crate::finding::{Finding, Kind};
use crate::machine::{Result, Stop};
use crate::process::Process;
use crate::work::Wanted;

/// So many texts stay loaded.
const MOST_TEXTS: usize = 64;

/// What a kernel gets of memory at first; each time it wants more, it gets four times as much.
const FIRST_BYTES: u64 = 1 << 14;

/// Copies begin at a multiple of this, so that what is aligned stays aligned.
const ALIGNED: u64 = 256;

/// The smallest page of any processor.
const PAGE_BYTES: u64 = 4096;

/// Addresses below are numbers.
const LEAST_ADDRESS: u64 = 1 << 16;

/// How far before what an argument points to a kernel may read.
const MOST_BEFORE: u64 = 1 << 30;

/// Bytes between two changed ones are written too if they are fewer: the kernel has the element on both sides of them.
const SAME_RUN: usize = 8;

/// Memory of the process, and its copy on the device.
#[derive(Debug)]
struct Copied {
    process: u64,
    device: u64,
    bytes: Vec<u8>,
}

impl Copied {
    fn range(&self) -> Range<u64> {
        self.process..self.process + self.bytes.len() as u64
    }
}

impl Driver<'_> {
    /// The text, how many arguments, where they are, the block, the grid, the bytes of shared memory.
    pub(super) fn run_text(&mut self, values: Values<'_>) -> Result<u64> {
        let text = self.take_name(values.at(0))?;
        let module = match self.module_of(text) {
            Ok(module) => module,
            Err(message) => return self.not_run(message),
        };
        let name = self.machine.device.kernels_of(module).into_iter().min();
        let Some((name, function)) =
            name.and_then(|name| self.function_named(module, &name).map(|function| (name, function)))
        else {
            return self.not_run("the text has no kernel".into());
        };
        let parameters = self.machine.device.kernel_of(module, &name).map(|info| info.params.clone());
        let sizes: Vec<u64> = parameters.unwrap_or_default().iter().map(|found| found.bytes).collect();
        let count = values.at(1) & 0xffff_ffff;
        if count != sizes.len() as u64 {
            let message = format!("`{name}` has {} parameters, and gets {count} arguments", sizes.len());
            let finding = Finding::new(Kind::FailedCall, self.machine.line, message, "correct the call");
            self.machine.report(finding);
            return Ok(0);
        }
        let numbers = self.take_words(values.at(2), count)?;
        let part = |nth: usize| values.at(nth) as u32;
        let wanted = Wanted {
            grid: Dim3::new(part(6), part(7), part(8)),
            block: Dim3::new(part(3), part(4), part(5)),
            cluster: None,
            shared_bytes: u64::from(part(9)),
            stream: 0,
            args: Vec::new(),
            addresses: Vec::new(),
            is_cooperative: false,
        };
        let kernel = super::held::Handle::Function.number(function).unwrap_or_default();
        let kernel = Rc::clone(&self.machine.kernels[kernel]);
        self.run_kernel(&kernel, &wanted, &numbers, &sizes)
    }

    /// The text cannot be run. The function returns nothing, so it is an error in the report.
    #[expect(clippy::unnecessary_wraps, reason = "it is what a call ends with")]
    fn not_run(&mut self, message: String) -> Result<u64> {
        self.tell_refused(message);
        Ok(0)
    }

    /// The number of the module of a text.
    fn module_of(&mut self, text: String) -> std::result::Result<usize, String> {
        if let Some((_, module)) = self.texts.loaded.iter().find(|(known, _)| *known == text) {
            return Ok(*module);
        }
        let loaded = self.machine.device.load("the text", &text, &[]);
        let module = loaded.map_err(|error| format!("PTX of the text: {error}"))?;
        self.texts.loaded.push_back((text, module));
        if self.texts.loaded.len() > MOST_TEXTS
            && let Some((_, old)) = self.texts.loaded.pop_front()
        {
            self.functions.forget(old);
            self.machine.device.unload(old);
        }
        Ok(module)
    }

    /// Launches a kernel until its copies have all that it uses, and writes back what it changed.
    fn run_kernel(
        &mut self,
        kernel: &LoadedKernel,
        wanted: &Wanted,
        numbers: &[u64],
        sizes: &[u64],
    ) -> Result<u64> {
        let Some(process) = self.machine.native.as_ref().map(|native| native.process) else { return Ok(0) };
        let mut ranges = Vec::new();
        for (number, _) in numbers.iter().zip(sizes).filter(|(_, bytes)| **bytes == 8) {
            if *number >= LEAST_ADDRESS && process.read(*number, &mut [0])? {
                let start = number / ALIGNED * ALIGNED;
                ranges.push(start..start.saturating_add(FIRST_BYTES));
            }
        }
        self.machine.device.launches += 1;
        loop {
            let Some(copies) = self.copies(process, &ranges)? else {
                return self.not_run(
                    "the memory of the kernel is larger than the device's: give it more with `--memory`"
                        .into(),
                );
            };
            let arguments =
                numbers.iter().zip(sizes).map(|(number, bytes)| argument(*number, *bytes, &copies));
            let args = arguments.collect();
            let launch = self.machine.how(kernel, &Wanted { args, ..wanted.clone() });
            self.machine.sign()?;
            let launched = self.machine.device.launch(kernel, launch);
            let more = launched.as_ref().ok().and_then(|report| missed(report, &copies));
            if let Some(Missed { wanted, at }) = more
                && is_there(process, &wanted, at)
            {
                self.give_back(&copies);
                ranges = copies.iter().map(Copied::range).chain([wanted]).collect();
                continue;
            }
            let ended = self.end(process, kernel, launched, &copies);
            self.give_back(&copies);
            return ended;
        }
    }

    /// What has become of a launch with all that it uses.
    fn end(
        &mut self,
        process: &dyn Process,
        kernel: &LoadedKernel,
        launched: std::result::Result<Report, LaunchError>,
        copies: &[Copied],
    ) -> Result<u64> {
        let name = &kernel.kernel.name;
        let report = match launched {
            Ok(report) => report,
            Err(LaunchError::Unsupported { error, .. }) => {
                let Stop::Error(message) = *self.machine.unsupported(name, &error) else { return Ok(0) };
                return self.not_run(message);
            }
            Err(error) => {
                let message = format!("the launch of `{name}` failed: {error}");
                let help = "correct the shape of the launch";
                self.machine.report(Finding::new(Kind::FailedCall, self.machine.line, message, help));
                return Ok(0);
            }
        };
        self.machine.put(1, report.output.as_bytes())?;
        for copied in copies {
            let after = self.machine.device.bytes(copied.device, copied.bytes.len() as u64);
            let after = after.unwrap_or_default().to_vec();
            for run in changed(&copied.bytes, &after) {
                let at = copied.process + run.start as u64;
                self.machine.native_write(process, at, &after[run])?;
            }
        }
        if report.was_stopped {
            return Err(Box::new(Stop::Interrupted));
        }
        match self.machine.judge(&report.faults, name) {
            Err(stop) if matches!(*stop, Stop::Reported) => Ok(0),
            judged => judged,
        }
    }

    /// Copies of ranges of the process's memory, as far as it is there; nothing if the device has no room for them.
    fn copies(&mut self, process: &dyn Process, ranges: &[Range<u64>]) -> Result<Option<Vec<Copied>>> {
        let mut copies: Vec<Copied> = Vec::new();
        let [_, most] = self.machine.most_bytes();
        for range in merged(ranges) {
            let left = most.saturating_sub(self.machine.device.live_bytes());
            let bytes = readable(process, &range, left)?;
            let size = bytes.as_ref().map_or(0, Vec::len) as u64;
            let name = format!("memory {} of the process", copies.len() + 1);
            let line = self.machine.line;
            let device = bytes.and_then(|bytes| {
                let made = self.machine.device.allocate(&name, size, Owner::Device, line)?;
                self.machine.device.write(made, &bytes).ok().map(|()| (made, bytes))
            });
            let Some((device, bytes)) = device else {
                self.give_back(&copies);
                return Ok(None);
            };
            copies.push(Copied { process: range.start, device, bytes });
        }
        Ok(Some(copies))
    }

    fn give_back(&mut self, copies: &[Copied]) {
        for copied in copies {
            if let Some(block) = self.machine.device.block(copied.device) {
                self.machine.device.free(block);
            }
        }
    }
}

/// An argument as the kernel gets it: an address of the process becomes that of its copy.
fn argument(number: u64, bytes: u64, copies: &[Copied]) -> Arg {
    let copied = copies.iter().find(|copied| bytes == 8 && copied.range().contains(&number));
    let number = copied.map_or(number, |copied| copied.device + (number - copied.process));
    let mut value = number.to_le_bytes().to_vec();
    value.resize(bytes as usize, 0);
    Arg::bytes(&value)
}

/// What a kernel wants of the process's memory that its copies do not have: the bytes next to a copy, and the address.
#[derive(Debug)]
struct Missed {
    wanted: Range<u64>,
    at: u64,
}

fn missed(report: &Report, copies: &[Copied]) -> Option<Missed> {
    let is_it = |fault: &&Fault| fault.kind == FaultKind::OutOfBounds && fault.severity == Severity::Error;
    let location = report.faults.iter().find(is_it)?.location.as_ref()?;
    let offset = location.offset()?;
    let start = location.address.wrapping_add_signed(offset.wrapping_neg());
    let copied = copies.iter().find(|copied| copied.device == start)?;
    let at = copied.process.checked_add_signed(offset)?;
    let wanted = if offset < 0 {
        at / PAGE_BYTES * PAGE_BYTES..copied.process
    } else {
        copied.range().end..at.checked_add(location.bytes)?.saturating_add(3 * copied.bytes.len() as u64)
    };
    Some(Missed { wanted, at })
}

/// Whether the process has memory from a copy on to the address that a kernel wants. What is far before it is not looked for.
fn is_there(process: &dyn Process, wanted: &Range<u64>, at: u64) -> bool {
    let has = |at: u64| process.read(at, &mut [0]) == Ok(true);
    let is_before = at < wanted.end && at / PAGE_BYTES * PAGE_BYTES == wanted.start;
    let pages = || wanted.clone().step_by(PAGE_BYTES as usize);
    if is_before && wanted.end - wanted.start < MOST_BEFORE {
        return at >= LEAST_ADDRESS && pages().all(has);
    }
    !is_before && has(wanted.start) && has(at)
}

/// Ranges that touch each other become one.
fn merged(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut sorted = ranges.to_vec();
    sorted.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// The bytes of a range up to the first that the process does not have; nothing if they are more than `most`.
fn readable(process: &dyn Process, range: &Range<u64>, most: u64) -> Result<Option<Vec<u8>>> {
    let size = range.end - range.start;
    if size <= most {
        let mut found = vec![0; size as usize];
        if process.read(range.start, &mut found)? {
            return Ok(Some(found));
        }
    }
    let mut found = Vec::new();
    while (found.len() as u64) < size {
        let at = range.start + found.len() as u64;
        let mut part = vec![0; (PAGE_BYTES - at % PAGE_BYTES).min(size - found.len() as u64) as usize];
        if !process.read(at, &mut part)? {
            break;
        }
        if found.len() as u64 + part.len() as u64 > most {
            return Ok(None);
        }
        found.extend(part);
    }
    Ok(Some(found))
}

/// The runs of bytes that are not the same.
fn changed(before: &[u8], after: &[u8]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let pairs = before.iter().zip(after).enumerate();
    for (at, _) in pairs.filter(|(_, (before, after))| before != after) {
        match runs.last_mut() {
            Some(last) if at - last.end < SAME_RUN => last.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(merged(&[30..40, 0..10, 10..20, 12..15]), [0..20, 30..40]);
        assert_eq!(merged(&[]), []);
    }

    #[test]
    fn only_what_changed_is_written() {
        let mut after = vec![0; 40];
        for at in [0, 3, 20, 39] {
            after[at] = 1;
        }
        assert_eq!(changed(&[0; 40], &after), [0..4, 20..21, 39..40]);
        assert_eq!(changed(&[0; 40], &[0; 40]), []);
    }

    #[test]
    fn an_address_becomes_that_of_its_copy_and_a_number_stays() {
        let copies = [Copied { process: 0x7000_0000, device: 1 << 48, bytes: vec![0; 256] }];
        let of = |number: u64, bytes: u64| argument(number, bytes, &copies);
        assert_eq!(of(0x7000_0010, 8), Arg::bytes(&((1_u64 << 48) + 16).to_le_bytes()));
        assert_eq!(of(0x7000_0100, 8), Arg::bytes(&0x7000_0100_u64.to_le_bytes()));
        assert_eq!(of(0x7000_0010, 4), Arg::bytes(&[0x10, 0, 0, 0x70]));
    }
}
