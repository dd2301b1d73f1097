//! A program from a seed: functions of statements, and `run`, which mixes everything that it sees into one number.

use std::fmt::Write;

use test_support::Random;

use crate::express::{TYPES, Ty};

/// A variable in scope.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub kind: Kind,
    pub is_const: bool,
    /// What it may be another name for; a variable of its own has a number that no other one has.
    pub root: usize,
    /// Whether a constant expression may name it.
    pub is_known: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number(Ty),
    /// The length is a power of two.
    Array(Ty, usize),
    /// One of the types of `around`: `S0`, with members `a` and `b`; `S1`; any with members `p` and `q`.
    Object(usize),
}

/// What a name is while its initialiser is made: nothing that may be mentioned.
const HIDDEN: usize = usize::MAX;

pub struct Writer<'r> {
    pub random: &'r mut Random,
    /// What the outermost scope is called.
    pub root: String,
    text: String,
    pub scope: Vec<Var>,
    depth: usize,
    /// The names that each open block has taken from others.
    names: Vec<Vec<String>>,
    /// Loops around the statement, how many variables and labels there are, and functions.
    pub loops: usize,
    pub count: usize,
    functions: usize,
    /// The type of the references that functions called `taken` have.
    pub taken: Ty,
}

/// The functions of a program, in a namespace of this name if it is not empty.
pub fn program(seed: u64, root: &str) -> String {
    let mut random = Random::new(seed);
    let taken = random.pick(&TYPES);
    let mut writer = Writer {
        random: &mut random,
        root: root.to_owned(),
        text: String::new(),
        scope: Vec::new(),
        depth: 0,
        names: Vec::new(),
        loops: 0,
        count: 0,
        functions: 0,
        taken,
    };
    writer.line("BOTH inline unsigned long long mix(unsigned long long h, long long v) { return (h ^ (unsigned long long)v) * 1099511628211ull + (h >> 29); }");
    writer.around();
    for nth in 0..2 {
        writer.function(nth);
    }
    writer.run();
    writer.text
}

