//! Where variables lie: sizes, alignment, and the initial contents of global and constant memory.

use crate::isa::op::place::{Formal, Place};
use crate::isa::scope::Signature;
use crate::ptx::ast::{Block, Init, Space, Statement, Type, Variable};

/// Bytes of one element of a variable.
fn element_bytes(variable: &Variable<'_>) -> u32 {
    variable.ty.size_bytes() * variable.vector.max(1)
}

/// Bytes of a variable; `None` for an array whose length is left to the launch, or one too large to count.
pub fn size_of(variable: &Variable<'_>) -> Option<u64> {
    let element = u64::from(element_bytes(variable));
    variable.dims.iter().try_fold(element, |size, dim| size.checked_mul((*dim)?))
}

/// Alignment of a variable in bytes, at least that of its type.
pub fn align_of(variable: &Variable<'_>) -> u64 {
    u64::from(variable.align).max(1).next_power_of_two()
}

/// The place of a variable at `address` of its space, or of the frame.
pub fn place(variable: &Variable<'_>, address: u64, in_frame: bool) -> Place {
    let (size, element) = (size_of(variable).unwrap_or(0), element_bytes(variable));
    Place { space: variable.space, address, size, element, in_frame, passed_as: None }
}

/// The variables of a block in one of these spaces, those of nested blocks included, in the order of the text.
pub fn variables_in<'b, 't>(block: &'b Block<'t>, spaces: &[Space]) -> Vec<&'b Variable<'t>> {
    let own = block.variables.iter().filter(|variable| spaces.contains(&variable.space));
    let nested = block.statements.iter().filter_map(|statement| match statement {
        Statement::Block(block) => Some(variables_in(block, spaces)),
        _ => None,
    });
    own.chain(nested.flatten()).collect()
}

/// What a function with these parameters and results takes and gives, as calls look at it.
pub fn signature(params: &[Variable<'_>], returns: &[Variable<'_>]) -> Signature {
    let all = |variables: &[Variable<'_>]| variables.iter().map(formal).collect();
    Signature { params: all(params), results: all(returns) }
}

/// A variable as calls look at it.
pub fn formal(variable: &Variable<'_>) -> Formal {
    Formal {
        ty: variable.ty,
        bytes: size_of(variable).unwrap_or(0),
        align: align_of(variable),
        is_array: !variable.dims.is_empty(),
    }
}

/// A space that is filled from the bottom.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stack {
    /// Bytes used so far.
    pub bytes: u64,
}

impl Stack {
    /// Reserves `size` bytes at a multiple of `align`, and gives their offset. What does not fit into 64 bits
    /// ends at the last of them, so that whoever bounds the space refuses it.
    pub fn place(&mut self, size: u64, align: u64) -> u64 {
        let offset = self.bytes.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
        self.bytes = offset.saturating_add(size);
        offset
    }
}

/// The initial bytes of a variable, as many as were written; the rest is zero. `address` gives the address of
/// a symbol.
pub fn initial_bytes(
    variable: &Variable<'_>,
    size: u64,
    address: &dyn Fn(&str) -> Option<u64>,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let width = variable.ty.size_bytes() as usize;
    let wide = |value: u64| [value.to_le_bytes(), [0; 8]].concat();
    for value in variable.init.iter().flatten() {
        let value = match *value {
            Init::Int(value) => value,
            Init::Float(value) if variable.ty == Type::F32 => u64::from((value as f32).to_bits()),
            Init::Float(value) => value.to_bits(),
            Init::Address { name, offset, .. } => {
                let base = address(name.text).ok_or_else(|| {
                    format!("`{}` is neither a function nor a variable in global memory", name.text)
                })?;
                base.wrapping_add_signed(offset)
            }
        };
        bytes.extend_from_slice(&wide(value)[..width]);
    }
    if bytes.len() as u64 > size {
        return Err(format!(
            "`{}` has {size} bytes, but its initial value has {}",
            variable.name.text,
            bytes.len()
        ));
    }
    Ok(bytes)
}
