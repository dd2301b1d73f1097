//! The kernel around its statements: parameters, variables, the address of each thread's own area, and the code at the
//! end.

use simt::Dim3;

use super::extra::Extra;
use super::memory::{COMMON_BYTES, OWN_BYTES, SHOWN_BYTES};
use super::{COLUMNS, Frame, Place, Writer, letter};
use crate::dice::Dice;
use crate::family::Family;
use crate::kernel::{Argument, Kernel};
use crate::shape::{Kind, Source};

impl Frame {
    /// The declarations of the registers.
    pub(super) fn declarations(&self) -> String {
        let kinds = [Kind::Pred, Kind::B16, Kind::B32, Kind::B64];
        let counted = kinds.iter().filter(|&&kind| self.counts[kind as usize] > 0);
        let counted = counted.fold(String::new(), |text, &kind| {
            text + &format!("    .reg .{} %{}<{}>;\n", kind.name(), letter(kind), self.counts[kind as usize])
        });
        // The name of a function is global, so each function can have local memory of its own under the same name.
        format!(
            "{counted}    .reg .b64 %in, %out, %own, %cells, %shown, %post;\n    .reg .b32 %tid_;\n    \
             .local .align 16 .b8 mine[{OWN_BYTES}];\n"
        ) + &(0..OWN_BYTES / 16).fold(String::new(), |text, index| {
            let (a, b) = (7 * index + 1, 11 * index + 5);
            text + &format!("    st.local.v4.b32 [mine+{}], {{{a}, {b}, -{a}, -{b}}};\n", 16 * index)
        })
    }
}

/// The targets of kernels without a family, with weights.
const TARGETS: [(usize, u32); 6] = [(70, 90), (8, 80), (6, 75), (8, 70), (4, 86), (4, 60)];

/// Writes the kernel of a seed. On request the operands of one slot are stored.
pub fn kernel(family: Option<Family>, seed: u64, reveal: Option<usize>) -> Kernel {
    // The numbers of other purposes are below 10.
    let mut dice = Dice::new(seed, family.map_or(1, |family| 10 + family as u64));
    let target = dice.weighted(family.map_or(&TARGETS[..], Family::targets));
    let (grid, block, extra) = match family {
        None => {
            let (grid, block) = launch(&mut dice);
            (grid, block, None)
        }
        Some(family) => {
            let (grid, block, extra) = Extra::new(family, &mut dice);
            (grid, block, Some(extra))
        }
    };
    let block_threads = block.count() as usize;
    let mut writer = Writer {
        dice,
        target,
        threads: grid.count() as usize * block_threads,
        block_threads,
        frame: Frame::default(),
        labels: 0,
        columns: Vec::new(),
        slots: Vec::new(),
        cells: Vec::new(),
        shared_cells: Vec::new(),
        functions: Vec::new(),
        reveal,
        extra,
    };
    let count = writer.dice.below(4);
    let functions: String = (0..count).map(|_| writer.function()).collect();
    writer.main();
    writer.finish(seed, grid, block, &functions)
}

/// A grid and a block of one to three dimensions, some with a warp that is not full.
fn launch(dice: &mut Dice) -> (Dim3, Dim3) {
    let blocks = [
        (32, 1, 1),
        (64, 1, 1),
        (96, 1, 1),
        (128, 1, 1),
        (33, 1, 1),
        (50, 1, 1),
        (16, 4, 1),
        (8, 4, 3),
        (5, 5, 3),
        (20, 2, 1),
    ];
    let grids = [(1, 1, 1), (2, 1, 1), (3, 1, 1), (1, 2, 1), (1, 1, 2)];
    let shape = |(x, y, z)| Dim3::new(x, y, z);
    (shape(*dice.pick(&grids)), shape(*dice.pick(&blocks)))
}

impl Writer {
    /// The statements of the kernel itself.
    fn main(&mut self) {
        let full = self.block_threads.is_multiple_of(32);
        let mask = self.fresh(Kind::B32);
        self.top_mask(mask, full);
        for kind in [Kind::B32, Kind::B64, Kind::B16, Kind::Pred] {
            let register = self.input(Source::any(kind));
            self.keep(register);
        }
        let place = Place { mask: Some(mask), full, uniform: true, depth: 0 };
        // The statements of a family are long.
        let (least, more) = if self.family().is_some() { (10, 14) } else { (22, 26) };
        let count = least + self.dice.below(more);
        self.statements(count, place);
        self.shared_results();
        self.cluster_results();
        self.leave();
        self.line("ret;");
    }

