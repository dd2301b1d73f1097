//! A second way to find the counters of a launch, which goes through its warps on the host.
//!
//! A kernel is described as the pieces of straight-line code between its branches, in the order of the PTX text. For
//! each piece the description says how often a thread executes it, and, if it ends in a branch, which threads take that
//! branch. The rules are the hardware's: a warp executes a piece as often as the busiest of its lanes, lanes that have
//! diverged reconverge, and a request touches the distinct 32-byte sectors of its lanes. If a divergent branch leads
//! straight to the end of the kernel, the lanes that take it end there. How many instructions a piece has, and where
//! its branch leads, is read from the PTX; nothing is taken from a run.

use simt::Counters;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::launch::blocks_for;

pub const BLOCKS: [u32; 5] = [32, 48, 64, 256, 1024];
const SIZES: [usize; 8] = [1, 31, 33, 100, 1003, 1024, 3000, 4096];

/// Calls `check` with every size and block.
pub fn shapes(mut check: impl FnMut(usize, u32)) {
    for n in SIZES {
        for block in BLOCKS {
            check(n, block);
        }
    }
}

/// The counters of the emulator in a run without a fault.
pub fn counted(run: &thirty_two_lanes::Run) -> Counters {
    assert!(run.faults.is_empty(), "{:?}", run.faults);
    run.counters
}

/// A launch in one dimension that covers `n` elements.
pub fn line(n: usize, block: u32, pieces: Vec<Piece>) -> Model {
    Model { grid: (blocks_for(n, block) as usize, 1), block: (block as usize, 1), pieces }
}

/// A piece that some threads execute once.
pub fn once(walks: Of<usize>) -> Piece {
    Piece { walks, only: None, taken: None, elements: &[] }
}

pub fn every_thread(_: Thread) -> usize {
    1
}

/// The index of the thread's own element.
pub fn own(t: Thread, _: usize) -> usize {
    t.x
}

/// A thread, by its place in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    pub x: usize,
    pub y: usize,
}

/// A property of a thread, such as how often it executes a piece.
pub type Of<'a, T> = &'a dyn Fn(Thread) -> T;

/// A property of a thread in an iteration, counted from 0: whether it takes a branch, or which element it accesses.
pub type In<'a, T> = &'a dyn Fn(Thread, usize) -> T;

/// A piece of straight-line code.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    /// How often a thread executes it.
    pub walks: Of<'a, usize>,
    /// Which of these iterations really contain this piece; all of them if it is `None`.
    pub only: Option<In<'a, bool>>,
    /// The conditional branch at its end.
    pub taken: Option<In<'a, bool>>,
    /// The index of the 4-byte element that each of its loads and stores accesses.
    pub elements: &'a [In<'a, usize>],
}

/// A launch, as far as the model describes it.
pub struct Model<'a> {
    pub grid: (usize, usize),
    pub block: (usize, usize),
    pub pieces: Vec<Piece<'a>>,
}

/// A piece of PTX text.
#[derive(Debug, Default)]
struct Text {
    instructions: u64,
    /// The label at its beginning.
    label: Option<String>,
    /// Whether it begins with the end of the kernel.
    is_end: bool,
    ends_in_branch: bool,
    /// The target of its branch, if the branch has a condition.
    target: Option<String>,
    /// If one way out of its branch leads straight to the end of the kernel: whether that is the way of the lanes that
    /// take it.
    takers_end: Option<bool>,
    /// For each of its loads and stores, in order, whether it is a store.
    stores: Vec<bool>,
}

impl Model<'_> {
    /// The counters that follow from the description.
    pub fn counters(&self, kernel: &Kernel, debug: bool) -> Counters {
        let texts = pieces(kernel, debug);
        assert_eq!(texts.len(), self.pieces.len(), "{kernel}: the PTX has other pieces: {texts:#?}");
        let mut counters = Counters::default();
        for warp in self.warps() {
            let before = counters.ptx_divergent_branches;
            let mut here = warp;
            for (piece, text) in self.pieces.iter().zip(&texts) {
                walk(&mut here, *piece, text, &mut counters);
            }
            counters.warps += 1;
            counters.divergent_warps += u64::from(counters.ptx_divergent_branches > before);
        }
        counters
    }

    /// The threads of each warp: 32 at a time in the order of their numbers in the block. The last warp may have fewer.
    fn warps(&self) -> Vec<Vec<Thread>> {
        let ((columns, rows), (width, height)) = (self.grid, self.block);
        let mut warps = Vec::new();
        for block in 0..columns * rows {
            let (left, top) = (block % columns * width, block / columns * height);
            let threads = (0..width * height).map(|i| Thread { x: left + i % width, y: top + i / width });
            warps.extend(threads.collect::<Vec<_>>().chunks(32).map(<[Thread]>::to_vec));
        }
        warps
    }
}

