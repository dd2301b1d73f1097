//! Kernels that launch kernels.
//!
//! A launch becomes the two calls of the device's runtime that CUDA's compiler makes of it: the first returns memory for the
//! arguments, or null if the launch fails, the second launches. What else host and device code call by the same name is a call
//! of that runtime, too. Specification: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"; the names are those that NVCC 13
//! writes.

use std::fmt::Write;

use super::{Lower, Value};
use crate::check::typed::{Expr, FunctionId};
use crate::code::{Base, Class, Compare, Op, Operand, Place, Ptx, PtxOperand, Reg, Ty};
use crate::source::{Result, Span};

/// A function of the runtime.
struct Function {
    /// What the text calls it.
    name: &'static str,
    /// What PTX calls it.
    symbol: &'static str,
    /// The sizes of its parameters in bytes.
    parameters: &'static [u64],
}

const fn function(name: &'static str, symbol: &'static str, parameters: &'static [u64]) -> Function {
    Function { name, symbol, parameters }
}

const ARGUMENTS: Function = function("", "__cudaCDP2GetParameterBufferV2", &[8, 12, 12, 4]);
const LAUNCH: Function = function("", "__cudaCDP2LaunchDeviceV2", &[8, 8]);

/// Those that the text calls by name.
const NAMED: [Function; 5] = [
    // What compilers before CUDA 12 write: since then kernels cannot wait for kernels.
    function("cudaDeviceSynchronize", "cudaDeviceSynchronize", &[]),
    function("cudaGetLastError", "__cudaCDP2GetLastError", &[]),
    function("cudaPeekAtLastError", "__cudaCDP2PeekAtLastError", &[]),
    function("cudaStreamCreateWithFlags", "__cudaCDP2StreamCreateWithFlags", &[8, 4]),
    function("cudaStreamDestroy", "__cudaCDP2StreamDestroy", &[8]),
];

/// The declarations of those functions that are called in some text.
pub(crate) fn declarations(calls: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    let all = [&ARGUMENTS, &LAUNCH].into_iter().chain(&NAMED);
    for Function { symbol: name, parameters, .. } in all.filter(|function| calls(function.symbol)) {
        let result = if *name == ARGUMENTS.symbol { 64 } else { 32 };
        let parameter = |nth: usize, bytes: u64| match bytes {
            12 => format!("\t.param .align 4 .b8 {name}_param_{nth}[12]"),
            _ => format!("\t.param .b{} {name}_param_{nth}", 8 * bytes),
        };
        let list: Vec<_> = (0..).zip(*parameters).map(|(nth, bytes)| parameter(nth, *bytes)).collect();
        let list = list.join(",\n");
        let _ = write!(text, ".extern .func (.param .b{result} func_retval0) {name}\n(\n{list}\n)\n;\n");
    }
    text
}

