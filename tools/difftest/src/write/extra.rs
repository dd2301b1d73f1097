//! What a kernel has for its family besides the ordinary memory, and what the statements of all families share.
//!
//! Shared memory: each thread has a *land* to which copies write, of which functions use the upper part, and *gates*,
//! mbarriers of its own. A statement for all threads of a block has a part of the *stage*, and *doors*, mbarriers that are
//! its own variables. Global memory: the *feed*, which is only read; each thread's *area*; and *sums*, to which all
//! threads add in any order. In a cluster each thread has a place *far* away, in another block. Parts of lands, gates and
//! the stage are given to a statement for as long as it lasts, because other statements may be inside it.

use std::sync::OnceLock;

use simt::Dim3;
use simt::isa::FAMILIES;

use super::{Place, Register, Writer};
use crate::dice::Dice;
use crate::family::{Family, VERSION};
use crate::kernel::Argument;
use crate::shape::Kind;
use crate::values::Domain;

/// The bytes of a thread's land, and how many of them belong to the kernel itself.
pub(super) const LAND_BYTES: usize = 192;
const LAND_OF_KERNEL: usize = 128;
/// A thread's gates, of which functions use the last one.
pub(super) const GATES: usize = 4;
pub(super) const STAGE_BYTES: usize = 2048;
pub(super) const FEED_BYTES: usize = 1024;
pub(super) const AREA_BYTES: usize = 64;
pub(super) const FAR_BYTES: usize = 32;
const SUM_BYTES: usize = 4096;

/// What a kernel has for its family.
pub(super) struct Extra {
    pub(super) family: Family,
    /// The blocks of a cluster.
    pub(super) cluster: Dim3,
    is_explicit: bool,
    /// By how much the rank of the block that a thread's far place is in is larger than that of its own block.
    pub(super) far_step: u32,
    landed: usize,
    gated: usize,
    staged: usize,
    pub(super) doors: usize,
    /// The first values of the sums.
    pub(super) sums: Vec<u8>,
    /// The cells that all threads of a cluster update: the instruction, the first value, the rank of the block.
    pub(super) cluster_cells: Vec<(String, u64, u32)>,
}

/// What the text of a kernel has for its family.
#[derive(Default)]
pub(super) struct ExtraText {
    pub(super) variables: String,
    pub(super) parameters: &'static str,
    pub(super) directives: String,
    pub(super) prologue: String,
}

impl Extra {
    /// A grid and a block, and what a kernel has before anything is written.
    pub(super) fn new(family: Family, dice: &mut Dice) -> (Dim3, Dim3, Extra) {
        const BLOCKS: [(u32, u32, u32); 7] =
            [(32, 1, 1), (64, 1, 1), (8, 4, 1), (8, 4, 2), (33, 1, 1), (50, 1, 1), (20, 2, 1)];
        const FULL: [(u32, u32, u32); 4] = [(32, 1, 1), (64, 1, 1), (16, 4, 1), (8, 4, 3)];
        const IN_CLUSTERS: [(u32, u32, u32); 5] = [(32, 1, 1), (64, 1, 1), (33, 1, 1), (8, 4, 1), (10, 2, 2)];
        const GRIDS: [(u32, u32, u32); 4] = [(1, 1, 1), (1, 1, 1), (2, 1, 1), (1, 2, 1)];
        const SHAPES: [(u32, u32, u32); 7] =
            [(2, 1, 1), (2, 1, 1), (4, 1, 1), (1, 2, 1), (2, 2, 1), (1, 1, 2), (3, 1, 1)];
        let (blocks, shapes, grids) = match family {
            Family::Clusters => {
                (&IN_CLUSTERS[..], &SHAPES[..], &[(1, 1, 1), (1, 1, 1), (2, 1, 1), (1, 2, 1)][..])
            }
            Family::Matrices => (&FULL[..], &[(1, 1, 1)][..], &GRIDS[..]),
            _ => (&BLOCKS[..], &[(1, 1, 1)][..], &GRIDS[..]),
        };
        let mut shape = |shapes: &[(u32, u32, u32)]| {
            let &(x, y, z) = dice.pick(shapes);
            Dim3::new(x, y, z)
        };
        let (block, cluster, times) = (shape(blocks), shape(shapes), shape(grids));
        let grid = Dim3::new(cluster.x * times.x, cluster.y * times.y, cluster.z * times.z);
        let extra = Extra {
            family,
            cluster,
            is_explicit: dice.chance(50),
            far_step: dice.below(cluster.count() as usize) as u32,
            landed: 0,
            gated: 0,
            staged: 0,
            doors: 0,
            sums: Vec::new(),
            cluster_cells: Vec::new(),
        };
        (grid, block, extra)
    }

