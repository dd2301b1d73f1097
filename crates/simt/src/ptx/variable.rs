//! Declarations of variables, parameters and registers, and the types that these share.
//!
//! Textures, samplers and surfaces are declared like other variables, and their initial values are dropped, because no
//! instruction that uses one is supported. Not supported, and refused by name: the state space `.tex`, which PTX has
//! deprecated. `.ptr` is parsed and dropped: it promises something about the memory to which a parameter points, and a
//! kernel that breaks the promise is caught at the access. Specification: PTX ISA, sections 5.1 (state spaces), 5.2
//! (types) and 5.4 (variables).

use super::ast::{Linkage, Registers, Space, Type, Variable};
use super::lexer::{Token, quoted};
use super::parser::{Parser, Result};

/// The most registers that one function may declare. A large unoptimised kernel has some tens of thousands.
const MAX_REGISTERS: u64 = 1 << 20;

/// The most registers that one function may have as parameters and results.
const MAX_REGISTER_PARAMETERS: u64 = 1024;

/// The largest alignment in bytes that makes a difference. The specification has no limit.
const MAX_ALIGN: u32 = 1 << 20;

impl<'t> Parser<'t> {
    /// `.global .align 4 .u32 x = 3, y[2];`
    pub fn variables(&mut self, linkage: Linkage, variables: &mut Vec<Variable<'t>>) -> Result<()> {
        let space = self.space()?;
        self.attribute()?;
        let mut first = self.head(space, linkage)?;
        loop {
            self.dimensions(&mut first)?;
            if self.take_if(b'=')? {
                first.init = if first.ty.is_opaque() {
                    self.skip_braces("after the initial values of a texture")?;
                    None
                } else {
                    Some(self.initializer(&first)?)
                };
            }
            let next = Variable { dims: Vec::new(), init: None, ..first };
            variables.push(first);
            if !self.take_if(b',')? {
                break;
            }
            first = Variable { name: self.name("the name of a variable")?, ..next };
        }
        self.expect(b';', "after the declaration of a variable").map(drop)
    }

