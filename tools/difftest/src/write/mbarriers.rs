//! Statements with mbarriers: those of one thread, whose state the writer follows, and those of all threads of a block.
//!
//! An mbarrier is initialised, used for a few phases, and invalidated by one statement. In each phase every thread waits
//! before anything of the next one happens, so the parity of each wait is known.

use super::{Place, Register, Writer};
use crate::family::{BARRIERS, COPIES};
use crate::shape::Kind;

/// An mbarrier that only one thread uses, as far as it is known when the text is written.
pub(super) struct Gate {
    /// Its address in shared memory.
    pub(super) address: String,
    /// How many arrivals a phase expects.
    pub(super) expected: usize,
    /// The number of the phase.
    pub(super) phase: usize,
}

/// What a phase of a gate has come to.
struct Progress {
    /// Arrivals that have not been written yet.
    missing: usize,
    /// Transactions that have been expected and not completed.
    open: usize,
    /// Whether no arrival comes by itself, so that the number of those that are pending is known.
    is_certain: bool,
    /// Whether a copy has been started, and whether no arrival has been written for it.
    has_copied: bool,
    is_copying: bool,
    /// The state that an arrival of this phase has returned.
    state: Option<Register>,
}

impl Writer {
    /// An mbarrier's address as an operand of an opcode, which may want a generic one.
    pub(super) fn object(&mut self, opcode: &str, address: &str) -> String {
        if opcode.contains("shared") {
            return format!("[{address}]");
        }
        let (base, offset) = address.split_once('+').unwrap_or((address, "0"));
        let base = if base.starts_with('%') { base.to_owned() } else { self.variable(base) };
        let generic = self.fresh(Kind::B64);
        self.line(format!("cvta.shared.u64 {generic}, {base};"));
        format!("[{generic}+{offset}]")
    }

    /// Initialises an mbarrier, under a guard such as `@%p1 `.
    pub(super) fn initialise(&mut self, guard: &str, address: &str, count: usize) {
        let opcode = self.drawn_of(BARRIERS, |opcode| opcode.starts_with("mbarrier.init"));
        let object = self.object(&opcode, address);
        self.line(format!("{guard}{opcode} {object}, {count};"));
    }

    /// Invalidates an mbarrier.
    pub(super) fn invalidate(&mut self, guard: &str, address: &str) {
        let opcode = self.drawn_of(BARRIERS, |opcode| opcode.starts_with("mbarrier.inval"));
        let object = self.object(&opcode, address);
        self.line(format!("{guard}{opcode} {object};"));
    }

    /// Waits for the phase of a parity, so that the thread then knows what those did who arrived: in its block, or in its
    /// cluster.
    pub(super) fn wait(&mut self, address: &str, phase: usize, in_cluster: bool) {
        let opcode = self.drawn_of(BARRIERS, |opcode| {
            opcode.contains("_wait.parity") && (!in_cluster || opcode.contains(".cluster"))
        });
        self.wait_by(&opcode, address, &(phase % 2).to_string());
    }

    fn wait_by(&mut self, opcode: &str, address: &str, phase: &str) {
        let (object, done, again) = (self.object(opcode, address), self.fresh(Kind::Pred), self.label());
        let (turns, too_many) = (self.fresh(Kind::B32), self.fresh(Kind::Pred));
        let hint = if opcode.contains("try_wait") && self.dice.chance(30) { ", 1000" } else { "" };
        self.line(format!("mov.u32 {turns}, 0;"));
        self.mark(&again);
        // A GPU on which the phase never ends has to end nevertheless.
        self.line(format!("add.u32 {turns}, {turns}, 1;"));
        self.line(format!("setp.gt.u32 {too_many}, {turns}, 1000000;"));
        self.line(format!("@{too_many} trap;"));
        self.line(format!("{opcode} {done}, {object}, {phase}{hint};"));
        self.line(format!("@!{done} bra {again};"));
        if opcode.contains("relaxed") {
            let scope = if opcode.contains(".cluster") { "cluster" } else { "cta" };
            self.line(format!("fence.acq_rel.{scope};"));
        }
    }

    /// Asks whether a phase is complete, which is known, and shows the answer.
    fn ask(&mut self, gate: &Gate, phase: usize) {
        let opcode = self.drawn_of(BARRIERS, |opcode| opcode.contains("test_wait.parity"));
        let (object, answer) = (self.object(&opcode, &gate.address), self.fresh(Kind::Pred));
        let instruction = format!("{opcode} {answer}, {object}, {};", phase % 2);
        self.line(&instruction);
        self.result(answer, &opcode, &instruction);
    }

