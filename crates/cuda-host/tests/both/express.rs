//! Random expressions, with their types: those of the usual conversions, which the text itself computes too.
//!
//! Nothing here is undefined: shifts and divisors are masked, floats are small whole numbers, and an expression that changes
//! something changes one variable, which it mentions nowhere else. Operators that put their sides in order join such parts.

use crate::write::{Kind, Var, Writer};

/// A number's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ty {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
}

pub const TYPES: [Ty; 12] = [
    Ty::Bool,
    Ty::Char,
    Ty::SignedChar,
    Ty::UnsignedChar,
    Ty::Short,
    Ty::UnsignedShort,
    Ty::Int,
    Ty::Unsigned,
    Ty::Long,
    Ty::UnsignedLong,
    Ty::LongLong,
    Ty::UnsignedLongLong,
];

impl Ty {
    pub fn name(self) -> &'static str {
        match self {
            Ty::Bool => "bool",
            Ty::Char => "char",
            Ty::SignedChar => "signed char",
            Ty::UnsignedChar => "unsigned char",
            Ty::Short => "short",
            Ty::UnsignedShort => "unsigned short",
            Ty::Int => "int",
            Ty::Unsigned => "unsigned",
            Ty::Long => "long",
            Ty::UnsignedLong => "unsigned long",
            Ty::LongLong => "long long",
            Ty::UnsignedLongLong => "unsigned long long",
        }
    }
}