    /// The buffers that only kernels of a family have.
    pub(super) fn arguments(&self, threads: usize, data: &mut Dice) -> Vec<Argument> {
        let area = (0..threads * AREA_BYTES / 8).flat_map(|_| word(data).to_le_bytes()).collect();
        let sums = self.sums.iter().copied().chain([0; 16]).collect();
        vec![Argument::Buffer("area", area), Argument::Buffer("sums", sums)]
    }
}

/// A word of which all parts are interesting values of some type.
fn word(data: &mut Dice) -> u64 {
    let mut pair = |domain: Domain| domain.value(data) | domain.value(data) << 32;
    match pair(Domain::Bits(32)) % 5 {
        0 => pair(Domain::Halves),
        1 => pair(Domain::Brains),
        2 => pair(Domain::Single),
        3 => Domain::Double.value(data),
        _ => Domain::Bits(64).value(data),
    }
}

/// A form of a family and its opcodes, each with the first target that has it.
struct Listed {
    title: &'static str,
    max_sm: u32,
    opcodes: Vec<(String, u32)>,
}

/// The opcodes of all families, as far as the version of the texts has them.
fn listed() -> &'static [Listed] {
    static LISTED: OnceLock<Vec<Listed>> = OnceLock::new();
    LISTED.get_or_init(|| {
        let all =
            FAMILIES.iter().flat_map(|family| family.forms.iter().map(move |form| (family.title, form)));
        let list = all.map(|(title, form)| {
            let opcodes = form.opcodes().into_iter().filter_map(|opcode| {
                let needs = form.needs(&opcode);
                (needs.version <= VERSION).then_some((opcode, needs.sm))
            });
            Listed { title, max_sm: form.max_sm, opcodes: opcodes.collect() }
        });
        list.collect()
    })
}

impl Writer {
    /// The family of the kernel.
    pub(super) fn family(&self) -> Option<Family> {
        self.extra.as_ref().map(|extra| extra.family)
    }

    /// What the kernel has for its family.
    pub(super) fn extra(&mut self) -> &mut Extra {
        self.extra.as_mut().expect("only kernels of a family have such statements")
    }

    /// How many blocks are in a cluster.
    pub(super) fn ranks(&self) -> u32 {
        self.extra.as_ref().map_or(1, |extra| extra.cluster.count() as u32)
    }

    /// Draws a form of the emulator's family with this title that the target has, and then one of its opcodes.
    pub(super) fn drawn_of(&mut self, title: &str, wanted: impl Fn(&str) -> bool) -> String {
        let target = self.target;
        let fits = |(opcode, sm): &&(String, u32)| *sm <= target && wanted(opcode);
        let forms = listed().iter().filter(|form| form.title == title && target <= form.max_sm);
        let forms: Vec<&Listed> = forms.filter(|form| form.opcodes.iter().any(|o| fits(&o))).collect();
        let form = *self.dice.pick(&forms);
        let opcodes: Vec<&(String, u32)> = form.opcodes.iter().filter(fits).collect();
        self.dice.pick(&opcodes).0.clone()
    }

    /// Gives a statement a part of each thread's land: its offset, a multiple of 16.
    pub(super) fn take_land(&mut self, bytes: usize) -> Option<usize> {
        let (first, end) =
            if self.frame.is_function { (LAND_OF_KERNEL, LAND_BYTES) } else { (0, LAND_OF_KERNEL) };
        let extra = self.extra();
        let at = extra.landed.max(first);
        let next = at + bytes.next_multiple_of(16);
        (next <= end).then(|| {
            extra.landed = next;
            at
        })
    }

    /// Takes the land back from a statement, with everything after it.
    pub(super) fn give_land(&mut self, at: usize) {
        self.extra().landed = if at == LAND_OF_KERNEL && self.frame.is_function { 0 } else { at };
    }

    /// Gives a statement a gate of each thread: its offset.
    pub(super) fn take_gate(&mut self) -> Option<usize> {
        let (first, end) = if self.frame.is_function { (GATES - 1, GATES) } else { (0, GATES - 1) };
        let extra = self.extra();
        let at = extra.gated.max(first);
        (at < end).then(|| {
            extra.gated = at + 1;
            8 * at
        })
    }

    /// Takes the gate back.
    pub(super) fn give_gate(&mut self, at: usize) {
        self.extra().gated = if self.frame.is_function { 0 } else { at / 8 };
    }

    /// Gives a statement for all threads of a block a part of the stage: its offset, a multiple of 128.
    pub(super) fn take_stage(&mut self, bytes: usize) -> Option<usize> {
        let extra = self.extra();
        let at = extra.staged;
        let next = at + bytes.next_multiple_of(128);
        (next <= STAGE_BYTES).then(|| {
            extra.staged = next;
            at
        })
    }

