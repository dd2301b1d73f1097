//! The checker of the registers that the products of warpgroups use.
//!
//! *What it reports.* An instruction that reads or writes a register of a result, or of A, between the start of a product and the moment
//! in which its warp has waited for it with `wgmma.wait_group`; a product of another shape that uses such a register; a product
//! that uses a register without a `wgmma.fence` after the instruction that wrote it, or without any before the first product;
//! and a block that ends while a product is under way.
//! *What it can miss.* A register that only holds a constant counts as written at the last wait, and a copy from register to register
//! as what it copies, because compilers put both behind fences that come before them in the text of a program. So a copy of a
//! result counts as a use only where the copy is used.
//! *No false alarm.* What is reported, the PTX ISA calls undefined, whatever the times are that the seed chooses.

use crate::checkers::context::{Context, fault};
use crate::checkers::findings::Finding;
use crate::compile::inst::Pc;
use crate::machine::registers::{Bank, Slot};
use crate::report::fault::{Fault, FaultKind};

/// A register of a product that is used too early, or without a fence.
#[derive(Clone, Copy, Debug)]
pub struct FragmentUse {
    /// The step of the launch.
    pub step: u64,
    /// The block in the grid.
    pub block: u64,
    /// The warp in the block.
    pub warp: usize,
    /// The lowest lane.
    pub lane: u32,
    /// The instruction.
    pub pc: Pc,
    /// The product.
    pub product: Pc,
    /// The register, by its column.
    pub slot: Slot,
    /// What is wrong.
    pub what: Misuse,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// The register is used while the product is under way.
    Early {
        /// Whether it is written.
        is_written: bool,
        /// Whether it is a register of the result, and not of A.
        is_result: bool,
        /// Whether the product belongs to a group.
        is_committed: bool,
    },
    /// A product of another shape uses it meanwhile.
    OtherShape,
    /// No fence comes between the instruction at this place, if there is one, and the product.
    Unfenced(Option<Pc>),
    /// The block ends while the product is under way.
    AtEnd,
}

/// The finding in words.
pub fn fragment_use(context: &Context<'_>, found: &FragmentUse) -> Fault {
    let FragmentUse { step, block, warp, lane, pc, product, slot, what } = *found;
    let name = register_name(context, pc, slot);
    let actor = |pc, doing: &str| context.actor(block, warp, lane, pc, doing.to_owned());
    let started = || actor(product, "started the product here");
    let (message, actors, help) = match what {
        Misuse::Early { is_written, is_result, is_committed } => {
            let verb = if is_written { "written" } else { "read" };
            let role = if is_result { "that writes it" } else { "that reads it as a part of A" };
            let help = if is_committed {
                "wait for the product first, with `wgmma.wait_group.sync.aligned`, and count the groups that may be left"
            } else {
                "put `wgmma.commit_group.sync.aligned` behind the product, which belongs to no group yet, and wait for the group"
            };
            let message = format!("{name} is {verb} while the matrix product {role} is under way");
            let doing = if is_written { "wrote it here" } else { "read it here" };
            (message, vec![actor(pc, doing), started()], help)
        }
        Misuse::OtherShape => (
            format!("{name} is used by a matrix product while another one that uses it in another way is under way"),
            vec![actor(pc, "used it here"), started()],
            "wait for the first product, or let both have the same shape: only then the second comes after the first",
        ),
        Misuse::Unfenced(Some(writer)) => (
            format!("{name} is written and then used by a matrix product, and no `wgmma.fence` is in between"),
            vec![started(), actor(writer, "wrote it here, earlier")],
            "put `wgmma.fence.sync.aligned` between the last write to a register of the product and the product",
        ),
        Misuse::Unfenced(None) => (
            "no `wgmma.fence` comes before a matrix product, which needs one between earlier uses of its registers and itself"
                .to_owned(),
            vec![started()],
            "put `wgmma.fence.sync.aligned` before the first product, and wherever its registers have been used since",
        ),
        Misuse::AtEnd => (
            "the block ended while a matrix product was using its shared memory, which another block may get".to_owned(),
            vec![started()],
            "wait for the product with `wgmma.commit_group` and `wgmma.wait_group` before its warps end",
        ),
    };
    let severity = Finding::Fragment(*found).class().1;
    Fault { step, help: help.to_owned(), ..fault(FaultKind::Race, severity, message, actors) }
}

/// The name of a register of up to 32 bits that an instruction uses.
fn register_name(context: &Context<'_>, pc: Pc, slot: Slot) -> String {
    let mut functions = context.program.functions.iter();
    let code = functions.find(|code| (code.start..code.end).contains(&pc));
    let is_it = |named: &&crate::isa::scope::Named| named.bank == Bank::Narrow && named.slot == slot;
    let named = code.and_then(|code| code.registers.iter().find(is_it));
    named.map_or_else(|| "a register".to_owned(), |named| format!("`{}`", named.name))
}
