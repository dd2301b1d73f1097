//! Makes programs from seeds.
//!
//! Within an expression whose parts have no order, what one part changes no other part touches ([`Ban`]). Everything else
//! that C++ leaves open is found when the program is evaluated, and `mend` changes it.

use std::collections::BTreeSet;

use test_support::Random;

use crate::number::{TYPES, Ty, Value, float, integer};
use crate::tree::{Expr, Function, Kind, Program, Shape, Struct, Template, Var, VarId, VarKind};

/// Variables that an expression must not read, or not change, because another part of it has no place in order.
#[derive(Clone, Debug, Default)]
pub struct Ban {
    pub read: BTreeSet<VarId>,
    pub write: BTreeSet<VarId>,
}

/// What kind of number is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Any,
    Integer,
}

/// Makes a function.
pub struct Maker<'r> {
    pub program: Program,
    pub random: &'r mut Random,
    pub function: Function,
    /// The variables in scope.
    pub scope: Vec<VarId>,
    /// What each variable refers to or points into, itself if it is neither.
    pub roots: Vec<VarId>,
    /// Variables in scope that must not be changed: those that count loops.
    pub locked: BTreeSet<VarId>,
    /// Around the statement: loops, and loops and `switch`es.
    pub loops: usize,
    pub breakable: usize,
    /// Whether expressions must change nothing.
    pub is_pure: bool,
    pub is_kernel: bool,
}

/// The variable number that stands for the thread's numbers in global memory.
pub const OWN_ROOT: VarId = usize::MAX;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut program = Program {
        threads: if random.chance(70) { 32 } else { 64 },
        blocks: if random.chance(80) { 1 } else { 2 },
        n: random.pick(&[1, 2, 3, 5, 8, 32, 100]),
        shared: vec![Ty::Int, random.pick(&[Ty::Unsigned, Ty::UnsignedLongLong]), random.pick(&TYPES[1..])],
        ..Program::default()
    };
    for _ in 0..random.below(3) {
        let count = 1 + random.below(4);
        let field = |random: &mut Random| {
            let ty = random.pick(&TYPES);
            (ty, random.chance(25).then(|| random.pick(&[2, 4])))
        };
        let fields = (0..count).map(|_| field(&mut random)).collect();
        program.structs.push(Struct { fields });
    }
    for _ in 0..random.below(4) {
        program = function(program, &mut random);
    }
    let function = empty(Ty::Int, Template::No);
    let mut maker = Maker::new(program, &mut random, function, true);
    maker.kernel();
    maker.finish()
}

fn empty(result: Ty, template: Template) -> Function {
    Function { vars: Vec::new(), parameters: Vec::new(), result, template, body: Vec::new() }
}

/// Adds a function that others may call.
fn function(program: Program, random: &mut Random) -> Program {
    let template =
        random.pick(&[Template::No, Template::No, Template::No, Template::Integers, Template::Floats]);
    let result = match template {
        Template::No => random.pick(&TYPES),
        _ => random.pick(&[Ty::Parameter, Ty::Parameter, Ty::Int, Ty::Double]),
    };
    let mut maker = Maker::new(program, random, empty(result, template), false);
    for nth in 0..=maker.random.below(3) {
        let has_structs = !maker.program.structs.is_empty();
        let shape = if has_structs && maker.random.chance(15) {
            Shape::Struct(maker.random.below(maker.program.structs.len()))
        } else if template != Template::No && (nth == 0 || maker.random.chance(50)) {
            Shape::Number(Ty::Parameter)
        } else {
            Shape::Number(maker.random.pick(&TYPES))
        };
        let is_reference = matches!(shape, Shape::Number(ty) if ty != Ty::Parameter);
        let kind = if is_reference && maker.random.chance(25) { VarKind::Reference } else { VarKind::Plain };
        let var = maker.declare(shape, kind);
        maker.function.parameters.push(var);
        maker.scope.push(var);
    }
    maker.body();
    maker.finish()
}

impl Maker<'_> {
    fn new(program: Program, random: &mut Random, function: Function, is_kernel: bool) -> Maker<'_> {
        Maker {
            program,
            random,
            function,
            scope: Vec::new(),
            roots: Vec::new(),
            locked: BTreeSet::new(),
            loops: 0,
            breakable: 0,
            is_pure: false,
            is_kernel,
        }
    }

    fn finish(mut self) -> Program {
        self.program.functions.push(self.function);
        self.program
    }

    /// A new variable, not yet in scope.
    pub fn declare(&mut self, shape: Shape, kind: VarKind) -> VarId {
        let var = self.function.vars.len();
        let name = format!("{}{var}", if kind == VarKind::Pointer { "p" } else { "v" });
        self.function.vars.push(Var { name, shape, kind });
        self.roots.push(var);
        var
    }

    pub fn expr(&mut self, kind: Kind) -> Expr {
        self.program.expr(kind)
    }

    /// The type of an expression; that of the template's argument is not known.
    pub fn ty(&self, expr: &Expr) -> Ty {
        self.program.ty(&self.function, None, expr)
    }

    /// Whether a type is an integer; the template decides for its argument.
    pub fn is_integer(&self, ty: Ty) -> bool {
        match ty {
            Ty::Parameter => self.function.template == Template::Integers,
            other => !other.is_float(),
        }
    }

    pub fn literal(&mut self, ty: Ty) -> Expr {
        let value = self.drawn(ty);
        self.expr(Kind::Literal(value))
    }

    pub fn integer(&mut self, value: i32) -> Expr {
        self.expr(Kind::Literal(integer(Ty::Int, value.into())))
    }

    /// A number of a type, often one at an edge.
    fn drawn(&mut self, ty: Ty) -> Value {
        if ty.is_float() {
            let small = self.random.below(41) as f64 - 20.0;
            let number = match self.random.below(8) {
                0 => small / 8.0,
                1 => 1.0 / 3.0,
                2 => self.random.pick(&[0.0, -0.0, 1e10, -1e30, 1e-30, 16_777_217.0, 0.1, 255.5]),
                _ => small,
            };
            return float(ty, number);
        }
        let bits = ty.bits();
        let value = match self.random.below(8) {
            0 => (1_i128 << self.random.below(bits as usize)) - 1,
            1 => -(1_i128 << self.random.below(bits as usize)),
            2 => i128::from(self.random.bits()),
            3 | 4 => self.random.below(1000) as i128 - 300,
            _ => self.random.below(9) as i128 - 2,
        };
        integer(ty, value)
    }

    /// A type for a variable of the function.
    pub fn any_type(&mut self) -> Ty {
        if self.function.template != Template::No && self.random.chance(40) {
            return Ty::Parameter;
        }
        self.random.pick(&TYPES)
    }

    pub fn root(&self, var: VarId) -> VarId {
        self.roots[var]
    }
}
