//! The typed tree to the tree that is executed: functions, and where their variables are.
//!
//! It begins with `main` and goes on with what that calls, so functions of the text that nothing uses are not lowered,
//! and may contain what is not supported. Variables are at fixed offsets of their function's frame. Objects have gaps
//! around them, so that an index that is one too large hits memory that belongs to nobody, and is found.
//!
//! ```text
//! a frame:   int n | 16 bytes | float a[4] | 16 bytes | 16 bytes | S s | 16 bytes
//!                    nobody's                nobody's   nobody's         nobody's
//! ```

use super::{Expr, Function, Global, Kernel, Parameter, Passing, Program, Scalar, Stmt};
use crate::check::Checked;
use crate::check::typed::{FunctionId, GlobalId, Space, StmtKind, VarId};
use crate::check::types::{Basic, Type};
use crate::source::line::Line;
use crate::source::map::Map;
use crate::source::{Files, Name, Result, Sink, Span, error};

/// Between two objects of a frame there are so many bytes that belong to nobody.
const GAP_BYTES: u64 = 16;
/// What the address of every frame is a multiple of.
const FRAME_ALIGN: u64 = 16;

/// A frame has at most this many bytes.
const MAX_FRAME_BYTES: u64 = 64 << 20;

/// Everything that is known while functions are lowered.
pub(super) struct Lower<'t> {
    pub files: &'t Files,
    pub checked: &'t Checked<'t>,
    pub program: Program,
    /// The numbers of the functions that have one; the last ones wait to be lowered.
    functions: Map<FunctionId, usize>,
    waiting: Vec<FunctionId>,
    /// The same for variables of the host, variables of the device, kernels, and functions of the runtime: what is not
    /// used has no number.
    globals: Map<GlobalId, usize>,
    symbols: Map<GlobalId, usize>,
    kernels: Map<FunctionId, usize>,
    runtime: Map<String, usize>,
    /// The function that is being lowered.
    pub function: FunctionId,
    /// Where each variable of the function is, once it was asked for.
    slots: Vec<Option<u64>>,
    /// How large the frame is so far. Nothing is used twice: two blocks' variables are apart, and a pointer to a
    /// variable whose block has ended points to nothing else.
    frame_bytes: u64,
    /// The alignment of the frame that is being made.
    frame_align: u64,
    /// For [`Function::objects`].
    objects: Vec<(u64, u64)>,
    /// The labels of the blocks around the statement that is being lowered; and those of the function, by their numbers.
    pub labels: Vec<Name<'t>>,
    pub numbers: Vec<Name<'t>>,
    /// Whether the statements that are being lowered make an object that has to be destroyed.
    pub owns: bool,
}

/// Lowers `main` and what it calls. If anything is wrong, the sink knows.
pub(crate) fn lower(files: &Files, checked: &Checked<'_>, sink: &mut Sink) -> Option<Program> {
    let functions = &checked.program.functions;
    let Some(main) = functions.iter().position(|function| function.name == "main" && !function.is_own) else {
        sink.add(error(Span::default(), "this text has no function `main`"));
        return None;
    };
    let program = Program {
        files: files.users().map(crate::emit::spelt).collect(),
        functions: Vec::new(),
        main: 0,
        globals: Vec::new(),
        texts: Vec::new(),
        start: None,
        managed: Vec::new(),
        zeros: Vec::new(),
        suspects: std::mem::take(&mut sink.suspects),
        symbols: Vec::new(),
        kernels: Vec::new(),
        runtime: Vec::new(),
    };
    let mut lower = Lower {
        files,
        checked,
        program,
        functions: Map::default(),
        waiting: Vec::new(),
        globals: Map::default(),
        symbols: Map::default(),
        kernels: Map::default(),
        runtime: Map::default(),
        function: main,
        slots: Vec::new(),
        frame_bytes: 0,
        frame_align: FRAME_ALIGN,
        objects: Vec::new(),
        labels: Vec::new(),
        numbers: Vec::new(),
        owns: false,
    };
    lower.number_of(main);
    match lower.start() {
        Ok(start) => lower.program.start = start,
        Err(problem) => {
            sink.add(problem);
            return None;
        }
    }
    let managed = checked.program.globals.iter().filter(|global| global.is_managed);
    lower.program.managed = managed.map(|global| global.name.to_owned()).collect();
    let constants = checked.program.globals.iter().filter(|global| global.space == Space::Constant);
    // A value in the text makes constant memory no suspect, even if nothing is copied there.
    let zeros = constants.filter(|global| !global.is_host && global.bytes.is_none());
    lower.program.zeros = zeros.map(|global| (global.name.to_owned(), files.line_of(global.span))).collect();
    let mut next = 0;
    while let Some(id) = lower.waiting.get(next).copied() {
        match lower.function(id) {
            Ok(function) => lower.program.functions.push(function),
            Err(problem) => {
                sink.add(problem);
                return None;
            }
        }
        next += 1;
    }
    Some(lower.program)
}

