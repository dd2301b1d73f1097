//! Statements about where objects are: pointers, static variables, objects that point to themselves, unions with
//! padding, constructors that count copies, arrays of objects.

use crate::express::TYPES;
use crate::write::{Kind, Writer};

impl Writer<'_> {
    pub fn memory(&mut self) {
        self.count += 1;
        match self.random.below(6) {
            0 => self.null(),
            1 => self.pointer(),
            2 => self.table(),
            3 => self.ring(),
            4 => self.padded(),
            _ if self.random.chance(50) => self.counted(),
            _ => self.objects(),
        }
    }

    /// A pointer to a number, or to nothing.
    fn null(&mut self) {
        let number = self.any(|var| matches!(var.kind, Kind::Number(_) | Kind::Array(..)));
        let Some(var) = number else { return self.padded() };
        let (place, name, condition) = (self.place_of(&var), format!("p{}", self.count), self.value(1));
        let word = if var.is_const { "const auto" } else { "auto" };
        line!(self, "{word}* {name} = {condition} ? &{place} : nullptr;");
        self.mixed(&format!("{name} ? *{name} : 7"));
        if !var.is_const {
            let value = self.value(1);
            line!(self, "if ({name} != nullptr) *{name} = {value};");
        }
    }

    /// A pointer to a number of the function, or to a static one.
    fn pointer(&mut self) {
        let number = self.any(|var| matches!(var.kind, Kind::Number(_)) && !var.is_const);
        let Some(var) = number else { return self.padded() };
        let Kind::Number(ty) = var.kind else { return self.padded() };
        let (place, of, count, condition) = (self.place_of(&var), ty.name(), self.count, self.value(1));
        let (first, second) = (self.literal(), self.literal());
        line!(self, "static const {of} s{count}[2] = {{({of}){first}, ({of}){second}}};");
        line!(self, "const {of}* p{count} = {condition} ? &{place} : s{count};");
        self.mixed(&format!("*p{count}"));
    }

    /// Numbers that never change, one for all calls.
    fn table(&mut self) {
        let (ty, name) = (self.random.pick(&TYPES), self.name());
        let values: Vec<String> = (0..4).map(|_| format!("({}){}", ty.name(), self.literal())).collect();
        line!(self, "static const {} {name}[4] = {{{}}};", ty.name(), values.join(", "));
        self.declare(&name, Kind::Array(ty, 4), true, None);
    }

    /// An object whose initialiser has its own address, and one that points to either.
    fn ring(&mut self) {
        let (count, a, b, condition) = (self.count, self.value(1), self.value(1), self.value(1));
        line!(self, "Node n{count} = {{(int)({a}), &n{count}}};");
        line!(self, "Node m{count} = {{(int)({b}), {condition} ? &n{count} : &m{count}}};");
        line!(self, "n{count}.next->v ^= 5; m{count}.next->v += n{count}.v;");
        self.mixed(&format!("n{count}.v * 3 + m{count}.v"));
    }

    /// A union, all of whose bytes have a value, and copies of it.
    fn padded(&mut self) {
        let (count, value) = (self.count, self.value(1));
        line!(
            self,
            "Padded u{count}; for (int k = 0; k < (int)sizeof u{count}; k++) u{count}.raw[k] = k * 29 + 1;"
        );
        line!(self, "u{count}.parts.second ^= {value};");
        line!(self, "Padded w{count} = u{count}, x{count}; x{count} = w{count};");
        self.mixed(&format!("packed(x{count})"));
    }

    /// Copies, which a constructor counts, and assignments, which nothing does.
    fn counted(&mut self) {
        let (count, a, b) = (self.count, self.value(1), self.value(1));
        line!(self, "Counted c{count}((int)({a})), d{count} = c{count};");
        line!(self, "Holder h{count} = {{(int)({b}), Counted((int)({a}))}}, g{count} = h{count};");
        match self.random.below(4) {
            0 => line!(self, "c{count} = d{count};"),
            1 => line!(self, "h{count} = g{count};"),
            2 => line!(self, "if ({b}) g{count}.c = c{count};"),
            _ => self.mixed(&format!("held(h{count})")),
        }
        self.mixed(&format!(
            "c{count}.n + d{count}.n * 3 + h{count}.c.n * 5 + g{count}.c.n * 7 + g{count}.k"
        ));
    }

    /// An array of objects whose size is no power of two.
    fn objects(&mut self) {
        let (name, a, b) = (format!("o{}", self.count), self.value(1), self.value(1));
        let index = self.value(1);
        line!(self, "S3 {name}[3] = {{{{(short)({a}), (int)({b})}}, {{}}, {{3, (int)({a})}}}};");
        line!(self, "{name}[({index}) & 1].q ^= 9; {name}[(({index}) & 1) + 1].r[1] += {b};");
        self.mixed(&format!("{name}[({b}) & 1].q + {name}[2].r[1]"));
        // An element is an object like any other.
        self.declare(&format!("{name}[1]"), Kind::Object(2), false, None);
    }
}
