//! A second opinion: what a launch must cost, counted by walking over its warps on the host.
//!
//! A kernel is described as the pieces of straight code between its branches, in the order of the PTX text. For each
//! piece the description says how often a thread walks it, and, if a branch ends it, which threads take that branch.
//! The rules are the hardware's: a warp walks a piece as often as the busiest of its lanes, lanes that parted meet
//! again, and a request touches the distinct 32-byte sectors of its lanes. How many instructions a piece has is read
//! from the PTX; nothing is taken from a run.

use lanes::kernel::Kernel;
use simt::Counters;

/// A thread, by its place in the grid.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    pub x: usize,
    pub y: usize,
}

/// Something about a thread: how often it walks a piece, or which element it accesses.
pub type Of<'a, T> = &'a dyn Fn(Thread) -> T;

/// Whether a thread takes a branch in a round, counted from 0.
pub type Taken<'a> = &'a dyn Fn(Thread, usize) -> bool;

/// A piece of straight code.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    /// How often a thread walks it.
    pub walks: Of<'a, usize>,
    /// The conditional branch at its end.
    pub taken: Option<Taken<'a>>,
    /// Where its loads and stores go: the number of an element of four bytes, for each of them.
    pub elements: &'a [Of<'a, usize>],
}

/// A launch as the model sees it.
pub struct Model<'a> {
    pub grid: (usize, usize),
    pub block: (usize, usize),
    pub pieces: Vec<Piece<'a>>,
}

/// A piece of PTX text.
#[derive(Debug, Default)]
struct Text {
    instructions: u64,
    ends_in_branch: bool,
    /// Its loads and stores in order: whether it is a store.
    stores: Vec<bool>,
}

impl Model<'_> {
    /// What the counters must be.
    pub fn counters(&self, kernel: &Kernel, debug: bool) -> Counters {
        let texts = pieces(kernel, debug);
        assert_eq!(texts.len(), self.pieces.len(), "{kernel}: the PTX has other pieces: {texts:#?}");
        let mut counters = Counters::default();
        for warp in self.warps() {
            let before = counters.ptx_divergent_branches;
            for (piece, text) in self.pieces.iter().zip(&texts) {
                walk(&warp, *piece, text, &mut counters);
            }
            counters.warps += 1;
            counters.divergent_warps += u64::from(counters.ptx_divergent_branches > before);
        }
        counters
    }

    /// The threads of each warp: 32 at a time in the order of their numbers in the block, the last warp with the rest.
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

fn walk(warp: &[Thread], piece: Piece, text: &Text, counters: &mut Counters) {
    let most = warp.iter().map(|&thread| (piece.walks)(thread)).max().unwrap_or(0);
    for round in 0..most {
        let active: Vec<Thread> =
            warp.iter().copied().filter(|&thread| (piece.walks)(thread) > round).collect();
        counters.ptx_instructions += text.instructions;
        counters.ptx_lanes += text.instructions * active.len() as u64;
        counters.ptx_branches += u64::from(text.ends_in_branch);
        if let Some(taken) = piece.taken {
            branch(&active, &|thread| taken(thread, round), counters);
        }
        for (element, is_store) in piece.elements.iter().zip(&text.stores) {
            access(&active, element, *is_store, counters);
        }
    }
}

/// A branch parts its lanes if some take it and some do not. Lanes that do not take it are switched off by its
/// predicate and not counted as active.
fn branch(active: &[Thread], taken: Of<bool>, counters: &mut Counters) {
    let staying = active.iter().filter(|&&thread| !taken(thread)).count();
    counters.ptx_lanes -= staying as u64;
    counters.ptx_divergent_branches += u64::from(staying != 0 && staying != active.len());
}

/// Allocations begin at a multiple of 32 bytes, so a sector holds eight elements from a multiple of eight on.
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

/// The kernel's PTX, cut after each branch and before each label.
fn pieces(kernel: &Kernel, debug: bool) -> Vec<Text> {
    let ptx = kernel.build(70, debug).expect("the kernels of this chapter have both builds").ptx;
    let body = ptx.split(&format!(".entry {}(", kernel.name)).nth(1).expect("its PTX has it");
    let body = body.split("\n}").next().expect("an entry ends in a brace");
    let mut pieces = vec![Text::default()];
    for line in body.lines().map(str::trim) {
        let is_label = line.starts_with("$L__BB") && line.ends_with(':');
        let is_instruction = line.ends_with(';') && !line.starts_with(['.', '/', '$']);
        if is_label || pieces.last().is_some_and(|piece| piece.ends_in_branch) {
            pieces.push(Text::default());
        }
        if is_instruction {
            pieces.last_mut().expect("there is a first piece").add(line);
        }
    }
    pieces.retain(|piece| piece.instructions > 0);
    pieces
}

impl Text {
    fn add(&mut self, line: &str) {
        let opcode = line.split_whitespace().find(|word| !word.starts_with('@')).expect("an opcode");
        self.instructions += 1;
        self.ends_in_branch = opcode == "bra" || opcode.starts_with("bra.");
        let is_load = opcode.starts_with("ld.") && !opcode.starts_with("ld.param");
        if is_load || opcode.starts_with("st.") {
            self.stores.push(!is_load);
        }
    }
}