impl Writer<'_> {
    /// An expression that changes nothing, of any type.
    pub fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        match self.random.below(27) {
            0..=5 => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^", "+", "-"]);
                format!("({a} {op} {b})")
            }
            6 => {
                let op = self.random.pick(&["/", "%"]);
                format!("({a} {op} (({b} & 7) + 1))")
            }
            7 => {
                let op = self.random.pick(&["<<", ">>"]);
                format!("({a} {op} ({b} & 15))")
            }
            8 | 9 => {
                let op = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
                format!("({a} {op} {b})")
            }
            10 => format!("({a} ? {b} : {})", self.leaf()),
            11 => {
                let op = self.random.pick(&["&&", "||"]);
                format!("({a} {op} {b})")
            }
            12 => {
                let op = self.random.pick(&["-", "~", "!", "+"]);
                format!("{op}({a})")
            }
            13 => format!("({}){a}", self.random.pick(&TYPES).name()),
            14 => format!("sizeof({} + {})", self.leaf(), self.leaf()),
            15 => self.overloaded(depth - 1),
            16 => format!("kind({a})"),
            17 => self.floats(),
            18 => self.object(&a),
            19 => format!("larger((int)({a}), (int)({b}))"),
            20 => self.lambda(&a),
            21 => format!("larger<{}>({a}, {b})", self.random.pick(&TYPES).name()),
            22 => self.chain(),
            23 => self.referring(),
            24 => self.nothing(&a),
            25 => self.constant(1, false),
            _ => self.enumerator(&a),
        }
    }

    /// A variable, an element, or a number.
    pub fn leaf(&mut self) -> String {
        match self.random.below(11) {
            0 | 1 => self.literal(),
            3 if self.random.chance(50) => format!("inner::get({})", self.literal()),
            2 => self
                .random
                .pick(&[
                    "C0",
                    "@::C0",
                    "inner::C0",
                    "@::inner::C0",
                    "E0",
                    "E1",
                    "Kind::K1",
                    "sizeof(Kind)",
                    "S0::count",
                    "(Power<2>::value)",
                    "sizeof(Sized<5>::value)",
                ])
                .replace('@', &self.root)
                .replace("Kind::K1", "(int)Kind::K1"),
            _ => match self.readable() {
                Some(place) => place,
                None => self.literal(),
            },
        }
    }

    pub fn literal(&mut self) -> String {
        let number = match self.random.below(6) {
            0 => self.random.bits() % (1 << 31),
            1 => self.random.pick(&[127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x7fff_ffff]),
            _ => self.random.below(20_u64),
        };
        match self.random.below(12) {
            0 => format!("{number}u"),
            1 => format!("{number}ll"),
            2 => format!("{number}ul"),
            3 => format!("{number:#x}"),
            4 => format!("(-{number})"),
            5 => "'a'".to_owned(),
            6 => "true".to_owned(),
            7 => format!("{:#x}", number | 0x8000_0000),
            _ => number.to_string(),
        }
    }

    /// A number or an element of what is in scope.
    pub fn readable(&mut self) -> Option<String> {
        let var = self.any(|_| true)?;
        Some(self.place_of(&var))
    }

    /// A number that is part of a variable.
    pub fn place_of(&mut self, var: &Var) -> String {
        let Var { name, kind, .. } = var;
        match kind {
            Kind::Number(_) => name.clone(),
            Kind::Array(_, length) => {
                let index = self.index(*length);
                format!("{name}[{index}]")
            }
            Kind::Object(0) => format!("{name}.{}", self.random.pick(&["a", "b"])),
            Kind::Object(1) => format!("{name}.{}", self.random.pick(&["v[0]", "v[1]", "n.x", "n.y"])),
            Kind::Object(_) => format!("{name}.{}", self.random.pick(&["p", "q"])),
        }
    }

    fn index(&mut self, length: usize) -> String {
        match self.any(|var| matches!(var.kind, Kind::Number(_))) {
            Some(var) if length == 4 && self.random.chance(20) => format!("({} & 1) * 3", var.name),
            Some(var) if self.random.chance(50) => format!("{} & {}", var.name, length - 1),
            _ => self.random.below(length).to_string(),
        }
    }

    /// A call of one of several functions of a name; the argument has a type that one of them takes, or is promoted to one.
    fn overloaded(&mut self, depth: usize) -> String {
        let value = self.value(depth);
        let ty = self.random.pick(&TYPES);
        match self.random.below(4) {
            0 => format!("over(({}){value})", ty.name()),
            1 => format!(
                "part(({}){value})",
                self.random
                    .pick(&[Ty::Char, Ty::Short, Ty::Int, Ty::LongLong, Ty::UnsignedChar, Ty::Bool])
                    .name()
            ),
            2 => {
                let int = self.any(|var| var.kind == Kind::Number(Ty::Int));
                match int {
                    Some(var) => format!("{}({})", self.random.pick(&["bound", "passed", "named"]), var.name),
                    None => format!("bound((int){value})"),
                }
            }
            _ => {
                let cast = self.random.pick(&["(int)", ""]);
                format!("{}({cast}{value})", self.random.pick(&["bound", "passed", "named"]))
            }
        }
    }

    /// Sums and products of small numbers are exact, fused or not.
    fn floats(&mut self) -> String {
        let ty = self.random.pick(&["float", "double"]);
        let (a, b, c) = (self.leaf(), self.leaf(), self.leaf());
        let op = self.random.pick(&["+", "-", "*"]);
        match self.random.below(6) {
            0 => format!("over(({ty})({a} & 63))"),
            1 => format!("(({ty})({a} & 63) < ({b} & 63) {op} 0.5)"),
            2 => format!("(int)(({a} & 63) * 0.25f {op} ({b} & 63))"),
            3 => format!("(({ty}){} < ({ty}){})", self.any_size(&a), self.any_size(&b)),
            4 => {
                let of = self.random.pick(&["unsigned", "unsigned long", "unsigned long long"]);
                format!("[] {{ const {ty} x = ({of})~({}); return x < 99; }}()", self.literal())
            }
            _ => format!("(int)(({ty})({a} & 63) {op} ({b} & 63) + ({ty})({c} & 15))"),
        }
    }

    /// A number of any type, which is often large if that is unsigned.
    fn any_size(&mut self, value: &str) -> String {
        let (ty, op) = (self.random.pick(&TYPES).name(), self.random.pick(&["-", "~", ""]));
        format!("({ty}){op}({value})")
    }

    /// Operators without parentheses, which bind as they do. What follows a shift binds less than it, because more would
    /// belong to the number of bits.
    fn chain(&mut self) -> String {
        let mut text = self.operand();
        let mut is_shift = false;
        for _ in 0..=self.random.below(4) {
            let first = if is_shift { 7 } else { 0 };
            let ops = [
                "+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "<", "&", "^", "|",
                "&&", "||",
            ];
            let op = self.random.pick(&ops[first..]);
            is_shift = matches!(op, "<<" | ">>");
            let operand = match op {
                "/" | "%" => format!("(({} & 7) + 1)", self.leaf()),
                "<<" | ">>" => format!("({} & 15)", self.leaf()),
                _ => self.operand(),
            };
            text = format!("{text} {op} {operand}");
        }
        if self.random.chance(20) {
            format!("({text} ? {} : {})", self.operand(), self.operand())
        } else {
            format!("({text})")
        }
    }

    fn operand(&mut self) -> String {
        let leaf = self.leaf();
        match self.random.below(6) {
            0 => format!("({leaf})"),
            1 => format!("{}{leaf}", self.random.pick(&["-", "~", "!", "+"])),
            2 => format!("({}){leaf}", self.random.pick(&TYPES).name()),
            _ => leaf,
        }
    }

    /// Something that is made of an object.
    fn object(&mut self, value: &str) -> String {
        let small = format!("(int)({value} & 1023)");
        let object = self.any(|var| var.kind == Kind::Object(0));
        let name = object.map_or(format!("S0({small}, 3)"), |var| var.name);
        match self.random.below(12) {
            0 => format!("S0({small}, 2).sum()"),
            1 => format!("(S0({small}) + {name}).sum()"),
            2 => format!("{name}[{small}]"),
            3 => format!("by_value({name}, {small})"),
            4 => format!("S0({name}).add({small}).sum()"),
            5 => format!("copied({name}).add({small}).sum() + {name}.sum()"),
            6 => format!("(int){name}"),
            7 => format!("S1{{{{{small}, 2}}, {{}}}}.n.y"),
            8 => format!("total(S2{{{small}}})"),
            9 => "sizeof(S1)".to_owned(),
            // As if it were a template with an argument.
            10 => format!("({name}.a < {} > ({value}))", self.random.below(9_u32)),
            _ => format!("{name}.within({small})"),
        }
    }

    fn lambda(&mut self, value: &str) -> String {
        // An array cannot be copied into a lambda here.
        let capture = if value.contains('[') { "&" } else { self.random.pick(&["=", "&"]) };
        match self.random.below(3) {
            0 => format!("[{capture}](int x) {{ return x + {value}; }}(2)"),
            1 => format!("twice([{capture}](int x) {{ return (int)({value}) ^ x; }}, (int){})", self.leaf()),
            _ => format!("[{capture}] {{ auto f = [{capture}] {{ return {value}; }}; return f(); }}()"),
        }
    }

    fn enumerator(&mut self, value: &str) -> String {
        match self.random.below(5) {
            0 => format!("(E0 < {value})"),
            1 => format!("over(E{})", self.random.below(2_u32)),
            2 => format!("(E1 - ({value} & 7))"),
            3 => format!("of_kind((Kind)({value} & 1))"),
            _ => format!("(Small)({value} & 3)"),
        }
    }

    /// An expression that changes one variable at a time; its parts are in order.
    pub fn effect(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.change();
        }
        let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
        match self.random.below(6) {
            0 => format!("({a} && {b})"),
            1 => format!("({a} || {b})"),
            2 => format!("({a} ? {b} : {})", self.change()),
            3 => format!("({a}, {b})"),
            4 if self.random.chance(50) => format!("ignored({a})"),
            _ => a,
        }
    }

    /// One change of a number. The value on its right mentions other variables only.
    pub fn change(&mut self) -> String {
        let Some(var) = self.any(|var| !var.is_const) else { return self.value(1) };
        let place = self.place_of(&var);
        // A place whose index is a variable could be changed by nothing here; the variable itself is hidden meanwhile, and
        // with it all that may refer to it.
        let kept = self.hide(&var);
        let value = self.value(1);
        self.scope = kept;
        let is_bool = var.kind == Kind::Number(Ty::Bool);
        match self.random.below(8) {
            0 | 1 if !is_bool => format!("{place}{}", self.random.pick(&["++", "--"])),
            2 if !is_bool => format!("{}{place}", self.random.pick(&["++", "--"])),
            3 if self.random.chance(50) => format!("({place} = {})", self.literal()),
            3 => format!("({place} = {value})"),
            4 => format!("({place} <<= ({value} & 3))"),
            5 => format!("({place} %= (({value} & 7) + 2))"),
            _ => format!("({place} {}= {value})", self.random.pick(&["+", "-", "*", "&", "|", "^"])),
        }
    }
}
