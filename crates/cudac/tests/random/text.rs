//! A program as CUDA C++, with parentheses only where they are needed, or a few more.

use std::fmt::Write;

use crate::number::{Binary, Number, Ty, Unary, Value};
use crate::tree::{
    Argument, Atomic, Builtin, Exchange, Expr, For, Function, FunctionId, Gather, Init, Kind, OWN, Place,
    Program, RESULTS, Shape, Stmt, Template, VarId, VarKind, Warp, WarpOp,
};

/// Functions that the expressions call.
const PRELUDE: &str =
    "template <typename F> __device__ F held(F f) { return f > F(-100) && f < F(100) ? f : F(7); }
template <typename F> __device__ F held_positive(F f) { return f > F(0) && f < F(100) ? f : F(7); }
";

/// The whole text.
pub fn text(program: &Program) -> String {
    let mut text = PRELUDE.to_owned();
    for (at, of) in program.structs.iter().enumerate() {
        let _ = write!(text, "struct S{at} {{ ");
        for (nth, (ty, length)) in of.fields.iter().enumerate() {
            let length = length.map_or(String::new(), |length| format!("[{length}]"));
            let _ = write!(text, "{} m{nth}{length}; ", ty.name());
        }
        text.push_str("};\n");
    }
    let kernel = program.functions.len() - 1;
    for at in 0..=kernel {
        let mut printer = Printer { program, at, text: String::new(), indent: 1 };
        printer.statements(&program.functions[at].body);
        text.push_str(&printer.head(at == kernel));
        text.push_str(&printer.text);
        text.push_str("}\n");
    }
    text
}

struct Printer<'p> {
    program: &'p Program,
    /// The function.
    at: FunctionId,
    text: String,
    indent: usize,
}

/// How strongly operators bind.
const COMMA: u8 = 1;
const ASSIGN: u8 = 2;
const CONDITIONAL: u8 = 3;
const UNARY: u8 = 14;
const POSTFIX: u8 = 15;
const PRIMARY: u8 = 16;

fn operator(op: Binary) -> (&'static str, u8) {
    match op {
        Binary::Comma => (",", COMMA),
        Binary::OneTrue => ("||", 4),
        Binary::BothTrue => ("&&", 5),
        Binary::Or => ("|", 6),
        Binary::Xor => ("^", 7),
        Binary::And => ("&", 8),
        Binary::Eq => ("==", 9),
        Binary::Ne => ("!=", 9),
        Binary::Lt => ("<", 10),
        Binary::Le => ("<=", 10),
        Binary::Gt => (">", 10),
        Binary::Ge => (">=", 10),
        Binary::Shl => ("<<", 11),
        Binary::Shr => (">>", 11),
        Binary::Add => ("+", 12),
        Binary::Sub => ("-", 12),
        Binary::Mul => ("*", 13),
        Binary::Div => ("/", 13),
        Binary::Rem => ("%", 13),
    }
}

fn literal(value: Value) -> (String, u8) {
    let number = match value.number {
        Number::Float(number) => {
            let suffix = if value.ty == Ty::Float { "f" } else { "" };
            let digits =
                if value.ty == Ty::Float { format!("{:?}", number as f32) } else { format!("{number:?}") };
            let level = if number.is_sign_negative() { UNARY } else { PRIMARY };
            return (format!("{digits}{suffix}"), level);
        }
        Number::Integer(number) => number,
    };
    let suffix = match value.ty {
        Ty::Bool => return ((if number != 0 { "true" } else { "false" }).to_owned(), PRIMARY),
        Ty::Int => "",
        Ty::Unsigned => "u",
        Ty::Long => "l",
        Ty::UnsignedLong => "ul",
        Ty::LongLong => "ll",
        Ty::UnsignedLongLong => "ull",
        narrow => return (format!("({}){number}", narrow.name()), UNARY),
    };
    if !value.ty.is_unsigned() && !value.ty.holds(-number) {
        // The smallest number has no literal of its type.
        return (format!("(-{}{suffix} - 1)", -(number + 1)), PRIMARY);
    }
    let digits =
        if value.ty.is_unsigned() && number % 3 == 0 { format!("{number:#x}") } else { number.to_string() };
    (format!("{digits}{suffix}"), if number < 0 { UNARY } else { PRIMARY })
}