    /// A register with the mask of the lanes that exist in this warp.
    fn top_mask(&mut self, mask: super::Register, full: bool) {
        if full {
            self.line(format!("mov.b32 {mask}, -1;"));
            return;
        }
        let (first, left) = (self.fresh(Kind::B32), self.fresh(Kind::B32));
        self.line(format!("and.b32 {first}, %tid_, -32;"));
        self.line(format!("sub.u32 {left}, {}, {first};", self.block_threads));
        // A shift by 32 or more gives 0, so a full warp gets all ones.
        self.line(format!("shl.b32 {mask}, 1, {left};"));
        self.line(format!("sub.u32 {mask}, {mask}, 1;"));
    }

    /// Stores the final values of the cells in shared memory, after a barrier.
    fn shared_results(&mut self) {
        if self.shared_cells.is_empty() {
            return;
        }
        self.line("bar.sync 0;");
        for (index, (instruction, _)) in self.shared_cells.clone().into_iter().enumerate() {
            let result = self.fresh(Kind::B64);
            self.line(format!("ld.shared.b64 {result}, [cell{index}];"));
            let opcode = instruction.split(' ').next().unwrap_or_default().to_owned();
            self.result(result, &opcode, &instruction);
        }
    }

    /// Lets some threads end early, and writes a few more instructions after that.
    fn leave(&mut self) {
        for _ in 0..self.dice.below(3) {
            let done = self.held(Kind::Pred);
            let word = *self.dice.pick(&["exit", "ret"]);
            self.line(format!("@{done} {word};"));
            for _ in 0..3 {
                self.arithmetic();
            }
        }
    }

    /// Assembles the text and the input.
    fn finish(self, seed: u64, grid: Dim3, block: Dim3, functions: &str) -> Kernel {
        let mut data = Dice::new(seed, 2);
        let input = self.columns.iter().flat_map(|domain| {
            // A few columns have the same value for all threads, as many values in real kernels do.
            let common = data.chance(10).then(|| domain.value(&mut data));
            let values: Vec<u64> =
                (0..self.threads).map(|_| common.unwrap_or_else(|| domain.value(&mut data))).collect();
            values.into_iter().flat_map(u64::to_le_bytes)
        });
        let input: Vec<u8> = input.collect();
        let words = |data: &mut Dice, bytes: usize| -> Vec<u8> {
            (0..bytes / 8).flat_map(|_| crate::values::Domain::Bits(64).value(data).to_le_bytes()).collect()
        };
        let own = words(&mut data, OWN_BYTES * self.threads);
        let given = words(&mut data, COMMON_BYTES);
        let cells = self.cells.iter().flat_map(|cell| cell.start.to_le_bytes()).chain([0; 8]).collect();
        let text = self.text(functions, &mut data);
        let others = self.extra.as_ref().map(|extra| extra.arguments(self.threads, &mut data));
        let mut arguments = vec![
            Argument::Buffer("in", input),
            Argument::Buffer("out", vec![0; COLUMNS * self.threads * 8]),
            Argument::Buffer("own", own),
            Argument::Buffer("cells", cells),
            Argument::Value(given),
        ];
        arguments.extend(others.into_iter().flatten());
        Kernel {
            family: self.family(),
            seed,
            text,
            target: self.target,
            grid,
            block,
            arguments,
            slots: self.slots,
            cells: self.cells,
        }
    }

