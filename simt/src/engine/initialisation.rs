//! Shows the accesses of a run to the checker of initialisation, and tells what it finds.
//!
//! An instruction is shown before it is carried out, because a load may overwrite the register that held its address.
//! What memory will deny is not shown: the launch ends there.
//!
//! One thing is noted after the run, a constant that nobody set: see [`Run::unset_constants`].

use super::access::{addresses, neighbours};
use super::faults::{self, actor};
use super::generic::memory_of;
use super::program::{Inst, Pc};
use super::run::Run;
use super::unused;
use crate::fault::{Fault, FaultKind, Severity};
use crate::isa::Op;
use crate::isa::memory::Memory;
use crate::machine::block::Block;
use crate::machine::divergence::Frame;
use crate::machine::global::{Buffer, Global, Window};
use crate::machine::registers::{Lanes, WARP_SIZE, Wide, lanes_of};
use crate::machine::written::Written;
use crate::observe::initialisation::{Initialisation, Place, Touch, Unwritten, Watched};

impl Run<'_> {
    /// Tells what a group has found since it was last asked. Kept out of the inner loop, which is slower with it inside.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_unwritten(&mut self, block: &Block, w: usize) {
        for unwritten in std::mem::take(&mut self.initialisation.found) {
            let mut findings = std::mem::take(&mut self.findings);
            let pc = unwritten.pc;
            let make = || self.unwritten(block, w, &unwritten);
            findings.add(self.program, FaultKind::Uninitialized, (pc, pc), |_| false, make);
            self.findings = findings;
        }
    }

    fn unwritten(&self, block: &Block, w: usize, unwritten: &Unwritten) -> Fault {
        let (name, start) = self.owner(unwritten);
        let (first, last) = (unwritten.bytes.start as u64 - start, unwritten.bytes.end as u64 - start - 1);
        let bytes = if first == last { format!("byte {first}") } else { format!("bytes {first} to {last}") };
        let others = match unwritten.lanes.count_ones() - 1 {
            0 => String::new(),
            1 => "; another lane did the same".to_string(),
            count => format!("; {count} other lanes did the same"),
        };
        let doing = format!("read {bytes}, which had not been written{others}");
        let actor = actor(self, block, w, unwritten.lane as u32, unwritten.pc, doing);
        let (were, they) = if first == last { ("was", "it") } else { ("were", "they") };
        let message = format!("{bytes} of {name} {were} read before {they} {were} written");
        faults::fault(FaultKind::Uninitialized, Severity::Error, message, vec![actor])
    }

    /// A note for each variable in constant memory that has no initial value, that the host has not written to, and that
    /// an instruction of the launch named. It is no error, because the variable holds zeros (PTX ISA, 5.4.4). The checker's
    /// header says why variables in global memory get no such note.
    pub(super) fn unset_constants(&self) -> Vec<Fault> {
        if !self.initialisation.reports {
            return Vec::new();
        }
        let unset = self.program.constants.iter().filter(|&&buffer| !self.global.is_set(buffer));
        unset.filter_map(|&buffer| self.unset_constant(buffer)).collect()
    }

    fn unset_constant(&self, buffer: Buffer) -> Option<Fault> {
        let (name, _) = self.program.variables.iter().find(|(_, known)| *known == buffer)?;
        let names = |pc: Pc| {
            let span = self.program.origins[pc as usize].span;
            unused::words(&self.program.text[span.start as usize..span.end as usize]).any(|word| word == name)
        };
        let pc = (0..self.issued.len() as Pc).find(|&pc| self.issued[pc as usize].count != 0 && names(pc))?;
        let site = self.program.site(pc);
        let line = site
            .source
            .map_or_else(|| format!("line {} of the PTX", site.ptx_line), |line| format!("`{line}`"));
        let message = format!(
            "`{name}` in constant memory is used at {line}, but it has no initial value and the host has not set it, so it holds zeros"
        );
        let mut note = faults::fault(FaultKind::Uninitialized, Severity::Note, message, Vec::new());
        note.help =
            "set it before the launch, as `cudaMemcpyToSymbol` does, or give it an initial value".to_string();
        Some(note)
    }

    /// The name of what unwritten bytes belong to, and where it starts in its place.
    fn owner(&self, unwritten: &Unwritten) -> (String, u64) {
        match unwritten.place {
            Place::Global(region) => (format!("`{}`", self.global.region(region).name), 0),
            Place::Shared => self.program.shared_owner(self.kernel, unwritten.bytes.start as u64),
        }
    }
}