    /// A statement with a gate and without copies.
    pub(super) fn gate_alone(&mut self, place: Place) {
        let Some(at) = self.take_gate() else { return };
        self.gate_phases(place, at, None);
        self.give_gate(at);
    }

    /// Initialises the gate at an offset, uses it for a few phases, and invalidates it. Copies go to `land`.
    pub(super) fn gate_phases(&mut self, place: Place, gate: usize, land: Option<&str>) {
        let base = self.base_of("gate", 8 * super::extra::GATES);
        let expected = 1 + self.dice.below(4);
        let mut gate = Gate { address: Writer::at(&base, gate), expected, phase: 0 };
        self.initialise("", &gate.address, gate.expected);
        for _ in 0..=self.dice.below(3) {
            self.gate_phase(place, &mut gate, land);
        }
        self.invalidate("", &gate.address);
    }

    /// One phase: arrivals of every kind until it is complete, and the wait.
    fn gate_phase(&mut self, place: Place, gate: &mut Gate, land: Option<&str>) {
        let mut progress = Progress {
            missing: gate.expected,
            open: 0,
            is_certain: true,
            has_copied: false,
            is_copying: false,
            state: None,
        };
        while progress.missing > 0 {
            let arrivals = if land.is_some() { 3 } else { 0 };
            // Another copy would write to the same bytes while the first one is under way.
            let copies = if progress.has_copied { 0 } else { arrivals };
            match self.dice.weighted(&[(copies, 0), (arrivals, 1), (4, 2), (1, 3), (1, 4), (1, 5)]) {
                0 => {
                    self.copy(land.unwrap_or_default(), 16);
                    (progress.has_copied, progress.is_copying) = (true, true);
                }
                1 => self.arrive_by_copies(gate, &mut progress),
                2 => self.arrive(gate, &mut progress),
                3 => self.ask(gate, gate.phase),
                4 if self.target >= 90 => self.expect(gate, &mut progress),
                // The phase before has another parity, and is complete.
                _ => self.ask(gate, gate.phase + 1),
            }
        }
        while progress.open > 0 {
            self.complete(gate, &mut progress);
        }
        self.between(place, land.is_none());
        match progress.state.filter(|_| self.dice.chance(50)) {
            Some(state) => {
                let opcode =
                    self.drawn_of(BARRIERS, |opcode| opcode.contains("_wait.") && !opcode.contains("parity"));
                self.wait_by(&opcode, &gate.address, &state.to_string());
            }
            None => self.wait(&gate.address, gate.phase, false),
        }
        gate.phase += 1;
        if let Some(land) = land {
            self.show("shared", land, 16, "cp.async.mbarrier.arrive");
        }
    }

    /// An arrival that comes when the copies before it are complete.
    fn arrive_by_copies(&mut self, gate: &Gate, progress: &mut Progress) {
        let opcode = self.drawn_of(COPIES, |opcode| opcode.contains("mbarrier"));
        let object = self.object(&opcode, &gate.address);
        self.line(format!("{opcode} {object};"));
        // Without `.noinc` the phase waits for one arrival more, and this is it.
        progress.missing -= usize::from(opcode.contains("noinc"));
        progress.is_certain = false;
        progress.is_copying = false;
    }

