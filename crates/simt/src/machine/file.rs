//! One bank of a block's registers: the columns of all warps, register after register, and those of one register warp after
//! warp, so that an instruction that all warps execute goes through memory once, in order.
//!
//! A register that is affine in the place of a thread ([`super::affine`]) needs no columns: `%tid.x` is, and a parameter, and
//! so are their sums and the addresses computed from them. And where all warps hold the same, one column is enough. That is
//! not analysed beforehand: it is a fact about the registers, which every write keeps up to date, so it also holds in loops
//! and after branches. Columns are written out when something reads them.

use std::cell::Cell;
use std::fmt::Debug;
use std::ops::{Index, IndexMut};

use super::affine::{Affine, Grid};
use super::aligned::Aligned;
use super::registers::{FULL_MASK, MAX_WARPS, Narrow, Slot, WARP_SIZE, Wide};

/// A column: what one register of one warp holds.
pub trait Column: Copy + Default + PartialEq {
    /// What it consists of: the value of a lane; of predicates, those of all lanes.
    type Lane: Copy + Debug + Default;

    /// The columns that lanes form one after the other.
    fn of_lanes(lanes: &[Self::Lane]) -> &[Self];

    /// The same, to write to them.
    fn of_lanes_mut(lanes: &mut [Self::Lane]) -> &mut [Self];

    /// The columns of affine values, warp after warp.
    fn write_out(columns: &mut [Self], value: Affine, grid: Grid);

    /// What the columns of all warps hold if that is affine. Only some of the lanes are looked at.
    fn guess(columns: &[Self], grid: Grid) -> Option<Affine>;

    /// The value of all lanes, if they have the same.
    fn as_uniform(&self) -> Option<u64>;

    /// The value of lane 0; of predicates, those of all lanes.
    fn first(&self) -> u64;
}

macro_rules! column {
    ($column:ident, $lane:ident, $signed:ident) => {
        impl Column for $column {
            type Lane = $lane;

            #[inline(always)]
            fn of_lanes(lanes: &[$lane]) -> &[$column] {
                lanes.as_chunks().0
            }

            #[inline(always)]
            fn of_lanes_mut(lanes: &mut [$lane]) -> &mut [$column] {
                lanes.as_chunks_mut().0
            }

            #[inline(always)]
            fn write_out(columns: &mut [$column], value: Affine, grid: Grid) {
                let mut column: $column = [0; WARP_SIZE];
                for (lane, first) in column.iter_mut().enumerate() {
                    *first = value.lane(value.base, lane, grid) as $lane;
                }
                for to in columns {
                    *to = column;
                    for lane in &mut column {
                        *lane = lane.wrapping_add(value.warp as $lane);
                    }
                }
            }

            fn guess(columns: &[$column], grid: Grid) -> Option<Affine> {
                let (first, row) = (&columns[0], grid.columns as usize);
                let step = |to: $lane| to.wrapping_sub(first[0]) as $signed as i64 as u64;
                let x = if row > 1 { step(first[1]) } else { 0 };
                let y = first.get(row).map_or(0, |&second_row| step(second_row));
                let warp = columns.get(1).map_or(0, |second| step(second[0]));
                Some(Affine { base: u64::from(first[0]), x, y, warp })
            }

            #[inline(always)]
            fn as_uniform(&self) -> Option<u64> {
                let differs = self.iter().fold(0, |differs, value| differs | (value ^ self[0]));
                (differs == 0).then_some(u64::from(self[0]))
            }

            #[inline(always)]
            fn first(&self) -> u64 {
                u64::from(self[0])
            }
        }
    };
}

column!(Narrow, u32, i32);
column!(Wide, u64, i64);

/// Predicates are affine only where all lanes have the same.
impl Column for u32 {
    type Lane = u32;

    #[inline(always)]
    fn of_lanes(lanes: &[u32]) -> &[u32] {
        lanes
    }

    #[inline(always)]
    fn of_lanes_mut(lanes: &mut [u32]) -> &mut [u32] {
        lanes
    }

    #[inline(always)]
    fn write_out(columns: &mut [u32], value: Affine, _: Grid) {
        columns.fill(value.base as u32);
    }

    fn guess(columns: &[u32], _: Grid) -> Option<Affine> {
        columns[0].as_uniform().map(Affine::uniform)
    }

    #[inline(always)]
    fn as_uniform(&self) -> Option<u64> {
        matches!(*self, 0 | FULL_MASK).then_some(u64::from(*self))
    }

    #[inline(always)]
    fn first(&self) -> u64 {
        u64::from(*self)
    }
}

/// Which columns of a register hold what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// None: it is affine.
    None,
    /// That of warp 0, which is the same as those of the others.
    First,
    /// All.
    All,
}