/// The checker, and what the bytes that it asks about belong to.
pub(super) struct Shown<'m> {
    /// The checker.
    pub checker: &'m mut Initialisation,
    /// Which bytes of shared memory have been written; none where nobody reports.
    pub shared_written: &'m mut Written,
    /// Global memory.
    pub global: &'m mut Global,
}

/// Shows an instruction that goes to memory.
#[inline(never)]
pub(super) fn see(mut shown: Shown<'_>, lanes: &Lanes<'_>, inst: &Inst, frame: &Frame, pc: Pc) {
    let (address, bytes, touch) = match &inst.op {
        Op::Load(access) => (&access.address, access.lane_bytes(), Touch::Read),
        Op::Store(access) => (&access.address, access.lane_bytes(), Touch::Write),
        Op::Atomic(atomic) => {
            let touch = if atomic.only_writes() { Touch::Write } else { Touch::Update };
            (&atomic.address, u64::from(atomic.bytes), touch)
        }
        _ => return,
    };
    if touch == Touch::Read && !shown.checker.reports {
        return;
    }
    let at = addresses(lanes, address, inst.args.a, frame);
    let mut watched = Watched::new(pc, touch);
    match address.memory {
        Memory::Shared => see_shared(&mut watched, &mut shown, &at, lanes.mask, bytes),
        Memory::Global => see_global(&mut watched, &mut shown, &at, lanes.mask, bytes),
        Memory::Generic => see_generic(&mut watched, &mut shown, &at, lanes.mask, bytes),
        Memory::Const | Memory::Local | Memory::Param | Memory::Frame => return,
    }
    if shown.checker.reports {
        shown.checker.found.extend(watched.found());
    }
}

fn see_shared(watched: &mut Watched, shown: &mut Shown<'_>, at: &Wide, mask: u32, bytes: u64) {
    if !shown.checker.reports {
        return;
    }
    let written = &mut *shown.shared_written;
    let size = written.bytes();
    let inside = |start: u64, bytes: u64| {
        start.checked_add(bytes).filter(|&end| end <= size as u64).map(|end| start as usize..end as usize)
    };
    if let Some(count) = neighbours(at, mask, bytes)
        && let Some(range) = inside(at[0], bytes * count as u64)
        && watched.row(written, range)
    {
        return;
    }
    for lane in lanes_of(mask) {
        if let Some(range) = inside(at[lane], bytes) {
            watched.lane(lane, Place::Shared, written, range);
        }
    }
}

fn see_global(watched: &mut Watched, shown: &mut Shown<'_>, at: &Wide, mask: u32, bytes: u64) {
    if !shown.global.has_unwritten() {
        return;
    }
    if let Some(count) = neighbours(at, mask, bytes)
        && let Ok((region, start)) = shown.global.locate(at[0], bytes * count as u64)
    {
        let Some(written) = shown.global.written_mut(region) else { return };
        if watched.row(written, start..start + bytes as usize * count) {
            return;
        }
    }
    for lane in lanes_of(mask) {
        let Ok((region, start)) = shown.global.locate(at[lane], bytes) else { continue };
        if let Some(written) = shown.global.written_mut(region) {
            watched.lane(lane, Place::Global(region), written, start..start + bytes as usize);
        }
    }
}

/// Shows the lanes of each memory apart.
fn see_generic(watched: &mut Watched, shown: &mut Shown<'_>, at: &Wide, mask: u32, bytes: u64) {
    let lanes_in = |window: Option<Window>| {
        lanes_of(mask).filter(|&lane| Window::of(at[lane]) == window).fold(0, |lanes, lane| lanes | 1 << lane)
    };
    let shared = lanes_in(Some(Window::Shared));
    if shared != 0 {
        let (_, base) = memory_of(Some(Window::Shared));
        let offsets: Wide = std::array::from_fn(|lane| at[lane % WARP_SIZE].wrapping_sub(base));
        see_shared(watched, shown, &offsets, shared, bytes);
    }
    let global = lanes_in(None);
    if global != 0 {
        see_global(watched, shown, at, global, bytes);
    }
}
