//! From the tree to a [`Program`]: places variables, decodes instructions, resolves labels, and finds where
//! branches meet.
//!
//! An instruction that is not supported does not refuse the module: it becomes [`Op::Unsupported`], and is an
//! error when it would be executed. Names that clash, labels that are missing and variables that do not fit
//! are errors at once.

mod passed;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::compile::inst::{AT_RETURN, Inst, NEVER, Origin, Pc};
use crate::compile::layout::{self, Stack, align_of, initial_bytes, size_of, variables_in};
use crate::compile::lower::passed::{read, signature, variable_of};
#[cfg(not(target_family = "wasm"))]
use crate::compile::program::Nested;
use crate::compile::program::{Bounds, Builtin, CLUSTERS_SINCE, Clusters, Code, Program, Refusal};
use crate::compile::shared::SharedLayout;
use crate::compile::{dead_results, flow, temporaries, waiting};
use crate::isa::decode;
use crate::isa::needs::Needs;
use crate::isa::op::call::{CallIndex, FUNCTIONS_BASE};
use crate::isa::op::place::Place;
use crate::isa::op::warpgroup::Warpgroup;
use crate::isa::op::{Decoded, Op, Touched};
use crate::isa::operands::Operands;
use crate::isa::scope::{Scope, Signature, Symbol};
use crate::isa::value::Kind;
use crate::launch::Dim3;
use crate::machine::global::Global;
use crate::machine::registers::{Bank, Slot};
use crate::ptx::ast::{Block, Function, Ident, Instruction, Module, Operand, Space, Statement, Variable};
use crate::ptx::{Error, LineIndex, Span};

/// Makes `module`, read from `text`, ready to run, and places its variables in `memory`.
pub fn lower(name: &str, text: &str, module: &Module<'_>, memory: &mut Global) -> Result<Program, Error> {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    let mut lowering = Lowering {
        module,
        scope: Scope::default(),
        shared: SharedLayout::new(module),
        inner: bodies.flat_map(|body| variables_in(body, &[Space::Global, Space::Const])).collect(),
        addresses: BTreeMap::new(),
        messages: HashSet::new(),
        program: Program {
            name: name.to_string(),
            text: text.to_string(),
            lines: LineIndex::new(text),
            sm: module.target.sm,
            inlined_at: module.calls.clone(),
            files: module.files.iter().map(|file| (file.index, file.name.to_string())).collect(),
            ..Program::default()
        },
    };
    match lowering.module(memory) {
        Ok(()) => Ok(lowering.program),
        Err(error) => {
            // A module that is refused leaves nothing behind.
            for (_, buffer) in lowering.program.variables {
                memory.free(buffer);
            }
            Err(error)
        }
    }
}

/// Local memory of a frame at most, in bytes: what a thread has on every GPU.
pub const MAX_LOCAL_BYTES: u64 = 512 * 1024;

/// Targets at most of all indexed branches of a function. One with `n` branches to a list of `n` labels would have `n` times `n`.
const MAX_INDEXED_TARGETS: usize = 1 << 20;

/// Parameters of a kernel at most, in bytes. Specification: PTX ISA, section 5.1.6.
const MAX_PARAM_BYTES: u64 = 32_764;

struct Lowering<'m, 't> {
    module: &'m Module<'t>,
    /// The module's names; each function starts from a copy.
    scope: Scope<'t>,
    shared: SharedLayout,
    /// The variables in global and constant memory that functions declare, in the order of the text.
    inner: Vec<&'m Variable<'t>>,
    /// Their addresses, by the place of the name in the text.
    addresses: BTreeMap<u32, u64>,
    /// What was said of instructions that are not supported.
    messages: HashSet<Arc<str>>,
    program: Program,
}

/// A function on its way.
struct Body<'t> {
    scope: Scope<'t>,
    frame: Stack,
    /// Addresses of labels, by number; `NEVER` until the label is reached.
    labels: Vec<Pc>,
    tables: Vec<Vec<u32>>,
    /// The registers that it returns: whoever comes to its end reads them.
    returned: Vec<Touched>,
}

