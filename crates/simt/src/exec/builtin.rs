//! Functions that CUDA's own runtime provides to kernels: `printf` and `assert`.

use crate::exec::control::{give, take};
use crate::exec::faults::{Problem, at_lanes};
use crate::exec::state::{Run, Stop};
use crate::isa::op::call::CallSite;
use crate::isa::printf;
use crate::machine::block::Block;
use crate::machine::divergence::Frame;
use crate::machine::global::Window;
use crate::machine::registers::lanes_of;

/// Bytes that a launch may print; what goes beyond is dropped, as on a GPU whose buffer is full.
pub const MAX_OUTPUT_BYTES: usize = 1 << 20;

/// The longest string that is read from a kernel's memory.
const MAX_STRING_BYTES: usize = 4096;

impl Run<'_> {
    /// `vprintf(format, arguments)`: prints for each lane, lowest first, and returns the number of arguments;
    /// -1 where the format or an argument cannot be read.
    pub fn print(&mut self, block: &mut Block, w: usize, g: usize, site: &CallSite) -> Result<(), Stop> {
        // What blocks print is told in the order in which they take their turns.
        if self.setup.is_one_of_many {
            return Err(Stop::NeedsOneCore);
        }
        let (mask, frame) =
            (block.warps[w].divergence.groups[g].mask, block.warps[w].divergence.groups[g].frame);
        for lane in lanes_of(mask) {
            let format = passed(block, (w, lane), &frame, site, 0);
            let buffer = passed(block, (w, lane), &frame, site, 1);
            let format = self.string(block, w, lane, format, MAX_STRING_BYTES);
            let mut memory = LaneMemory { run: self, block, w, lane, buffer };
            let printed = printf::format(&format, &mut memory).ok();
            let count = printed.as_ref().map_or(-1, |printed| printed.arguments as i32);
            self.append(printed.as_ref().map_or(&[], |printed| &printed.text));
            if let Some(result) = site.results.first() {
                give(block, (w, lane), u64::from(count as u32), (result, &frame));
            }
        }
        block.warps[w].divergence.groups[g].pc += 1;
        Ok(())
    }

    fn append(&mut self, text: &[u8]) {
        if self.output.len() + text.len() <= MAX_OUTPUT_BYTES {
            self.output += &String::from_utf8_lossy(text);
        }
    }

    /// `__assertfail(message, file, line, function, size)`: stops the launch.
    pub fn assert_fail(
        &mut self,
        block: &mut Block,
        w: usize,
        g: usize,
        site: &CallSite,
    ) -> Result<(), Stop> {
        let group = &block.warps[w].divergence.groups[g];
        let (pc, mask, frame) = (group.pc, group.mask, group.frame);
        let lane = mask.trailing_zeros() as usize;
        let message = passed(block, (w, lane), &frame, site, 0);
        let message =
            String::from_utf8_lossy(&self.string(block, w, lane, message, MAX_STRING_BYTES)).into_owned();
        Err(at_lanes(self, block, w, pc, mask, Problem::assertion(&message)))
    }

    /// Bytes at a generic address; `None` where there are none.
    fn bytes(&self, block: &mut Block, w: usize, lane: usize, address: u64, count: usize) -> Option<Vec<u8>> {
        let range = |base: u64| {
            let start = usize::try_from(address - base).ok()?;
            Some(start..start.saturating_add(count))
        };
        Some(match Window::of(address) {
            None => {
                let (region, offset) = self.global.locate(address, count as u64).ok()?;
                self.global.peek(region, offset, count)?.to_vec()
            }
            Some(Window::Local) => {
                block.warps[w].local.lane(lane).get(range(Window::Local.base())?)?.to_vec()
            }
            Some(Window::Shared) => block.shared.get(range(Window::Shared.base())?)?.to_vec(),
            Some(Window::Param) => self.setup.params.get(range(Window::Param.base())?)?.to_vec(),
        })
    }

    /// The string at a generic address, up to its terminating zero or `limit` bytes.
    fn string(&self, block: &mut Block, w: usize, lane: usize, address: u64, limit: usize) -> Vec<u8> {
        let byte = |offset: usize| {
            let bytes = self.bytes(block, w, lane, address.wrapping_add(offset as u64), 1)?;
            bytes.first().copied()
        };
        (0..limit).map_while(byte).take_while(|&byte| byte != 0).collect()
    }
}

/// The 64-bit argument number `index` of a call, from a caller's frame.
fn passed(block: &mut Block, at: (usize, usize), frame: &Frame, site: &CallSite, index: usize) -> u64 {
    site.args.get(index).map_or(0, |from| take(block, at, from, frame))
}

/// The memory that a lane's `printf` reads.
struct LaneMemory<'l, 'a> {
    run: &'l Run<'a>,
    block: &'l mut Block,
    w: usize,
    lane: usize,
    /// The generic address of the argument buffer.
    buffer: u64,
}

impl printf::Memory for LaneMemory<'_, '_> {
    fn argument(&mut self, offset: u64, bytes: u32) -> Option<u64> {
        let address = self.buffer.wrapping_add(offset);
        let bytes = self.run.bytes(self.block, self.w, self.lane, address, bytes as usize)?;
        Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn string(&mut self, address: u64, limit: usize) -> Option<Vec<u8>> {
        self.run.bytes(self.block, self.w, self.lane, address, 1)?;
        Some(self.run.string(self.block, self.w, self.lane, address, limit))
    }
}
