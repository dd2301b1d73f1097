//! An instruction by itself: one thread loads its operands from memory, executes it, and stores the result.
//!
//! If the value differs here too, the cause is the instruction. If it differs only among other instructions, the cause
//! is the code around it, or how an assembler or the emulator handles that code.

use std::fmt::Write as _;

use simt::Dim3;

use crate::kernel::{Alone, Argument};
use crate::shape::Kind;

/// The text of one instruction, and its arguments.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The PTX; the kernel is called `k`.
    pub text: String,
    /// The operands, and space for the result.
    pub arguments: Vec<Argument>,
}

impl Probe {
    /// One thread.
    pub const SHAPE: (Dim3, Dim3) = (Dim3::new(1, 1, 1), Dim3::new(1, 1, 1));

    /// The instruction on these operands.
    pub fn new(alone: &Alone, target: u32, operands: &[u64]) -> Probe {
        let mut body = String::new();
        let mut line =
            |text: String| writeln!(body, "    {text}").expect("writing to a string does not fail");
        let mut sources = Vec::new();
        // If sources were the same register, they are one register here too, because assemblers treat that case
        // differently.
        for (source, &index) in alone.sources.iter().zip(&alone.same) {
            match source {
                Err(literal) => sources.push(literal.clone()),
                Ok(Kind::Pred) => {
                    line(format!("ld.global.u32 %w{index}, [%in+{}];", 8 * index));
                    line(format!("setp.ne.u32 %q{index}, %w{index}, 0;"));
                    sources.push(format!("%q{index}"));
                }
                Ok(kind) => {
                    line(format!(
                        "ld.global.b{} %s{}_{index}, [%in+{}];",
                        kind.bits(),
                        kind.bits(),
                        8 * index
                    ));
                    sources.push(format!("%s{}_{index}", kind.bits()));
                }
            }
        }
        let results: Vec<String> = (0..alone.results.len())
            .map(|index| format!("%t{}_{index}", alone.results[index].bits()))
            .collect();
        line(format!("{} {}, {};", alone.opcode, results.join("|"), sources.join(", ")));
        let (kind, result) = (alone.results[alone.result], &results[alone.result]);
        if kind == Kind::Pred {
            line(format!("selp.b32 %w0, 1, 0, {result};"));
            line("st.global.b32 [%out], %w0;".to_owned());
        } else {
            line(format!("st.global.b{} [%out], {result};", kind.bits()));
        }
        let input = operands.iter().flat_map(|operand| operand.to_le_bytes()).chain([0; 64]).collect();
        Probe {
            text: text(target, &body),
            arguments: vec![Argument::Buffer("in", input), Argument::Buffer("out", vec![0; 8])],
        }
    }

    /// The result in the buffers after a run.
    pub fn result(buffers: &[Vec<u8>]) -> u64 {
        u64::from_le_bytes(buffers[1][..8].try_into().expect("eight bytes"))
    }
}

fn text(target: u32, body: &str) -> String {
    let registers = [
        ("pred", "%t1_"),
        ("b16", "%t16_"),
        ("b32", "%t32_"),
        ("b64", "%t64_"),
        ("b16", "%s16_"),
        ("b32", "%s32_"),
        ("b64", "%s64_"),
        ("pred", "%q"),
        ("b32", "%w"),
    ];
    let declared = registers
        .iter()
        .fold(String::new(), |text, (kind, name)| text + &format!("    .reg .{kind} {name}<6>;\n"));
    format!(
        ".version 8.7\n.target sm_{target}\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{{\n{declared}    \
         .reg .b64 %in, %out;\n    ld.param.u64 %in, [a];\n    ld.param.u64 %out, [b];\n{body}    ret;\n}}\n"
    )
}
