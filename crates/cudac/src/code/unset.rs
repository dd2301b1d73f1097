//! Variables that are read before anything is stored in them.
//!
//! *What is found.* A read that comes before every store to its variable on every path, so that the variable has no value
//! when the read is executed for the first time. An array or a struct is one variable.
//!
//! *What is left out.* A read that some path reaches after a store, or that some path to a store goes around; and with it a
//! variable of which a part was stored before. A variable whose address goes anywhere but into accesses counts as stored there.
//!
//! It looks at unoptimised code, in which each variable that may change is still a slot. Only sure cases are reported,
//! as a false alarm would teach readers to ignore warnings; the emulator finds the others when they happen.

use std::collections::HashSet;

use super::{Base, BlockId, Class, Function, Inst, Op, Operand, Reg, SlotId};
use crate::source::budget;

/// What the address in a register points to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pointee {
    /// No variable of the function, as far as it is known.
    Other,
    Slot(SlotId),
}

/// What an instruction does with a variable.
#[derive(Clone, Copy)]
struct Event {
    slot: SlotId,
    is_read: bool,
    /// The place of the instruction: the block, and its number in it.
    at: (BlockId, usize),
}

/// The variables that are read before anything is stored in them.
pub(crate) fn find(function: &Function<'_>) -> Vec<SlotId> {
    let order = function.reverse_postorder();
    let events = Search::new(function, &order).events(&order);
    let mut first: Vec<Option<Event>> = vec![None; function.slots.len()];
    for event in &events {
        first[event.slot].get_or_insert(*event);
    }
    // Whoever comes first on every path comes first in this order too.
    let reads: Vec<Event> = first.into_iter().flatten().filter(|event| event.is_read).collect();
    if reads.is_empty() {
        return Vec::new();
    }
    let predecessors = function.predecessors();
    let idom = function.dominators(&order, &predecessors);
    // A block comes before another if it dominates it; within a block the numbers decide.
    let comes_before = |read: &Event, other: &Event| {
        let ((block, nth), (mut at, other)) = (read.at, other.at);
        if block == at {
            return nth < other;
        }
        while at != idom[at] && budget::work(1) {
            at = idom[at];
            if at == block {
                return true;
            }
        }
        false
    };
    let stores = |slot| {
        budget::work(events.len() / 8);
        events.iter().filter(move |event| event.slot == slot && !event.is_read)
    };
    reads
        .into_iter()
        .filter(|read| stores(read.slot).all(|store| comes_before(read, store)))
        .map(|read| read.slot)
        .collect()
}

struct Search<'f> {
    function: &'f Function<'f>,
    /// Whether anything reads each register.
    is_read: Vec<bool>,
    pointees: Vec<Pointee>,
    /// Variables that are left out: a register may point to one of several.
    is_unclear: Vec<bool>,
}

impl Search<'_> {
    fn new<'f>(function: &'f Function<'f>, order: &[BlockId]) -> Search<'f> {
        let registers = function.regs.len();
        let mut search = Search {
            function,
            is_read: vec![false; registers],
            pointees: vec![Pointee::Other; registers],
            is_unclear: function.slots.iter().map(|slot| slot.name.is_none()).collect(),
        };
        let insts = order.iter().flat_map(|block| &function.blocks[*block].insts);
        let is_product =
            |inst: &&Inst<'_>| matches!(&inst.op, Op::Ptx(ptx) if ptx.text.contains("wgmma.mma_async"));
        let results: HashSet<Reg> =
            insts.clone().filter(is_product).flat_map(|inst| inst.dsts.iter().copied()).collect();
        let mut has_addresses = false;
        for inst in insts.clone() {
            // Whether a product of a warpgroup adds to its registers or replaces them is decided when it runs.
            let is_maybe = matches!(inst.op, Op::Mov) && inst.dsts.iter().any(|dst| results.contains(dst));
            if !is_maybe {
                inst.reads().for_each(|reg| search.is_read[reg as usize] = true);
            }
            has_addresses |= matches!(inst.op, Op::SlotAddress(_));
        }
        for block in order {
            function.blocks[*block]
                .end
                .condition()
                .into_iter()
                .for_each(|reg| search.is_read[reg as usize] = true);
        }
        // A fixed point: an address may go round in a loop before it is known.
        let mut changed = has_addresses;
        while changed {
            changed = false;
            for inst in insts.clone() {
                changed |= search.follow(inst);
            }
        }
        search
    }

    /// Takes note of the address that an instruction makes of others. Returns whether that is news.
    fn follow(&mut self, inst: &Inst<'_>) -> bool {
        let [dst] = inst.dsts[..] else { return false };
        if self.function.class(dst) != Class::B64 {
            return false;
        }
        let new = match inst.op {
            Op::SlotAddress(slot) => Pointee::Slot(slot),
            _ if passes_on(inst) => self.of_args(inst),
            _ => return false,
        };
        let Pointee::Slot(slot) = new else { return false };
        match self.pointees[dst as usize] {
            Pointee::Slot(known) if known == slot => false,
            Pointee::Slot(known) => {
                let is_news = !self.is_unclear[known] || !self.is_unclear[slot];
                (self.is_unclear[known], self.is_unclear[slot]) = (true, true);
                is_news
            }
            Pointee::Other => {
                self.pointees[dst as usize] = new;
                true
            }
        }
    }

    fn pointee(&self, reg: Reg) -> Pointee {
        self.pointees[reg as usize]
    }

    /// The variable that one of the arguments points to.
    fn of_args(&mut self, inst: &Inst<'_>) -> Pointee {
        let mut found = Pointee::Other;
        for reg in inst.args.iter().filter_map(|arg| arg.reg()) {
            match (found, self.pointee(reg)) {
                (_, Pointee::Other) => {}
                (Pointee::Slot(a), Pointee::Slot(b)) if a != b => {
                    (self.is_unclear[a], self.is_unclear[b]) = (true, true);
                }
                (_, new) => found = new,
            }
        }
        found
    }

    /// What the instructions do with variables, in this order of blocks.
    fn events(&self, order: &[BlockId]) -> Vec<Event> {
        let mut found = Vec::new();
        for block in order {
            for (nth, inst) in self.function.blocks[*block].insts.iter().enumerate() {
                let mut note = |pointee: Pointee, is_read| {
                    if let Pointee::Slot(slot) = pointee
                        && !self.is_unclear[slot]
                    {
                        found.push(Event { slot, is_read, at: (*block, nth) });
                    }
                };
                if let Op::Load(access) | Op::Store(access) = &inst.op {
                    let is_read = matches!(inst.op, Op::Load(_));
                    let pointee = match access.place.base {
                        Base::Slot(slot) => Pointee::Slot(slot),
                        Base::Reg(reg) => self.pointee(reg),
                        Base::Symbol(_) => Pointee::Other,
                    };
                    // What nobody looks at is read only to have it mentioned, as in `(void)x`.
                    let is_idle = is_read && inst.dsts.iter().all(|dst| !self.is_read[*dst as usize]);
                    if !is_idle {
                        note(pointee, is_read);
                    }
                }
                // What else has an address may store something there.
                if !passes_on(inst) {
                    for arg in inst.args.iter() {
                        if let Operand::Reg(reg) = arg {
                            note(self.pointee(*reg), false);
                        }
                    }
                }
            }
        }
        found
    }
}