impl<'t> Lowering<'_, 't> {
    fn error<T>(&self, span: Span, message: impl Into<String>) -> Result<T, Error> {
        Err(self.program.lines.error(span, message))
    }

    fn module(&mut self, memory: &mut Global) -> Result<(), Error> {
        self.scope.enter();
        self.scope.has_specific = self.module.target.is_specific;
        self.program.dynamic_shared = self.shared.dynamic;
        self.program.shared_variables = std::mem::take(&mut self.shared.variables);
        self.place_variables(memory)?;
        self.declare_functions()?;
        self.fill(memory)?;
        for (index, function) in self.module.functions.iter().enumerate() {
            self.function(index, function)?;
        }
        Ok(())
    }

    /// Places the module's variables: global and constant ones in memory, shared ones in the block's.
    fn place_variables(&mut self, memory: &mut Global) -> Result<(), Error> {
        for variable in &self.module.variables {
            let address = match variable.space {
                Space::Shared => self.shared.address(variable),
                _ => self.allocate(variable, memory)?,
            };
            let place = layout::place(variable, address, false);
            let is_new = self.scope.declare(variable.name, Symbol::Variable(place));
            self.check_new(is_new, variable.name)?;
        }
        for variable in self.inner.clone() {
            let address = self.allocate(variable, memory)?;
            self.addresses.insert(variable.name.span.start, address);
        }
        Ok(())
    }

    /// Allocates a variable, and returns its address.
    fn allocate(&mut self, variable: &Variable<'t>, memory: &mut Global) -> Result<u64, Error> {
        let name = variable.name;
        let Some(size) = size_of(variable) else {
            return self.error(
                name.span,
                format!("`{}` has no size; only shared memory gets its size at the launch", name.text),
            );
        };
        match memory.alloc(name.text, size) {
            Ok(buffer) => {
                self.program.variables.push((name.text.to_string(), buffer));
                self.program.constants.extend((variable.space == Space::Const).then_some(buffer));
                Ok(buffer.address())
            }
            Err(error) => self.error(name.span, error.to_string()),
        }
    }

    /// Refuses a name that its block has already.
    fn check_new(&self, is_new: bool, name: Ident<'t>) -> Result<(), Error> {
        if is_new { Ok(()) } else { self.error(name.span, format!("`{}` is declared twice", name.text)) }
    }

    /// Gives variables in global and constant memory their initial values, and closes constant memory.
    fn fill(&self, memory: &mut Global) -> Result<(), Error> {
        let address = |name: &str| match self.scope.find(name)?.1 {
            Symbol::Variable(place) if place.space != Space::Shared => Some(place.address),
            Symbol::Function(function) => Some(FUNCTIONS_BASE + u64::from(function)),
            _ => None,
        };
        let outer = self.module.variables.iter().filter(|variable| variable.space != Space::Shared);
        let variables = outer.chain(self.inner.iter().copied());
        for (variable, (_, buffer)) in variables.zip(&self.program.variables) {
            match initial_bytes(variable, buffer.bytes(), &address) {
                // What has no initial value is zero (PTX ISA, 5.4.4), and the host may set it.
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => memory.bytes_mut(*buffer)[..bytes.len()].copy_from_slice(&bytes),
                Err(message) => return self.error(variable.name.span, message),
            }
            if variable.space == Space::Const {
                memory.protect(*buffer);
            }
        }
        Ok(())
    }

    /// Numbers functions by name: a prototype and its definition are one, and so are a function and its alias.
    fn declare_functions(&mut self) -> Result<(), Error> {
        let functions = &self.module.functions;
        for (index, function) in functions.iter().enumerate() {
            let name = function.name;
            let is_prototype = |known: u32| functions[known as usize].body.is_none();
            match self.scope.find(name.text) {
                Some((_, Symbol::Function(_))) if function.body.is_none() => continue,
                Some((_, Symbol::Function(known))) if is_prototype(known) => {}
                found => self.check_new(found.is_none(), name)?,
            }
            self.scope.declare(name, Symbol::Function(index as u32));
        }
        for alias in &self.module.aliases {
            let Some((_, symbol @ Symbol::Function(_))) = self.scope.find(alias.function.text) else {
                let name = alias.function;
                return self.error(name.span, format!("`{}` is not a function", name.text));
            };
            self.scope.declare(alias.name, symbol);
        }
        let signature = |function: &Function<'_>| {
            (!function.is_entry).then(|| layout::signature(&function.params, &function.returns))
        };
        self.scope.signatures = functions.iter().map(signature).collect();
        Ok(())
    }

    fn function(&mut self, index: usize, function: &Function<'t>) -> Result<(), Error> {
        debug_assert_eq!(index, self.program.functions.len());
        let mut body = Body {
            scope: self.scope.clone(),
            frame: Stack::default(),
            labels: Vec::new(),
            tables: Vec::new(),
            returned: Vec::new(),
        };
        body.scope.enter();
        body.scope.in_function = !function.is_entry;
        // Column 0 of the predicates is the guard of what has none.
        body.scope.constant(Bank::Preds, 1);
        let (takes, results) = signature(&mut body, function);
        body.returned = results.iter().filter_map(read).collect();
        let params: Vec<Place> = takes.iter().filter(|_| function.is_entry).filter_map(variable_of).collect();
        let start = self.program.insts.len() as Pc;
        let first_call = self.program.calls.len() as u32;
        if let Some(block) = &function.body {
            self.block(&mut body, block)?;
            // Running off the end is a return.
            let end = Decoded { touched: body.returned.clone(), ..Decoded::of(Op::Return) };
            self.push(end, None, Origin { span: function.span, loc: None });
        }
        self.check_sizes(function, &params, body.frame.bytes)?;
        let code = Code {
            name: function.name.text.to_string(),
            // The prototype of a kernel is no second kernel.
            is_entry: function.is_entry && function.body.is_some(),
            builtin: builtin(function),
            start,
            end: self.program.insts.len() as Pc,
            image: std::mem::take(&mut body.scope.image),
            registers: std::mem::take(&mut body.scope.named),
            frame_bytes: body.frame.bytes.next_multiple_of(16),
            params,
            takes,
            results,
            param_types: function.params.iter().map(type_name).collect(),
            shared_bytes: self.shared.bytes[index],
            required_threads: bound(function, ".reqntid").cloned(),
            max_threads: bound(function, ".maxntid")
                .map(|dims| dims.iter().fold(1, |all: u64, &dim| all.saturating_mul(u64::from(dim)))),
            clusters: self.clusters(function)?,
            bounds: Bounds {
                registers: first_of(function, ".maxnreg"),
                blocks: first_of(function, ".minnctapersm"),
            },
        };
        self.resolve(&code, &mut body, first_call)?;
        dead_results::mark(&mut self.program, &code);
        temporaries::mark(&mut self.program, &code);
        waiting::mark(&mut self.program, &code);
        self.program.functions.push(code);
        Ok(())
    }

    /// What a kernel says about clusters.
    fn clusters(&self, function: &Function<'t>) -> Result<Clusters, Error> {
        let named = |directive| bound(function, directive);
        let says = |directive: &&str| function.bounds.iter().any(|(bound, _)| bound == directive);
        let mut all = [".explicitcluster", ".reqnctapercluster", ".maxclusterrank"].iter();
        let Some(directive) = all.find(|directive| says(directive)) else { return Ok(Clusters::default()) };
        if self.program.sm < CLUSTERS_SINCE {
            let message = format!(
                "`{directive}` needs a target of sm_{CLUSTERS_SINCE} or above, not sm_{}",
                self.program.sm
            );
            return self.error(function.name.span, message);
        }
        let required = named(".reqnctapercluster").map(|dims| {
            let dim = |axis: usize| dims.get(axis).copied().unwrap_or(1);
            Dim3::new(dim(0), dim(1), dim(2))
        });
        let most = named(".maxclusterrank").and_then(|most| most.first()).map(|&most| u64::from(most));
        Ok(Clusters { required, most, explicit: named(".explicitcluster").is_some() })
    }

    /// Refuses a function whose memory no thread has.
    fn check_sizes(&self, function: &Function<'t>, params: &[Place], frame: u64) -> Result<(), Error> {
        let name = function.name;
        let end = params.iter().map(|place| place.address.saturating_add(place.size)).max();
        if let Some(end) = end.filter(|&end| function.is_entry && end > MAX_PARAM_BYTES) {
            let message =
                format!("`{}` has {end} bytes of parameters, and the most is {MAX_PARAM_BYTES}", name.text);
            return self.error(name.span, message);
        }
        if frame > MAX_LOCAL_BYTES {
            let message = format!(
                "`{}` needs {frame} bytes of local memory, and a thread has {MAX_LOCAL_BYTES}",
                name.text
            );
            return self.error(name.span, message);
        }
        Ok(())
    }

    fn block(&mut self, body: &mut Body<'t>, block: &Block<'t>) -> Result<(), Error> {
        for registers in &block.registers {
            let is_new = body.scope.declare_registers(registers);
            self.check_new(is_new, registers.name)?;
        }
        for variable in &block.variables {
            self.local_variable(body, variable)?;
        }
        self.declare_labels(body, block)?;
        for statement in &block.statements {
            self.statement(body, statement)?;
        }
        Ok(())
    }

    fn local_variable(&mut self, body: &mut Body<'t>, variable: &Variable<'t>) -> Result<(), Error> {
        let name = variable.name;
        let Some(size) = size_of(variable) else {
            return self.error(name.span, format!("`{}` has no size", name.text));
        };
        let address = match variable.space {
            Space::Local | Space::Param => body.frame.place(size, align_of(variable)),
            Space::Shared => self.shared.address(variable),
            Space::Global | Space::Const => self.addresses[&name.span.start],
            Space::Reg => unreachable!("the parser makes registers of these"),
        };
        let in_frame = matches!(variable.space, Space::Local | Space::Param);
        let passed_as = (variable.space == Space::Param).then(|| layout::formal(variable));
        let place = Place { passed_as, ..layout::place(variable, address, in_frame) };
        self.check_new(body.scope.declare(name, Symbol::Variable(place)), name)
    }

    /// Labels can be used before they are reached, so a block's labels are declared first.
    fn declare_labels(&self, body: &mut Body<'t>, block: &Block<'t>) -> Result<(), Error> {
        for statement in &block.statements {
            let (name, symbol) = match statement {
                Statement::Label(name) => {
                    body.labels.push(NEVER);
                    (*name, Symbol::Label(body.labels.len() as u32 - 1))
                }
                Statement::Targets { name, targets } => (*name, declare_targets(body, targets)),
                Statement::Prototype { name, returns, params } => {
                    (*name, declare_prototype(body, layout::signature(params, returns)))
                }
                _ => continue,
            };
            self.check_new(body.scope.declare(name, symbol), name)?;
        }
        Ok(())
    }

    fn statement(&mut self, body: &mut Body<'t>, statement: &Statement<'t>) -> Result<(), Error> {
        match statement {
            Statement::Label(name) => {
                if let Some((_, Symbol::Label(label))) = body.scope.find(name.text) {
                    body.labels[label as usize] = self.program.insts.len() as Pc;
                }
                Ok(())
            }
            Statement::Instruction(instruction) => {
                self.instruction(body, instruction);
                Ok(())
            }
            Statement::Block(block) => {
                body.scope.enter();
                self.block(body, block)?;
                body.scope.leave();
                Ok(())
            }
            Statement::Targets { name, targets } => self.targets(body, *name, targets),
            Statement::Prototype { .. } => Ok(()),
        }
    }

    fn targets(&self, body: &mut Body<'t>, name: Ident<'t>, targets: &[Ident<'t>]) -> Result<(), Error> {
        let list = body.scope.find(name.text).map(|(_, symbol)| symbol);
        for target in targets {
            match (list, body.scope.find(target.text)) {
                (Some(Symbol::Targets(table)), Some((_, Symbol::Label(label)))) => {
                    body.tables[table as usize].push(label);
                }
                // `.calltargets` lists functions, of which a call needs only the signature that they share.
                (Some(Symbol::Prototype(_)), Some((_, Symbol::Function(_)))) => {}
                _ => return self.error(target.span, format!("`{}` is not a label", target.text)),
            }
        }
        Ok(())
    }

    fn instruction(&mut self, body: &mut Body<'t>, instruction: &Instruction<'t>) {
        let (guard, decoded) = match self.guard(body, instruction) {
            Ok(guard) => {
                let target = Needs { sm: self.program.sm, version: self.module.version };
                (guard, decode(&self.program.lines, instruction, &mut body.scope, target))
            }
            Err(error) => (None, Err(error)),
        };
        // What is not supported is guarded too: it is no error for lanes that skip it.
        let mut decoded = decoded.unwrap_or_else(|error| self.refused(&error));
        if matches!(decoded.op, Op::Return) {
            decoded.touched.extend_from_slice(&body.returned);
        }
        self.push(decoded, guard, Origin { span: instruction.span, loc: instruction.loc });
    }

    /// What stands for an instruction that is not supported.
    fn refused(&mut self, error: &Error) -> Decoded {
        let known = self.messages.get(error.message.as_str()).cloned();
        let message = known.unwrap_or_else(|| {
            let message: Arc<str> = error.message.as_str().into();
            self.messages.insert(message.clone());
            message
        });
        self.program.refused.push(Refusal::new(error, message));
        Decoded::of(Op::Unsupported(self.program.refused.len() as u32 - 1))
    }

    /// The predicate that guards an instruction, and whether it is negated.
    fn guard(
        &self,
        body: &mut Body<'t>,
        instruction: &Instruction<'t>,
    ) -> Result<Option<(Slot, bool)>, Error> {
        let Some(guard) = instruction.guard else { return Ok(None) };
        let mut operands = Operands::new(&self.program.lines, instruction, &mut body.scope);
        let slot = operands.result(&Operand::Name(guard.register), Kind::Pred)?;
        Ok(Some((slot, guard.negated)))
    }

    /// Adds an instruction to the program, and before it those that compute its sources.
    fn push(&mut self, decoded: Decoded, guard: Option<(Slot, bool)>, origin: Origin) {
        let Decoded { before, op, mut args, affine, touched } = decoded;
        for before in before {
            self.push(before, None, origin);
        }
        let first = self.program.touched.len() as u32;
        let (writes, reads): (Vec<_>, Vec<_>) = touched.into_iter().partition(|touched| touched.is_written);
        let register_of = |touched: &Touched| (touched.bank, touched.slot);
        args.in_place =
            writes.iter().any(|result| reads.iter().any(|read| register_of(read) == register_of(result)));
        let (register, negated) = guard.unwrap_or((0, false));
        if let Op::Warpgroup(op) = op {
            self.program.has_warpgroups = true;
            self.program.has_products |= !matches!(op, Warpgroup::Registers { .. });
        }
        let is_distant =
            op.access().is_some_and(|access| access.0.memory == crate::isa::op::memory::Memory::Cluster);
        self.program.insts.push(Inst {
            is_distant,
            op,
            args,
            affine,
            guard: register,
            flip: if negated { u32::MAX } else { 0 },
            guarded: guard.is_some(),
            touched: first,
            reads: reads.len() as u16,
            writes: writes.len() as u16,
            is_temporary: false,
            starts_segment: false,
            may_wait: false,
        });
        self.program.touched.extend(reads.into_iter().chain(writes));
        self.program.origins.push(origin);
    }

    /// Turns labels into addresses, numbers of this function's calls and lists into the module's, and tells
    /// each branch where its sides meet.
    fn resolve(&mut self, code: &Code, body: &mut Body<'t>, first_call: u32) -> Result<(), Error> {
        self.bound_indexed_targets(code, body)?;
        let first_table = self.program.tables.len() as u32;
        let address = |label: &u32| body.labels[*label as usize];
        self.program.tables.extend(body.tables.iter().map(|table| table.iter().map(address).collect()));
        self.program.calls.append(&mut body.scope.calls);
        for inst in &mut self.program.insts[code.start as usize..code.end as usize] {
            match &mut inst.op {
                Op::Branch { target, .. } => *target = body.labels[*target as usize],
                Op::BranchIndexed { list, .. } => *list += first_table,
                Op::Call(CallIndex(call)) => *call += first_call,
                _ => {}
            }
        }
        let at_the_end = if code.is_entry { NEVER } else { AT_RETURN };
        for (pc, found) in flow::meeting_points(
            &self.program.insts,
            code.start..code.end,
            code.is_entry,
            &self.program.tables,
        ) {
            let found = if found == NEVER { at_the_end } else { found };
            match &mut self.program.insts[pc as usize].op {
                Op::Branch { meet, .. } | Op::BranchIndexed { meet, .. } => *meet = found,
                _ => unreachable!("only branches part the lanes"),
            }
        }
        Ok(())
    }

    fn bound_indexed_targets(&self, code: &Code, body: &Body<'t>) -> Result<(), Error> {
        let mut targets = 0;
        for pc in code.start..code.end {
            if let Op::BranchIndexed { list, .. } = self.program.insts[pc as usize].op {
                targets += body.tables[list as usize].len();
                if targets > MAX_INDEXED_TARGETS {
                    let span = self.program.origins[pc as usize].span;
                    return self.error(
                        span,
                        format!(
                            "the function's indexed branches have more than {MAX_INDEXED_TARGETS} targets"
                        ),
                    );
                }
            }
        }
        Ok(())
    }
}

