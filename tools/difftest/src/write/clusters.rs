//! Statements for the blocks of a cluster: its barrier, its registers, and accesses to the shared memory of other blocks.
//!
//! A thread has a place of its own in the shared memory of some block, `%far`, so it can access that anywhere. Words that
//! threads exchange are separated by barriers of the cluster, which are written only where all threads of all blocks
//! arrive. That is where all threads of a block arrive, because nothing that is the same for them differs between blocks.

use super::extra::{Extra, FAR_BYTES};
use super::memory::Spot;
use super::{Place, Register, Writer};
use crate::family::CLUSTERS;
use crate::kernel::Compare;
use crate::shape::Kind;

impl Writer {
    /// Writes a statement of a cluster.
    pub(super) fn clusters(&mut self, place: Place) {
        let if_uniform = |weight| if place.uniform { weight } else { 0 };
        let write = self.dice.weighted::<fn(&mut Writer, Place)>(&[
            (5, |writer, _| writer.far_access()),
            (5, |writer, _| writer.far_atomic()),
            (3, |writer, _| writer.cluster_atomic()),
            (2, |writer, _| writer.cluster_register()),
            (3, |writer, _| writer.cluster_address()),
            (if_uniform(3), |writer, _| writer.meet(true)),
            (if_uniform(5), |writer, _| writer.read_from_peer()),
            (if_uniform(4), |writer, _| writer.write_to_peer()),
            (if_uniform(5), |writer, _| writer.arrive_at_peer()),
            (if_uniform(6), |writer, _| writer.store_to_peer()),
            (if_uniform(6), |writer, _| writer.copy_to_peer()),
            (if_uniform(5), |writer, _| writer.multicast()),
            (2, Writer::gate_alone),
        ]);
        // Functions do not get the address of the place far away.
        if self.frame.is_function { self.cluster_register() } else { write(self, place) }
    }

    /// The barrier of the cluster. If `orders`, who leaves it knows what was done before all arrivals.
    pub(super) fn meet(&mut self, orders: bool) {
        let aligned = self.dice.chance(50);
        let mut draw = |part: &str| {
            self.drawn_of(CLUSTERS, |opcode| opcode.contains(part) && opcode.contains("aligned") == aligned)
        };
        let (arrive, wait) = (draw(".arrive"), draw(".wait"));
        if arrive.contains("relaxed") && orders {
            self.line("fence.acq_rel.cluster;");
        }
        self.line(format!("{arrive};"));
        if self.dice.chance(40) {
            for _ in 0..self.dice.below(3) {
                self.arithmetic();
            }
        }
        self.line(format!("{wait};"));
    }

    /// A register with the rank of the block that is `steps` after this one in its cluster.
    pub(super) fn rank_after(&mut self, steps: u32) -> Register {
        let (own, rank) = (self.fresh(Kind::B32), self.fresh(Kind::B32));
        self.line(format!("mov.u32 {own}, %cluster_ctarank;"));
        self.line(format!("add.u32 {rank}, {own}, {steps};"));
        self.line(format!("rem.u32 {rank}, {rank}, {};", self.ranks()));
        rank
    }

    /// A number of steps from one block of the cluster to another one, sometimes to itself.
    pub(super) fn steps(&mut self) -> u32 {
        if self.dice.chance(80) { 1 + self.dice.below(self.ranks() as usize - 1) as u32 } else { 0 }
    }

    /// The address in `.shared::cluster` of a place in a block of the cluster, from its address in this block: a register of
    /// 32 or 64 bits.
    pub(super) fn mapped(&mut self, address: &str, rank: &str) -> String {
        let (base, offset) = address.split_once('+').unwrap_or((address, "0"));
        let base = if base.starts_with('%') { base.to_owned() } else { self.variable(base) };
        let far = self.fresh(Kind::B64);
        let mapped = match self.dice.below(3) {
            0 => {
                self.line(format!("mapa.shared::cluster.u64 {far}, {base}, {rank};"));
                far
            }
            1 => {
                let (narrow, mapped) = (self.fresh(Kind::B32), self.fresh(Kind::B32));
                self.line(format!("cvt.u32.u64 {narrow}, {base};"));
                self.line(format!("mapa.shared::cluster.u32 {mapped}, {narrow}, {rank};"));
                mapped
            }
            _ => {
                let (generic, mapped) = (self.fresh(Kind::B64), self.fresh(Kind::B64));
                self.line(format!("cvta.shared.u64 {generic}, {base};"));
                self.line(format!("mapa.u64 {mapped}, {generic}, {rank};"));
                self.line(format!("cvta.to.shared::cluster.u64 {far}, {mapped};"));
                far
            }
        };
        Writer::at(&mapped.to_string(), offset.parse().unwrap_or(0))
    }

