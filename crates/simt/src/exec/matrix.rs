//! Matrix instructions: all 32 lanes of a warp execute one together.
//!
//! They are `.sync.aligned`, so whoever comes waits for the others at the same instruction. A warp in which a lane is missing or
//! has ended is at fault, and under the stack one in which a lane is not active. `ldmatrix` and `stmatrix` are carried out as
//! loads and stores of 16 bytes by the lanes that point at rows, so the checkers see each row as an access of its lane; the
//! words of the rows are in columns that no register has. Their passes through shared memory were measured on an H200 (see
//! `tools/benchmarks/gpu/mma`): eight rows are served at a time, and groups are never merged.
//! The loads and stores of `wmma` are those of single registers or elements, one after another.
//! Left out: a counter for `ldmatrix` instructions themselves, which the profiler does not count as shared loads.
//! Specification: PTX ISA, section 9.7.14.5.

use crate::access::address::{Denied, Why, addresses, denied};
use crate::access::traffic::store_conflicts;
use crate::access::window::resolve;
use crate::compile::inst::{Inst, Pc};
use crate::exec::cursor::{Cursor, Parts};
use crate::exec::faults::Problem;
use crate::exec::memory::WarpAccess;
use crate::exec::state::Stop;
use crate::isa::op::matrix::{
    Fragment, MAX_REGISTERS, Matrix, Piece, ROW_BYTES, RowWords, Rows, Tile, transposed,
};
use crate::isa::op::memory::{Access, Address, Base, Memory};
use crate::isa::op::{Op, Touched};
use crate::isa::value::Args;
use crate::machine::divergence::{Group, Wait};
use crate::machine::registers::{Bank, FULL_MASK, WARP_SIZE, Wide, lanes_of};
use crate::order::{Order, Scope};
use crate::report::counters::Counters;

/// The registers of a fragment that does not exist.
const EMPTY: Fragment = [[0; WARP_SIZE]; MAX_REGISTERS];

impl Cursor<'_, '_> {
    /// Lets a group come to a matrix instruction, which is carried out when all lanes of the warp have come.
    pub fn matrix(&mut self, g: usize, matrix: Matrix) -> Result<(), Stop> {
        let pc = self.group(g).pc;
        if self.is_whole_warp(g)? {
            self.execute_matrix(pc, matrix)?;
            self.leave_together();
        }
        Ok(())
    }

    /// Whether all lanes of the warp have come to the instruction at which a group is; until then the group waits.
    pub fn is_whole_warp(&mut self, g: usize) -> Result<bool, Stop> {
        let Group { pc, mask, .. } = *self.group(g);
        if mask != FULL_MASK {
            self.check_company(g)?;
            self.group_mut(g).wait = Wait::Collective;
            let is_here = |group: &&Group| group.pc == pc && group.wait == Wait::Collective;
            let here =
                self.warp().divergence.groups.iter().filter(is_here).fold(0, |all, group| all | group.mask);
            return Ok(here == FULL_MASK);
        }
        Ok(true)
    }

    /// Lets all lanes of the warp go on after an instruction that they have executed together.
    pub fn leave_together(&mut self) {
        let stack = self.run.setup.stack;
        let divergence = &mut self.warp_mut().divergence;
        for group in &mut divergence.groups {
            group.pc += 1;
            group.wait = Wait::Nothing;
        }
        if !stack && divergence.groups.len() > 1 {
            // They leave it together, even if some of them went on alone before.
            divergence.unite();
        }
    }

    /// Refuses a group at a matrix instruction to which lanes of its warp cannot come.
    fn check_company(&self, g: usize) -> Result<(), Stop> {
        let (&Group { pc, mask, .. }, warp) = (self.group(g), self.warp());
        let parted = if self.run.setup.stack { !mask } else { 0 };
        let absent = [
            (!warp.lanes, "does not exist"),
            (warp.divergence.exited, "has ended"),
            (parted, "is not active here"),
        ];
        match absent.into_iter().find(|(lanes, _)| *lanes != 0) {
            Some((lanes, why)) => {
                let mut stop = self.fault(pc, mask, Problem::not_aligned(lanes, why));
                if let Stop::Fault(fault) = &mut stop {
                    fault.help =
                        String::from("launch whole warps, and move the instruction out of the branch");
                }
                Err(stop)
            }
            None => Ok(()),
        }
    }

    /// A lane has ended: it cannot come any more to a matrix instruction at which others wait.
    pub fn check_matrices(&self) -> Result<(), Stop> {
        let insts = &self.run.setup.program.insts;
        let is_matrix = |pc: Pc| {
            insts.get(pc as usize).is_some_and(|inst| matches!(inst.op, Op::Matrix(_) | Op::Warpgroup(_)))
        };
        let mut groups = self.warp().divergence.groups.iter();
        match groups.position(|group| group.wait == Wait::Collective && is_matrix(group.pc)) {
            Some(g) => self.check_company(g),
            None => Ok(()),
        }
    }

