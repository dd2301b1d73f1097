//! The products of warpgroups that are under way, and what their registers have been used for.
//!
//! A product reads its matrices and writes its result at some time after the four warps have started it and before one of them has
//! waited for it, after the products that the warpgroup has started before. Which time that is, is drawn when it starts, and
//! counted in instructions of warpgroups and in block barriers. Left out: that the hardware reads at one time and writes
//! at another, and one part after the other.

use super::descriptor::Descriptor;
use super::registers::{Shape, Slot};

/// Warps of a warpgroup.
pub const WARPS: usize = 4;

/// Registers that lanes of a warp use: those of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The warp in the block.
    pub warp: usize,
    /// Its lanes.
    pub mask: u32,
    /// Where their frame starts.
    pub base: Shape,
}

/// A product that is under way.
#[derive(Clone, Debug)]
pub struct UnderWay {
    /// Its number among the products of the block, from 1 on.
    pub number: u64,
    /// The first of its four warps.
    pub first: usize,
    /// The instruction.
    pub pc: u32,
    /// Where A and B are; A may be in registers.
    pub sources: [Option<Descriptor>; 2],
    /// Whether it adds to what is in the registers of its result.
    pub adds: bool,
    /// The registers of its lanes.
    pub held: Vec<Held>,
    /// After how many instructions it is carried out; none where it takes as long as it may.
    pub left: Option<u8>,
    /// Whether it has been carried out.
    pub is_done: bool,
    /// By warp: its group, counted for each warp; none before the warp commits.
    pub groups: [Option<u32>; WARPS],
    /// By warp: whether it has waited for it.
    pub is_awaited: [bool; WARPS],
    /// The agents in whose name it reads, for the race checker.
    pub agents: Option<[u16; 2]>,
}

/// What is known of a register of a warp.
#[derive(Clone, Copy, Debug, Default)]
pub struct Use {
    /// The first number of fences passed of which one came after the warp wrote the register; 0 if it never did.
    pub written: u32,
    /// The instruction that wrote it.
    pub written_at: u32,
    /// The last product that uses it, by number; 0 for none.
    pub product: u64,
    /// Whether the product writes it.
    pub is_result: bool,
}

/// What is known of the registers of up to 32 bits of a warp, and of its groups.
#[derive(Clone, Debug, Default)]
pub struct WarpUses {
    uses: Vec<Use>,
    /// Fences that it has passed.
    pub fences: u32,
    /// How many of them came before its last wait.
    pub fences_at_wait: u32,
    /// The last product for which it has waited, by number.
    pub completed: u64,
    /// Groups that it has committed.
    committed: u32,
}

impl WarpUses {
    /// What is known of a register.
    pub fn of(&self, register: usize) -> Use {
        self.uses.get(register).copied().unwrap_or_default()
    }

    /// Records what is known of a register.
    pub fn set(&mut self, register: usize, known: Use) {
        if self.uses.len() <= register {
            self.uses.resize(register + 1, Use::default());
        }
        self.uses[register] = known;
    }

    /// Whether a product that has not been waited for uses a register.
    pub fn is_pending(&self, known: Use) -> bool {
        known.product > self.completed
    }

    /// Whether no fence lies between what was done to a register and now.
    pub fn is_unfenced(&self, known: Use) -> bool {
        let needed = match known {
            // Nobody but other products has used it.
            Use { written: 0, product: 1.., .. } => 0,
            Use { written: 0, .. } => 1,
            Use { written, .. } => written,
        };
        self.fences < needed
    }

    /// The warp copies a register into another one, or a constant.
    pub fn copy(&mut self, from: usize, to: usize, pc: u32) {
        let mut known = self.of(from);
        if known.written == 0 && known.product == 0 {
            // A constant may have been put there at any time since the last wait, because compilers move that.
            known = Use { written: self.fences_at_wait + 1, written_at: pc, ..known };
        }
        self.set(to, known);
    }
}

/// A register of a product that an instruction uses too early.
#[derive(Clone, Copy, Debug)]
pub struct EarlyUse {
    /// The step of the launch.
    pub step: u64,
    /// The warp in the block.
    pub warp: usize,
    /// The lowest lane.
    pub lane: u32,
    /// The instruction.
    pub pc: u32,
    /// The register, by its column in its frame.
    pub slot: Slot,
    /// The product, by its place.
    pub product: u32,
    /// Whether the product belongs to a group of the warp.
    pub is_committed: bool,
    /// Whether the register is one of the result, and not of A.
    pub is_result: bool,
    /// Whether it is written.
    pub is_written: bool,
}

/// The warpgroups of a block.
#[derive(Clone, Debug, Default)]
pub struct Warpgroups {
    /// In the order in which they were started.
    pub under_way: Vec<UnderWay>,
    /// How many products have been started.
    pub started: u64,
    /// By warp; empty before the first instruction of a warpgroup, or in a kernel without products.
    pub warps: Vec<WarpUses>,
    /// By warp: the registers that each of its threads has, if the kernel changes that.
    pub registers: Vec<u32>,
    /// What instructions have done to registers of products.
    pub found: Vec<EarlyUse>,
}

impl Warpgroups {
    /// Starts over.
    pub fn reset(&mut self, warps: usize, follows: bool) {
        self.under_way.clear();
        self.started = 0;
        self.warps.clear();
        if follows {
            self.warps.resize(warps, WarpUses::default());
        }
        self.registers.clear();
        self.found.clear();
    }

    /// Whether the kernel has products.
    pub fn is_on(&self) -> bool {
        !self.warps.is_empty()
    }

    /// Makes a group of the products that a warp has started since its last one.
    pub fn commit(&mut self, warp: usize) {
        let number = self.warps[warp].committed;
        self.warps[warp].committed += 1;
        for product in self.under_way.iter_mut().filter(|product| product.first == first_of(warp)) {
            product.groups[warp % WARPS].get_or_insert(number);
        }
    }

    /// The last product, by number, for which a warp waits that waits until so many of its groups are left.
    pub fn awaited(&self, warp: usize, groups: u32) -> u64 {
        let past = self.warps[warp].committed.saturating_sub(groups);
        let own = self.under_way.iter().filter(|product| product.first == first_of(warp));
        let is_past = |product: &&UnderWay| product.groups[warp % WARPS].is_some_and(|group| group < past);
        own.filter(is_past).map(|product| product.number).max().unwrap_or(0)
    }

    /// The product with a number, if it is still under way.
    pub fn product(&self, number: u64) -> Option<&UnderWay> {
        self.under_way.iter().find(|product| product.number == number)
    }
}

/// The first warp of the warpgroup of a warp.
pub fn first_of(warp: usize) -> usize {
    warp - warp % WARPS
}