/// Executes a piece with the lanes of a warp that have not ended, iteration after iteration.
fn walk(here: &mut Vec<Thread>, piece: Piece, text: &Text, counters: &mut Counters) {
    let most = here.iter().map(|&thread| (piece.walks)(thread)).max().unwrap_or(0);
    for round in 0..most {
        let walks =
            |thread| (piece.walks)(thread) > round && piece.only.is_none_or(|only| only(thread, round));
        let active: Vec<Thread> = here.iter().copied().filter(|&thread| walks(thread)).collect();
        if active.is_empty() {
            continue;
        }
        counters.ptx_instructions += text.instructions;
        counters.ptx_lanes += text.instructions * active.len() as u64;
        counters.ptx_branches += u64::from(text.ends_in_branch);
        for (element, is_store) in piece.elements.iter().zip(&text.stores) {
            access(&active, &|thread| element(thread, round), *is_store, counters);
        }
        if let Some(taken) = piece.taken {
            let ended = branch(&active, &|thread| taken(thread, round), text.takers_end, counters);
            here.retain(|thread| !ended.contains(thread));
        }
    }
}

/// A branch is divergent if some of the active lanes take it and some do not. Returns the lanes that it sends to the
/// end.
fn branch(
    active: &[Thread],
    taken: Of<bool>,
    takers_end: Option<bool>,
    counters: &mut Counters,
) -> Vec<Thread> {
    let (taking, staying): (Vec<Thread>, Vec<Thread>) = active.iter().partition(|&&thread| taken(thread));
    if taking.is_empty() || staying.is_empty() {
        return Vec::new();
    }
    counters.ptx_divergent_branches += 1;
    match takers_end {
        Some(true) => taking,
        Some(false) => staying,
        None => Vec::new(),
    }
}

/// Allocations begin at a multiple of 32 bytes, so each sector contains eight elements, the first of which has an index
/// that is a multiple of eight.
fn access(active: &[Thread], element: Of<usize>, is_store: bool, counters: &mut Counters) {
    let mut sectors: Vec<usize> = active.iter().map(|&thread| element(thread) / 8).collect();
    sectors.sort_unstable();
    sectors.dedup();
    let (requests, touched) = if is_store {
        (&mut counters.global_store_requests, &mut counters.global_store_sectors)
    } else {
        (&mut counters.global_load_requests, &mut counters.global_load_sectors)
    };
    *requests += 1;
    *touched += sectors.len() as u64;
}

/// The kernel's PTX, split after each branch and before each label.
fn pieces(kernel: &Kernel, debug: bool) -> Vec<Text> {
    let ptx = kernel.build(70, debug).expect("the kernels of this chapter have both builds").ptx;
    let body = ptx.split(&format!(".entry {}(", kernel.name)).nth(1).expect("its PTX has it");
    let body = body.split("\n}").next().expect("an entry ends in a brace");
    let mut pieces = vec![Text::default()];
    for line in body.lines().map(str::trim) {
        let label = line.strip_suffix(':').filter(|label| label.starts_with("$L__BB"));
        let is_instruction = line.ends_with(';') && !line.starts_with(['.', '/', '$']);
        if label.is_some() || pieces.last().is_some_and(|piece| piece.ends_in_branch) {
            pieces.push(Text { label: label.map(str::to_owned), ..Text::default() });
        }
        if is_instruction {
            pieces.last_mut().expect("there is a first piece").add(line);
        }
    }
    pieces.retain(|piece| piece.instructions > 0);
    find_ends(&mut pieces);
    pieces
}

/// Finds the branches with one way that leads straight to the end of the kernel.
fn find_ends(pieces: &mut [Text]) {
    let ends: Vec<String> =
        pieces.iter().filter(|piece| piece.is_end).filter_map(|piece| piece.label.clone()).collect();
    for i in 0..pieces.len() {
        let Some(target) = &pieces[i].target else { continue };
        let falls_to_end = pieces.get(i + 1).is_some_and(|next| next.is_end);
        pieces[i].takers_end = match (ends.contains(target), falls_to_end) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
    }
}

impl Text {
    fn add(&mut self, line: &str) {
        let opcode = line.split_whitespace().find(|word| !word.starts_with('@')).expect("an opcode");
        self.is_end |= self.instructions == 0 && opcode == "ret;";
        self.instructions += 1;
        self.ends_in_branch = opcode == "bra" || opcode.starts_with("bra.");
        if self.ends_in_branch && line.starts_with('@') {
            let target = line.split_whitespace().next_back().expect("a branch has a target");
            self.target = Some(target.trim_end_matches(';').to_owned());
        }
        let is_load = opcode.starts_with("ld.") && !opcode.starts_with("ld.param");
        if is_load || opcode.starts_with("st.") {
            self.stores.push(!is_load);
        }
    }
}