    /// `.param .align 8 .b8 x[16]`, without the separator after it.
    pub fn parameter(&mut self) -> Result<Variable<'t>> {
        if !self.token.is_directive(".param") {
            return Err(self.expected("a parameter (`.param`)"));
        }
        self.take()?;
        let mut parameter = self.head(Space::Param, Linkage::Internal)?;
        self.dimensions(&mut parameter)?;
        Ok(parameter)
    }

    /// `.reg .b32 x`, without the separator after it: a parameter or result of a function.
    pub fn register_parameter(&mut self) -> Result<Variable<'t>> {
        let first = self.take()?;
        self.alignment()?;
        if matches!(self.token.text, ".v2" | ".v4") {
            return self.refuse("a vector of registers is not supported as a parameter; pass its elements");
        }
        let ty = self.register_type()?;
        let name = self.name("the name of a register")?;
        self.count_registers(1, name.text, first)?;
        if self.registers > MAX_REGISTER_PARAMETERS {
            let message = format!("a function has at most {MAX_REGISTER_PARAMETERS} parameters in registers");
            return self.refuse_at(name.span, message);
        }
        let (linkage, space, align) = (Linkage::Internal, Space::Reg, ty.size_bytes());
        Ok(Variable { linkage, space, align, ty, vector: 1, name, dims: Vec::new(), init: None })
    }

    /// Everything from the alignment to the name.
    fn head(&mut self, space: Space, linkage: Linkage) -> Result<Variable<'t>> {
        let align = self.alignment()?;
        let vector = self.vector()?;
        let ty = self.ty()?;
        if ty == Type::Pred {
            return self.refuse("a predicate must be a register; it cannot be a variable in memory");
        }
        if space == Space::Param {
            self.skip_pointer()?;
        }
        let name = self.name("the name of a variable")?;
        let align = align.unwrap_or(ty.size_bytes() * vector);
        Ok(Variable { linkage, space, align, ty, vector, name, dims: Vec::new(), init: None })
    }

    fn space(&mut self) -> Result<Space> {
        let space = match self.token.text {
            ".const" => Space::Const,
            ".global" => Space::Global,
            ".local" => Space::Local,
            ".param" => Space::Param,
            ".shared" | ".shared::cta" => Space::Shared,
            ".tex" => {
                return self
                    .refuse("`.tex` is not supported; read through a pointer to global memory instead");
            }
            _ => return Err(self.expected("a directive, a variable or a function")),
        };
        self.take()?;
        Ok(space)
    }

    /// `.attribute(.managed)` is about the host, which shares all memory with the emulator anyway.
    fn attribute(&mut self) -> Result<()> {
        if !self.take_directive(".attribute")? {
            return Ok(());
        }
        self.expect(b'(', "after `.attribute`")?;
        if !self.take_directive(".managed")? {
            let found = self.token.quoted();
            return self.refuse(format!(
                "the attribute {found} is not supported; the only supported one is `.managed`"
            ));
        }
        self.expect(b')', "after an attribute").map(drop)
    }

    fn alignment(&mut self) -> Result<Option<u32>> {
        if !self.take_directive(".align")? {
            return Ok(None);
        }
        let at = self.token;
        let align = self.number("an alignment in bytes")?;
        if !align.is_power_of_two() || align > MAX_ALIGN {
            let message =
                format!("an alignment must be a power of two up to {MAX_ALIGN}, not {}", at.quoted());
            return self.refuse_at(at.span, message);
        }
        Ok(Some(align))
    }

    fn vector(&mut self) -> Result<u32> {
        if self.take_directive(".v2")? {
            return Ok(2);
        }
        Ok(if self.take_directive(".v4")? { 4 } else { 1 })
    }

    fn ty(&mut self) -> Result<Type> {
        let ty = Type::from_directive(self.token.text).ok_or_else(|| self.expected("a type like `.u32`"))?;
        self.take()?;
        Ok(ty)
    }

    /// `.ptr .global .align 4`
    fn skip_pointer(&mut self) -> Result<()> {
        if !self.take_directive(".ptr")? {
            return Ok(());
        }
        if matches!(self.token.text, ".const" | ".global" | ".local" | ".shared" | ".generic") {
            self.take()?;
        }
        self.alignment().map(drop)
    }

    fn dimensions(&mut self, variable: &mut Variable<'t>) -> Result<()> {
        while self.take_if(b'[')? {
            let left_out = self.token.is(b']');
            if left_out && !variable.dims.is_empty() {
                return self.refuse("only the first length of an array may be left out");
            }
            let length = if left_out { None } else { Some(self.integer("the length of an array")?) };
            self.expect(b']', "after the length of an array")?;
            variable.dims.push(length);
        }
        if self.token.is(b'<') {
            return self.refuse("only registers can be declared as a numbered list, like `%r<4>`");
        }
        Ok(())
    }

    /// The type of a register.
    fn register_type(&mut self) -> Result<Type> {
        match Type::from_directive(self.token.text) {
            Some(ty) if ty.is_opaque() => {
                self.refuse("a texture must be a variable; it cannot be a register")
            }
            _ => self.ty(),
        }
    }

    /// `.reg .b32 %r<12>, %x;`
    pub fn registers(&mut self, registers: &mut Vec<Registers<'t>>) -> Result<()> {
        self.take()?;
        let vector = self.vector()? as u8;
        let ty = self.register_type()?;
        registers.extend(self.items(|parser| {
            let name = parser.name("the name of a register")?;
            Ok(Registers { ty, vector, name, count: parser.count(name.text, vector)? })
        })?);
        self.expect(b';', "after the declaration of registers").map(drop)
    }

    fn count(&mut self, name: &str, vector: u8) -> Result<Option<u32>> {
        let angle: Token<'t> = self.token;
        let count = if self.take_if(b'<')? {
            let count = self.number("the number of registers")?;
            self.expect(b'>', "after the number of registers")?;
            Some(count)
        } else {
            None
        };
        self.count_registers(u64::from(count.unwrap_or(1)) * u64::from(vector), name, angle)?;
        Ok(count)
    }

    /// Counts `more` registers, declared as `name`, and checks the limit.
    fn count_registers(&mut self, more: u64, name: &str, at: Token<'t>) -> Result<()> {
        self.registers += more;
        if self.registers <= MAX_REGISTERS {
            return Ok(());
        }
        let message =
            format!("with {}, the function declares more than {MAX_REGISTERS} registers", quoted(name));
        self.refuse_at(at.span, message)
    }
}
