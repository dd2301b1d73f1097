//! Random expressions.

use std::collections::BTreeSet;

use crate::make::{Ban, Maker, OWN_ROOT, Want};
use crate::number::{Binary, TYPES, Ty, Unary};
use crate::tree::{Argument, Builtin, Expr, INPUTS, Kind, OWN, Place, Shape, Template, VarId, VarKind};

const ARITHMETIC: [Binary; 10] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::Shr,
];

const COMPARISONS: [Binary; 6] = [Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge, Binary::Eq, Binary::Ne];

const BUILTINS: [Builtin; 9] = [
    Builtin::Popc,
    Builtin::PopcLong,
    Builtin::Clz,
    Builtin::ClzLong,
    Builtin::Brev,
    Builtin::Ffs,
    Builtin::MulHigh,
    Builtin::UnsignedMulHigh,
    Builtin::FunnelLeft,
];

pub fn needs_integers(op: Binary) -> bool {
    use Binary::{And, Or, Rem, Shl, Shr, Xor};
    matches!(op, Rem | And | Or | Xor | Shl | Shr)
}

impl Maker<'_> {
    /// An expression with up to so many levels of operators.
    pub fn make(&mut self, depth: usize, want: Want, ban: &Ban) -> Expr {
        let made = if depth == 0 { self.leaf(ban) } else { self.node(depth, ban) };
        let ty = self.ty(&made);
        if want == Want::Integer && !self.is_integer(ty) {
            let to = self.random.pick(&TYPES[..12]);
            return self.expr(Kind::Cast(to, Box::new(made)));
        }
        made
    }

    /// An expression that stands alone.
    pub fn whole(&mut self, depth: usize, want: Want) -> Expr {
        self.make(depth, want, &Ban::default())
    }

    /// One that changes nothing.
    pub fn pure(&mut self, depth: usize, want: Want, ban: &Ban) -> Expr {
        let before = std::mem::replace(&mut self.is_pure, true);
        let made = self.make(depth, want, ban);
        self.is_pure = before;
        made
    }

    fn leaf(&mut self, ban: &Ban) -> Expr {
        match self.random.below(12) {
            0..=3 => {
                let ty = self.random.pick(&TYPES);
                self.literal(ty)
            }
            4 if self.is_kernel => {
                let kind = self.random.pick(&[0, 0, 1, 2, 3, 3]);
                self.expr(match kind {
                    0 => Kind::ThreadIdx,
                    1 => Kind::BlockIdx,
                    2 => Kind::BlockDim,
                    _ => Kind::N,
                })
            }
            _ => match self.readable(ban) {
                Some(place) => self.expr(Kind::Read(place)),
                None => self.literal(Ty::Int),
            },
        }
    }

    fn node(&mut self, depth: usize, ban: &Ban) -> Expr {
        let less = depth - 1;
        match self.random.below(100) {
            0..=41 => {
                let op = self.random.pick(&ARITHMETIC);
                let want = if needs_integers(op) { Want::Integer } else { Want::Any };
                let [a, b] = self.unordered(less, want, ban);
                self.expr(Kind::Binary(op, Box::new(a), Box::new(b)))
            }
            42..=49 => {
                let op = self.random.pick(&COMPARISONS);
                let [a, b] = self.unordered(less, Want::Any, ban);
                self.expr(Kind::Binary(op, Box::new(a), Box::new(b)))
            }
            // The parts of these have an order.
            50..=55 => {
                let op = self.random.pick(&[Binary::BothTrue, Binary::OneTrue]);
                let (a, b) = (self.make(less, Want::Any, ban), self.make(less, Want::Any, ban));
                self.expr(Kind::Binary(op, Box::new(a), Box::new(b)))
            }
            56..=58 => {
                let (a, b) = (self.make(less, Want::Any, ban), self.make(less, Want::Any, ban));
                self.expr(Kind::Binary(Binary::Comma, Box::new(a), Box::new(b)))
            }
            59..=65 => {
                let condition = self.make(less, Want::Any, ban);
                let (yes, no) = (self.make(less, Want::Any, ban), self.make(less, Want::Any, ban));
                self.expr(Kind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)))
            }
            66..=71 => {
                let op = self.random.pick(&[Unary::Plus, Unary::Minus, Unary::Complement, Unary::Not]);
                let want = if op == Unary::Complement { Want::Integer } else { Want::Any };
                let inner = self.make(less, want, ban);
                self.expr(Kind::Unary(op, Box::new(inner)))
            }
            72..=78 => {
                let to = self.any_type();
                let inner = self.make(less, Want::Any, ban);
                self.expr(Kind::Cast(to, Box::new(inner)))
            }
            79..=84 if !self.is_pure => match self.change(less, ban) {
                Some(made) => made,
                None => self.leaf(ban),
            },
            85..=91 => self.call(less, ban),
            92..=97 => self.builtin(less, ban),
            _ if self.is_kernel => {
                let index = self.index(less.min(1), INPUTS, ban);
                self.expr(Kind::Input(Box::new(index)))
            }
            _ => self.leaf(ban),
        }
    }

    /// Expressions without an order among them.
    fn unordered<const N: usize>(&mut self, depth: usize, want: Want, ban: &Ban) -> [Expr; N] {
        let mut ban = ban.clone();
        std::array::from_fn(|_| {
            let made = self.make(depth, want, &ban);
            self.extend(&mut ban, &made);
            made
        })
    }

    /// What an expression touches must not be changed by its neighbours, and what it changes not touched.
    pub fn extend(&self, ban: &mut Ban, made: &Expr) {
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        self.effects(made, &mut reads, &mut writes);
        ban.read.extend(&writes);
        ban.write.extend(reads.union(&writes));
    }

    fn effects(&self, expr: &Expr, reads: &mut BTreeSet<VarId>, writes: &mut BTreeSet<VarId>) {
        let root = |place: &Place| place.root().map_or(OWN_ROOT, |var| self.root_of(var));
        match &expr.kind {
            Kind::Read(place) => drop(reads.insert(root(place))),
            Kind::Assign(_, place, _) | Kind::Step { place, .. } => drop(writes.insert(root(place))),
            Kind::Call(_, _, arguments) => {
                for argument in arguments {
                    match argument {
                        Argument::Place(place) => drop(writes.insert(root(place))),
                        Argument::Object(var) => drop(reads.insert(self.root_of(*var))),
                        Argument::Value(_) => {}
                    }
                }
            }
            _ => {}
        }
        crate::visit::children(expr, &mut |inner| self.effects(inner, reads, writes));
    }

    fn root_of(&self, var: VarId) -> VarId {
        self.roots[var]
    }

    /// An index, which `mend` limits if it must.
    pub fn index(&mut self, depth: usize, length: usize, ban: &Ban) -> Expr {
        if self.random.chance(40) {
            let at = self.random.below(length) as i32;
            return self.integer(at);
        }
        self.pure(depth, Want::Integer, ban)
    }

    /// A place with a number in it.
    fn readable(&mut self, ban: &Ban) -> Option<Place> {
        if self.is_kernel && self.random.chance(8) && !ban.read.contains(&OWN_ROOT) {
            let index = self.index(0, OWN, ban);
            return Some(Place::Own(Box::new(index)));
        }
        let fits: Vec<VarId> =
            self.scope.iter().copied().filter(|var| !ban.read.contains(&self.root_of(*var))).collect();
        self.part(&fits, ban)
    }

    /// A number of one of these variables; of the newer ones more often.
    fn part(&mut self, of: &[VarId], ban: &Ban) -> Option<Place> {
        if of.is_empty() {
            return None;
        }
        let back = self.random.below(of.len()).min(self.random.below(of.len()));
        let var = of[of.len() - 1 - back];
        // The index reads nothing that the element is part of.
        let mut ban = ban.clone();
        ban.read.insert(self.root_of(var));
        Some(match self.function.vars[var].shape {
            Shape::Number(_) => Place::Var(var),
            Shape::Array(_, length) => Place::Element(var, Box::new(self.index(1, length, &ban))),
            Shape::Struct(at) => {
                let field = self.random.below(self.program.structs[at].fields.len());
                match self.program.structs[at].fields[field].1 {
                    None => Place::Field(var, field),
                    Some(length) => Place::FieldElement(var, field, Box::new(self.index(1, length, &ban))),
                }
            }
        })
    }

    /// A place that may be changed.
    pub fn writable(&mut self, ban: &Ban) -> Option<Place> {
        let is_free = |root: VarId| !ban.read.contains(&root) && !ban.write.contains(&root);
        if self.is_kernel && self.random.chance(10) && is_free(OWN_ROOT) {
            let index = self.index(0, OWN, ban);
            return Some(Place::Own(Box::new(index)));
        }
        let fits: Vec<VarId> = self
            .scope
            .iter()
            .copied()
            .filter(|var| {
                self.function.vars[*var].kind != VarKind::Const
                    && !self.locked.contains(var)
                    && is_free(self.root_of(*var))
            })
            .collect();
        self.part(&fits, ban)
    }

    /// An assignment or a step.
    pub fn change(&mut self, depth: usize, ban: &Ban) -> Option<Expr> {
        let place = self.writable(ban)?;
        let ty = self.program.place_ty(&self.function, &place);
        if self.random.chance(30) && ty != Ty::Bool {
            let (is_down, is_post) = (self.random.chance(50), self.random.chance(50));
            return Some(self.expr(Kind::Step { place, is_down, is_post }));
        }
        let op = self.random.chance(60).then(|| self.random.pick(&ARITHMETIC));
        let op = op.filter(|op| !needs_integers(*op) || self.is_integer(ty));
        let want = if op.is_some_and(needs_integers) { Want::Integer } else { Want::Any };
        let mut inner = ban.clone();
        // Neither the place nor what its index depends on is changed by the value.
        let read = self.expr(Kind::Read(place.clone()));
        self.extend(&mut inner, &read);
        let value = self.make(depth, want, &inner);
        Some(self.expr(Kind::Assign(op, place, Box::new(value))))
    }

    fn call(&mut self, depth: usize, ban: &Ban) -> Expr {
        if self.program.functions.is_empty() {
            return self.builtin(depth, ban);
        }
        let callee = self.random.below(self.program.functions.len());
        let called = self.program.functions[callee].clone();
        let own = match (called.template, self.function.template) {
            (Template::No, _) => None,
            (a, b) if a == b && self.random.chance(50) => Some(Ty::Parameter),
            (Template::Integers, _) => Some(self.random.pick(&TYPES[1..12])),
            (Template::Floats, _) => Some(self.random.pick(&TYPES[12..])),
        };
        let mut ban = ban.clone();
        let mut arguments = Vec::new();
        for parameter in &called.parameters {
            let var = &called.vars[*parameter];
            let argument = match (var.kind, var.shape) {
                (VarKind::Reference, Shape::Number(ty)) => self.place_of(ty, &ban).map(Argument::Place),
                (_, Shape::Struct(at)) => self.object_of(at, &ban).map(Argument::Object),
                _ => Some(Argument::Value(self.make(depth.min(2), Want::Any, &ban))),
            };
            let Some(argument) = argument else { return self.leaf(&ban) };
            let shown = Kind::Call(callee, own, vec![argument.clone()]);
            let shown = self.expr(shown);
            self.extend(&mut ban, &shown);
            arguments.push(argument);
        }
        self.expr(Kind::Call(callee, own, arguments))
    }

    /// A place of exactly this type that may be changed.
    fn place_of(&mut self, ty: Ty, ban: &Ban) -> Option<Place> {
        if self.is_pure {
            return None;
        }
        for _ in 0..4 {
            if let Some(place) = self.writable(ban)
                && self.program.place_ty(&self.function, &place) == ty
            {
                return Some(place);
            }
        }
        None
    }

    fn object_of(&mut self, at: usize, ban: &Ban) -> Option<VarId> {
        let fits = |var: &VarId| {
            self.function.vars[*var].shape == Shape::Struct(at) && !ban.read.contains(&self.root_of(*var))
        };
        self.scope.iter().rev().copied().find(fits)
    }

    fn builtin(&mut self, depth: usize, ban: &Ban) -> Expr {
        if self.random.chance(40) {
            let ty = self.random.pick(&[
                Ty::Int,
                Ty::Unsigned,
                Ty::LongLong,
                Ty::UnsignedLongLong,
                Ty::Float,
                Ty::Double,
            ]);
            let builtin = self.random.pick(&[Builtin::Min(ty), Builtin::Max(ty)]);
            let [a, b] = self.unordered(depth, Want::Any, ban);
            return self.expr(Kind::Builtin(builtin, vec![a, b]));
        }
        let builtin = if self.random.chance(15) { Builtin::Abs } else { self.random.pick(&BUILTINS) };
        let arguments = match builtin {
            Builtin::MulHigh | Builtin::UnsignedMulHigh => {
                self.unordered::<2>(depth, Want::Integer, ban).into()
            }
            Builtin::FunnelLeft => self.unordered::<3>(depth.min(1), Want::Integer, ban).into(),
            _ => vec![self.make(depth, Want::Integer, ban)],
        };
        self.expr(Kind::Builtin(builtin, arguments))
    }
}