    /// The thread's place far away, for an opcode that names the space or wants a generic address.
    fn far_spot(&mut self, space: &str) -> Spot {
        let base = match space {
            "" => {
                let generic = self.fresh(Kind::B64);
                self.line(format!("cvta.shared::cluster.u64 {generic}, %far;"));
                generic.to_string()
            }
            _ => "%far".to_owned(),
        };
        Spot { base, bytes: FAR_BYTES, dynamic: true }
    }

    /// Loads from the place far away, or stores there.
    fn far_access(&mut self) {
        let is_store = self.dice.chance(45);
        let access = self.drawn_in_cluster(if is_store { &["st"] } else { &["ld"] });
        let spot = self.far_spot(&access.space);
        self.access_at(&access, &spot, is_store);
    }

    /// An atomic operation on the place far away.
    fn far_atomic(&mut self) {
        let access = self.drawn_in_cluster(&["atom", "atom", "red"]);
        let spot = self.far_spot(&access.space);
        self.atomic_at(&access, &spot);
    }

    /// An atomic operation on a word that all threads of the cluster update. For the shared memory of another block, ptxas makes
    /// a load and a store of 64-bit operations other than sums and exchanges, so updates by others in between are lost.
    fn cluster_atomic(&mut self) {
        let (operation, start, kind, operand) = loop {
            let drawn = self.common_operation();
            if drawn.2 == Kind::B32 || drawn.0.starts_with("add") {
                break drawn;
            }
        };
        let rank = self.dice.below(self.ranks() as usize) as u32;
        let cell = format!("ccell{}", self.extra().cluster_cells.len());
        let address = self.mapped(&cell, &rank.to_string());
        let order = *self.dice.pick(&["", ".relaxed.cluster", ".relaxed.gpu", ".cluster"]);
        let instruction = if self.dice.chance(50) {
            format!("red{order}.shared::cluster.{operation} [{address}], {operand};")
        } else {
            let ignored = self.fresh(kind);
            format!("atom{order}.shared::cluster.{operation} {ignored}, [{address}], {operand};")
        };
        self.line(&instruction);
        self.extra().cluster_cells.push((instruction, start, rank));
    }

    /// A special register of clusters.
    fn cluster_register(&mut self) {
        const NAMES: [&str; 14] = [
            "%cluster_ctarank",
            "%cluster_nctarank",
            "%cluster_ctaid.x",
            "%cluster_ctaid.y",
            "%cluster_ctaid.z",
            "%cluster_nctaid.x",
            "%cluster_nctaid.y",
            "%cluster_nctaid.z",
            "%clusterid.x",
            "%clusterid.y",
            "%clusterid.z",
            "%nclusterid.x",
            "%nclusterid.y",
            "%nclusterid.z",
        ];
        if self.dice.chance(10) {
            let result = self.fresh(Kind::Pred);
            let instruction = format!("mov.pred {result}, %is_explicit_cluster;");
            self.line(&instruction);
            return self.result(result, "mov.pred", &instruction);
        }
        let (result, name) = (self.fresh(Kind::B32), *self.dice.pick(&NAMES));
        let instruction = format!("mov.u32 {result}, {name};");
        self.line(&instruction);
        self.result(result, "mov.u32", &instruction);
    }

    /// Asks for the rank of an address, or whether it is in the shared memory of the cluster.
    fn cluster_address(&mut self) {
        let (name, steps) = (*self.dice.pick(&["%far", "%shown", "stage"]), self.steps());
        let far = if name == "%far" {
            name.to_owned()
        } else {
            let rank = self.rank_after(steps);
            let (base, far) = (self.variable(name), self.fresh(Kind::B64));
            self.line(format!("mapa.shared::cluster.u64 {far}, {base}, {rank};"));
            far.to_string()
        };
        let generic = self.fresh(Kind::B64);
        self.line(format!("cvta.shared::cluster.u64 {generic}, {far};"));
        if self.dice.chance(30) {
            let is = self.fresh(Kind::Pred);
            let space = *self.dice.pick(&["shared::cluster", "global", "local", "const"]);
            let question = format!("isspacep.{space} {is}, {generic};");
            self.line(&question);
            return self.result(is, &format!("isspacep.{space}"), &question);
        }
        let opcode = self.drawn_of(CLUSTERS, |opcode| opcode.starts_with("getctarank"));
        let (rank, narrow) = (self.fresh(Kind::B32), self.fresh(Kind::B32));
        let address = match (opcode.contains("shared::cluster"), opcode.ends_with("u32")) {
            (true, false) => far,
            (true, true) => {
                self.line(format!("cvt.u32.u64 {narrow}, {far};"));
                narrow.to_string()
            }
            // A generic address of 32 bits would have lost its upper half.
            (false, true) => return,
            (false, false) => generic.to_string(),
        };
        let instruction = format!("{opcode} {rank}, {address};");
        self.line(&instruction);
        self.result(rank, &opcode, &instruction);
    }