    fn text(&self, functions: &str, data: &mut Dice) -> String {
        let mut bytes =
            || (0..COMMON_BYTES).map(|_| (data.bits() & 255).to_string()).collect::<Vec<_>>().join(", ");
        let (table, fixed) = (bytes(), bytes());
        let shared = (0..self.shared_cells.len())
            .fold(String::new(), |text, index| text + &format!(".shared .align 8 .b64 cell{index};\n"));
        let extra = self.extra_text(data);
        let shared = shared + &extra.variables;
        format!(
            ".version 8.7\n.target sm_{}\n.address_size 64\n\n\
             .global .align 16 .b8 table[{COMMON_BYTES}] = {{{table}}};\n\
             .const .align 16 .b8 fixed[{COMMON_BYTES}] = {{{fixed}}};\n\
             .shared .align 16 .b8 shown[{}];\n.shared .align 8 .b8 post[{}];\n{shared}\n{functions}\n\
             .visible .entry {}(.param .u64 p_in, .param .u64 p_out, .param .u64 p_own, .param .u64 p_cells, \
             .param .align 16 .b8 given[{COMMON_BYTES}]{})\n{}{{\n{}{}{}{}}}\n",
            self.target,
            SHOWN_BYTES * self.block_threads,
            8 * self.block_threads,
            Kernel::ENTRY,
            extra.parameters,
            extra.directives,
            self.frame.declarations(),
            self.prologue(),
            extra.prologue,
            self.frame.body,
        )
    }

    /// Computes the address of each thread's own area, and writes the first values into shared memory.
    fn prologue(&self) -> String {
        let mut lines =
            vec![".reg .b32 %u<8>;".to_owned(), ".reg .b64 %w<8>;".to_owned(), ".reg .pred %q0;".to_owned()];
        lines.extend(place_in("%tid_", "tid", "ntid"));
        lines.extend(place_in("%u0", "ctaid", "nctaid"));
        lines.push(format!("mad.lo.u32 %u3, %u0, {}, %tid_;", self.block_threads));
        for (register, parameter, bytes) in
            [("%in", "p_in", 8), ("%out", "p_out", 8), ("%own", "p_own", OWN_BYTES)]
        {
            lines.push(format!("ld.param.u64 %w0, [{parameter}];"));
            lines.push("cvta.to.global.u64 %w0, %w0;".to_owned());
            lines.push(format!("mul.wide.u32 %w1, %u3, {bytes};"));
            lines.push(format!("add.u64 {register}, %w0, %w1;"));
        }
        lines.push("ld.param.u64 %w0, [p_cells];".to_owned());
        lines.push("cvta.to.global.u64 %cells, %w0;".to_owned());
        for (register, variable, bytes) in [("%shown", "shown", SHOWN_BYTES), ("%post", "post", 8)] {
            lines.push(format!("mov.u64 %w0, {variable};"));
            lines.push(format!("mul.wide.u32 %w1, %tid_, {bytes};"));
            lines.push(format!("add.u64 {register}, %w0, %w1;"));
        }
        lines.push("st.shared.v4.b32 [%shown], {1, %tid_, -2, 305419896};".to_owned());
        lines.push("st.shared.v2.b64 [%shown+16], {-9, 7};".to_owned());
        lines.extend(self.shared_starts());
        format!("    {}\n", lines.join("\n    "))
    }

    /// Thread 0 writes the first values of the cells of its block, before any thread changes them.
    fn shared_starts(&self) -> Vec<String> {
        if self.shared_cells.is_empty() {
            return Vec::new();
        }
        let mut lines = vec!["setp.ne.u32 %q0, %tid_, 0;".to_owned()];
        for (index, (_, start)) in self.shared_cells.iter().enumerate() {
            lines.push(format!("mov.b64 %w0, {start:#x};"));
            lines.push(format!("@!%q0 st.shared.b64 [cell{index}], %w0;"));
        }
        lines.push("bar.sync 0;".to_owned());
        lines
    }
}

/// Instructions that combine the coordinates of a place in three dimensions into one number, the first dimension
/// fastest.
fn place_in(register: &str, place: &str, sizes: &str) -> Vec<String> {
    let step = |to: &str, axis: &str, slower: &str| {
        [
            format!("mov.u32 %u1, %{sizes}.{axis};"),
            format!("mov.u32 %u2, %{place}.{axis};"),
            format!("mad.lo.u32 {to}, {slower}, %u1, %u2;"),
        ]
    };
    let mut lines = vec![format!("mov.u32 %u0, %{place}.z;")];
    lines.extend(step("%u0", "y", "%u0"));
    lines.extend(step(register, "x", "%u0"));
    lines
}
