//! A product that is added becomes one instruction: `mad` for integers and `fma` for floats, as `-fmad=true` does.
//!
//! Specification: CUDA C++ Programming Guide, floating-point contraction.
//!
//! C++ would round the product and the sum; `fma` rounds once, as NVIDIA's compiler does unless it is told otherwise.
//! So results can differ from those of the host in the last bit, and agree with those of nvcc. It works within a block,
//! on products that are still in their registers.
//!
//! ```text
//! mul.f32 %f3, %f1, %f2;
//! add.f32 %f4, %f3, %f5;  ->      fma.rn.f32 %f4, %f1, %f2, %f5;
//! ```

use crate::code::fold::float_operand;
use crate::code::{Arith, Binary, Class, Function, Inst, Op, Operand, Reg, Ty, Unary, new_reg};
use crate::source::arena::Arena;

pub(super) fn contract(function: &mut Function<'_>) {
    let mut reads = vec![0u32; function.regs.len()];
    let mut writes = vec![0u32; function.regs.len()];
    for block in &function.blocks {
        for inst in &block.insts {
            inst.reads().for_each(|reg| reads[reg as usize] += 1);
            inst.dsts.iter().for_each(|dst| writes[*dst as usize] += 1);
        }
    }
    let Function { arena, blocks, regs, .. } = function;
    let mut contraction = Contraction {
        arena: *arena,
        regs,
        reads,
        writes,
        is_changed: false,
        products: Vec::new(),
        new: Vec::new(),
    };
    for block in blocks {
        contraction.products.clear();
        contraction.is_changed = false;
        for (at, inst) in block.insts.iter_mut().enumerate() {
            contraction.inst(at, inst);
        }
        block.insert(&mut contraction.new);
        if contraction.is_changed {
            block.insts.retain(|inst| !contraction.is_superfluous(inst));
        }
    }
}

/// A product that is in a register, and its factors.
struct Product {
    reg: Reg,
    factors: [Operand; 2],
    ty: Ty,
}

struct Contraction<'f, 't> {
    arena: Arena<'t>,
    regs: &'f mut Vec<Class>,
    /// How often each register is read and written.
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// Whether an instruction of the block was changed.
    is_changed: bool,
    /// The products of a block that are known after its instructions so far.
    products: Vec<Product>,
    /// New instructions of the block, and which of the others they come before.
    new: Vec<(usize, Inst<'t>)>,
}

/// Products that are remembered at a time: the latest of those that are still to be read.
const MAX_PRODUCTS: usize = 64;

impl<'t> Contraction<'_, 't> {
    fn inst(&mut self, at: usize, inst: &mut Inst<'t>) {
        if let Op::Arith(Arith::Binary(op @ (Binary::Add | Binary::Sub)), ty) = inst.op {
            self.combine(at, inst, op, ty);
        }
        // A product is no longer known once it or one of its factors has another value.
        for dst in inst.dsts.iter() {
            let depends =
                |product: &Product| product.reg == *dst || product.factors.contains(&Operand::Reg(*dst));
            self.products.retain(|product| !depends(product));
        }
        if let Some((reg, ty)) = self.only_product(inst)
            && let Some(factors) = factors(inst, ty)
        {
            if self.products.len() == MAX_PRODUCTS {
                self.products.remove(0);
            }
            self.products.push(Product { reg, factors, ty });
        }
    }

    /// The register of a product, if it never holds anything else.
    fn only_product(&self, inst: &Inst<'_>) -> Option<(Reg, Ty)> {
        match (&inst.op, &inst.dsts[..]) {
            (Op::Arith(Arith::Binary(Binary::Mul | Binary::Shl), ty), [reg]) => {
                (self.writes.get(*reg as usize) == Some(&1)).then_some((*reg, *ty))
            }
            _ => None,
        }
    }

    /// Whether an instruction makes a product that nobody reads any more.
    fn is_superfluous(&self, inst: &Inst<'_>) -> bool {
        self.only_product(inst).is_some_and(|(reg, _)| self.reads[reg as usize] == 0)
    }

    /// The product that an operand is, if it may become a part of an instruction.
    fn product(&self, operand: Operand, ty: Ty) -> Option<&Product> {
        let reg = operand.reg()?;
        let found = self.products.iter().find(|product| product.reg == reg)?;
        // Integers gain nothing if the product is needed anyway.
        let is_worth = ty.is_float() || self.reads.get(reg as usize) == Some(&1);
        (is_worth && found.ty.class() == ty.class()).then_some(found)
    }

    /// `a * b + c`, `a * b - c` and `c - a * b`. There is no `mad` that subtracts, so a factor or the summand is
    /// negated, which is exact for floats; differences of integers are left alone.
    fn combine(&mut self, at: usize, inst: &mut Inst<'t>, op: Binary, ty: Ty) {
        let [a, b] = inst.args[..] else { return };
        let subtracts = op == Binary::Sub;
        if !ty.is_float() && subtracts {
            return;
        }
        // If both are products, the left one is taken.
        let (product, mut other, negate_product, negate_other) =
            match (self.product(a, ty), self.product(b, ty)) {
                (Some(product), _) => (product, b, false, subtracts),
                (None, Some(product)) => (product, a, subtracts, false),
                (None, None) => return,
            };
        let (reg, mut factors) = (product.reg, product.factors);
        self.is_changed = true;
        // The product is computed once more inside of the new instruction; its own disappears when nobody reads it.
        self.reads[reg as usize] -= 1;
        if self.reads[reg as usize] == 0 {
            self.products.retain(|product| product.reg != reg);
        } else {
            factors.iter().filter_map(|factor| factor.reg()).for_each(|arg| self.reads[arg as usize] += 1);
        }
        if negate_product {
            factors[0] = self.negated(factors[0], ty, at, inst.line);
        }
        if negate_other {
            other = self.negated(other, ty, at, inst.line);
        }
        let [a, b] = factors;
        (inst.op, inst.args) = (Op::Mad(ty), self.arena.list_mut(&[a, b, other]));
    }

    /// An operand with the other sign, before an instruction and on its line.
    fn negated(&mut self, operand: Operand, ty: Ty, at: usize, line: u32) -> Operand {
        match operand {
            Operand::F32(bits) => float_operand(Ty::F32, -f64::from(f32::from_bits(bits))),
            Operand::F64(bits) => float_operand(Ty::F64, -f64::from_bits(bits)),
            operand => {
                let dst = new_reg(self.regs, ty.class());
                self.new
                    .push((at, Inst::new(self.arena, Op::Unary(Unary::Neg, ty), &[dst], &[operand], line)));
                Operand::Reg(dst)
            }
        }
    }
}

/// The factors of a product; a shift is one too. `lower` has made shifts of multiplications by powers of two, and `mad`
/// undoes that.
fn factors(inst: &Inst<'_>, ty: Ty) -> Option<[Operand; 2]> {
    match (&inst.op, &inst.args[..]) {
        (Op::Arith(Arith::Binary(Binary::Mul), _), [a, b]) => Some([*a, *b]),
        (_, [value, Operand::Int(count)]) if !ty.is_float() && (0..31).contains(count) && ty.size() == 4 => {
            Some([*value, Operand::Int(1 << count)])
        }
        _ => None,
    }
}