    /// Each thread reads what a thread of another block has written.
    fn read_from_peer(&mut self) {
        let (value, result) = (self.held(Kind::B64), self.fresh(Kind::B64));
        self.line(format!("st.shared.b64 [%post], {value};"));
        self.meet(true);
        let (steps, place) = (self.steps(), self.thread_after());
        let (rank, address) = (self.rank_after(steps), self.post_of(&place.to_string()));
        let far = self.mapped(&address, &rank.to_string());
        let instruction = format!("ld.shared::cluster.b64 {result}, [{far}];");
        self.line(&instruction);
        self.meet(true);
        self.result(result, "ld.shared::cluster", &instruction);
    }

    /// Each thread writes to the word of a thread of another block.
    fn write_to_peer(&mut self) {
        let (value, result) = (self.held(Kind::B64), self.fresh(Kind::B64));
        self.meet(true);
        let (steps, place) = (self.steps(), self.thread_after());
        let (rank, address) = (self.rank_after(steps), self.post_of(&place.to_string()));
        let far = self.mapped(&address, &rank.to_string());
        self.line(format!("st.shared::cluster.b64 [{far}], {value};"));
        self.meet(true);
        let instruction = format!("ld.shared.b64 {result}, [%post];");
        self.line(&instruction);
        self.result(result, "st.shared::cluster", &instruction);
    }

    /// Waits for all blocks, shows the cells, and keeps every block's memory until the others have read it.
    pub(super) fn cluster_results(&mut self) {
        if self.family() != Some(crate::family::Family::Clusters) {
            return;
        }
        self.meet(true);
        for (index, (instruction, _, rank)) in self.extra().cluster_cells.clone().into_iter().enumerate() {
            let (result, far) =
                (self.fresh(Kind::B64), self.mapped(&format!("ccell{index}"), &rank.to_string()));
            self.line(format!("ld.shared::cluster.b64 {result}, [{far}];"));
            let opcode = instruction.split(' ').next().unwrap_or_default().to_owned();
            self.slot(result, &opcode, &instruction, Compare::Exact, None);
        }
        self.meet(true);
    }

    /// Initialises the cells, meets the other blocks, and initialises the place that the thread has in one of them.
    pub(super) fn cluster_prologue(extra: &Extra) -> Vec<String> {
        let mut lines = vec!["setp.ne.u32 %q0, %tid_, 0;".to_owned()];
        for (index, (_, start, _)) in extra.cluster_cells.iter().enumerate() {
            lines.push(format!("mov.b64 %w0, {start:#x};"));
            lines.push(format!("@!%q0 st.shared.b64 [ccell{index}], %w0;"));
        }
        lines.push("mov.u32 %u4, %cluster_ctarank;".to_owned());
        lines.push(format!("add.u32 %u4, %u4, {};", extra.far_step));
        lines.push(format!("rem.u32 %u4, %u4, {};", extra.cluster.count()));
        lines.push("mov.u64 %w0, far;".to_owned());
        lines.push(format!("mul.wide.u32 %w1, %tid_, {FAR_BYTES};"));
        lines.push("add.u64 %w0, %w0, %w1;".to_owned());
        lines.push("mapa.shared::cluster.u64 %far, %w0, %u4;".to_owned());
        lines.push("barrier.cluster.arrive;".to_owned());
        lines.push("barrier.cluster.wait;".to_owned());
        lines.push("st.shared::cluster.v4.b32 [%far], {7, %tid_, -3, 77};".to_owned());
        lines.push("st.shared::cluster.v2.b64 [%far+16], {-1, 5};".to_owned());
        lines
    }
}