/// How a register is kept: in columns, as an affine value, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    is_affine: bool,
    written: Written,
}

impl Form {
    const COLUMNS: Form = Form { is_affine: false, written: Written::All };
    const FIRST: Form = Form { is_affine: false, written: Written::First };
    const AFFINE: Form = Form { is_affine: true, written: Written::None };

    /// The bits of a warp's number that its column depends on.
    #[inline(always)]
    fn counted(self) -> usize {
        debug_assert!(self.written != Written::None, "the register is not written out");
        if self.written == Written::First { 0 } else { MAX_WARPS - 1 }
    }
}

/// Where the columns of a register are in its bank.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The first warp's.
    first: usize,
    /// The bits of a warp's number that count: none if the warps have one column in common.
    counted: usize,
}

/// The columns of a register as cells, so that a loop can read some registers and write another that may be one of them. There are as
/// many cells as a block can have warps, so that the loop needs no check of bounds.
#[derive(Clone, Copy)]
pub struct RegisterCells<'c, T> {
    /// From the first warp's on. What comes after those of the register belongs to others.
    cells: &'c [Cell<T>; MAX_WARPS],
    counted: usize,
}

impl<'c, T: Copy> RegisterCells<'c, T> {
    /// The columns at a place in a bank.
    #[inline(always)]
    pub fn at(bank: &'c [Cell<T>], place: Place) -> RegisterCells<'c, T> {
        let cells = bank[place.first..].first_chunk().expect("a bank ends with room for the largest block");
        RegisterCells { cells, counted: place.counted }
    }

    /// That of a warp, counted from the first.
    #[inline(always)]
    pub fn of(self, warp: usize) -> &'c Cell<T> {
        &self.cells[warp & self.counted & (MAX_WARPS - 1)]
    }
}

/// One bank of a block's registers.
#[derive(Clone, Debug, Default)]
pub struct File<T: Column> {
    /// Register after register, and of each register warp after warp.
    columns: Aligned<T>,
    /// By register.
    forms: Vec<Form>,
    /// By register, where it is affine.
    values: Vec<Affine>,
    pub(super) grid: Grid,
}

impl<T: Column> File<T> {
    /// The registers of one warp with the columns of `image`.
    pub(super) fn of_one_warp(image: &[T]) -> File<T> {
        let mut file = File::default();
        file.grow(0, image);
        file
    }

    /// Starts over with the warps of `grid`, all of them with what the one warp of `start` holds: literals, and zeros.
    pub(super) fn reset(&mut self, start: &File<T>, grid: Grid) {
        debug_assert!(start.forms.iter().all(|form| form.is_affine), "all lanes start alike");
        self.grid = grid;
        self.forms.clone_from(&start.forms);
        self.values.clone_from(&start.values);
        self.make_columns(self.forms.len() * self.warps());
    }

    fn warps(&self) -> usize {
        self.grid.warps as usize
    }

    /// Has at least so many columns, and room for those of the largest block after the start of the last register's.
    fn make_columns(&mut self, count: usize) {
        self.columns.grow(count + MAX_WARPS);
    }

    /// Adds the registers from `base` on that are missing, as in `image`.
    pub(super) fn grow(&mut self, base: usize, image: &[T]) {
        let (known, count) = (self.forms.len(), base + image.len());
        if count <= known {
            return;
        }
        self.make_columns(count * self.warps());
        self.forms.resize(count, Form::AFFINE);
        self.values.resize(self.values.len().max(count), Affine::default());
        for slot in known.max(base)..count {
            let column = &image[slot - base];
            match column.as_uniform() {
                Some(value) => self.values[slot] = Affine::uniform(value),
                None => *self.replace_first(slot) = *column,
            }
        }
    }

    /// How many registers there are.
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// What a register holds, if it is affine.
    #[inline(always)]
    pub fn affine(&self, slot: usize) -> Option<&Affine> {
        if self.forms[slot].is_affine { self.values.get(slot) } else { None }
    }

    /// Whether all warps hold the same column.
    #[inline(always)]
    pub fn is_same_in_all(&self, slot: usize) -> bool {
        let form = self.forms[slot];
        form.written == Written::First || form.is_affine && self.values[slot].warp == 0
    }

    /// The value that all threads of the block have in a register, if they do.
    #[inline(always)]
    pub fn uniform(&self, slot: usize) -> Option<u64> {
        let form = self.forms[slot];
        if form.is_affine {
            return self.values[slot].as_uniform();
        }
        if form.written == Written::First { self.columns[slot * self.warps()].as_uniform() } else { None }
    }