impl<'t> Lower<'t> {
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`
    pub(super) fn nested_launch(
        &mut self,
        kernel: FunctionId,
        shape: &[Expr<'t>],
        arguments: &[Expr<'t>],
        span: Span,
    ) -> Result<Value> {
        let called = &self.checked.program.functions[kernel];
        let address = self.function.new_reg(Class::B64);
        self.call_ptx(&format!("mov.u64 %0, {};", called.symbol), false, Some(address), &[]);
        let mut passed = vec![(Operand::Reg(address), Class::B64)];
        let mut stream = Operand::Int(0);
        for (nth, value) in shape.iter().enumerate() {
            let value_of = self.value(value)?;
            match (nth, value_of) {
                (0 | 1, Value::Object(place) | Value::Address(place)) => {
                    for axis in 0..3 {
                        let place = Place { offset: place.offset + 4 * axis, ..place };
                        passed.push((self.load_scalar(place, Ty::U32, false), Class::B32));
                    }
                }
                (3, value) => stream = self.generic(value),
                (_, value) => {
                    let bytes = self.operand(value);
                    passed.push((self.convert(bytes, Ty::U64, Ty::U32), Class::B32));
                }
            }
        }
        let types: Vec<_> = called.parameters.iter().map(|parameter| called.vars[*parameter].ty).collect();
        let values: Vec<_> = arguments.iter().map(|argument| self.value(argument)).collect::<Result<_>>()?;
        let buffer = self.runtime_call(&ARGUMENTS, Class::B64, &passed);
        let (launches, done) = (self.new_block(), self.new_block());
        let is_there = self.set(Compare::Ne, Ty::U64, buffer, Operand::Int(0));
        self.branch(is_there, launches, done);
        self.start(launches);
        if let Operand::Reg(buffer) = buffer {
            let mut offset = 0_u64;
            for (ty, value) in types.into_iter().zip(values) {
                offset = offset.next_multiple_of(self.checked.types.align(ty).max(1));
                let place = Place { base: Base::Reg(buffer), offset: offset as i64 };
                self.store_value(place, ty, value, span)?;
                offset += self.checked.types.size(ty);
            }
        }
        self.runtime_call(&LAUNCH, Class::B32, &[(buffer, Class::B64), (stream, Class::B64)]);
        self.jump(done);
        self.start(done);
        Ok(Value::Void)
    }

    /// A call of the runtime by the name that it has in host code as well; `None` if the device has no such function.
    pub(super) fn of_runtime(&mut self, name: &str, arguments: &[Expr<'t>]) -> Result<Option<Value>> {
        let is_it = |known: &&Function| known.name == name && known.parameters.len() == arguments.len();
        let Some(function) = NAMED.iter().find(is_it) else { return Ok(None) };
        let mut passed = Vec::new();
        for (argument, bytes) in arguments.iter().zip(function.parameters) {
            let value = self.value(argument)?;
            let is_wide = *bytes == 8;
            let operand = if is_wide { self.generic(value) } else { self.operand(value) };
            passed.push((operand, if is_wide { Class::B64 } else { Class::B32 }));
        }
        Ok(Some(Value::Scalar(self.runtime_call(function, Class::B32, &passed))))
    }

    /// A call; a parameter of 12 bytes takes three of the values.
    fn runtime_call(&mut self, function: &Function, result: Class, passed: &[(Operand, Class)]) -> Operand {
        let Function { symbol, parameters, .. } = function;
        let mut text = "{\n".to_owned();
        let mut next = 1;
        for (nth, bytes) in parameters.iter().enumerate() {
            let parts = if *bytes == 12 { 3 } else { 1 };
            let (kind, array) = if parts == 3 { (".align 4 .b8", "[12]") } else { ("", "") };
            let width = if *bytes == 8 { "b64" } else { "b32" };
            let kind = if parts == 3 { kind.to_owned() } else { format!(".{width}") };
            let _ = writeln!(text, ".param {kind} param{nth}{array};");
            for part in 0..parts {
                let _ = writeln!(text, "st.param.{width} [param{nth}+{}], %{next};", 4 * part);
                next += 1;
            }
        }
        let list: Vec<_> = (0..parameters.len()).map(|nth| format!("param{nth}")).collect();
        let width = if result == Class::B64 { "b64" } else { "b32" };
        let _ = write!(
            text,
            ".param .{width} retval0;\ncall.uni (retval0), {symbol}, ({});\nld.param.{width} %0, [retval0+0];\n}}",
            list.join(", ")
        );
        let dst = self.function.new_reg(result);
        self.call_ptx(&text, true, Some(dst), passed);
        Operand::Reg(dst)
    }

    /// Instructions with a result and arguments: `%0`, and `%1` and so on.
    fn call_ptx(&mut self, text: &str, has_effect: bool, dst: Option<Reg>, passed: &[(Operand, Class)]) {
        let arena = self.function.arena;
        let (args, classes): (Vec<Operand>, Vec<Class>) = passed.iter().copied().unzip();
        let results = dst.iter().map(|_| PtxOperand::Result(0));
        let operands: Vec<_> = results.chain((0..args.len()).map(PtxOperand::Argument)).collect();
        let ptx = Ptx {
            text: arena.text(text),
            is_volatile: has_effect,
            touches_memory: has_effect,
            addresses: arena.list(&vec![None; args.len()]),
            operands: arena.list(&operands),
            classes: arena.list(&classes),
            is_own: true,
        };
        self.push(Op::Ptx(arena.put(ptx)), dst.as_slice(), &args);
    }
}
