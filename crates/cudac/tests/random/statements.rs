//! Random statements.

use crate::make::{Ban, Maker, OWN_ROOT, Want};
use crate::number::{Binary, TYPES, Ty};
use crate::tree::{
    Arm, Atomic, Exchange, Expr, For, Gather, Init, Kind, OWN, Place, RESULTS, Shape, Stmt, TOTALS, VarId,
    VarKind, Warp, WarpOp,
};

const ATOMICS: [Atomic; TOTALS] =
    [Atomic::Add, Atomic::Min, Atomic::Max, Atomic::And, Atomic::Or, Atomic::Xor];

impl Maker<'_> {
    /// The body of the kernel, which stores what its variables hold at the end.
    pub fn kernel(&mut self) {
        let count = 3 + self.random.below(8);
        let mut body = Vec::new();
        for _ in 0..count {
            let stmt = self.statement(3, true);
            body.push(stmt);
        }
        let vars: Vec<VarId> = self.scope.clone();
        for (at, var) in vars.iter().rev().take(RESULTS).enumerate() {
            let value = match self.function.vars[*var].shape {
                Shape::Number(_) => Place::Var(*var),
                Shape::Array(_, length) => {
                    let index = self.integer((at % length) as i32);
                    Place::Element(*var, Box::new(index))
                }
                Shape::Struct(of) => match self.program.structs[of].fields[0].1 {
                    None => Place::Field(*var, 0),
                    Some(length) => {
                        let index = self.integer((at % length) as i32);
                        Place::FieldElement(*var, 0, Box::new(index))
                    }
                },
            };
            let value = self.expr(Kind::Read(value));
            body.push(Stmt::Put(at, value));
        }
        self.function.body = body;
    }

    /// The body of another function.
    pub fn body(&mut self) {
        let count = self.random.below(4);
        let mut body: Vec<Stmt> = (0..count).map(|_| self.statement(2, false)).collect();
        let value = self.whole(2, Want::Any);
        body.push(Stmt::Return(value));
        self.function.body = body;
    }

    fn nested(&mut self, depth: usize, is_joint: bool) -> Vec<Stmt> {
        let scope = self.scope.len();
        let count = 1 + self.random.below(3);
        let body = (0..count).map(|_| self.statement(depth, is_joint)).collect();
        self.scope.truncate(scope);
        body
    }

    /// A statement; `is_joint` where all threads come together.
    fn statement(&mut self, depth: usize, is_joint: bool) -> Stmt {
        if is_joint && self.random.chance(18) {
            return self.joint(depth);
        }
        match self.random.below(100) {
            0..=29 => self.declaration(),
            60..=71 if depth > 0 => self.if_(depth - 1),
            72..=80 if depth > 0 => self.for_(depth - 1, false),
            81..=86 if depth > 0 => self.while_(depth - 1),
            87..=90 if depth > 0 => self.switch(depth - 1),
            91 if depth > 0 => Stmt::Block(self.nested(depth - 1, false)),
            92 | 93 if self.breakable > 0 => Stmt::Break,
            94 if self.loops > 0 => Stmt::Continue,
            95 if !self.is_kernel => Stmt::Return(self.whole(2, Want::Any)),
            95 | 96 if self.is_kernel => {
                let at = self.random.below(TOTALS);
                Stmt::Total(ATOMICS[at], at, self.whole(2, Want::Integer))
            }
            97.. if self.is_kernel => Stmt::Put(self.random.below(RESULTS), self.whole(3, Want::Any)),
            _ => self.change_statement(),
        }
    }

    fn change_statement(&mut self) -> Stmt {
        match self.change(3, &Ban::default()) {
            Some(change) => Stmt::Expr(change),
            None => self.declaration(),
        }
    }

    fn declaration(&mut self) -> Stmt {
        match self.random.below(20) {
            0..=10 => {
                let ty = self.any_type();
                let value = self.whole(3, Want::Any);
                let kind = if self.random.chance(15) { VarKind::Const } else { VarKind::Plain };
                self.declared(Shape::Number(ty), kind, Init::Value(value))
            }
            11..=13 => {
                let (ty, length) = (self.any_type(), self.random.pick(&[2, 4, 8]));
                let count = 1 + self.random.below(length);
                let values = (0..count).map(|_| self.whole(2, Want::Any)).collect();
                self.declared(Shape::Array(ty, length), VarKind::Plain, Init::List(values))
            }
            14 | 15 if !self.program.structs.is_empty() => {
                let at = self.random.below(self.program.structs.len());
                let same = |var: &VarId| self.function.vars[*var].shape == Shape::Struct(at);
                let init = match self.scope.iter().copied().find(same) {
                    Some(from) if self.random.chance(50) => Init::Copy(from),
                    _ => {
                        let fields = self.program.structs[at].fields.clone();
                        let plain = fields.iter().take_while(|(_, length)| length.is_none());
                        Init::List(plain.map(|_| self.whole(2, Want::Any)).collect())
                    }
                };
                self.declared(Shape::Struct(at), VarKind::Plain, init)
            }
            16..=18 => self.reference(),
            _ => self.pointer(),
        }
    }

    fn declared(&mut self, shape: Shape, kind: VarKind, init: Init) -> Stmt {
        let var = self.declare(shape, kind);
        self.scope.push(var);
        Stmt::Declare(var, init)
    }

    fn reference(&mut self) -> Stmt {
        let Some(place) = self.writable(&Ban::default()) else { return self.number() };
        let ty = self.program.place_ty(&self.function, &place);
        let root = place.root().map_or(OWN_ROOT, |var| self.root(var));
        let stmt = self.declared(Shape::Number(ty), VarKind::Reference, Init::Place(place));
        if let Stmt::Declare(var, _) = stmt {
            self.roots[var] = root;
        }
        stmt
    }

    fn number(&mut self) -> Stmt {
        let value = self.whole(2, Want::Any);
        self.declared(Shape::Number(Ty::Int), VarKind::Plain, Init::Value(value))
    }

    /// A pointer to a part of an array whose length is a power of two.
    fn pointer(&mut self) -> Stmt {
        let arrays: Vec<(VarId, Ty, usize)> = self
            .scope
            .iter()
            .filter_map(|var| match self.function.vars[*var].shape {
                Shape::Array(ty, length) if self.function.vars[*var].kind == VarKind::Plain => {
                    Some((*var, ty, length))
                }
                _ => None,
            })
            .collect();
        let (place, ty, length, root) = if arrays.is_empty() || self.is_kernel && self.random.chance(30) {
            if !self.is_kernel {
                return self.number();
            }
            let start = self.integer((OWN / 2) as i32);
            (Place::Own(Box::new(start)), Ty::Int, OWN / 2, OWN_ROOT)
        } else {
            let (var, ty, length) = self.random.pick(&arrays);
            let start = self.integer((length / 2) as i32);
            (Place::Element(var, Box::new(start)), ty, length / 2, var)
        };
        let stmt = self.declared(Shape::Array(ty, length), VarKind::Pointer, Init::Place(place));
        if let Stmt::Declare(var, _) = stmt {
            self.roots[var] = root;
        }
        stmt
    }

    fn if_(&mut self, depth: usize) -> Stmt {
        let condition = self.whole(2, Want::Any);
        let then = self.nested(depth, false);
        let otherwise = if self.random.chance(50) { self.nested(depth, false) } else { Vec::new() };
        Stmt::If(condition, then, otherwise)
    }

    /// A loop that counts; in all threads alike where they come together.
    fn for_(&mut self, depth: usize, is_joint: bool) -> Stmt {
        let ty = self.random.pick(&[
            Ty::Int,
            Ty::Int,
            Ty::Int,
            Ty::Unsigned,
            Ty::LongLong,
            Ty::Short,
            Ty::Char,
            Ty::Float,
        ]);
        let var = self.declare(Shape::Number(ty), VarKind::Plain);
        let bound = if is_joint || self.random.chance(60) {
            let count = 1 + self.random.below(5);
            self.integer(count)
        } else {
            let value = self.pure(1, Want::Integer, &Ban::default());
            let mask = self.integer(7);
            self.expr(Kind::Binary(Binary::And, Box::new(value), Box::new(mask)))
        };
        let is_down = ty != Ty::Unsigned && self.random.chance(25);
        let zero = self.integer(0);
        let (start, end) = if is_down { (bound, zero) } else { (zero, bound) };
        let op = match (is_down, self.random.chance(50)) {
            (true, _) => Binary::Gt,
            (false, true) => Binary::Lt,
            (false, false) => Binary::Le,
        };
        let read = self.expr(Kind::Read(Place::Var(var)));
        let condition = self.expr(Kind::Binary(op, Box::new(read), Box::new(end)));
        let place = Place::Var(var);
        let step = if self.random.chance(70) {
            let is_post = self.random.chance(60);
            self.expr(Kind::Step { place, is_down, is_post })
        } else {
            let two = self.integer(2);
            let op = if is_down { Binary::Sub } else { Binary::Add };
            self.expr(Kind::Assign(Some(op), place, Box::new(two)))
        };
        let unroll = self.random.chance(25).then(|| self.random.pick(&[0, 1, 2, 4]));
        let body = self.loop_body(depth, is_joint, var);
        Stmt::For(Box::new(For { var, start, condition, step, body, unroll }))
    }

    /// The body of a loop, which must not change the variable that counts.
    fn loop_body(&mut self, depth: usize, is_joint: bool, var: VarId) -> Vec<Stmt> {
        let scope = self.scope.len();
        self.scope.push(var);
        self.locked.insert(var);
        let around = (self.loops, self.breakable);
        // Where the threads come together, all of them leave a loop at its condition.
        (self.loops, self.breakable) = if is_joint { (0, 0) } else { (around.0 + 1, around.1 + 1) };
        let body = self.nested(depth, is_joint);
        (self.loops, self.breakable) = around;
        self.scope.truncate(scope);
        body
    }

    /// A loop that counts down and may stop before.
    fn while_(&mut self, depth: usize) -> Stmt {
        let count = 1 + self.random.below(5);
        let start = self.integer(count);
        let var = self.declare(Shape::Number(Ty::Int), VarKind::Plain);
        let declaration = Stmt::Declare(var, Init::Value(start));
        let is_post = self.random.chance(50);
        let step = self.expr(Kind::Step { place: Place::Var(var), is_down: true, is_post });
        let zero = self.integer(0);
        let counts = self.expr(Kind::Binary(Binary::Gt, Box::new(step), Box::new(zero)));
        let body = self.loop_body(depth, false, var);
        let condition = if self.random.chance(50) {
            counts
        } else {
            let more = self.pure(2, Want::Any, &Ban::default());
            self.expr(Kind::Binary(Binary::BothTrue, Box::new(counts), Box::new(more)))
        };
        let is_do = self.random.chance(40);
        Stmt::Block(vec![declaration, Stmt::While { condition, body, is_do }])
    }

    fn switch(&mut self, depth: usize) -> Stmt {
        let value = self.whole(1, Want::Integer);
        let mask = self.integer(7);
        let value = self.expr(Kind::Binary(Binary::And, Box::new(value), Box::new(mask)));
        let mut free: Vec<Option<i32>> = (0..8).map(Some).chain([None]).collect();
        let count = 1 + self.random.below(4);
        let mut arms = Vec::new();
        self.breakable += 1;
        for _ in 0..count {
            let mut labels = Vec::new();
            for _ in 0..=self.random.below(2) {
                let at = self.random.below(free.len());
                labels.push(free.swap_remove(at));
            }
            let mut body = self.nested(depth, false);
            if self.random.chance(70) {
                body.push(Stmt::Break);
            }
            arms.push(Arm { labels, body });
        }
        self.breakable -= 1;
        Stmt::Switch(value, arms)
    }

    /// A statement in which the threads work together.
    fn joint(&mut self, depth: usize) -> Stmt {
        let threads = self.program.threads;
        match self.random.below(10) {
            0 | 1 if depth > 0 => self.for_(depth - 1, true),
            2 if depth > 0 => {
                let n = self.expr(Kind::N);
                let limit = self.random.pick(&[1, 4, 50]);
                let limit = self.integer(limit);
                let condition = self.expr(Kind::Binary(Binary::Gt, Box::new(n), Box::new(limit)));
                let then = self.nested(depth - 1, true);
                let otherwise =
                    if self.random.chance(50) { self.nested(depth - 1, true) } else { Vec::new() };
                Stmt::If(condition, then, otherwise)
            }
            3..=5 => {
                let shared = self.random.below(self.program.shared.len());
                let (value, from) = (self.whole(3, Want::Any), self.index(2, threads, &Ban::default()));
                let factor = 2 * self.random.below(threads / 2) + 1;
                let offset = self.random.below(threads);
                let to = self.result(self.program.shared[shared]);
                Stmt::Exchange(Box::new(Exchange { shared, factor, offset, value, to, from }))
            }
            6 => {
                let shared = self.random.below(2);
                let (start, condition) = (self.whole(1, Want::Any), self.whole(2, Want::Any));
                let (at, value) = self.beside(threads);
                let from = self.index(2, threads, &Ban::default());
                let op = self.random.pick(&ATOMICS);
                let to = self.result(self.program.shared[shared]);
                Stmt::Gather(Box::new(Gather { shared, op, start, condition, at, value, to, from }))
            }
            _ => self.warp(),
        }
    }

    /// An index and a value without an order.
    fn beside(&mut self, length: usize) -> (Expr, Expr) {
        let mut ban = Ban::default();
        let index = self.index(2, length, &ban);
        self.extend(&mut ban, &index);
        let value = self.make(3, Want::Any, &ban);
        (index, value)
    }

    /// A variable for what the others computed, a number of the type `from`.
    fn result(&mut self, from: Ty) -> VarId {
        // What is a float may be too large for an integer.
        let ty = self.random.pick(if from.is_float() { &TYPES[12..] } else { &TYPES });
        let kind = if self.random.chance(20) { VarKind::Const } else { VarKind::Plain };
        let var = self.declare(Shape::Number(ty), kind);
        self.scope.push(var);
        var
    }

    fn warp(&mut self) -> Stmt {
        let width = self.random.pick(&[32, 32, 16, 8, 2]);
        let delta = self.random.below(32) as u32;
        let op = match self.random.below(8) {
            0 | 1 => WarpOp::Shuffle { width },
            2 => WarpOp::Up { delta, width },
            3 => WarpOp::Down { delta, width },
            4 => WarpOp::Xor { mask: delta, width },
            5 => WarpOp::Ballot,
            6 => WarpOp::Any,
            _ => WarpOp::All,
        };
        let ty = match op {
            WarpOp::Ballot | WarpOp::Any | WarpOp::All => Ty::Int,
            _ => self.random.pick(&[
                Ty::Int,
                Ty::Unsigned,
                Ty::Long,
                Ty::UnsignedLong,
                Ty::LongLong,
                Ty::UnsignedLongLong,
                Ty::Float,
                Ty::Double,
            ]),
        };
        let (lane, value) = self.beside(32);
        let is_vote = matches!(op, WarpOp::Ballot | WarpOp::Any | WarpOp::All);
        let to = self.result(if is_vote { Ty::Int } else { ty });
        Stmt::Warp(Box::new(Warp { op, ty, value, lane, to }))
    }
}