    /// The columns of all warps.
    #[inline(always)]
    pub fn of_all(&mut self, slot: usize) -> &[T] {
        if self.forms[slot].written != Written::All {
            self.write_all(slot);
        }
        let warps = self.warps();
        &self.columns[slot * warps..][..warps]
    }

    /// The columns of all warps, all of which are about to be written.
    #[inline(always)]
    pub fn replace(&mut self, slot: usize) -> &mut [T] {
        self.forms[slot] = Form::COLUMNS;
        let warps = self.warps();
        &mut self.columns[slot * warps..][..warps]
    }

    /// The columns of all warps, some of which are about to be written.
    #[inline(always)]
    pub fn change(&mut self, slot: usize) -> &mut [T] {
        self.of_all(slot);
        self.replace(slot)
    }

    /// The column of warp 0, which is about to be written for all warps.
    #[inline(always)]
    pub fn replace_first(&mut self, slot: usize) -> &mut T {
        self.forms[slot] = Form::FIRST;
        let warps = self.warps();
        &mut self.columns[slot * warps]
    }

    /// Says that the column of warp 0 is what all warps hold, and whether all of its lanes hold the same.
    #[inline(always)]
    pub fn share_first(&mut self, slot: usize, is_uniform: bool) {
        self.forms[slot] = Form { is_affine: is_uniform, written: Written::First };
        if is_uniform {
            let first = self.columns[slot * self.warps()].first();
            self.values[slot] = Affine::uniform(first);
        }
    }

    /// Has a register hold an affine value.
    #[inline(always)]
    pub fn set_affine(&mut self, slot: usize, value: Affine) {
        self.forms[slot] = Form::AFFINE;
        self.values[slot] = value;
    }

    /// Writes columns out, so that each warp's can be read.
    #[inline(always)]
    pub fn expand(&mut self, slot: usize) {
        if self.forms[slot].written == Written::None {
            self.write_out(slot);
        }
    }

    #[inline(never)]
    fn write_out(&mut self, slot: usize) {
        let (warps, value) = (self.warps(), self.values[slot]);
        let columns = &mut self.columns[slot * warps..][..warps];
        if value.warp == 0 {
            self.forms[slot].written = Written::First;
            T::write_out(&mut columns[..1], value, self.grid);
        } else {
            self.forms[slot].written = Written::All;
            T::write_out(columns, value, self.grid);
        }
    }

    #[inline(never)]
    fn write_all(&mut self, slot: usize) {
        self.expand(slot);
        self.copy_first(slot);
    }

    /// Has a register hold what one of another file of as many warps holds. A register that is not there yet is added.
    #[inline(always)]
    pub(super) fn copy(&mut self, to: usize, other: &File<T>, slot: usize) {
        let (warps, form) = (other.warps(), other.forms[slot]);
        let from = &other.columns[slot * warps..][..warps];
        if self.forms.len() <= to || self.grid != other.grid {
            self.make_room(to + 1, other.grid);
        }
        self.forms[to] = form;
        if form.is_affine {
            self.values[to] = other.values[slot];
        }
        match form.written {
            Written::None => {}
            Written::First => self.columns[to * warps] = from[0],
            Written::All => self.columns[to * warps..][..warps].copy_from_slice(from),
        }
    }

    /// Has room for so many registers of these warps. What they hold has no meaning.
    #[cold]
    fn make_room(&mut self, count: usize, grid: Grid) {
        self.grid = grid;
        let count = count.max(self.forms.len());
        self.forms.resize(count, Form::AFFINE);
        self.values.resize(count.max(self.values.len()), Affine::default());
        self.make_columns(count * self.warps());
    }

    pub(super) fn expand_all(&mut self) {
        (0..self.forms.len()).for_each(|slot| self.expand(slot));
    }

    /// Finds registers whose columns hold an affine value, and records it beside the columns.
    pub(super) fn find_affine(&mut self) {
        let warps = self.warps();
        let mut affine = vec![T::default(); warps];
        let forms = self.forms.iter_mut().zip(&mut self.values).zip(self.columns.chunks(warps));
        for ((form, value), columns) in forms.filter(|((form, _), _)| !form.is_affine) {
            let columns = if form.written == Written::First { &columns[..1] } else { columns };
            let Some(guess) = T::guess(columns, self.grid) else { continue };
            let affine = &mut affine[..columns.len()];
            T::write_out(affine, guess, self.grid);
            if affine == columns {
                (form.is_affine, *value) = (true, guess);
            }
        }
    }

    /// The column of a warp.
    pub fn get(&self, slot: usize, warp: usize) -> T {
        let columns = &self.columns[slot * self.warps()..];
        match self.forms[slot].written {
            Written::None => {
                let value = self.values[slot];
                let mut column = [T::default()];
                T::write_out(&mut column, Affine { base: value.of_warp(warp), ..value }, self.grid);
                column[0]
            }
            Written::First => columns[0],
            Written::All => columns[warp],
        }
    }