/// Whether the result of an instruction points to what its arguments point to. Pointers are computed by these only;
/// anything else that takes an address may store there.
fn passes_on(inst: &Inst<'_>) -> bool {
    matches!(inst.op, Op::Mov | Op::Arith(..) | Op::Mad(_) | Op::Select(_) | Op::ToGeneric(_))
}

#[cfg(test)]
mod tests {
    use crate::{Bug, Options, Source, compile};

    /// The variables of a kernel with this body that are said to be read too early.
    fn unset(body: &str) -> Vec<String> {
        let text = format!(
            "struct Pair {{ int a, b; }};\n\
             __device__ int first(const int* p) {{ return p[0]; }}\n\
             __device__ void fill(int* p) {{ p[0] = 1; }}\n\
             __global__ void kernel(const int* x, int* y, int n) {{ {body} }}"
        );
        let output = compile(&Source { name: "unset.cu", text: &text }, &Options::default()).unwrap();
        let bugs = output.warnings.iter().filter(|warning| warning.bug == Some(Bug::Uninitialized));
        bugs.filter_map(|bug| bug.message.split('`').nth(1).map(str::to_owned)).collect()
    }

    #[test]
    fn a_variable_that_is_read_first_has_no_value() {
        for body in [
            "int v; for (int i = 0; i < n; i++) v += x[i]; y[0] = v;",
            "int v[5]; for (int i = 0; i < n; i++) v[x[i]]++; y[0] = v[1] > v[0];",
            "float v[4]; for (int k = 0; k < n; k++) for (int i = 0; i < 4; i++) v[i] += x[k]; y[0] = v[1];",
            "int v[4]; y[0] = first(v);",
            "int* v; y[0] = *v;",
            "bool v; for (int i = 0; i < n; i++) { if (v) y[i] = 1; v = x[i] > 0; }",
            "int v; asm(\"add.u32 %0, %0, 1;\" : \"+r\"(v)); y[0] = v;",
            "int v; v = __shfl_sync(0xffffffff, v, 0); y[0] = v;",
            "Pair v; Pair w = v; y[0] = w.a;",
            "int v; int* p = &v; y[0] = *p; *p = 1;",
        ] {
            assert_eq!(unset(body), ["v"], "{body}");
        }
    }

    #[test]
    fn a_variable_that_may_have_a_value_is_not_reported() {
        for body in [
            "int v; if (n > 3) v = 1; y[0] = v;",
            "int v; if (threadIdx.x == 0) v = x[0]; v = __shfl_sync(0xffffffff, v, 0); y[0] = v;",
            "int v; (void)v; y[0] = 1;",
            "Pair v; v.a = 1; Pair w = v; y[0] = w.a;",
            "int v[4]; fill(v); y[0] = v[0];",
            "int v[64]; for (int i = 0; i < n; i++) v[i] = x[i]; for (int i = 0; i < n; i++) y[i] = v[i];",
            "int v; asm(\"mov.u32 %0, 1;\" : \"=r\"(v)); y[0] = v;",
            "int v, w; int* p = n > 1 ? &v : &w; *p = 3; y[0] = v;",
            "int v; int* kept[2]; kept[n] = &v; *kept[n] = 2; y[0] = v;",
            "int v; if (n > 3) { y[0] = v; } else { v = 1; y[1] = v; }",
            "__shared__ int v[32]; y[0] = v[threadIdx.x];",
        ] {
            assert_eq!(unset(body), [""; 0], "{body}");
        }
    }
}