impl Writer<'_> {
    pub fn line(&mut self, line: &str) {
        let line = line.replace("@::", &format!("{}::", self.root));
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 2 * self.depth);
    }

    /// A variable in scope that fits. Of several with one name only the last is visible.
    pub fn any(&mut self, fits: impl Fn(&Var) -> bool) -> Option<Var> {
        let is_visible =
            |nth: usize| !self.scope[nth + 1..].iter().any(|var| var.name == self.scope[nth].name);
        let found: Vec<usize> = (0..self.scope.len())
            .filter(|nth| {
                is_visible(*nth) && self.scope[*nth].kind != Kind::Object(HIDDEN) && fits(&self.scope[*nth])
            })
            .collect();
        if found.is_empty() { None } else { Some(self.scope[self.random.pick(&found)].clone()) }
    }

    /// Leaves only variables that another one does not refer to. Returns all of them.
    pub fn hide(&mut self, var: &Var) -> Vec<Var> {
        let kept = self.scope.clone();
        // A hidden name must not bring back the one that it hides.
        let names: Vec<String> =
            kept.iter().filter(|other| other.root == var.root).map(|other| other.name.clone()).collect();
        self.scope.retain(|other| !names.contains(&other.name));
        kept
    }

    /// A name, often one that is taken in a scope further out. What it hid is hidden for its own initialiser already.
    pub fn name(&mut self) -> String {
        let name = self.new_name();
        self.declare(&name, Kind::Object(HIDDEN), true, None);
        name
    }

    fn new_name(&mut self) -> String {
        self.count += 1;
        let name = self.random.pick(&["a", "b", "c"]).to_owned();
        if self.random.chance(40) && self.names.len() > 1 {
            let own = self.names.last_mut().expect("a block is open");
            if !own.contains(&name) {
                own.push(name.clone());
                return name;
            }
        }
        format!("v{}", self.count)
    }

    /// Makes a variable visible. One that is no other name for another has a root of its own.
    pub fn declare(&mut self, name: &str, kind: Kind, is_const: bool, root: Option<usize>) {
        self.scope.retain(|var| var.kind != Kind::Object(HIDDEN) || var.name != name);
        let root = root.unwrap_or(self.count);
        self.scope.push(Var { name: name.to_owned(), kind, is_const, root, is_known: false });
    }

    /// Makes a constant visible whose value the compiler has to know.
    pub fn declare_known(&mut self, name: &str, ty: Ty) {
        self.declare(name, Kind::Number(ty), true, None);
        self.scope.last_mut().expect("it is there").is_known = true;
    }

    /// Statements with a scope of their own, up to the line that ends it.
    pub fn block(&mut self, head: &str, tail: &str, inside: impl FnOnce(&mut Self)) {
        self.line(head);
        let scope = self.scope.len();
        self.names.push(Vec::new());
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.names.pop();
        self.scope.truncate(scope);
        self.line(tail);
    }

    pub fn statements(&mut self, depth: usize) {
        for _ in 0..=self.random.below(4) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(38) {
            0..=4 => self.number(),
            5 | 6 => self.reference(),
            7 => self.array(),
            8 | 9 => self.object_of_around(),
            10 | 11 => self.local_type(),
            12..=15 => {
                let effect = self.effect(2);
                line!(self, "{effect};");
            }
            16 | 17 if depth > 0 => self.branch(depth - 1),
            18..=20 if depth > 0 => self.counting(depth - 1),
            21 if depth > 0 => self.other_loop(depth - 1),
            22 if depth > 0 => self.switch(depth - 1),
            23 if depth > 0 => self.jump(depth - 1),
            24 if depth > 0 => self.block("{", "}", |writer| writer.statements(depth - 1)),
            25 if self.loops > 0 => {
                let (value, word) = (self.value(1), self.random.pick(&["break", "continue"]));
                line!(self, "if ({value}) {word};");
            }
            26 | 27 => self.call(),
            28..=31 => self.memory(),
            32 | 33 => self.constants(),
            34 | 35 => self.made(),
            _ => {
                let value = self.value(2);
                self.mixed(&value);
            }
        }
    }

    pub fn mixed(&mut self, value: &str) {
        line!(self, "h = mix(h, (long long)({value}));");
    }

    fn number(&mut self) {
        let ty = if self.random.chance(20) { self.taken } else { self.random.pick(&TYPES) };
        let name = self.name();
        let value = self.value(2);
        let is_const = self.random.chance(20);
        let word = if is_const { "const " } else { "" };
        let of = ty.name();
        let form = self.random.below(6);
        let line = match form {
            0 => format!("{word}{of} {name}({value});"),
            1 => format!("{word}{of} {name}{{({of})({value})}};"),
            2 => format!("{word}auto {name} = ({of})({value});"),
            3 if is_const => {
                format!("static constexpr {of} {name} = ({of})(counted({}) + C0);", self.random.below(9_u32))
            }
            4 if is_const => format!("const {of} {name} = {};", self.random.below(9_u32)),
            _ => format!("{word}{of} {name} = {value};"),
        };
        self.line(&line);
        match form {
            3 | 4 if is_const => self.declare_known(&name, ty),
            _ => self.declare(&name, Kind::Number(ty), is_const, None),
        }
    }

    fn reference(&mut self) {
        let Some(var) = self.any(|var| matches!(var.kind, Kind::Number(_) | Kind::Array(..))) else {
            return self.number();
        };
        let (Kind::Number(ty) | Kind::Array(ty, _)) = var.kind else { return self.number() };
        self.count += 1;
        // Its own name must not hide what it refers to.
        let (place, name, of) = (self.place_of(&var), format!("r{}", self.count), ty.name());
        let kind = Kind::Number(ty);
        match self.random.below(4) {
            0 => {
                let value = self.value(1);
                line!(self, "{of}&& {name} = ({of})({value});");
                self.declare(&name, kind, false, None);
            }
            1 => {
                line!(self, "const {of}& {name} = {place};");
                self.declare(&name, kind, true, Some(var.root));
            }
            _ if var.is_const => {
                line!(self, "auto& {name} = {place};");
                self.declare(&name, kind, true, Some(var.root));
            }
            _ => {
                let word = if self.random.chance(50) { "auto&&".to_owned() } else { format!("{of}&") };
                line!(self, "{word} {name} = {place};");
                self.declare(&name, kind, false, Some(var.root));
            }
        }
    }

    fn array(&mut self) {
        let ty =
            self.random.pick(&[Ty::Int, Ty::Int, Ty::UnsignedChar, Ty::Short, Ty::LongLong, Ty::Unsigned]);
        let length = self.random.pick(&[2, 4, 4]);
        let count = 1 + self.random.below(length);
        let name = self.name();
        let values: Vec<String> = (0..count).map(|_| format!("({})({})", ty.name(), self.value(1))).collect();
        let written =
            if count == length && self.random.chance(50) { String::new() } else { length.to_string() };
        line!(self, "{} {name}[{written}] = {{{}}};", ty.name(), values.join(", "));
        self.declare(&name, Kind::Array(ty, length), false, None);
    }

    fn object_of_around(&mut self) {
        let name = self.name();
        let (a, b) = (self.value(1), self.value(1));
        let other = self.any(|var| var.kind == Kind::Object(0));
        let kind = usize::from(self.random.chance(25));
        let line = match (kind, self.random.below(6)) {
            (0, 0) => format!("S0 {name};"),
            (0, 1) => format!("S0 {name}((int)({a}), (int)({b}));"),
            (0, 2) => format!("S0 {name} = (int)({a});"),
            (0, 3) => format!("S0 {name}{{(int)({a})}};"),
            (0, _) => match other {
                Some(other) => format!("S0 {name}_ = {}; S0 {name} = copied({name}_);", other.name),
                None => format!("S0 {name} = S0();"),
            },
            (_, 0 | 1) => format!("S1 {name} = {{{{(int)({a}), (int)({b})}}}};"),
            (_, 2 | 3) => format!("S1 {name}{{}};"),
            _ => format!("S1 {name} = {{(int)({a}), (int)({b}), {{(short)({a})}}}};"),
        };
        self.line(&line);
        self.declare(&name, Kind::Object(kind), false, None);
    }

    /// A type that is defined where its variable is declared.
    fn local_type(&mut self) {
        let (ty, name) = (self.random.pick(&TYPES[1..]).name(), self.name());
        let (a, b) = (self.value(1), self.value(1));
        let tag = if self.random.chance(50) { format!(" L{}", self.count) } else { String::new() };
        let word = self.random.pick(&["struct", "class"]);
        let public = if word == "class" { "public: " } else { "" };
        let (mut is_const, mut kind) = (false, Kind::Object(2));
        match self.random.below(7) {
            0 => {
                line!(self, "{word}{tag} {{ {public}{ty} p; int q; }} {name} = {{({ty})({a}), (int)({b})}};");
            }
            1 => line!(
                self,
                "{word}{tag} {{ {public}{ty} p; int q; }} {name}; {name}.p = {a}; {name}.q = {b};"
            ),
            2 => {
                is_const = true;
                line!(self, "const {word}{tag} {{ {public}{ty} p; int q; }} {name} = {{({ty})({a})}};");
            }
            3 => self
                .line(&format!("{word}{tag} {{ {public}{ty} p = 3; int q = C0; }} {name}; {name}.q ^= {a};")),
            4 => line!(self, "union{tag} {{ unsigned q; unsigned char p; }} {name}; {name}.q = {a};"),
            5 => {
                let count = self.count;
                is_const = true;
                kind = Kind::Number(Ty::Unsigned);
                line!(
                    self,
                    "enum{tag} {{ X{count}, Y{count} = {} }} {name} = {a} ? X{count} : Y{count};",
                    self.random.below(300_u32)
                );
            }
            _ => {
                line!(
                    self,
                    "{word}{tag} {{ {public}{ty} p; int q; }} {name}_[2] = {{{{({ty})({a}), 4}}, {{({ty})({b})}}}}, *{name}__ = {name}_ + 1, &{name} = *{name}__;"
                );
            }
        }
        self.declare(&name, kind, is_const, None);
    }

    fn branch(&mut self, depth: usize) {
        let condition = if self.random.chance(40) { self.effect(2) } else { self.value(2) };
        let number = self.any(|var| matches!(var.kind, Kind::Number(_)) && !var.is_const);
        if let (Some(var), true) = (number, self.random.chance(25)) {
            return self.known_branch(&condition, &var.name);
        }
        self.block(&format!("if ({condition}) {{"), "}", |writer| writer.statements(depth));
        if self.random.chance(50) {
            self.block("else {", "}", |writer| writer.statements(depth));
        }
    }

    /// A branch that asks for a number that is known there.
    fn known_branch(&mut self, condition: &str, var: &str) {
        let compare = self.random.pick(&["<", ">", "==", "!="]);
        let (op, other) = (self.random.pick(&["+", "-", "*", "&", "|", "^"]), self.random.pick(&[var, "3"]));
        let (a, b, c) = (self.literal(), self.literal(), self.literal());
        self.block(&format!("if ({condition}) {{"), "}", |writer| {
            line!(writer, "{var} = {a}; if ({var} {compare} {b}) {var} = {c}; {var} {op}= {other};");
        });
    }

    fn switch(&mut self, depth: usize) {
        let value = if self.random.chance(50) { self.value(1) } else { self.leaf() };
        self.block(&format!("switch ((int)(({value}) & 3)) {{"), "}", |writer| {
            let mut labels = vec!["case 0:", "case M1:", "case 1 + 1:", "default:"];
            for _ in 0..=writer.random.below(3) {
                let label = labels.swap_remove(writer.random.below(labels.len()));
                writer.block(&format!("{label} {{"), "}", |writer| writer.statements(depth));
                if writer.random.chance(60) {
                    writer.line("break;");
                }
            }
        });
    }

    /// Out of blocks, or back by a few lines.
    fn jump(&mut self, depth: usize) {
        self.count += 1;
        let label = format!("l{}", self.count);
        if self.random.chance(50) {
            self.block("{", "}", |writer| {
                writer.statements(depth);
                let value = writer.value(1);
                line!(writer, "if ({value}) goto {label};");
                writer.statements(depth);
            });
            return line!(self, "{label}: ;");
        }
        let (effect, value) = (self.effect(1), self.value(1));
        self.block("{", "}", |writer| {
            line!(
                writer,
                "int {label}_ = 0; {label}: {label}_++; {effect}; if ({label}_ < 3 && {value}) goto {label};"
            );
        });
    }

    /// A call that changes its arguments.
    fn call(&mut self) {
        let (a, b) = (self.value(1), self.value(1));
        let object = self.any(|var| var.kind == Kind::Object(0) && !var.is_const);
        let array = self.any(|var| matches!(var.kind, Kind::Array(..)) && !var.is_const);
        let number = self.any(|var| matches!(var.kind, Kind::Number(_)) && !var.is_const);
        match (self.random.below(8), object, array, number) {
            (0, Some(object), _, _) => self.mixed(&format!("changed({0}, {0})", object.name)),
            (1, Some(object), _, _) => self.mixed(&format!("{}.later((int)({a}))", object.name)),
            (2, Some(object), _, _) => line!(self, "same({}).add((int)({a})).b += 2;", object.name),
            (3, _, Some(array), _) => self.mixed(&format!("gathered({})", array.name)),
            (4, _, Some(array), _) => self.mixed(&format!("first({}, 2)", array.name)),
            (5, _, _, Some(number)) => {
                let same = self.any(|var| var.kind == number.kind && !var.is_const).expect("itself");
                let choice = format!("(({a}) ? {} : {})", number.name, same.name);
                let chosen = format!("chosen((bool)({a}), {}, {})", number.name, same.name);
                let last = format!("({a}, {})", number.name);
                let place = self.random.pick(&[choice, chosen, last]);
                line!(self, "{place} = {b};");
            }
            (_, Some(object), _, _) if self.functions > 0 => {
                let nth = self.random.below(self.functions);
                line!(self, "f{nth}(h, {a}, {b}, {0}, {0});", object.name);
            }
            _ => self.mixed(&b),
        }
    }

    fn function(&mut self, nth: usize) {
        let (a, b) = (self.random.pick(&TYPES), self.random.pick(&TYPES));
        let s = self.random.pick(&["S0 s", "S0 s", "const S0& s"]);
        let head = format!(
            "BOTH inline void f{nth}(unsigned long long& h, {} a, {} b, {s}, S0& t) {{",
            a.name(),
            b.name()
        );
        self.block(&head, "}", |writer| {
            writer.count += 1;
            writer.declare("a", Kind::Number(a), false, None);
            writer.count += 1;
            writer.declare("b", Kind::Number(b), false, None);
            writer.count += 1;
            let is_const = s.starts_with("const");
            // What `s` refers to may be what `t` refers to.
            let root = is_const.then_some(writer.count + 1);
            writer.declare("s", Kind::Object(0), is_const, root);
            writer.count += 1;
            writer.declare("t", Kind::Object(0), false, None);
            writer.statements(2);
            writer.all_mixed();
        });
        self.functions += 1;
    }

    fn run(&mut self) {
        self.line("BOTH inline long long run(int i) {");
        self.block("  unsigned long long h = 17 + i; int a = i; unsigned char b = i * 40; long long c = -i; S0 s(i);", "}", |writer| {
            for (name, kind) in [("a", Kind::Number(Ty::Int)), ("b", Kind::Number(Ty::UnsignedChar)), ("c", Kind::Number(Ty::LongLong)), ("s", Kind::Object(0))] {
                writer.count += 1;
                writer.declare(name, kind, false, None);
            }
            for _ in 0..6 {
                writer.statement(3);
            }
            writer.all_mixed();
            writer.line("return (long long)h;");
        });
    }

    /// Mixes what is in scope.
    fn all_mixed(&mut self) {
        for var in self.scope.clone() {
            if self.any(|known| known.name == var.name && known.root == var.root).is_some() {
                let place = self.place_of(&var);
                self.mixed(&place);
            }
        }
    }
}
