//! A litmus program as PTX: one kernel, in which every thread finds its own code by its place.
//!
//! The kernel has three parameters, the addresses of the words, of the results and of the delays. The results are the
//! registers of every thread in turn. Words in shared memory are set to zero before a barrier and copied out after one,
//! so that the host finds all words in the same place. Before every operation, and before it stores its registers, a
//! thread executes an empty loop whose length is a delay. The delays are needed because the schedules draw the order of
//! warps from the seed, but not that of lanes that have diverged. Barriers of the block are of the kind for which lanes
//! need not arrive together, and threads without operations arrive at them too. What a compiler would do is left out.
//! Specification: PTX ISA, sections 9.7.9 (`ld`, `st`), 9.7.13.4 (fences) and 9.7.13.5 (`atom`).

use std::fmt::Write;

use crate::program::{
    Action, Among, FenceKind, Location, Op, Program, Space, Thread, UNSET, Value, membar_level,
};

/// The threads of a warp.
const WARP: u32 = 32;

/// A number larger than any thread's number in its block, with which block and thread are combined into one number.
const BLOCK_STRIDE: u32 = 1024;

/// The text of a program.
pub fn render(program: &Program) -> String {
    let mut text = String::from(HEADER);
    let registers = program.threads.iter().map(Thread::registers).max().unwrap_or(0).max(1);
    let words = program.locations();
    let _ = writeln!(text, "\t.reg .b32 \t%r<{registers}>;\n\t.shared .align 4 .b8 words[{}];", 4 * words);
    text.push_str(PLACE);
    (0..registers).for_each(|register| line(&mut text, &format!("mov.u32 \t%r{register}, {UNSET}")));
    if program.space == Space::Shared {
        by_first_thread(&mut text, "BEGUN", |text| {
            (0..words).for_each(|word| line(text, &format!("st.shared.u32 \t[words+{}], 0", 4 * word)));
        });
        line(&mut text, "bar.sync \t0");
    }
    for (number, thread) in program.threads.iter().enumerate() {
        let place = thread.place.block * BLOCK_STRIDE + thread.place.warp * WARP + thread.place.lane;
        line(&mut text, &format!("setp.eq.u32 \t%p0, %place, {place}"));
        line(&mut text, &format!("@%p0 bra \tT{number}"));
    }
    render_idle(&mut text, program);
    render_threads(&mut text, program);
    text.push_str("END:\n");
    if program.space == Space::Shared {
        line(&mut text, "bar.sync \t0");
        by_first_thread(&mut text, "COPIED", |text| {
            for offset in (0..words).map(|word| 4 * word) {
                line(text, &format!("ld.shared.u32 \t%t2, [words+{offset}]"));
                line(text, &format!("st.global.u32 \t[%memory+{offset}], %t2"));
            }
        });
    }
    text.push_str("\tret;\n}\n");
    text
}

const HEADER: &str = "\
.version 8.0
.target sm_70
.address_size 64