/// Declares what `.branchtargets` or `.calltargets` lists: labels for a branch, or functions for a call.
fn declare_targets(body: &mut Body<'_>, targets: &[Ident<'_>]) -> Symbol {
    let first = targets.first().and_then(|target| body.scope.find(target.text));
    if let Some((_, Symbol::Function(function))) = first {
        let signature = body.scope.signatures.get(function as usize).cloned().flatten();
        return declare_prototype(body, signature.unwrap_or_default());
    }
    body.tables.push(Vec::new());
    Symbol::Targets(body.tables.len() as u32 - 1)
}

fn declare_prototype(body: &mut Body<'_>, signature: Signature) -> Symbol {
    body.scope.prototypes.push(signature);
    Symbol::Prototype(body.scope.prototypes.len() as u32 - 1)
}

fn builtin(function: &Function<'_>) -> Option<Builtin> {
    match (&function.body, function.name.text) {
        (None, "vprintf") => Some(Builtin::Print),
        (None, "__assertfail") => Some(Builtin::AssertFail),
        #[cfg(not(target_family = "wasm"))]
        (None, name) => Nested::named(name).map(Builtin::Nested),
        _ => None,
    }
}

fn bound<'f>(function: &'f Function<'_>, name: &str) -> Option<&'f Vec<u32>> {
    function.bounds.iter().find(|(bound, _)| *bound == name).map(|(_, dims)| dims)
}

fn first_of(function: &Function<'_>, name: &str) -> Option<u32> {
    bound(function, name)?.first().copied()
}

fn type_name(variable: &Variable<'_>) -> String {
    let ty = format!("{:?}", variable.ty).to_lowercase();
    match variable.dims.first() {
        Some(Some(length)) => format!("{ty}[{length}]"),
        _ => ty,
    }
}