impl Printer<'_> {
    fn function(&self) -> &Function {
        &self.program.functions[self.at]
    }

    fn name(&self, var: VarId) -> &str {
        &self.function().vars[var].name
    }

    /// Everything before the body.
    fn head(&self, is_kernel: bool) -> String {
        let program = self.program;
        if is_kernel {
            let mut head = "extern \"C\" __global__ void kernel(const int* x, unsigned long long* y, double* g, int* z, unsigned* total, int n) {\n".to_owned();
            for (at, ty) in program.shared.iter().enumerate() {
                let _ = writeln!(head, "  __shared__ {} s{at}[{}];", ty.name(), program.threads);
            }
            let _ = writeln!(head, "  int i = blockIdx.x * blockDim.x + threadIdx.x;");
            let _ = writeln!(head, "  int* m = z + {OWN} * i;");
            return head;
        }
        let function = self.function();
        let template = if function.template == Template::No { "" } else { "template <typename T> " };
        let mut head = format!("{template}__device__ {} f{}(", function.result.name(), self.at);
        for (nth, var) in function.parameters.iter().enumerate() {
            let comma = if nth == 0 { "" } else { ", " };
            let _ = write!(head, "{comma}{}", self.declared(*var));
        }
        head.push_str(") {\n");
        head
    }

    /// A variable with its type, as in a declaration.
    fn declared(&self, var: VarId) -> String {
        let var = &self.function().vars[var];
        let is_const = if var.kind == VarKind::Const { "const " } else { "" };
        let sign = match var.kind {
            VarKind::Reference => "& ",
            VarKind::Pointer => "* ",
            VarKind::Plain | VarKind::Const => " ",
        };
        let (ty, length) = match var.shape {
            Shape::Number(ty) => (ty.name().to_owned(), String::new()),
            Shape::Array(ty, _) if var.kind == VarKind::Pointer => (ty.name().to_owned(), String::new()),
            Shape::Array(ty, length) => (ty.name().to_owned(), format!("[{length}]")),
            Shape::Struct(at) => (format!("S{at}"), String::new()),
        };
        format!("{is_const}{ty}{sign}{}{length}", var.name)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * self.indent);
    }

    fn nested(&mut self, stmts: &[Stmt]) {
        self.indent += 1;
        self.statements(stmts);
        self.indent -= 1;
    }

    fn statements(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Declare(var, init) => {
                let line = format!("{}{};", self.declared(*var), self.init(*var, init));
                self.line(&line);
            }
            Stmt::Expr(value) => self.line(&format!("{};", self.top(value))),
            Stmt::Block(body) => self.braced("{", body),
            Stmt::If(condition, then, otherwise) => {
                let head = format!("if ({}) {{", self.top(condition));
                self.line(&head);
                self.nested(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.nested(otherwise);
                }
                self.line("}");
            }
            Stmt::For(inner) => self.for_(inner),
            Stmt::While { condition, body, is_do: false } => {
                self.braced(&format!("while ({}) {{", self.top(condition)), body);
            }
            Stmt::While { condition, body, .. } => {
                self.line("do {");
                self.nested(body);
                self.line(&format!("}} while ({});", self.top(condition)));
            }
            Stmt::Switch(value, arms) => {
                self.line(&format!("switch ({}) {{", self.top(value)));
                for arm in arms {
                    let label = |label: &Option<i32>| {
                        label.map_or("default:".to_owned(), |value| format!("case {value}:"))
                    };
                    let labels: Vec<String> = arm.labels.iter().map(label).collect();
                    self.braced(&format!("{} {{", labels.join(" ")), &arm.body);
                }
                self.line("}");
            }
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Return(value) => self.line(&format!("return {};", self.top(value))),
            Stmt::Put(at, value) => {
                let line = if self.program.ty(self.function(), None, value).is_float() {
                    format!("g[{RESULTS} * i + {at}] = {};", self.within(value, ASSIGN))
                } else {
                    format!("y[{RESULTS} * i + {at}] = {};", self.within(value, ASSIGN))
                };
                self.line(&line);
            }
            Stmt::Total(op, at, value) => {
                let line = format!("{}(&total[{at}], (unsigned)({}));", atomic(*op), self.top(value));
                self.line(&line);
            }
            Stmt::Exchange(inner) => self.exchange(inner),
            Stmt::Gather(inner) => self.gather(inner),
            Stmt::Warp(inner) => self.warp(inner),
        }
    }

    fn braced(&mut self, head: &str, body: &[Stmt]) {
        self.line(head);
        self.nested(body);
        self.line("}");
    }

    fn for_(&mut self, inner: &For) {
        match inner.unroll {
            Some(0) => self.line("#pragma unroll"),
            Some(times) => self.line(&format!("#pragma unroll {times}")),
            None => {}
        }
        let head = format!(
            "for ({} = {}; {}; {}) {{",
            self.declared(inner.var),
            self.within(&inner.start, ASSIGN),
            self.top(&inner.condition),
            self.top(&inner.step)
        );
        self.braced(&head, &inner.body);
    }

    fn exchange(&mut self, inner: &Exchange) {
        let (shared, size) = (inner.shared, self.program.threads);
        let at = format!("(threadIdx.x * {} + {}) % {size}", inner.factor, inner.offset);
        self.line(&format!("s{shared}[{at}] = {};", self.within(&inner.value, ASSIGN)));
        self.line("__syncthreads();");
        let line = format!("{} = s{shared}[{}];", self.declared(inner.to), self.top(&inner.from));
        self.line(&line);
        self.line("__syncthreads();");
    }

    fn gather(&mut self, inner: &Gather) {
        let shared = inner.shared;
        let ty = self.program.shared[shared].name();
        self.line(&format!("s{shared}[threadIdx.x] = {};", self.within(&inner.start, ASSIGN)));
        self.line("__syncthreads();");
        let line = format!(
            "if ({}) {}(&s{shared}[{}], ({ty})({}));",
            self.top(&inner.condition),
            atomic(inner.op),
            self.top(&inner.at),
            self.top(&inner.value)
        );
        self.line(&line);
        self.line("__syncthreads();");
        let line = format!("{} = s{shared}[{}];", self.declared(inner.to), self.top(&inner.from));
        self.line(&line);
        self.line("__syncthreads();");
    }

    fn warp(&mut self, inner: &Warp) {
        let value = format!("({})({})", inner.ty.name(), self.top(&inner.value));
        let all = "0xffffffffu";
        let call = match inner.op {
            WarpOp::Shuffle { width: 32 } => {
                format!("__shfl_sync({all}, {value}, {})", self.within(&inner.lane, ASSIGN))
            }
            WarpOp::Shuffle { width } => {
                format!("__shfl_sync({all}, {value}, {}, {width})", self.within(&inner.lane, ASSIGN))
            }
            WarpOp::Up { delta, width } => format!("__shfl_up_sync({all}, {value}, {delta}, {width})"),
            WarpOp::Down { delta, width } => format!("__shfl_down_sync({all}, {value}, {delta}, {width})"),
            WarpOp::Xor { mask, width } => format!("__shfl_xor_sync({all}, {value}, {mask}, {width})"),
            WarpOp::Ballot => format!("__ballot_sync({all}, {value})"),
            WarpOp::Any => format!("__any_sync({all}, {value})"),
            WarpOp::All => format!("__all_sync({all}, {value})"),
        };
        self.line(&format!("{} = {call};", self.declared(inner.to)));
    }

    fn init(&self, var: VarId, init: &Init) -> String {
        match init {
            // A cast in parentheses could be read as the declaration of a function.
            Init::Value(value) if value.id % 5 == 0 && !matches!(value.kind, Kind::Cast(..)) => {
                format!("({})", self.within(value, ASSIGN))
            }
            Init::Value(value) => format!(" = {}", self.within(value, ASSIGN)),
            Init::List(values) => {
                let values: Vec<String> =
                    values.iter().enumerate().map(|(nth, value)| self.element(var, nth, value)).collect();
                format!(" = {{{}}}", values.join(", "))
            }
            Init::Place(place) if self.function().vars[var].kind == VarKind::Pointer => {
                format!(" = &{}", self.place(place))
            }
            Init::Place(place) => format!(" = {}", self.place(place)),
            Init::Copy(from) => format!(" = {}", self.name(*from)),
        }
    }

    /// A value in a list, where a conversion that may lose something has to be written out.
    fn element(&self, var: VarId, nth: usize, value: &Expr) -> String {
        let ty = match self.function().vars[var].shape {
            Shape::Number(ty) | Shape::Array(ty, _) => ty,
            Shape::Struct(at) => self.program.structs[at].fields[nth].0,
        };
        if self.program.ty(self.function(), None, value) == ty {
            return self.within(value, ASSIGN);
        }
        format!("({}){}", ty.name(), self.within(value, UNARY))
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Var(var) => self.name(*var).to_owned(),
            Place::Own(index) => format!("m[{}]", self.top(index)),
            Place::Element(var, index) => format!("{}[{}]", self.name(*var), self.top(index)),
            Place::Field(var, at) => format!("{}.m{at}", self.name(*var)),
            Place::FieldElement(var, at, index) => {
                format!("{}.m{at}[{}]", self.name(*var), self.top(index))
            }
        }
    }

    /// An expression that nothing follows.
    fn top(&self, expr: &Expr) -> String {
        self.within(expr, COMMA)
    }

    /// An expression where only operators that bind at least so strongly may be written without parentheses.
    fn within(&self, expr: &Expr, least: u8) -> String {
        let (text, level) = self.expr(expr);
        // A few parentheses more than are needed.
        let adds = level < PRIMARY && expr.id.is_multiple_of(7);
        if level < least || adds { format!("({text})") } else { text }
    }

    fn expr(&self, expr: &Expr) -> (String, u8) {
        match &expr.kind {
            Kind::Literal(value) => literal(*value),
            Kind::ThreadIdx => ("threadIdx.x".to_owned(), POSTFIX),
            Kind::BlockIdx => ("blockIdx.x".to_owned(), POSTFIX),
            Kind::BlockDim => ("blockDim.x".to_owned(), POSTFIX),
            Kind::N => ("n".to_owned(), PRIMARY),
            Kind::Input(index) => (format!("x[{}]", self.top(index)), POSTFIX),
            Kind::Read(place) => (self.place(place), POSTFIX),
            Kind::Unary(op, inner) => {
                let sign = match op {
                    Unary::Plus => "+",
                    Unary::Minus => "-",
                    Unary::Complement => "~",
                    Unary::Not => "!",
                };
                let inner = self.within(inner, UNARY);
                // Two signs of the same kind would be another operator.
                let inner = if inner.starts_with(sign) { format!("({inner})") } else { inner };
                (format!("{sign}{inner}"), UNARY)
            }
            Kind::Binary(op, a, b) => {
                let (sign, level) = operator(*op);
                let (a, b) = (self.within(a, level), self.within(b, level + 1));
                let blank = if *op == Binary::Comma { "" } else { " " };
                (format!("{a}{blank}{sign} {b}"), level)
            }
            Kind::Cast(to, inner) => {
                let is_word = !to.name().contains(' ');
                match expr.id % 3 {
                    0 if is_word => (format!("{}({})", to.name(), self.within(inner, ASSIGN)), POSTFIX),
                    1 => (format!("static_cast<{}>({})", to.name(), self.top(inner)), POSTFIX),
                    _ => (format!("({}){}", to.name(), self.within(inner, UNARY)), UNARY),
                }
            }
            Kind::Conditional(condition, yes, no) => {
                let condition = self.within(condition, CONDITIONAL + 1);
                let text = format!("{condition} ? {} : {}", self.top(yes), self.within(no, ASSIGN));
                (text, CONDITIONAL)
            }
            Kind::Assign(op, place, value) => {
                let sign = op.map_or("", |op| operator(op).0);
                (format!("{} {sign}= {}", self.place(place), self.within(value, ASSIGN)), ASSIGN)
            }
            Kind::Step { place, is_down, is_post } => {
                let sign = if *is_down { "--" } else { "++" };
                let place = self.place(place);
                if *is_post { (format!("{place}{sign}"), POSTFIX) } else { (format!("{sign}{place}"), UNARY) }
            }
            Kind::Call(function, parameter, arguments) => {
                (self.call(*function, *parameter, arguments), POSTFIX)
            }
            Kind::Builtin(builtin, arguments) => (self.builtin(*builtin, arguments), POSTFIX),
        }
    }

    fn call(&self, function: FunctionId, parameter: Option<Ty>, arguments: &[Argument]) -> String {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Value(value) => self.within(value, ASSIGN),
                Argument::Place(place) => self.place(place),
                Argument::Object(var) => self.name(*var).to_owned(),
            })
            .collect();
        let parameter = parameter.map_or(String::new(), |ty| format!("<{}>", ty.name()));
        format!("f{function}{parameter}({})", arguments.join(", "))
    }

    fn builtin(&self, builtin: Builtin, arguments: &[Expr]) -> String {
        let cast = |ty: Ty, value: &Expr| format!("({})({})", ty.name(), self.top(value));
        let plain = |name: &str| {
            let values: Vec<String> = arguments.iter().map(|value| self.within(value, ASSIGN)).collect();
            format!("{name}({})", values.join(", "))
        };
        match builtin {
            Builtin::Min(ty) => format!("min({}, {})", cast(ty, &arguments[0]), cast(ty, &arguments[1])),
            Builtin::Max(ty) => format!("max({}, {})", cast(ty, &arguments[0]), cast(ty, &arguments[1])),
            Builtin::Abs => format!("abs({})", cast(Ty::Int, &arguments[0])),
            Builtin::Popc => plain("__popc"),
            Builtin::PopcLong => plain("__popcll"),
            Builtin::Clz => plain("__clz"),
            Builtin::ClzLong => plain("__clzll"),
            Builtin::Brev => plain("__brev"),
            Builtin::Ffs => plain("__ffs"),
            Builtin::MulHigh => plain("__mulhi"),
            Builtin::UnsignedMulHigh => plain("__umulhi"),
            Builtin::FunnelLeft => plain("__funnelshift_l"),
            Builtin::Product(Ty::Float) => plain("__fmul_rn"),
            Builtin::Product(_) => plain("__dmul_rn"),
            Builtin::Held(false) => plain("held"),
            Builtin::Held(true) => plain("held_positive"),
        }
    }
}

fn atomic(op: Atomic) -> &'static str {
    match op {
        Atomic::Add => "atomicAdd",
        Atomic::Min => "atomicMin",
        Atomic::Max => "atomicMax",
        Atomic::And => "atomicAnd",
        Atomic::Or => "atomicOr",
        Atomic::Xor => "atomicXor",
    }
}
