//! The typed tree to intermediate code, one kernel at a time.
//!
//! Every call is inlined where it is made, and each line knows the call through which it was, as in the line tables of
//! NVIDIA's compiler. Variables that never change are the values themselves; the others get a
//! slot of memory, which `optimise::promote` replaces by registers where it can. Loops whose counts are known and small
//! are written out here, because arrays fit into registers only if every index is known.
//!
//! Every register is written by one instruction when this stage is done, those that `asm` updates (`+`) excepted; only
//! `promote` makes registers of variables that change. Left out, as errors: recursion, and references in structs that
//! may refer to several variables. Specification: C++17 for the order of evaluation ([intro.execution]); PTX ISA for
//! what the instructions mean.
//!
//! ```text
//! int n = x[i];      Value(the register of the load), if nothing changes n later
//! int n = x[i];      Place(a slot), if something does, or takes its address
//! int& n = x[i];     Place(x + 4 i), from here on
//! float a[4];        Place(a slot of 16 bytes)
//! ```

mod asm;
mod build;
mod call;
mod condition;
mod expression;
mod loops;
mod memory;
#[cfg(feature = "host")]
pub(crate) mod nested;
mod place;
mod printf;
mod statement;

use crate::check::Checked;
use crate::check::typed::{self, FunctionId, VarId};
use crate::check::types::{Basic, Type};
use crate::code::{
    Base, Block, BlockId, Class, End, Function, Inlined, Inst, Op, Operand, Param, Place, Ptx, PtxOperand,
    Reg, Site, Slot, Ty, VarName,
};
use crate::source::arena::Arena;
use crate::source::budget::{self, Bound};
use crate::source::map::Map;
use crate::source::{Files, Name, Result, Span, error};

/// Instructions of one kernel, before anything is removed. It is counted while code is made, as inlining and unrolling
/// multiply. All kernels together have [`Bound::Instructions`].
const MAX_INSTRUCTIONS: usize = 300_000;

/// Copies that a pragma may ask for, in all loops around each other, as long as the kernel does not become too large.
const MAX_ASKED: usize = 4096;

/// Calls in calls. Each is a level of recursion here.
const MAX_CALLS: usize = 48;

/// A value while code is made for it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    /// What a function returns that returns nothing.
    Void,
    /// A number, a truth value or an address.
    Scalar(Operand),
    /// A pointer to a place, of which no register holds the address yet.
    Address(Place),
    /// A struct or an array that is at a place.
    Object(Place),
}

/// What a variable is.
#[derive(Clone, Copy, Debug)]
enum Binding {
    /// It is not declared yet on the way through the function.
    None,
    /// It never changes, and is this value.
    Value(Value),
    /// It is in memory here; a reference is the place that it refers to.
    Place(Place),
}

/// A function whose body is being inlined. The kernel's is the first; variables of all others are their own at each
/// call.
struct Frame<'t> {
    function: FunctionId,
    /// What each of [`Function::vars`](crate::check::typed::Function::vars) is.
    vars: Vec<Binding>,
    /// Where a `return` continues, unless it is the last statement.
    exit: BlockId,
    /// Where the result is stored, if several `return`s may give it.
    result: Option<Place>,
    /// The value of the only `return`, which is the last statement.
    returned: Option<Value>,
    /// Whether there is one `return`, at the end. Then nothing has to be stored, and no block is left early.
    returns_at_end: bool,
    /// Where `break` and `continue` go.
    breaks: Vec<BlockId>,
    continues: Vec<BlockId>,
    /// Where variables are that never change and that something refers to.
    referred: Vec<(VarId, Place)>,
    /// The labels that were mentioned so far.
    labels: Map<Name<'t>, BlockId>,
    /// The call, as an index of the function's `lines`; none in the kernel.
    call: Option<u32>,
}

struct Lower<'t> {
    files: &'t Files,
    checked: &'t Checked<'t>,
    /// The code that has been made.
    function: Function<'t>,
    /// The block that instructions are added to.
    current: BlockId,
    frames: Vec<Frame<'t>>,
    /// The line that instructions are charged to, as an index of the function's `lines`.
    line: u32,
    /// The index of each line and column that occurs.
    known_lines: Map<Site, u32>,
    /// How many instructions there are.
    count: usize,
    /// What references in structs refer to, by the slot and the offset of the reference. `None` if there are several,
    /// and it is not known which one; such a reference can be made but not used. Those to variables in slots are not
    /// stored anywhere, because a stored address would keep the variable in memory.
    references: Map<(usize, i64), Option<Place>>,
    pub strings: Vec<Vec<u8>>,
    /// How often the statements around are repeated by unrolling.
    copies: usize,
    /// Copies that a pragma may ask for, in all loops around each other.
    most_asked: usize,
}

