//! Where the threads of a litmus program run, and in which memory its words are.
//!
//! The smallest group that the model knows is a block (8.5), but an emulator has warps and lanes, and two kinds of
//! memory; so a shape is run in settings that differ in these. Clusters and several devices are left out.
//! Specification: PTX ISA, sections 8.3 (state spaces) and 8.5 (scopes).

use crate::program::{Op, Place, Program, Space, Thread};

/// Where the threads of a variant run, and in which memory its words are.
#[derive(Clone, Copy)]
pub enum Setting {
    /// One warp, a lane each.
    Warp(Space),
    /// One block, a warp each.
    Block(Space),
    /// A block each.
    Grid,
    /// Two blocks; every second thread is in the same one.
    Pairs,
}

/// One setting of each kind, with both memories among them.
pub const FEW: [Setting; 3] = [Setting::Warp(Space::Global), Setting::Block(Space::Shared), Setting::Grid];

/// Every setting for two threads.
pub const ALL: [Setting; 5] = [
    Setting::Warp(Space::Global),
    Setting::Warp(Space::Shared),
    Setting::Block(Space::Global),
    Setting::Block(Space::Shared),
    Setting::Grid,
];

/// Settings for four threads.
pub const OF_FOUR: [Setting; 4] =
    [Setting::Warp(Space::Shared), Setting::Block(Space::Global), Setting::Grid, Setting::Pairs];

impl Setting {
    fn place(self, number: u32) -> Place {
        let (block, warp, lane) = match self {
            // Lanes that are not neighbours, and not in the order of the threads.
            Setting::Warp(_) => (0, 0, (31 - 7 * number) % 32),
            Setting::Block(_) => (0, number, 0),
            Setting::Grid => (number, 0, 0),
            Setting::Pairs => (number % 2, number / 2, 0),
        };
        Place { block, warp, lane }
    }

    /// A program of threads with these operations.
    fn program(self, threads: &[Vec<Op>]) -> Program {
        let space = match self {
            Setting::Warp(space) | Setting::Block(space) => space,
            Setting::Grid | Setting::Pairs => Space::Global,
        };
        let place = |number: usize| self.place(number as u32);
        let threads = threads.iter().enumerate();
        let threads =
            threads.map(|(number, ops)| Thread { place: place(number), ops: ops.clone() }).collect();
        Program { threads, space }
    }
}

/// Every program in every setting.
pub fn everywhere(settings: &[Setting], programs: &[Vec<Vec<Op>>]) -> Vec<Program> {
    let in_settings =
        |threads: &Vec<Vec<Op>>| settings.iter().map(|setting| setting.program(threads)).collect();
    programs.iter().flat_map(|threads| -> Vec<Program> { in_settings(threads) }).collect()
}
