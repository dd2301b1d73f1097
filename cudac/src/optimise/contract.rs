//! A product that is added becomes one instruction: `mad` for integers and `fma` for floats, as `-fmad=true` does.
//!
//! Specification: CUDA C++ Programming Guide, floating-point contraction.

use crate::code::{Args, Arith, Binary, Function, Op, Operand, Reg, Ty, Unary};
use crate::code::{Inst, fold::float_operand};

pub(super) fn contract(function: &mut Function) {
    let mut reads = vec![0u32; function.regs.len()];
    let mut writes = vec![0u32; function.regs.len()];
    for block in &function.blocks {
        for inst in &block.insts {
            inst.reads(&mut |reg| reads[reg as usize] += 1);
            inst.dsts.iter().for_each(|dst| writes[*dst as usize] += 1);
        }
    }
    for block in 0..function.blocks.len() {
        contract_block(function, block, &reads, &writes);
    }
}

/// A product that is in a register, and where it was made.
#[derive(Clone)]
struct Product {
    args: Args,
    ty: Ty,
}

fn contract_block(function: &mut Function, at: usize, reads: &[u32], writes: &[u32]) {
    let insts = std::mem::take(&mut function.blocks[at].insts);
    let mut products: Vec<(Reg, Product)> = Vec::new();
    let mut output: Vec<Inst> = Vec::with_capacity(insts.len());
    for inst in insts {
        let made = combined(function, &inst, &products, reads, &mut output);
        let inst = made.unwrap_or(inst);
        // A product is no longer known once one of its factors has another value.
        for dst in &inst.dsts {
            products.retain(|(reg, product)| reg != dst && !product.args.contains(&Operand::Reg(*dst)));
        }
        if let (Op::Arith(Arith::Binary(Binary::Mul | Binary::Shl), ty), [dst]) = (&inst.op, &inst.dsts[..])
            && writes[*dst as usize] == 1
            && products.len() < 64
            && let Some(args) = factors(&inst, *ty)
        {
            products.push((*dst, Product { args, ty: *ty }));
        }
        output.push(inst);
    }
    function.blocks[at].insts = output;
}

/// The factors of a product; a shift is one too.
fn factors(inst: &Inst, ty: Ty) -> Option<Args> {
    match (&inst.op, &inst.args[..]) {
        (Op::Arith(Arith::Binary(Binary::Mul), _), _) => Some(inst.args.clone()),
        (_, [value, Operand::Int(count)]) if !ty.is_float() && (0..31).contains(count) && ty.size() == 4 => {
            Some(Args::from_slice(&[*value, Operand::Int(1 << count)]))
        }
        _ => None,
    }
}

fn combined(
    function: &mut Function,
    inst: &Inst,
    products: &[(Reg, Product)],
    reads: &[u32],
    output: &mut Vec<Inst>,
) -> Option<Inst> {
    let Op::Arith(Arith::Binary(op @ (Binary::Add | Binary::Sub)), ty) = inst.op else { return None };
    let [a, b] = inst.args[..] else { return None };
    let product = |operand: Operand| {
        let reg = operand.reg()?;
        let (_, found) = products.iter().find(|(product, _)| *product == reg)?;
        // Integers gain nothing if the product is needed anyway.
        let is_worth = ty.is_float() || reads.get(reg as usize) == Some(&1);
        (is_worth && found.ty.class() == ty.class()).then(|| found.args.clone())
    };
    if !ty.is_float() && op == Binary::Sub {
        return None;
    }
    let (mut args, other, negate_product, negate_other) = match (product(a), product(b)) {
        (Some(args), _) => (args, b, false, op == Binary::Sub),
        (None, Some(args)) => (args, a, op == Binary::Sub, false),
        (None, None) => return None,
    };
    let mut negated = |function: &mut Function, operand: Operand| match operand {
        Operand::F32(bits) => float_operand(Ty::F32, -f64::from(f32::from_bits(bits))),
        Operand::F64(bits) => float_operand(Ty::F64, -f64::from_bits(bits)),
        operand => {
            let dst = function.new_reg(ty.class());
            output.push(Inst::new(Op::Unary(Unary::Neg, ty), &[dst], &[operand], inst.line));
            Operand::Reg(dst)
        }
    };
    if negate_product {
        args[0] = negated(function, args[0]);
    }
    let other = if negate_other { negated(function, other) } else { other };
    args.push(other);
    Some(Inst::new(Op::Mad(ty), &inst.dsts, &args, inst.line))
}