/// Makes code for a kernel. `strings` are those of the whole module, so that equal texts of two kernels are one. If that becomes
/// too much code, loops with a pragma are written out less, as nvcc does.
pub(crate) fn lower<'t>(
    arena: Arena<'t>,
    files: &'t Files,
    checked: &'t Checked<'t>,
    kernel: FunctionId,
    strings: &mut Vec<Vec<u8>>,
) -> Result<Function<'t>> {
    let mut most_asked = MAX_ASKED;
    loop {
        let mut lower = Lower {
            files,
            checked,
            function: empty(arena, &checked.program.functions[kernel]),
            current: 0,
            frames: Vec::new(),
            line: 0,
            known_lines: Map::default(),
            count: 0,
            references: Map::default(),
            strings: strings.clone(),
            copies: 1,
            most_asked,
        };
        let result = lower.kernel(kernel);
        if lower.count > MAX_INSTRUCTIONS && most_asked > 1 {
            most_asked /= 8;
            continue;
        }
        result?;
        *strings = lower.strings;
        return Ok(lower.function);
    }
}

/// A function without code.
fn empty<'t>(arena: Arena<'t>, made: &typed::Function<'t>) -> Function<'t> {
    Function {
        arena,
        name: made.symbol.to_owned(),
        params: Vec::new(),
        launch_bounds: made.launch_bounds.to_vec(),
        cluster_dims: made.cluster_dims.to_vec(),
        regs: Vec::new(),
        spaces: Vec::new(),
        slots: Vec::new(),
        blocks: vec![Block { insts: Vec::new(), end: End::Return, line: 0 }],
        lines: Vec::new(),
        names: Vec::new(),
    }
}

impl<'t> Lower<'t> {
    fn kernel(&mut self, kernel: FunctionId) -> Result<()> {
        let made = &self.checked.program.functions[kernel];
        self.frames.push(Frame::new(kernel, made.vars.len(), 0));
        self.at(made.span);
        for (nth, var) in made.parameters.iter().enumerate() {
            self.param(nth, *var)?;
        }
        let exit = self.new_block();
        self.frame().exit = exit;
        self.statements(made.body)?;
        // The end of a kernel is charged to its closing brace.
        self.at(made.end);
        self.jump(exit);
        self.start(exit);
        self.function.blocks[exit].line = self.line;
        budget::spend(Bound::Instructions, self.count, made.span)
    }

    /// A parameter of the kernel: a register, or a copy in memory if it is a struct or changes.
    fn param(&mut self, nth: usize, var: VarId) -> Result<()> {
        let kernel = self.frames[0].function;
        let declared = &self.checked.program.functions[kernel].vars[var];
        let ty = declared.ty;
        let (size, align) = (self.checked.types.size(ty), self.checked.types.align(ty));
        let scalar = self.ty(ty);
        self.function.params.push(Param { size, align, ty: scalar });
        if scalar.is_some() {
            let value = self.load_param(nth, 0, ty);
            return self.bind(var, Value::Scalar(value));
        }
        if declared.is_grid_constant {
            let place = Place { base: Base::Reg(self.param_address(nth)), offset: 0 };
            self.frame().vars[var] = Binding::Place(place);
            return Ok(());
        }
        let slot = self.new_slot(ty, Some(var));
        let mut leaves = Vec::new();
        self.leaves(ty, 0, &mut leaves, declared.span)?;
        for (offset, ty) in leaves {
            let value = self.load_param(nth, offset as u32, ty);
            let place = Place { offset: offset as i64, ..slot };
            self.store_scalar(place, ty, value);
        }
        self.frame().vars[var] = Binding::Place(slot);
        Ok(())
    }

    /// The generic address of a parameter of the kernel.
    fn param_address(&mut self, nth: usize) -> Reg {
        let name = format!("{}_param_{nth}", self.function.name);
        let text = format!("{{\n.reg .b64 at;\nmov.b64 at, {name};\ncvta.param.u64 %0, at;\n}}");
        let (arena, dst) = (self.function.arena, self.function.new_reg(Class::B64));
        let ptx = Ptx {
            text: arena.text(&text),
            is_volatile: false,
            touches_memory: false,
            addresses: &[],
            operands: arena.list(&[PtxOperand::Result(0)]),
            classes: &[],
            is_own: true,
        };
        self.push(Op::Ptx(arena.put(ptx)), &[dst], &[]);
        dst
    }

    /// A pointer is one to global memory, which NVIDIA's compiler assumes as well. Saying so (`cvta.to.global`) lets
    /// the accesses through it name the space.
    fn load_param(&mut self, nth: usize, offset: u32, ty: Type) -> Operand {
        let kind = self.ty(ty).unwrap_or(Ty::U32);
        if kind == Ty::Pred {
            let byte = self.emit(Op::Param(nth, offset, Ty::U8), kind_class(Ty::U8), &[]);
            return self.emit(
                Op::Set(crate::code::Compare::Ne, Ty::U32),
                kind_class(Ty::Pred),
                &[byte, Operand::Int(0)],
            );
        }
        let value = self.emit(Op::Param(nth, offset, kind), kind_class(kind), &[]);
        if self.checked.types.is_pointer(ty) {
            return self.emit(Op::ToGlobal, kind_class(kind), &[value]);
        }
        value
    }

