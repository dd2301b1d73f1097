//! What runs: a kernel with its arguments, as one launch asks for. Nothing of it changes while it runs.

use crate::compile::program::{Code, Program};
use crate::isa::op::Op;
use crate::launch::{Launch, Reconvergence, Schedule};
use crate::machine::registers::{Registers, WARP_SIZE};

/// The first target whose threads are scheduled independently.
const FIRST_INDEPENDENT_TARGET: u32 = 70;

/// Registers of a multiprocessor.
const REGISTERS: u64 = 1 << 16;
/// The most registers of a thread.
const MOST_REGISTERS: u32 = 256;
/// Threads get registers in groups of so many.
const REGISTERS_AT_ONCE: u32 = 8;

/// A kernel that is launched.
#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
pub(crate) struct Setup<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// The kernel, by its number.
    pub(crate) kernel: u32,
    /// How it was launched.
    pub(crate) launch: &'a Launch,
    /// The kernel's parameters.
    pub(crate) params: Vec<u8>,
    /// Shared memory of a block in bytes, static and dynamic.
    pub(crate) shared_bytes: u64,
    /// The registers with which a warp starts.
    pub(crate) registers: Registers,
    /// Whether lanes reconverge as they did before Volta.
    pub(crate) stack: bool,
    /// Whether lanes may be separated that no branch made diverge (`exec::separation`).
    pub(crate) separates: bool,
    /// Whether the kernel may start products of warpgroups, so that what happens to registers is followed.
    pub(crate) has_products: bool,
    /// Whether this is a part of a launch that runs on several cores.
    pub(crate) is_one_of_many: bool,
    /// The seed by which blocks are dealt out to cores, where it is not who has time that decides.
    pub(crate) deal: Option<u64>,
}

impl<'a> Setup<'a> {
    /// A launch on one core. The request has been checked.
    pub fn new(program: &'a Program, kernel: u32, launch: &'a Launch, params: Vec<u8>) -> Setup<'a> {
        let stack = match launch.reconvergence {
            Reconvergence::Auto => program.sm < FIRST_INDEPENDENT_TARGET,
            Reconvergence::Stack => true,
            Reconvergence::Its => false,
        };
        let code = &program.functions[kernel as usize];
        Setup {
            program,
            kernel,
            launch,
            params,
            shared_bytes: program.shared_bytes(code, launch.shared_bytes),
            registers: Registers::of_one_warp(&code.image),
            stack,
            separates: launch.schedule == Schedule::Hunt && !stack && program.sm >= FIRST_INDEPENDENT_TARGET,
            has_products: has_products(program, code),
            is_one_of_many: false,
            deal: None,
        }
    }

    /// Registers with which each thread starts, if the kernel says what the assembler bounds them by.
    pub fn registers_of_thread(&self) -> Option<u32> {
        let code = self.code();
        if let Some(registers) = code.bounds.registers {
            return Some(registers.min(MOST_REGISTERS).next_multiple_of(REGISTERS_AT_ONCE));
        }
        let required =
            || code.required_threads.as_ref().map(|dims| dims.iter().map(|&dim| u64::from(dim)).product());
        let threads = code.max_threads.or_else(required)?.max(1).next_multiple_of(WARP_SIZE as u64);
        let all = REGISTERS / threads / u64::from(code.bounds.blocks.unwrap_or(1).max(1));
        Some((all as u32 / REGISTERS_AT_ONCE * REGISTERS_AT_ONCE).min(MOST_REGISTERS))
    }

    /// The code of the kernel.
    pub fn code(&self) -> &'a Code {
        &self.program.functions[self.kernel as usize]
    }

    /// Whether the kernel or its launch speaks of clusters.
    pub fn is_cluster(&self) -> bool {
        self.launch.cluster.is_some() || self.code().clusters.explicit
    }

    /// How many blocks are a cluster.
    pub fn cluster(&self) -> usize {
        self.launch.cluster_size().count() as usize
    }

    /// How many blocks are on the machine at a time.
    pub fn residents(&self) -> u64 {
        self.launch.residents()
    }
}

/// Whether a kernel, or a function that it may call, has products of warpgroups.
fn has_products(program: &Program, code: &Code) -> bool {
    let may_start = |op: &Op| matches!(op, Op::Warpgroup(_) | Op::Call(_));
    program.has_products
        && program.insts[code.start as usize..code.end as usize].iter().any(|inst| may_start(&inst.op))
}