.visible .entry litmus(
\t.param .u64 memory,
\t.param .u64 results,
\t.param .u64 delays
)
{
\t.reg .pred \t%p<3>;
\t.reg .b32 \t%t<3>;
\t.reg .b32 \t%place;
\t.reg .b64 \t%memory, %results, %delays;
";

const PLACE: &str = "
\tld.param.u64 \t%memory, [memory];
\tld.param.u64 \t%results, [results];
\tld.param.u64 \t%delays, [delays];
\tmov.u32 \t%t0, %tid.x;
\tmov.u32 \t%t1, %ctaid.x;
\tmad.lo.u32 \t%place, %t1, 1024, %t0;
";

fn line(text: &mut String, instruction: &str) {
    let _ = writeln!(text, "\t{instruction};");
}

fn by_first_thread(text: &mut String, after: &str, code: impl FnOnce(&mut String)) {
    line(text, "setp.ne.u32 \t%p0, %place, 0");
    line(text, &format!("@%p0 bra \t{after}"));
    code(text);
    let _ = writeln!(text, "{after}:");
}

/// The operations of the threads that are not in the program: they arrive at the barriers of their block.
fn render_idle(text: &mut String, program: &Program) {
    let blocks = program.threads.iter().map(|thread| thread.place.block).max().unwrap_or(0);
    for block in 0..=blocks {
        let one = program.threads.iter().find(|thread| thread.place.block == block);
        let is_barrier = |op: &&Op| matches!(op.action, Action::Barrier { among: Among::Block, .. });
        let barriers = one.map_or(0, |thread| thread.ops.iter().filter(is_barrier).count());
        line(text, &format!("setp.ne.u32 \t%p0, %t1, {block}"));
        line(text, &format!("@%p0 bra \tNOT{block}"));
        (0..barriers).for_each(|_| line(text, "barrier.sync \t1"));
        line(text, "bra.uni \tEND");
        let _ = writeln!(text, "NOT{block}:");
    }
    line(text, "bra.uni \tEND");
}

/// The lanes that wait at a barrier of a warp.
fn mask(program: &Program, number: usize) -> u32 {
    program.barrier(number).fold(0, |mask, (thread, _)| mask | 1 << program.threads[thread].place.lane)
}

fn render_threads(text: &mut String, program: &Program) {
    let (mut slot, mut delays) = (0, 0..);
    for (number, thread) in program.threads.iter().enumerate() {
        let _ = writeln!(text, "T{number}:");
        for op in &thread.ops {
            render_delay(text, delays.next().expect("numbers do not end"));
            render_op(text, op, program);
        }
        render_delay(text, delays.next().expect("numbers do not end"));
        for register in 0..thread.registers() {
            line(text, &format!("st.global.u32 \t[%results+{}], %r{register}", 4 * slot));
            slot += 1;
        }
        line(text, "bra.uni \tEND");
    }
}

/// A loop that does nothing.
fn render_delay(text: &mut String, number: usize) {
    line(text, &format!("ld.global.u32 \t%t0, [%delays+{}]", 4 * number));
    let _ = writeln!(text, "LATE{number}:");
    line(text, "setp.eq.u32 \t%p0, %t0, 0");
    line(text, "sub.u32 \t%t0, %t0, 1");
    line(text, &format!("@!%p0 bra \tLATE{number}"));
}

fn render_op(text: &mut String, op: &Op, program: &Program) {
    let guard = match op.guard {
        Some((register, value)) => {
            line(text, &format!("setp.eq.u32 \t%p1, %r{register}, {value}"));
            "@%p1 "
        }
        None => "",
    };
    let (space, base) = match program.space {
        Space::Global => ("global", "%memory"),
        Space::Shared => ("shared", "words"),
    };
    let word = |at: Location| format!("[{base}+{}]", 4 * at);
    let instruction = match op.action {
        Action::Load { to, at, how } => format!("ld{how}.{space}.u32 \t%r{to}, {}", word(at)),
        Action::Store { at, value: Value::Is(value), how } => {
            format!("st{how}.{space}.u32 \t{}, {value}", word(at))
        }
        Action::Store { at, value: Value::Plus(register, plus), how } => {
            line(text, &format!("add.u32 \t%t2, %r{register}, {plus}"));
            format!("st{how}.{space}.u32 \t{}, %t2", word(at))
        }
        Action::Exchange { to, at, value, how } => {
            format!("atom{how}.{space}.exch.b32 \t%r{to}, {}, {value}", word(at))
        }
        Action::Add { to, at, value, how } => {
            format!("atom{how}.{space}.add.u32 \t%r{to}, {}, {value}", word(at))
        }
        Action::Cas { to, at, expected, value, how } => {
            format!("atom{how}.{space}.cas.b32 \t%r{to}, {}, {expected}, {value}", word(at))
        }
        Action::Fence { kind: FenceKind::AcqRel, scope } => format!("fence.acq_rel.{scope}"),
        Action::Fence { kind: FenceKind::Sc, scope } => format!("fence.sc.{scope}"),
        Action::Fence { kind: FenceKind::Membar, scope } => format!("membar.{}", membar_level(scope)),
        Action::Barrier { among: Among::Block, .. } => "barrier.sync \t1".to_owned(),
        Action::Barrier { among: Among::Warp, number } => {
            format!("bar.warp.sync \t{:#010x}", mask(program, number))
        }
    };
    line(text, &format!("{guard}{instruction}"));
}