    fn frame(&mut self) -> &mut Frame<'t> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// The type of a number, a truth value or a pointer. `None` for structs, arrays and `void`.
    fn ty(&self, ty: Type) -> Option<Ty> {
        let types = &self.checked.types;
        if types.is_pointer(ty) || types.is_reference(ty) {
            return Some(Ty::U64);
        }
        Some(match types.basic_of(ty)? {
            Basic::Void => return None,
            Basic::Bool => Ty::Pred,
            Basic::Char | Basic::SignedChar => Ty::S8,
            Basic::UnsignedChar => Ty::U8,
            Basic::Short => Ty::S16,
            Basic::UnsignedShort => Ty::U16,
            Basic::Int => Ty::S32,
            Basic::Unsigned => Ty::U32,
            Basic::Long | Basic::LongLong => Ty::S64,
            Basic::UnsignedLong | Basic::UnsignedLongLong => Ty::U64,
            Basic::Float => Ty::F32,
            Basic::Double => Ty::F64,
        })
    }

    /// The type of a value that has to be a number, a truth value or a pointer.
    fn scalar_ty(&self, ty: Type, span: Span) -> Result<Ty> {
        match self.ty(ty) {
            Some(ty) => Ok(ty),
            None => Err(error(
                span,
                format_args!("`{}` cannot be used here as a number", self.checked.types.show(ty)),
            )),
        }
    }

    /// Charges what follows to a place in the text. Functions of our headers are charged to the line of their call.
    fn at(&mut self, span: Span) {
        if span.is_users() {
            self.line = self.line_of(span);
        } else if let Some(call) = self.frame().call {
            self.line = call;
        }
    }

    fn line_of(&mut self, span: Span) -> u32 {
        let (line, column) = self.files.place(span);
        let frame = self.frames.last();
        let inlined = frame.and_then(|frame| Some(Inlined { function: frame.function, call: frame.call? }));
        let place = Site { file: span.file(), line, column, inlined };
        let next = self.function.lines.len() as u32;
        let at = *self.known_lines.get_or_insert(place, next);
        if at == next {
            self.function.lines.push(place);
        }
        at
    }

    /// A slot for a value of a type, named if it is a variable of the text.
    fn new_slot(&mut self, ty: Type, var: Option<VarId>) -> Place {
        let name = var.and_then(|var| self.var_name(var));
        let (size, align) = (self.checked.types.size(ty).max(1), self.checked.types.align(ty));
        self.function.slots.push(Slot { size, align, name });
        Place { base: crate::code::Base::Slot(self.function.slots.len() - 1), offset: 0 }
    }

    /// The name of a variable, if the reader has written it.
    fn var_name(&self, var: VarId) -> Option<VarName> {
        let frame = self.frames.last()?;
        let function = &self.checked.program.functions[frame.function];
        let declared = &function.vars[var];
        if !declared.span.is_users() || declared.name.as_str().is_empty() {
            return None;
        }
        let first_line = self.files.place(declared.span).0;
        let last_line = self.files.place(function.end).0.max(first_line);
        let is_inlined = self.frames.len() > 1;
        let (name, span) = (declared.name.as_str().to_owned(), declared.span);
        Some(VarName { name, span, first_line, last_line, is_inlined })
    }

    /// It fails if the code has grown too large. It is asked at each statement and call, which is often enough, and these
    /// count themselves: a call of what is known makes no instruction.
    fn count(&mut self, span: Span) -> Result<()> {
        self.count += 1;
        if self.count > MAX_INSTRUCTIONS {
            let message = format!(
                "the kernel `{}` becomes more than {MAX_INSTRUCTIONS} instructions",
                self.function.name
            );
            return Err(error(span, message).with_help("unroll less, or split the kernel"));
        }
        Ok(())
    }

    fn push(&mut self, op: Op<'t>, dsts: &[Reg], args: &[Operand]) {
        self.count += 1;
        let inst = Inst::new(self.function.arena, op, dsts, args, self.line);
        self.function.blocks[self.current].insts.push(inst);
    }
}

fn kind_class(ty: Ty) -> crate::code::Class {
    ty.class()
}

impl Frame<'_> {
    fn new(function: FunctionId, vars: usize, exit: BlockId) -> Self {
        Frame {
            function,
            vars: vec![Binding::None; vars],
            exit,
            result: None,
            returned: None,
            returns_at_end: false,
            breaks: Vec::new(),
            continues: Vec::new(),
            referred: Vec::new(),
            labels: Map::default(),
            call: None,
        }
    }
}