    /// Carries out an instruction at which all groups of the warp are.
    fn execute_matrix(&mut self, pc: Pc, matrix: Matrix) -> Result<(), Stop> {
        let program = self.run.setup.program;
        let inst = &program.insts[pc as usize];
        let (reads, writes) = (program.reads(inst), program.writes(inst));
        match matrix {
            Matrix::Multiply(multiply) => {
                let [of_a, of_b, of_c, _] = multiply.registers();
                let (a, rest) = reads.split_at(of_a);
                let (b, c) = rest.split_at(of_b);
                let d = multiply.evaluate(&self.fragment(a), &self.fragment(b), &self.fragment(&c[..of_c]));
                self.write_fragment(writes, &d);
            }
            Matrix::Transpose => {
                let from = self.fragment(reads)[0];
                let mut to = EMPTY;
                to[0] = std::array::from_fn(|lane| u64::from(transposed(&from, lane)));
                self.write_fragment(writes, &to);
            }
            Matrix::Load(rows) => {
                self.access_rows(pc, rows, Op::Load(access_of(rows)))?;
                let words = self.row_words(&inst.args);
                let mut to = EMPTY;
                for (matrix, column) in to.iter_mut().enumerate().take(usize::from(rows.count)) {
                    *column = std::array::from_fn(|lane| u64::from(rows.gathered(&words, matrix, lane)));
                }
                self.write_fragment(&writes[..usize::from(rows.count)], &to);
            }
            Matrix::Store(rows) => {
                let from = self.fragment(&reads[reads.len() - usize::from(rows.count)..]);
                let mut words = [[0; WARP_SIZE]; 4];
                for (matrix, column) in from.iter().enumerate().take(usize::from(rows.count)) {
                    (0..WARP_SIZE)
                        .for_each(|lane| rows.scatter(&mut words, matrix, lane, column[lane] as u32));
                }
                self.write_fragment(&columns_of(&inst.args), &words.map(|word| word.map(u64::from)));
                self.access_rows(pc, rows, Op::Store(access_of(rows)))?;
            }
            Matrix::LoadTile(tile) => {
                let mut to = EMPTY;
                self.access_tile(pc, tile, &mut to, true)?;
                for register in tile.different_registers()..tile.registers() {
                    to[register] = to[register % tile.different_registers()];
                }
                self.write_fragment(&writes[..tile.registers()], &to);
            }
            Matrix::StoreTile(tile) => {
                let mut from = self.fragment(&reads[reads.len() - tile.registers()..]);
                self.access_tile(pc, tile, &mut from, false)?;
            }
        }
        Ok(())
    }

    /// Loads or stores a tile, piece by piece: as the loads and stores of which it could consist, which is also what it costs.
    fn access_tile(
        &mut self,
        pc: Pc,
        tile: Tile,
        fragment: &mut Fragment,
        is_load: bool,
    ) -> Result<(), Stop> {
        for piece in tile.pieces() {
            let shift = tile.number.bits() * piece.place;
            let column = &mut fragment[piece.register];
            let mut values = column.map(|word| word >> (shift % 64));
            for g in 0..self.warp().divergence.groups.len() {
                self.access_piece(pc, g, tile, piece, &mut values, is_load)?;
            }
            if is_load {
                column.iter_mut().zip(values).for_each(|(word, value)| *word |= value << (shift % 64));
            }
        }
        self.find_unwritten();
        Ok(())
    }

    /// Loads or stores a piece for the lanes of a group.
    fn access_piece(
        &mut self,
        pc: Pc,
        g: usize,
        tile: Tile,
        piece: Piece,
        values: &mut Wide,
        is_load: bool,
    ) -> Result<(), Stop> {
        let Group { mask, frame, .. } = *self.group(g);
        let mut inst = *self.inst(pc);
        let is_wide = piece.bytes == 8;
        let [at, value] = [inst.args.c, if is_wide { inst.args.q } else { inst.args.d }];
        let (id, steps, now) = (self.id(), self.warp().steps, self.run.counts.steps - 1);
        self.run.observers.run(self.block.number, id, mask);
        let Parts { mut memories, mut lanes, traffic, .. } = self.parts(&frame, mask);
        (memories.order.step, memories.now) = (steps, now);
        let first = addresses(&lanes, &tile.address, inst.args.a, &frame);
        let stride = lanes.narrow[usize::from(inst.args.b)];
        lanes.write_wide(at, |lane| {
            first[lane].wrapping_add(tile.offset(piece, lane, u64::from(stride[lane])))
        });
        if is_wide {
            lanes.write_wide(value, |lane| values[lane]);
        } else {
            lanes.write_narrow(value, |lane| values[lane] as u32);
        }
        let access = Access {
            address: Address { memory: tile.address.memory, base: Base::Wide, offset: 0 },
            bytes: piece.bytes,
            count: 1,
            signed: false,
            register_bits: if is_wide { 64 } else { 32 },
            order: Order::Weak,
            scope: Scope::Sys,
            read_only: false,
        };
        (inst.args.a, inst.args.d) = (at, value);
        inst.op = if is_load { Op::Load(access) } else { Op::Store(access) };
        let counters = &mut traffic[pc as usize];
        let mut access = WarpAccess {
            memories: &mut memories,
            lanes: &mut lanes,
            inst: &inst,
            pc,
            frame: &frame,
            counters,
        };
        let outcome = access.carry_out_at(id);
        if is_load {
            lanes_of(mask).for_each(|lane| values[lane] = lanes.value(value, lane, is_wide));
        }
        outcome.map_err(|denied| self.denied(pc, &denied))
    }