    pub(super) fn holds(&self, warp: usize, image: &[T]) -> bool {
        self.forms.len() == image.len()
            && image.iter().enumerate().all(|(slot, column)| self.get(slot, warp) == *column)
    }

    /// [`File::holds`], whatever some of the columns hold.
    pub(super) fn holds_but(&self, warp: usize, image: &[T], is_left_out: impl Fn(usize) -> bool) -> bool {
        self.forms.len() == image.len()
            && image
                .iter()
                .enumerate()
                .all(|(slot, column)| is_left_out(slot) || self.get(slot, warp) == *column)
    }

    pub(super) fn of_warp(&self, warp: usize) -> Vec<T> {
        (0..self.forms.len()).map(|slot| self.get(slot, warp)).collect()
    }

    #[inline(always)]
    pub(super) fn columns(&mut self, base: usize, warp: usize) -> Columns<'_, T> {
        Columns { file: self, base, warp }
    }

    /// Copies the column of warp 0 to the others, if that is the only one.
    #[inline(never)]
    fn copy_first(&mut self, slot: usize) {
        let (warps, form) = (self.warps(), &mut self.forms[slot]);
        debug_assert!(form.written != Written::None, "register {slot} is not written out");
        if form.written == Written::First {
            form.written = Written::All;
            let (first, others) = self.columns[slot * warps..][..warps].split_at_mut(1);
            others.fill(first[0]);
        }
    }
}

/// Equal are files in which every warp holds the same, however it is kept.
impl<T: Column> PartialEq for File<T> {
    fn eq(&self, other: &File<T>) -> bool {
        let alike = |slot: usize| (0..self.warps()).all(|warp| self.get(slot, warp) == other.get(slot, warp));
        self.grid == other.grid && self.forms.len() == other.forms.len() && (0..self.forms.len()).all(alike)
    }
}

/// A bank as one warp sees it: `columns[slot]` is the warp's column.
#[derive(Debug)]
pub struct Columns<'r, T: Column> {
    file: &'r mut File<T>,
    /// The first register of the frame.
    base: usize,
    pub(super) warp: usize,
}

impl<T: Column> Columns<'_, T> {
    /// The same bank as another warp sees it.
    #[inline(always)]
    pub fn of(&mut self, warp: usize) -> Columns<'_, T> {
        Columns { file: self.file, base: self.base, warp }
    }

    /// The same bank once more.
    pub fn again(&mut self) -> Columns<'_, T> {
        self.of(self.warp)
    }

    /// The value that all threads of the block have in a register, if they do.
    #[inline(always)]
    pub fn uniform(&self, slot: Slot) -> Option<u64> {
        self.file.uniform(self.base + usize::from(slot))
    }

    /// A copy of this warp's column of a register.
    #[inline(always)]
    pub fn get(&self, slot: Slot) -> T {
        self.file.get(self.base + usize::from(slot), self.warp)
    }

    /// Where the columns of a register are, from this warp on. They are written out.
    #[inline(always)]
    pub fn place(&mut self, slot: Slot) -> Place {
        self.file.expand(self.base + usize::from(slot));
        self.written_place(slot)
    }

    /// Where the columns of a register are, from this warp on, so that each warp can write its own. What they hold is kept unless
    /// it is to be replaced.
    #[inline(always)]
    pub fn place_to_write(&mut self, slot: Slot, replaces: bool) -> Place {
        let index = self.base + usize::from(slot);
        if self.file.forms[index] != Form::COLUMNS {
            if !replaces {
                self.file.write_all(index);
            }
            self.file.forms[index] = Form::COLUMNS;
        }
        Place { first: index * self.file.warps() + self.warp, counted: MAX_WARPS - 1 }
    }

    #[inline(always)]
    fn written_place(&self, slot: Slot) -> Place {
        let slot = self.base + usize::from(slot);
        let counted = self.file.forms[slot].counted();
        Place { first: slot * self.file.warps() + (self.warp & counted), counted }
    }

    /// All columns of the bank.
    #[inline(always)]
    pub fn cells(&mut self) -> &[Cell<T>] {
        Cell::from_mut(&mut self.file.columns[..]).as_slice_of_cells()
    }
}

impl<T: Column> Index<usize> for Columns<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, slot: usize) -> &T {
        &self.file.columns[self.written_place(slot as Slot).first]
    }
}

impl<T: Column> IndexMut<usize> for Columns<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, slot: usize) -> &mut T {
        let place = self.place_to_write(slot as Slot, false);
        &mut self.file.columns[place.first]
    }
}
