//! Functions that CUDA's own runtime provides to kernels: `printf` and `assert`.

use crate::exec::call::Parameter;
use crate::exec::cursor::Cursor;
use crate::exec::faults::Problem;
use crate::exec::state::Stop;
use crate::isa::op::call::CallSite;
use crate::isa::printf;
use crate::machine::divergence::{Frame, Group};
use crate::machine::global::Window;
use crate::machine::registers::lanes_of;

/// The longest string that is read from a kernel's memory.
const MAX_STRING_BYTES: usize = 4096;

impl Cursor<'_, '_> {
    /// `vprintf(format, arguments)`: prints for each lane, lowest first, and returns the number of arguments;
    /// -1 where the format or an argument cannot be read.
    pub fn print(&mut self, g: usize, site: &CallSite) -> Result<(), Stop> {
        // What blocks print is told in the order in which they take their turns.
        if self.run.setup.is_one_of_many {
            return Err(Stop::NeedsOneCore);
        }
        let Group { mask, frame, .. } = *self.group(g);
        for lane in lanes_of(mask) {
            let format = self.argument(lane, &frame, site, 0);
            let buffer = self.argument(lane, &frame, site, 1);
            let format = self.string(lane, format, MAX_STRING_BYTES);
            let mut memory = LaneMemory { at: self, lane, buffer };
            let printed = printf::format(&format, &mut memory).ok();
            let count = printed.as_ref().map_or(-1, |printed| printed.arguments as i32);
            if let Some(printed) = &printed {
                self.run.printed.push(&printed.text, printed.arguments as usize);
            }
            if let Some(passed) = site.results.first() {
                self.give(lane, u64::from(count as u32), Parameter { passed, frame: &frame });
            }
        }
        self.group_mut(g).pc += 1;
        Ok(())
    }

    /// `__assertfail(message, file, line, function, size)`: stops the launch.
    pub fn assert_fail(&mut self, g: usize, site: &CallSite) -> Result<(), Stop> {
        let Group { pc, mask, frame, .. } = *self.group(g);
        let lane = mask.trailing_zeros() as usize;
        let message = self.argument(lane, &frame, site, 0);
        let message = self.string(lane, message, MAX_STRING_BYTES);
        Err(self.fault(pc, mask, Problem::assertion(&String::from_utf8_lossy(&message))))
    }

    /// The 64-bit argument number `index` of a call, from a caller's frame.
    pub fn argument(&mut self, lane: usize, frame: &Frame, site: &CallSite, index: usize) -> u64 {
        site.args.get(index).map_or(0, |passed| self.take(lane, Parameter { passed, frame }))
    }

    /// Bytes at a generic address; `None` where there are none.
    fn bytes(&self, lane: usize, address: u64, count: usize) -> Option<Vec<u8>> {
        let range = |base: u64| {
            let start = usize::try_from(address - base).ok()?;
            Some(start..start.saturating_add(count))
        };
        let bytes = match Window::of(address) {
            None => {
                let (region, offset) = self.run.global.locate(address, count as u64).ok()?;
                self.run.global.peek(region, offset, count)
            }
            Some(Window::Local) => self.warp().local.of_lane(lane).get(range(Window::Local.base())?),
            Some(Window::Shared) => self.block.shared.get(range(Window::Shared.base())?),
            Some(Window::Param) => self.run.setup.params.get(range(Window::Param.base())?),
        };
        bytes.map(<[u8]>::to_vec)
    }

    /// The string at a generic address, up to its terminating zero or `limit` bytes.
    fn string(&self, lane: usize, address: u64, limit: usize) -> Vec<u8> {
        let byte = |offset: usize| self.bytes(lane, address.wrapping_add(offset as u64), 1)?.first().copied();
        (0..limit).map_while(byte).take_while(|&byte| byte != 0).collect()
    }
}

/// The memory that a lane's `printf` reads.
struct LaneMemory<'l, 'c, 'a> {
    at: &'l Cursor<'c, 'a>,
    lane: usize,
    /// The generic address of the argument buffer.
    buffer: u64,
}

impl printf::Memory for LaneMemory<'_, '_, '_> {
    fn argument(&mut self, offset: u64, bytes: u32) -> Option<u64> {
        let bytes = self.at.bytes(self.lane, self.buffer.wrapping_add(offset), bytes as usize)?;
        Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn string(&mut self, address: u64, limit: usize) -> Option<Vec<u8>> {
        self.at.bytes(self.lane, address, 1)?;
        Some(self.at.string(self.lane, address, limit))
    }
}
