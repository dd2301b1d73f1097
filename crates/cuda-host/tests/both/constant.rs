//! What the compiler has to know, or may take for known: array bounds, enumerators, labels, template arguments, functions
//! that are `constexpr`, and constants that references are bound to.
//!
//! An expression here is constant in C++ too: no signed sum overflows, and what would not be constant is never evaluated.
//! Beside these are those that only look constant, because something that they do or ask for is not.

use crate::express::{TYPES, Ty};
use crate::write::{Kind, Var, Writer};

/// What the statements of `worked` mention.
const ALL: [&str; 7] = ["n", "m", "s", "t", "s", "3", "40u"];

impl Writer<'_> {
    /// What the functions of a program use of this.
    pub fn constants_around(&mut self) {
        let (ty, a, b) = (self.taken.name(), self.random.below(90), self.random.below(90));
        line!(
            self,
            "static constexpr {ty} C2 = {a}; struct Fixed {{ static constexpr {ty} of = {b}; enum {{ F0 = {b} }}; }};"
        );
        line!(
            self,
            "BOTH inline int taken({ty}& x) {{ return 5 + x; }} BOTH inline int taken(const {ty}& x) {{ return 7 * x; }} BOTH inline int taken({ty}&& x) {{ return 11 - x; }}"
        );
        self.line("template <unsigned N> struct Sized { static constexpr unsigned value = N; };");
        self.line("constexpr BOTH inline int second(int, int x) { return x; } constexpr BOTH inline unsigned raised(unsigned& x, unsigned by) { x += by; return x; }");
        self.worked();
    }

    /// A function whose statements change its variables inside of expressions. It is called with what is constant and with
    /// what is not.
    fn worked(&mut self) {
        let (ty, start) = (
            self.random.pick(&["unsigned char", "unsigned short", "unsigned long long"]),
            self.random.below(9),
        );
        let head = format!("constexpr BOTH inline unsigned worked(unsigned n, unsigned m = {start}) {{");
        self.block(&head, "}", |writer| {
            line!(writer, "unsigned s = m; {ty} t = {start};");
            for _ in 0..=writer.random.below(2) {
                let (a, b) = (writer.step(2, &ALL), writer.step(1, &ALL));
                match writer.random.below(6) {
                    0 => line!(writer, "if ({a}) {b};"),
                    1 => line!(writer, "for (unsigned k = 0; k < 3; k++) {a};"),
                    2 => line!(writer, "if ({a}) return (unsigned)({b});"),
                    3 => line!(writer, "{{ const unsigned u = {a}; t ^= u; }}"),
                    _ => line!(writer, "{a};"),
                }
            }
            let result = writer.step(2, &ALL);
            line!(writer, "return (unsigned)({result});");
        });
        // What this returns looks known to a compiler that passes over what comes first.
        let (first, rest) = (self.step(1, &["n", "n", "s", "7"]), self.step(1, &["s", "s", "t", "5"]));
        line!(
            self,
            "constexpr BOTH inline unsigned partly(unsigned n) {{ unsigned s = {start}; {ty} t = 2; return (unsigned)({first}, {rest}); }}"
        );
    }

    /// An expression of some numbers and variables of `worked`. Only operators that put their sides in order have changes
    /// on both.
    fn step(&mut self, depth: usize, of: &[&str]) -> String {
        let (a, b) = (self.random.pick(of), self.random.pick(of));
        let places = ["s", "s", "t", if of.contains(&"n") { "n" } else { "s" }];
        let (place, op) = (self.random.pick(&places), self.random.pick(&["+", "-", "&", "|", "^"]));
        if depth == 0 {
            return match self.random.below(6) {
                0 => format!("({place} = {a})"),
                1 => format!("({place} {op}= {a} {op} {b})"),
                2 => format!("{place}{}", self.random.pick(&["++", "--"])),
                3 => format!("raised(s, {a})"),
                _ => format!("({a} {op} {b})"),
            };
        }
        let (left, right) = (self.step(depth - 1, of), self.step(depth - 1, of));
        match self.random.below(6) {
            0 => format!("({left} && {right})"),
            1 => format!("({left} || {right})"),
            2 => format!("({left} ? {right} : {a})"),
            3 => format!("({place} {op}= ({left}, {a}))"),
            _ => format!("({left}, {right})"),
        }
    }

    /// A constant expression. `is_alone` if it may mention what is not constant where that is never evaluated: neither a
    /// lambda nor an enumeration may.
    pub fn constant(&mut self, depth: usize, is_alone: bool) -> String {
        if depth == 0 {
            return self.known_leaf();
        }
        let (a, b) = (self.constant(depth - 1, is_alone), self.constant(depth - 1, is_alone));
        match self.random.below(12) {
            0 | 1 => {
                let op = self.random.pick(&["+", "-", "&", "|", "^", "<", ">=", "==", "&&", "||"]);
                format!("({a} {op} {b})")
            }
            2 => format!("({a} * ({b} & 7))"),
            3 => format!("({a} {} (({b} & 7) + 1))", self.random.pick(&["/", "%"])),
            4 => format!("({a} ? {b} : {})", self.known_leaf()),
            5 => format!("{}({a})", self.random.pick(&["-", "~", "!"])),
            6 if self.random.chance(50) => format!("partly({a})"),
            6 => format!("worked({a}, {b})"),
            7 if is_alone => self.undecided(&a),
            8 => format!("second({a} & 15, {b} & 255)"),
            _ => format!("({a}, {b})"),
        }
    }

    /// A constant that the left side decides. What the right one would change is not changed.
    fn undecided(&mut self, known: &str) -> String {
        let number = self.any(|var| matches!(var.kind, Kind::Number(_)) && !var.is_const);
        let Some(var) = number else { return known.to_owned() };
        let change = match self.random.below(3) {
            0 => format!("({} += 1)", var.name),
            1 => format!("({0} = {0} ^ 1)", var.name),
            _ => var.name,
        };
        match self.random.below(5) {
            0 => format!("(false && {change})"),
            1 => format!("(true || {change})"),
            2 => format!("(true ? {known} : {change})"),
            3 => format!("(!({known}) && ({known} && {change}))"),
            _ => format!("(C0 ? {known} : {change})"),
        }
    }

    /// A small number, or a larger one without a sign.
    fn known_leaf(&mut self) -> String {
        let cast = self.random.pick(&["unsigned", "unsigned long long", "unsigned char", "short", "bool"]);
        if let Some(var) = self.any(|var| var.is_known)
            && self.random.chance(40)
        {
            return format!("({cast}){}", var.name);
        }
        let small = self.random.below(40_u32);
        match self.random.below(8) {
            0 => format!("({cast}){}", self.random.pick(&["E0", "E1", "Kind::K1", "~0", "C2", "Fixed::of"])),
            1 => self.random.pick(&["C0", "inner::C0", "S0::count", "M1", "Fixed::F0"]).to_owned(),
            2 => self
                .random
                .pick(&["sizeof(Small)", "Power<2>::value", "counted(5)", "C1", "@::C0"])
                .to_owned(),
            3 => format!("worked({small})"),
            4 => format!("{small}u"),
            _ => small.to_string(),
        }
    }

    pub fn constants(&mut self) {
        self.count += 1;
        let (count, value) = (self.count, self.value(1));
        let known = self.constant(2, true);
        match self.random.below(8) {
            0 => {
                line!(self, "int q{count}[1 + (({known}) & 3)] = {{(int)({value})}};");
                self.mixed(&format!("sizeof q{count} + q{count}[0]"));
            }
            1 => self.enumeration(),
            2 => {
                line!(self, "static_assert(({known}) | 1, \"\");");
                let (yes, no) = (self.effect(1), self.effect(1));
                line!(self, "if constexpr (({known}) != 0) {{ {yes}; }} else {{ {no}; }}");
            }
            3 => {
                let (yes, no) = (self.effect(1), self.effect(1));
                line!(
                    self,
                    "switch ((int)({value}) & 3) {{ case ({known}) & 3: {yes}; break; default: {no}; }}"
                );
            }
            4 => {
                let of = self.random.pick(&["Sized", "Sized", "Power"]);
                let cast = if of == "Sized" { "(unsigned)" } else { "3 & " };
                self.mixed(&format!("{of}<({cast}({known}))>::value"));
            }
            5 => {
                let ty = if self.random.chance(70) {
                    self.random.pick(&[Ty::Int, self.taken])
                } else {
                    self.random.pick(&TYPES)
                };
                let name = self.name();
                let word = self.random.pick(&["constexpr", "static constexpr", "const"]);
                // Neither names it, nor what it hides.
                let known = self.constant(2, false);
                line!(self, "{word} {} {name} = ({})({known});", ty.name(), ty.name());
                self.declare_known(&name, ty);
                let call = self.referring();
                self.mixed(&call);
            }
            _ => self.almost(),
        }
    }

    fn enumeration(&mut self) {
        let (count, known, other) = (self.count, self.constant(2, false), self.constant(1, false));
        let third = self
            .random
            .pick(&["", " = (1, sizeof(Y@))", " = Y@ | 1", " = (Y@, 2)"])
            .replace('@', &count.to_string());
        line!(self, "enum {{ X{count} = {known}, Y{count} = ({other}) & 255, Z{count}{third} }};");
        self.mixed(&format!("over(X{count}) * 31 + X{count} * 3 + over(Z{count}) + Z{count}"));
    }

    /// A constant whose value is known in part, or only to a compiler that forgets what else its initialiser does.
    fn almost(&mut self) {
        let (ty, name) = (self.random.pick(&TYPES), self.name());
        let (change, known, value) = (self.change(), self.constant(1, false), self.value(1));
        let made = match self.random.below(9) {
            0 => format!("({change}, {known})"),
            1 => format!("second((int)({change}), {known} & 255)"),
            2 => format!("({change} ? {known} : {})", self.known_leaf()),
            3 => format!("({known} && {change})"),
            4 => format!("worked((unsigned)({change}), 4)"),
            5 | 6 => format!("partly({value})"),
            _ => format!("worked((unsigned)({value}), {known})"),
        };
        line!(self, "const {} {name} = {made};", ty.name());
        self.declare(&name, Kind::Number(ty), true, None);
    }

    /// A call of one of three functions, which differ in the reference that they take, with an argument of their type.
    pub fn referring(&mut self) -> String {
        let types = [Ty::Int, self.taken];
        let known = self.any(|var| var.is_known && types.iter().any(|ty| var.kind == Kind::Number(*ty)));
        let ty = match known {
            Some(Var { kind: Kind::Number(ty), .. }) if self.random.chance(60) => ty,
            _ => self.random.pick(&types),
        };
        let name = if ty == self.taken { "taken" } else { self.random.pick(&["bound", "passed", "named"]) };
        let argument = self.argument(ty);
        let call = format!("{name}({argument})");
        if self.random.chance(50) {
            return call;
        }
        // An array cannot be copied into a lambda here.
        let capture = if call.contains('[') { "&" } else { self.random.pick(&["=", "&"]) };
        format!("[{capture}] {{ return {call}; }}()")
    }

    /// A place or a value of a type, often one that no reference may change.
    fn argument(&mut self, ty: Ty) -> String {
        let (a, b, of) = (self.named(ty), self.named(ty), ty.name());
        let value = self.value(1);
        match self.random.below(8) {
            0 => format!("({value} ? {a} : {b})"),
            1 => format!("({value}, {a})"),
            2 => format!("({of})({value})"),
            3 => format!("static_cast<const {of}&>({a})"),
            4 => format!("({value} ? {a} : ({of}){b})"),
            5 => format!("({a})"),
            _ => a,
        }
    }

    fn named(&mut self, ty: Ty) -> String {
        let is_of = |var: &Var| matches!(var.kind, Kind::Number(of) | Kind::Array(of, _) if of == ty);
        let known = self.any(|var| var.is_known && is_of(var));
        let other = self.any(is_of);
        match (self.random.below(3), known, other) {
            (0, Some(var), _) | (0 | 1, _, Some(var)) => self.place_of(&var),
            _ if ty == self.taken => self.random.pick(&["C2", "Fixed::of"]).to_owned(),
            _ => self.random.pick(&["C0", "inner::C0", "S0::count"]).to_owned(),
        }
    }
}