    /// An arrival of the thread.
    fn arrive(&mut self, gate: &mut Gate, progress: &mut Progress) {
        let (missing, expected) = (progress.missing, gate.expected);
        if progress.is_copying {
            // It may be the last one.
            let opcode =
                self.drawn_of(COPIES, |opcode| opcode.contains("mbarrier") && !opcode.contains("noinc"));
            let object = self.object(&opcode, &gate.address);
            self.line(format!("{opcode} {object};"));
            progress.is_certain = false;
            progress.is_copying = false;
        }
        let opcode = self.drawn_of(BARRIERS, |opcode| {
            opcode.starts_with("mbarrier.arrive")
                && (missing > 1 || !opcode.contains("noComplete"))
                && (expected > 1 || !opcode.contains("drop"))
        });
        let no_complete = opcode.contains("noComplete");
        let most = if no_complete { missing - 1 } else { missing };
        let most = if opcode.contains("drop") { most.min(expected - 1) } else { most };
        let expects = opcode.contains("expect_tx");
        let count = if expects || self.target < 90 && !no_complete { 1 } else { 1 + self.dice.below(most) };
        let transactions = if expects { 4 * self.dice.below(9) } else { 0 };
        let number = match () {
            () if expects => format!(", {transactions}"),
            () if no_complete || count > 1 => format!(", {count}"),
            () => String::new(),
        };
        let object = self.object(&opcode, &gate.address);
        let has_sink = opcode.contains("shared::cluster") || self.target >= 90 && self.dice.chance(20);
        let state = (!has_sink).then(|| self.fresh(Kind::B64));
        let result = state.map_or("_".to_owned(), |state| state.to_string());
        let instruction = format!("{opcode} {result}, {object}{number};");
        self.line(&instruction);
        if let Some(state) = state {
            progress.state = Some(state);
            if progress.is_certain && self.dice.chance(60) {
                let pending = self.fresh(Kind::B32);
                let asked = self.drawn_of(BARRIERS, |opcode| opcode.contains("pending_count"));
                self.line(format!("{asked} {pending}, {state};"));
                self.result(pending, &asked, &instruction);
            }
        }
        progress.missing -= count;
        progress.open += transactions;
        gate.expected -= if opcode.contains("drop") { count } else { 0 };
    }

    /// Expects transactions, or completes some.
    fn expect(&mut self, gate: &Gate, progress: &mut Progress) {
        if progress.open > 0 && self.dice.chance(50) {
            return self.complete(gate, progress);
        }
        let count = 1 + self.dice.below(100);
        self.transactions("mbarrier.expect_tx", &gate.address, count);
        progress.open += count;
    }

    fn complete(&mut self, gate: &Gate, progress: &mut Progress) {
        let count = 1 + self.dice.below(progress.open);
        self.transactions("mbarrier.complete_tx", &gate.address, count);
        progress.open -= count;
    }

    /// Expects or completes transactions.
    pub(super) fn transactions(&mut self, name: &str, address: &str, count: usize) {
        let opcode = self.drawn_of(BARRIERS, |opcode| opcode.starts_with(name));
        let object = self.object(&opcode, address);
        self.line(format!("{opcode} {object}, {count};"));
    }

    /// An arrival of each thread at an mbarrier of its block, which publishes what the thread has done.
    pub(super) fn arrive_at_door(&mut self, door: &str) {
        let opcode = self.drawn_of(BARRIERS, |opcode| {
            let is_plain = !opcode.contains("noComplete") && !opcode.contains("drop");
            opcode.starts_with("mbarrier.arrive") && is_plain
        });
        if opcode.contains("relaxed") {
            let scope = if opcode.contains(".cluster.") { "cluster" } else { "cta" };
            self.line(format!("fence.acq_rel.{scope};"));
        }
        let object = self.object(&opcode, door);
        let result = if opcode.contains("shared::cluster") {
            "_".to_owned()
        } else {
            self.fresh(Kind::B64).to_string()
        };
        if opcode.contains("expect_tx") {
            self.line(format!("{opcode} {result}, {object}, 8;"));
            self.transactions("mbarrier.complete_tx", door, 8);
        } else {
            self.line(format!("{opcode} {result}, {object};"));
        }
    }

    /// Each thread of the block reads what another one has written before both have arrived at an mbarrier.
    pub(super) fn door_exchange(&mut self) {
        let (door, first) = (self.door(), self.elected());
        self.initialise(&format!("@{first} "), &door, self.block_threads);
        self.barrier();
        for phase in 0..=self.dice.below(2) {
            let (value, result) = (self.held(Kind::B64), self.fresh(Kind::B64));
            self.line(format!("st.shared.b64 [%post], {value};"));
            self.arrive_at_door(&door);
            self.wait(&door, phase, false);
            let place = self.thread_after();
            let address = self.post_of(&place.to_string());
            let instruction = format!("ld.shared.b64 {result}, [{address}];");
            self.line(&instruction);
            self.barrier();
            self.result(result, "mbarrier.arrive", &instruction);
        }
        self.invalidate(&format!("@{first} "), &door);
    }

    /// A register with the number of the thread a few places after this one, in the block.
    pub(super) fn thread_after(&mut self) -> Register {
        let (place, steps) = (self.fresh(Kind::B32), self.dice.below(self.block_threads));
        self.line(format!("add.u32 {place}, %tid_, {steps};"));
        self.line(format!("rem.u32 {place}, {place}, {};", self.block_threads));
        place
    }
}