    /// Takes that part back.
    pub(super) fn give_stage(&mut self, at: usize) {
        self.extra().staged = at;
    }

    /// A new mbarrier for all threads of a block, as a variable.
    pub(super) fn door(&mut self) -> String {
        let extra = self.extra();
        extra.doors += 1;
        format!("door{}", extra.doors - 1)
    }

    /// New sums with these first values: the offset in their buffer, a multiple of 16; `None` if there is no space.
    pub(super) fn take_sums(&mut self, start: &[u8]) -> Option<usize> {
        let sums = &mut self.extra().sums;
        let at = sums.len();
        (at + start.len() <= SUM_BYTES).then(|| {
            sums.extend(start);
            sums.resize(sums.len().next_multiple_of(16), 0);
            at
        })
    }

    /// A register with the address of the thread's land, or of its gates.
    pub(super) fn base_of(&mut self, name: &str, bytes: usize) -> String {
        if !self.frame.is_function {
            return format!("%{name}");
        }
        // A function is passed the address of the thread's word of `post`.
        let [post, steps, base, register] = [(); 4].map(|()| self.fresh(Kind::B64));
        self.line(format!("mov.u64 {post}, post;"));
        self.line(format!("sub.u64 {steps}, %post, {post};"));
        self.line(format!("mov.u64 {base}, {name};"));
        self.line(format!("mad.lo.u64 {register}, {steps}, {}, {base};", bytes / 8));
        register.to_string()
    }

    /// An address at an offset from another one, which may have an offset itself.
    pub(super) fn at(address: &str, offset: usize) -> String {
        let (base, own) = address.split_once('+').unwrap_or((address, "0"));
        match own.parse::<usize>().unwrap_or(0) + offset {
            0 => base.to_owned(),
            offset => format!("{base}+{offset}"),
        }
    }

    /// Where a copy of some bytes reads in global memory: an address, and whether the thread itself may store there.
    pub(super) fn source(&mut self, bytes: usize, granule: usize) -> (String, bool) {
        let (base, size, is_own) = match self.dice.below(4) {
            0 if bytes <= 64 => ("%own".to_owned(), 64, true),
            1 if bytes <= 64 => (self.variable("table"), 64, false),
            _ => (self.variable("feed"), FEED_BYTES, false),
        };
        (self.inside(&base, size, bytes, granule), is_own)
    }

    /// The address of some bytes in a place of a size: a constant offset, or one that is computed.
    pub(super) fn inside(&mut self, base: &str, size: usize, bytes: usize, granule: usize) -> String {
        let places = (size - bytes) / granule + 1;
        if places == 1 || self.dice.chance(50) {
            let offset = self.dice.below(places) * granule;
            return Writer::at(base, offset);
        }
        let (index, place) = (self.held(Kind::B32), self.fresh(Kind::B32));
        let (wide, address) = (self.fresh(Kind::B64), self.fresh(Kind::B64));
        let mask = (1 << places.ilog2()) - 1;
        self.line(format!("and.b32 {place}, {index}, {mask};"));
        self.line(format!("mul.wide.u32 {wide}, {place}, {granule};"));
        let (base, offset) = base.split_once('+').unwrap_or((base, "0"));
        self.line(format!("add.u64 {address}, {base}, {wide};"));
        Writer::at(&address.to_string(), offset.parse().unwrap_or(0))
    }

    /// Loads some of the bytes at an address that is a multiple of 16, and shows them.
    pub(super) fn show(&mut self, space: &str, base: &str, bytes: usize, opcode: &str) {
        const TYPES: [(&str, usize, usize, Kind); 7] = [
            ("u8", 1, 1, Kind::B32),
            ("b16", 1, 2, Kind::B16),
            ("b32", 1, 4, Kind::B32),
            ("b64", 1, 8, Kind::B64),
            ("b32", 2, 8, Kind::B32),
            ("b32", 4, 16, Kind::B32),
            ("b64", 2, 16, Kind::B64),
        ];
        let fitting: Vec<_> = TYPES.iter().filter(|(_, _, width, _)| *width <= bytes).collect();
        for _ in 0..=self.dice.below(2) {
            let &(ty, count, width, kind) = *self.dice.pick(&fitting);
            let address = Writer::at(base, self.dice.below(bytes / width) * width);
            let results: Vec<Register> = (0..count).map(|_| self.fresh(kind)).collect();
            let (vector, list) = listed_registers(&results);
            let instruction = format!("ld.{space}{vector}.{ty} {list}, [{address}];");
            self.line(&instruction);
            for result in results {
                self.result(result, opcode, &instruction);
            }
        }
    }