impl Lower<'_> {
    fn function(&mut self, id: FunctionId) -> Result<Function> {
        let made = &self.checked.program.functions[id];
        self.function = id;
        self.slots = vec![None; made.vars.len()];
        (self.frame_bytes, self.frame_align) = (0, FRAME_ALIGN);
        self.objects = Vec::new();
        self.numbers = Vec::new();
        // With `asm` it is certainly code of the device.
        if let Some(asm) = made.body.iter().find(|statement| matches!(statement.kind, StmtKind::Asm(_))) {
            let message = format!("`{}` is a function of the device, which host code cannot call", made.name);
            let span = if made.is_own { made.span } else { asm.span };
            return Err(error(span, message));
        }
        let mut parameters = Vec::new();
        for var in &made.parameters {
            let passing = self.passing(made.vars[*var].ty);
            let offset = self.slot(*var)?;
            parameters.push(Parameter { offset, passing });
        }
        let parameters_owned = self.own_parameters(&made.parameters)?;
        let mut body = self.block(made.body)?;
        if !parameters_owned.is_empty() {
            body = vec![Stmt::Scope(parameters_owned.into_iter().chain(body).collect())];
        }
        Ok(Function {
            name: made.name.to_owned(),
            parameters,
            frame_bytes: self.frame_bytes.next_multiple_of(FRAME_ALIGN),
            frame_align: self.frame_align,
            objects: std::mem::take(&mut self.objects),
            body,
            is_own: made.is_own,
        })
    }

    /// What is done before `main`: variables get the values that have to be computed. C++17, [basic.start.dynamic]: in
    /// the order of the text.
    fn start(&mut self) -> Result<Option<Function>> {
        let checked = self.checked;
        let mut body = Vec::new();
        for (id, global) in checked.program.globals.iter().enumerate() {
            let Some(value) = global.dynamic.as_ref().filter(|_| global.span.is_users()) else { continue };
            let to = Expr::Global(self.global(id));
            let made = self.cleaned(|lower| {
                let is_reference = lower.checked.types.is_reference(global.ty);
                let made = if is_reference { lower.address(value)? } else { lower.value(value)? };
                Ok(lower.put(to, global.ty, made, value))
            })?;
            body.push(Stmt::Expr(made, false));
        }
        if body.is_empty() {
            return Ok(None);
        }
        Ok(Some(Function {
            name: "start".to_owned(),
            parameters: Vec::new(),
            frame_bytes: self.frame_bytes.next_multiple_of(FRAME_ALIGN),
            frame_align: self.frame_align,
            objects: std::mem::take(&mut self.objects),
            body,
            is_own: true,
        }))
    }

    /// The number of a function, which is lowered if it has not been.
    pub(super) fn number_of(&mut self, id: FunctionId) -> usize {
        let next = self.functions.len();
        let number = *self.functions.get_or_insert(id, next);
        if number == next {
            self.waiting.push(id);
        }
        number
    }

    /// The number of a function of the runtime.
    pub(super) fn runtime(&mut self, name: &str) -> usize {
        let next = self.program.runtime.len();
        let number = *self.runtime.get_or_insert(name.to_owned(), next);
        if number == next {
            self.program.runtime.push(name.to_owned());
        }
        number
    }

    pub(super) fn global(&mut self, id: GlobalId) -> usize {
        let next = self.globals.len();
        let number = *self.globals.get_or_insert(id, next);
        if number == next {
            let known = &self.checked.program.globals[id];
            self.program.globals.push(Global {
                name: known.name.to_owned(),
                bytes: self.checked.types.size(known.ty),
                value: known.bytes.map(<[u8]>::to_vec),
            });
        }
        number
    }

    pub(super) fn symbol(&mut self, id: GlobalId) -> usize {
        let next = self.symbols.len();
        let number = *self.symbols.get_or_insert(id, next);
        if number == next {
            let known = &self.checked.program.globals[id];
            self.program.symbols.push((known.name.to_owned(), self.checked.types.size(known.ty)));
        }
        number
    }

    pub(super) fn kernel(&mut self, id: FunctionId) -> usize {
        let next = self.kernels.len();
        let number = *self.kernels.get_or_insert(id, next);
        if number == next {
            let known = &self.checked.program.functions[id];
            let (symbol, name) = (known.symbol.to_owned(), known.name.to_owned());
            let parameters = known.parameters.iter().map(|var| self.passing(known.vars[*var].ty)).collect();
            let shared_bytes = super::shared::bytes(self.checked, id);
            self.program.kernels.push(Kernel { symbol, name, parameters, shared_bytes });
        }
        number
    }

    /// Equal texts are one, as compilers may do ([lex.string]).
    pub(super) fn text(&mut self, text: &[u8]) -> usize {
        if let Some(known) = self.program.texts.iter().position(|known| known == text) {
            return known;
        }
        self.program.texts.push(text.to_vec());
        self.program.texts.len() - 1
    }

    /// The type of a number, a truth value, a pointer or a reference.
    pub(super) fn scalar(&self, ty: Type) -> Option<Scalar> {
        let types = &self.checked.types;
        if types.is_pointer(ty) || types.is_reference(ty) {
            return Some(Scalar::U64);
        }
        Some(match types.basic_of(ty)? {
            Basic::Void => return None,
            Basic::Bool => Scalar::Bool,
            Basic::Char | Basic::SignedChar => Scalar::I8,
            Basic::UnsignedChar => Scalar::U8,
            Basic::Short => Scalar::I16,
            Basic::UnsignedShort => Scalar::U16,
            Basic::Int => Scalar::I32,
            Basic::Unsigned => Scalar::U32,
            Basic::Long | Basic::LongLong => Scalar::I64,
            Basic::UnsignedLong | Basic::UnsignedLongLong => Scalar::U64,
            Basic::Float => Scalar::F32,
            Basic::Double => Scalar::F64,
        })
    }

    /// The type of a value that has to be a number.
    pub(super) fn number(&self, ty: Type, span: Span) -> Result<Scalar> {
        let shown =
            || error(span, format_args!("`{}` cannot be used here as a number", self.checked.types.show(ty)));
        self.scalar(ty).ok_or_else(shown)
    }

    pub(super) fn passing(&self, ty: Type) -> Passing {
        self.scalar(ty).map_or(Passing::Object(self.checked.types.size(ty)), Passing::Scalar)
    }

    /// Where a variable is.
    pub(super) fn slot(&mut self, var: VarId) -> Result<u64> {
        if let Some(known) = self.slots[var] {
            return Ok(known);
        }
        let declared = &self.checked.program.functions[self.function].vars[var];
        let offset = self.temporary(declared.ty, declared.span)?;
        self.slots[var] = Some(offset);
        Ok(offset)
    }

    /// Room in the frame for a value of a type.
    pub(super) fn temporary(&mut self, ty: Type, span: Span) -> Result<u64> {
        let (bytes, align) = (self.checked.types.size(ty).max(1), self.checked.types.align(ty).max(1));
        // Numbers need no gaps, as nothing is indexed there.
        let is_object = self.scalar(ty).is_none();
        if is_object {
            self.frame_bytes += GAP_BYTES;
        }
        let offset = self.frame_bytes.next_multiple_of(align);
        self.frame_bytes = offset.saturating_add(bytes);
        if is_object {
            self.objects.push((offset, bytes));
            self.frame_align = self.frame_align.max(align);
            self.frame_bytes += GAP_BYTES;
        }
        if self.frame_bytes > MAX_FRAME_BYTES {
            let message = format!("the variables of this function need more than {MAX_FRAME_BYTES} bytes");
            return Err(error(span, message).with_help("allocate large arrays with `malloc`"));
        }
        Ok(offset)
    }

    /// The line of a place, if a reader knows it.
    pub(super) fn line(&self, span: Span) -> Line {
        if span.is_users() { self.files.line_of(span) } else { Line::NONE }
    }
}