    /// What the lanes of all groups hold in some registers.
    fn fragment(&mut self, registers: &[Touched]) -> Fragment {
        let mut fragment = EMPTY;
        for group in &self.block.warps[self.w].divergence.groups {
            let lanes = self.block.registers.lanes(self.w, group.frame.base, group.mask);
            for (to, from) in fragment.iter_mut().zip(registers) {
                let wide = from.bank == Bank::Wide;
                lanes_of(group.mask).for_each(|lane| to[lane] = lanes.value(from.slot, lane, wide));
            }
        }
        fragment
    }

    /// Writes registers of the lanes of all groups.
    fn write_fragment(&mut self, registers: &[Touched], values: &[Wide]) {
        for group in &self.block.warps[self.w].divergence.groups {
            let mut lanes = self.block.registers.lanes(self.w, group.frame.base, group.mask);
            for (to, from) in registers.iter().zip(values) {
                match to.bank {
                    Bank::Wide => lanes.write_wide(to.slot, |lane| from[lane]),
                    _ => lanes.write_narrow(to.slot, |lane| from[lane] as u32),
                }
            }
        }
    }

    /// The words of the rows that the lanes have loaded.
    fn row_words(&mut self, args: &Args) -> RowWords {
        let fragment = self.fragment(&columns_of(args));
        std::array::from_fn(|word| fragment[word].map(|value| value as u32))
    }

    /// Loads or stores the rows: `op` is that access, of a lane for each row.
    fn access_rows(&mut self, pc: Pc, rows: Rows, op: Op) -> Result<(), Stop> {
        let inst = Inst { op, ..*self.inst(pc) };
        for g in 0..self.warp().divergence.groups.len() {
            let Group { mask, frame, .. } = *self.group(g);
            let active = mask & rows.lanes();
            if active == 0 {
                continue;
            }
            let (id, steps, now) = (self.id(), self.warp().steps, self.run.counts.steps - 1);
            self.run.observers.run(self.block.number, id, mask);
            let Parts { mut memories, mut lanes, traffic, .. } = self.parts(&frame, active);
            (memories.order.step, memories.now) = (steps, now);
            let mut at = addresses(&lanes, &rows.address, inst.args.a, &frame);
            let outcome = lanes_of(active).try_for_each(|lane| in_shared(rows, lane, &mut at[lane]));
            let conflicts = store_conflicts(&at, active, ROW_BYTES);
            match op {
                Op::Load(_) => traffic[pc as usize].shared_load_bank_conflicts += conflicts,
                _ => traffic[pc as usize].shared_store_bank_conflicts += conflicts,
            }
            // What the access would cost as a load or a store of its own does not count.
            let counters = &mut Counters::default();
            let (memories, lanes) = (&mut memories, &mut lanes);
            let mut access = WarpAccess { memories, lanes, inst: &inst, pc, frame: &frame, counters };
            let outcome = outcome.and_then(|()| access.carry_out_at(id));
            outcome.map_err(|denied| self.denied(pc, &denied))?;
        }
        self.find_unwritten();
        Ok(())
    }
}

/// Turns the address of a row into one in shared memory.
fn in_shared(rows: Rows, lane: usize, address: &mut u64) -> Result<(), Denied> {
    let (memory, offset) = resolve(rows.address.memory, *address);
    if memory != Memory::Shared {
        return Err(denied(lane, *address, ROW_BYTES, memory, Why::NotShared));
    }
    *address = offset;
    Ok(())
}

/// The columns of the words of rows.
fn columns_of(args: &Args) -> [Touched; 4] {
    [args.d, args.q, args.b, args.c].map(|slot| Touched { bank: Bank::Narrow, slot, is_written: true })
}

/// The access of a lane to its row.
fn access_of(rows: Rows) -> Access {
    Access {
        address: rows.address,
        bytes: 4,
        count: 4,
        signed: false,
        register_bits: 32,
        order: Order::Weak,
        scope: Scope::Sys,
        read_only: false,
    }
}
