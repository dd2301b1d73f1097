//! Work of different streams that uses the same bytes, with nothing that orders it.
//!
//! Everything is carried out in the order of the calls. What a kernel of a stream changes is known by comparing its allocations
//! before and after it; what a copy reads and writes is known anyway. During a launch, the bytes that earlier work of other streams
//! has changed count as unwritten, so the emulator's checker of reads says which of them the kernel reads.
//!
//! *What it reports.* A copy that uses bytes which earlier work of another stream changes, or that writes what an earlier copy
//! reads; and a kernel that reads or changes bytes which earlier work of another stream changes, or changes what an earlier copy
//! reads; if no event and no wait of the host is between them. *What it can miss.* What an earlier kernel only reads; bytes that
//! keep their value; what kernels change after a gibibyte has been compared; and what one changes after a million rows of bytes. *No false alarm.* The bytes are compared, not the
//! allocations, so streams may share one; and what two kernels with atomics both
//! change is left out, since it isn't known which of their bytes the atomics change. Kernels that signal to each other in memory while both run are taken for a mistake: that
//! they do run at the same time is promised nowhere.

use std::ops::Range;

use crate::device::{Device, LoadedKernel};
use crate::order::{LEGACY, Other, Work};

/// So many bytes are compared before and after launches.
const MAX_BYTES: u64 = 1 << 30;

/// So many rows of changed bytes are noted of a launch, each as if so many bytes had been compared.
const MOST_RANGES: usize = 1 << 20;
const BYTES_OF_A_RANGE: u64 = 64;

/// What to do about work of two streams.
pub(crate) fn help(streams: [u64; 2]) -> String {
    let help = "put both into one stream, or wait in between: `cudaStreamSynchronize`, or an event";
    let is_free = "a stream of `cudaStreamNonBlocking` and the default stream do not wait for each other: ";
    if streams.contains(&LEGACY) { format!("{is_free}{help}") } else { help.to_owned() }
}

/// Allocations as they were before a launch: the address, the bytes, and which of them were written.
#[derive(Debug)]
pub(crate) struct Before(Vec<(u64, Vec<u8>, Vec<bool>)>);

/// Bytes that count as unwritten during a launch.
#[derive(Debug)]
pub(crate) struct Hidden(Vec<HiddenBytes>);

/// Bytes that some work has changed.
#[derive(Debug)]
struct HiddenBytes {
    bytes: Range<u64>,
    /// Which of them were written.
    were_written: Vec<bool>,
    /// Whose they are.
    other: Other,
}

impl Hidden {
    /// The work that changes the byte at an address.
    pub fn other(&self, address: u64) -> Option<Other> {
        self.0.iter().find(|hidden| hidden.bytes.contains(&address)).map(|hidden| hidden.other)
    }
}

impl Device {
    /// Hides what earlier work of other streams has changed, if nothing orders it before what a stream does next.
    pub(crate) fn hide(&mut self, stream: u64) -> Hidden {
        if self.order.has_one_stream() {
            return Hidden(Vec::new());
        }
        let unordered = self.order.work.iter().filter(|work| work.is_unordered(stream));
        let changed =
            unordered.flat_map(|work| work.changed.iter().map(|bytes| (bytes.clone(), work.other())));
        let mut hidden = Vec::new();
        for (bytes, other) in changed.collect::<Vec<_>>() {
            let length = bytes.end - bytes.start;
            if self.compared + length > MAX_BYTES {
                break;
            }
            self.compared += length;
            let Some((found, were_written)) = self.read(bytes.start, length) else { continue };
            if self.copy_in(bytes.start, &found, |_| false).is_ok() {
                hidden.push(HiddenBytes { bytes, were_written, other });
            }
        }
        Hidden(hidden)
    }

    /// Takes back what [`Device::hide`] did. What the kernel has written stays written.
    pub(crate) fn show(&mut self, hidden: &Hidden) {
        for HiddenBytes { bytes, were_written, .. } in &hidden.0 {
            if let Some((found, are_written)) = self.read(bytes.start, were_written.len() as u64) {
                // The allocation is there, because it was when the bytes were hidden.
                let _ = self.copy_in(bytes.start, &found, |at| were_written[at] || are_written[at]);
            }
        }
    }

    /// The allocations that a kernel may use, by their addresses: those that its arguments point into, and its variables.
    pub(crate) fn used_by(&self, kernel: &LoadedKernel, addresses: &[u64]) -> Vec<u64> {
        let blocks =
            addresses.iter().filter_map(|address| self.block(*address).map(|block| (address, block)));
        let inside =
            blocks.filter(|(address, block)| *address - block.buffer.address() <= block.buffer.bytes());
        let mut starts: Vec<u64> =
            inside.filter(|(_, block)| block.is_live).map(|(_, block)| block.buffer.address()).collect();
        starts.extend(self.variables_of(kernel));
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The allocations that the last kernel gets, as far as it has to be known what it changes: where some other stream is not
    /// ordered with its own, or the host can look.
    pub(crate) fn before(&mut self, stream: u64) -> Before {
        let is_ordered = stream == LEGACY && !self.has_free_streams;
        let Some(work) = self.order.work.last() else { return Before(Vec::new()) };
        let blocks = work.blocks.iter().filter_map(|start| self.block(*start));
        let blocks: Vec<_> = blocks.filter(|block| !is_ordered || block.is_of_host()).collect();
        let bytes: u64 = blocks.iter().map(|block| block.buffer.bytes()).sum();
        if self.compared + bytes > MAX_BYTES {
            return Before(Vec::new());
        }
        self.compared += bytes;
        let read = |at: u64, bytes: u64| self.read(at, bytes).map(|(found, written)| (at, found, written));
        Before(blocks.iter().filter_map(|block| read(block.buffer.address(), block.buffer.bytes())).collect())
    }

    /// Notes what the last kernel has changed; unordered work that uses some of it.
    pub(crate) fn after(&mut self, before: &Before, stream: u64, is_atomic: bool) -> Option<Other> {
        let mut changed: Vec<Range<u64>> = Vec::new();
        for (start, old, was_written) in &before.0 {
            let Some((new, is_written)) = self.read(*start, old.len() as u64) else { continue };
            for at in 0..old.len() {
                if old[at] == new[at] && was_written[at] == is_written[at] {
                    continue;
                }
                let address = start + at as u64;
                match changed.last_mut().filter(|last| last.end == address) {
                    Some(last) => last.end += 1,
                    None => changed.push(address..address + 1),
                }
            }
        }
        let uses = |work: &&Work| {
            let by_atomics = is_atomic && work.is_atomic;
            let is_used = |bytes: &Range<u64>| work.reads(bytes) || !by_atomics && work.changes(bytes);
            work.is_unordered(stream) && changed.iter().any(is_used)
        };
        let user = self.order.work.iter().find(uses).map(Work::other);
        // What is noted counts as well, so it is bounded.
        changed.truncate(MOST_RANGES);
        self.compared += changed.len() as u64 * BYTES_OF_A_RANGE;
        if let Some(work) = self.order.work.last_mut() {
            (work.changed, work.is_atomic) = (changed, is_atomic);
        }
        user
    }
}
