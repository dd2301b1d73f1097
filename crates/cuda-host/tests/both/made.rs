//! Objects that are made from nothing, or from fewer values than they have members: `S()`, `S{}`, members and elements that
//! a list does not mention.
//!
//! None is declared without an initialiser, because some of their members would have no value then.

use crate::write::{Kind, Writer};

/// Types that a function `all` takes.
const KINDS: [&str; 3] = ["Half", "Outer", "Made"];

impl Writer<'_> {
    /// The types, whose members have initialisers or not, and whose constructors are defaulted or not.
    pub fn made_around(&mut self) {
        let number = |writer: &mut Writer| match writer.random.below(3) {
            0 => String::new(),
            1 => format!(" = {}", writer.random.below(90)),
            _ => format!("{{{}}}", writer.random.below(90)),
        };
        let (p, q, z) = (number(self), number(self), number(self));
        let constructors = self.random.pick(&[
            "Half() = default; BOTH Half(int v) : p(v), q(1) {}",
            "Half() = default; BOTH Half(int v) : p(v), q() {}",
            "Half() = default;",
            "BOTH Half() : p(3), q(4) {} BOTH Half(int v) : p(v), q{} {}",
            "",
        ]);
        line!(self, "struct Half {{ int p{p}; short q{q}; {constructors} }};");
        let one = self.random.pick(&["", "", " = Half()", "{}", "{7}"]);
        let two = self.random.pick(&["", "", "{}", " = {}", " = {{5}}", "{{}, {6}}"]);
        let constructor = self.random.pick(&["", "Outer() = default;"]);
        line!(self, "struct Outer {{ Half h{one}; Half t[2]{two}; short z{z}; int k; {constructor} }};");
        let mut made = || self.random.pick(&["()", "{}"]);
        let (a, b, c, d) = (made(), made(), made(), made());
        line!(
            self,
            "struct Made {{ Outer o; Half v[2]; int w[3]; int u; BOTH Made() : o{a}, v{b}, w{c}, u{d} {{}} BOTH Made(int x) : o{d}, v{c}, w{{x}}, u(x) {{}} }};"
        );
        self.line("BOTH inline int all(Half h) { return h.p * 3 + h.q; }
BOTH inline int all(const Outer& o) { return all(o.h) + all(o.t[0]) * 5 + all(o.t[1]) * 7 + o.z * 11 + o.k * 13; }
BOTH inline int all(const Made& m) { return all(m.o) + all(m.v[0]) * 17 + all(m.v[1]) * 19 + m.w[0] + m.w[1] * 3 + m.w[2] * 5 + m.u * 7; }
template <typename T> BOTH T made() { return T(); } template <typename T> BOTH T braced() { return T{}; }");
    }

    /// A number of an object that is made for it.
    pub fn nothing(&mut self, value: &str) -> String {
        let kind = self.random.pick(&KINDS);
        let number = self.random.pick(&["int", "short", "unsigned char", "long long"]);
        let empty = self.random.pick(&["()", "{}"]);
        match self.random.below(12) {
            0 | 1 => format!("all({kind}{empty})"),
            2 => format!("all({}<{kind}>())", self.random.pick(&["made", "braced"])),
            3 => format!("S0{empty}.sum()"),
            4 => format!("S1{empty}.{}", self.random.pick(&["v[1]", "n.x", "n.y"])),
            5 => format!("(S3{empty}.r[1] + total(S2{empty}))"),
            6 => format!("({}<{number}>() + {value})", self.random.pick(&["made", "braced"])),
            7 => format!("all(Half{{(int)({value})}})"),
            8 => format!("all(Outer{{{{(int)({value})}}}})"),
            9 => format!("({value} ? Half{empty} : Half{{3}}).q"),
            10 => format!("all([]() -> {kind} {{ return {{}}; }}())"),
            _ => "packed(Padded())".to_owned(),
        }
    }

    /// Variables that are made from little.
    pub fn made(&mut self) {
        self.count += 1;
        let (count, value) = (self.count, self.value(1));
        let kind = self.random.pick(&KINDS);
        let empty = self.random.pick(&["{}", " = {}"]);
        match self.random.below(8) {
            0 => line!(self, "{kind} m{count}{empty}, w{count} = {kind}(); m{count} = w{count};"),
            1 => line!(self, "const {kind}& m{count} = {kind}();"),
            2 => {
                line!(self, "{kind} w{count}[2]{empty}, m{count} = w{count}[1];");
            }
            3 => {
                line!(
                    self,
                    "Outer w{count}[2] = {{{{{{(int)({value})}}}}}}; auto&& m{count} = w{count}[({value}) & 1];"
                );
            }
            4 => {
                line!(
                    self,
                    "Half w{count}[3] = {{{{(int)({value})}}}}, m{count} = w{count}[({value}) ? 2 : 0];"
                );
                self.declare(&format!("w{count}[1]"), Kind::Object(2), false, None);
            }
            5 => {
                line!(
                    self,
                    "S0 s{count}[3] = {{(int)({value})}}; S0* p{count} = s{count}; {kind} m{count}{empty};"
                );
                self.mixed(&format!("p{count}[1].sum() + s{count}[2].sum() * 3"));
            }
            6 => {
                line!(
                    self,
                    "Made w{count}[2] = {{Made((int)({value}))}}; Made& m{count} = w{count}[1]; w{count}[0] = {{}};"
                );
                self.mixed(&format!("all(w{count}[0])"));
            }
            _ => {
                line!(
                    self,
                    "struct {{ int k; {kind} m; Half t[2]; S0 s[2]; }} w{count} = {{(int)({value})}}; {kind} m{count} = w{count}.m;"
                );
                self.mixed(&format!("all(w{count}.t[1]) + w{count}.s[1].sum() + w{count}.k"));
                self.declare(&format!("w{count}.t[0]"), Kind::Object(2), false, None);
            }
        }
        self.mixed(&format!("all(m{count})"));
    }
}