    /// Stores values from the pool to `bytes` bytes at an address, a multiple of 16.
    pub(super) fn fill(&mut self, space: &str, base: &str, bytes: usize) {
        for offset in (0..bytes).step_by(16) {
            let address = Writer::at(base, offset);
            let (kind, count) = *self.dice.pick(&[(Kind::B32, 4), (Kind::B64, 2)]);
            let values: Vec<Register> = (0..count).map(|_| self.held(kind)).collect();
            let (vector, list) = listed_registers(&values);
            self.line(format!("st.{space}{vector}.{} [{address}], {list};", kind.name()));
        }
    }

    /// Statements while something is under way. `touches` says whether they may be any, or none that access memory.
    pub(super) fn between(&mut self, place: Place, touches: bool) {
        let count = self.dice.below(3);
        if self.frame.is_function || !touches || place.depth >= 2 {
            (0..count).for_each(|_| self.arithmetic());
        } else {
            self.statements(count, Place { depth: place.depth + 1, ..place });
        }
    }

    /// Lets one thread of the block do something: writes a predicate that holds for it.
    pub(super) fn elected(&mut self) -> Register {
        let is_it = self.fresh(Kind::Pred);
        let thread = self.dice.below(self.block_threads);
        self.line(format!("setp.eq.u32 {is_it}, %tid_, {thread};"));
        is_it
    }

    /// The text that the kernel has for its family.
    pub(super) fn extra_text(&self, data: &mut Dice) -> ExtraText {
        let Some(extra) = &self.extra else { return ExtraText::default() };
        let feed: Vec<String> =
            (0..FEED_BYTES / 8).flat_map(|_| word(data).to_le_bytes()).map(|byte| byte.to_string()).collect();
        let threads = self.block_threads;
        let mut variables = format!(
            ".global .align 128 .b8 feed[{FEED_BYTES}] = {{{}}};\n\
             .shared .align 128 .b8 land[{}];\n.shared .align 8 .b8 gate[{}];\n.shared .align 128 .b8 stage[{STAGE_BYTES}];\n",
            feed.join(", "),
            LAND_BYTES * threads,
            8 * GATES * threads,
        );
        let words = |name: &str, count: usize| {
            (0..count).fold(String::new(), |text, at| text + &format!(".shared .align 8 .b64 {name}{at};\n"))
        };
        variables.push_str(&words("door", extra.doors));
        let directives = match extra.family {
            Family::Clusters => {
                let Dim3 { x, y, z } = extra.cluster;
                let far = format!(".shared .align 16 .b8 far[{}];\n", FAR_BYTES * threads);
                variables = variables + &far + &words("ccell", extra.cluster_cells.len());
                let explicit = if extra.is_explicit { ".explicitcluster\n" } else { "" };
                format!("{explicit}.reqnctapercluster {x}, {y}, {z}\n")
            }
            // What stores to the shared memory of a cluster needs one, if only of one block.
            Family::Bulk => ".reqnctapercluster 1, 1, 1\n".to_owned(),
            _ => String::new(),
        };
        let parameters = ", .param .u64 p_area, .param .u64 p_sums";
        ExtraText { variables, parameters, directives, prologue: Writer::extra_prologue(extra) }
    }

    /// Computes the addresses of the thread's places, and writes the first values of its land.
    fn extra_prologue(extra: &Extra) -> String {
        let mut lines = vec![".reg .b64 %land, %gate, %area, %sums, %far;".to_owned()];
        for (name, bytes) in [("land", LAND_BYTES), ("gate", 8 * GATES)] {
            lines.push(format!("mov.u64 %w0, {name};"));
            lines.push(format!("mul.wide.u32 %w1, %tid_, {bytes};"));
            lines.push(format!("add.u64 %{name}, %w0, %w1;"));
        }
        for (index, offset) in (0..LAND_BYTES).step_by(16).enumerate() {
            lines.push(format!("st.shared.v4.b32 [%land+{offset}], {{{index}, %tid_, 1, -1}};"));
        }
        lines.push("ld.param.u64 %w0, [p_area];".to_owned());
        lines.push("cvta.to.global.u64 %w0, %w0;".to_owned());
        lines.push(format!("mul.wide.u32 %w1, %u3, {AREA_BYTES};"));
        lines.push("add.u64 %area, %w0, %w1;".to_owned());
        lines.push("ld.param.u64 %w0, [p_sums];".to_owned());
        lines.push("cvta.to.global.u64 %sums, %w0;".to_owned());
        if extra.family == Family::Clusters {
            lines.extend(Writer::cluster_prologue(extra));
        }
        format!("    {}\n", lines.join("\n    "))
    }
}

/// The modifier for a vector of registers, and the operand.
pub(super) fn listed_registers(registers: &[Register]) -> (String, String) {
    let names: Vec<String> = registers.iter().map(Register::to_string).collect();
    match names.len() {
        1 => (String::new(), names.concat()),
        count => (format!(".v{count}"), format!("{{{}}}", names.join(", "))),
    }
}
