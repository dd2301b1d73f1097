//! Kernels as their CUDA text declares them: names and types, where PTX has mangled names and sizes.
//!
//! The types of a CUDA file are those that cudac reads, whichever compiler made the PTX. Of a PTX file, they are read out
//! of the mangled name. What it leaves out: kernels that are `extern "C"` in a PTX file, whose types are not in it.

use std::sync::Arc;

use cpp_demangle::{DemangleOptions, Symbol};
use simt::KernelInfo;

use super::source::Program;
use crate::request::Compile;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, if it is known.
    pub name: Option<String>,
    /// Its type: `const float*`.
    pub ty: String,
}

/// The parameters of the kernels of a program, by the name in PTX; a kernel whose types are not known is missing.
pub struct Signatures(Vec<cudac::Signature>);

impl Signatures {
    /// Reads the types of a program.
    pub fn of(program: &Program, how: &Compile) -> Signatures {
        let Some(cuda) = &program.cuda else { return Signatures(Vec::new()) };
        let options = cudac::Options {
            sm: how.arch.map_or(70, |arch| arch.number),
            is_specific: how.arch.is_some_and(|arch| arch.is_specific),
            defines: how.defines.clone(),
            instances: how.instances.clone(),
            headers: Some(Arc::clone(&cuda.headers) as _),
            leaves_host: false,
        };
        let sources = cuda.sources(&program.name);
        let made = if cuda.is_program {
            cudac::compile_project(&sources, &options).map(|(made, _)| made)
        } else {
            cudac::compile_units(&sources, &options)
        };
        Signatures(made.map(|made| made.kernels).unwrap_or_default())
    }

    /// The parameters of a kernel, if as many are known as it has.
    pub fn parameters(&self, kernel: &KernelInfo) -> Option<Vec<Parameter>> {
        let known = self.0.iter().find(|known| known.symbol == kernel.name);
        let named = |(name, ty): &(String, String)| Parameter {
            name: Some(name.clone()).filter(|name| !name.is_empty()),
            ty: ty.clone(),
        };
        let declared = known.map(|known| known.parameters.iter().map(named).collect());
        declared
            .or_else(|| demangled(&kernel.name))
            .filter(|parameters: &Vec<Parameter>| parameters.len() == kernel.params.len())
    }
}

/// The types in a mangled name.
fn demangled(symbol: &str) -> Option<Vec<Parameter>> {
    let whole = demangle(symbol, DemangleOptions::new().no_return_type())?;
    let name = demangle(symbol, DemangleOptions::new().no_params().no_return_type())?;
    let inner = whole.strip_prefix(&name)?.strip_prefix('(')?.strip_suffix(')')?;
    if inner.is_empty() {
        return Some(Vec::new());
    }
    let parameter = |ty: &str| Parameter { name: None, ty: as_written(ty) };
    Some(spec::parts(inner).into_iter().map(parameter).collect())
}

fn demangle(symbol: &str, options: DemangleOptions) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    Symbol::new(symbol).ok()?.demangle_with_options(&options).ok()
}

/// The name of a kernel as C++ has it, with the arguments of its template: `scale<float, 4>` for `_Z5scaleIfLi4EEvPT_`.
pub fn short(symbol: &str) -> String {
    let name = demangle(symbol, DemangleOptions::new().no_params().no_return_type());
    name.map_or_else(|| symbol.to_owned(), |name| without_casts(&name))
}

/// `k<8, true>` for `k<(unsigned int)8, (bool)1>`.
fn without_casts(name: &str) -> String {
    let mut rest = name.replace("(bool)1", "true").replace("(bool)0", "false");
    let mut out = String::new();
    while let Some(start) = rest.find('(') {
        let Some(length) = rest[start..].find(')') else { break };
        let is_type = rest[start + 1..start + length].chars().all(|c| c.is_alphabetic() || c == ' ');
        let is_cast = rest[start + length + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '-');
        let end = start + length + 1;
        out += if is_type && is_cast { &rest[..start] } else { &rest[..end] };
        rest = rest[end..].to_owned();
    }
    out + &rest
}

/// The name without namespaces and arguments: `scale`.
pub fn plain(symbol: &str) -> String {
    let name = short(symbol);
    let name = name.split('<').next().unwrap_or_default();
    name.rsplit("::").next().unwrap_or_default().to_owned()
}

/// Whether a kernel has this name in C++, however it is written: `scale<float,4>`, or `scale<float, 4u>`.
pub fn is_called(symbol: &str, name: &str) -> bool {
    tidy(&short(symbol)) == tidy(name)
}

/// A name without blanks, and without the letters after numbers.
fn tidy(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars().filter(|c| !c.is_whitespace()) {
        let is_suffix = matches!(c, 'u' | 'U' | 'l' | 'L') && ends_in_number(&out);
        if !is_suffix {
            out.push(c);
        }
    }
    out.replace("unsignedint", "unsigned")
}

/// Whether a text ends in a number that is not part of a name.
fn ends_in_number(text: &str) -> bool {
    let before = text.trim_end_matches(|c: char| c.is_ascii_digit());
    before.len() < text.len() && !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// `const float*` for `float const*`.
fn as_written(ty: &str) -> String {
    let end = ty.trim_end_matches(['*', '&', ' ']).len();
    match ty[..end].strip_suffix(" const") {
        Some(base) => format!("const {base}{}", &ty[end..]),
        None => ty.to_owned(),
    }
}

/// What `--arg` may be for a parameter: an example of its kind.
pub fn example(ty: &str, bytes: u64) -> String {
    let of = |ty: &str| match ty {
        "float" => Some("f32"),
        "double" => Some("f64"),
        "__half" | "half" => Some("f16"),
        "char" | "signed char" => Some("i8"),
        "unsigned char" | "bool" => Some("u8"),
        "short" => Some("i16"),
        "unsigned short" => Some("u16"),
        "int" => Some("i32"),
        "unsigned int" | "unsigned" => Some("u32"),
        "long" | "long long" => Some("i64"),
        "unsigned long" | "unsigned long long" => Some("u64"),
        _ => None,
    };
    let base = |ty: &str| ty.replace("const ", "").replace("volatile ", "");
    if let Some(to) = ty.strip_suffix('*') {
        return match of(base(to).trim()) {
            Some(element) => format!("buf:{element}:1024:zeros"),
            None => "buf:u8:1024:zeros".to_owned(),
        };
    }
    let plain = base(ty);
    if let Some((parts, count)) = vector(&plain).and_then(|(of_one, count)| Some((of(of_one)?, count))) {
        let align = if count == 3 { String::new() } else { format!("@{bytes}") };
        return format!("{{{}}}{align}", vec![format!("{parts}:1"); count].join(", "));
    }
    match of(&plain) {
        Some(number) => format!("{number}:1"),
        None if bytes == 4 => "u32:1".to_owned(),
        None => "{i32:1, f32:2}".to_owned(),
    }
}

/// The type of the parts of `float4`, and how many it has.
fn vector(ty: &str) -> Option<(&str, usize)> {
    let count = ty.chars().next_back()?.to_digit(10).filter(|count| (2..=4).contains(count))?;
    let part = match &ty[..ty.len() - 1] {
        "uint" => "unsigned int",
        "uchar" => "unsigned char",
        "ushort" => "unsigned short",
        other => other,
    };
    Some((part, count as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_come_out_of_mangled_names() {
        let types = |symbol| demangled(symbol).unwrap().into_iter().map(|known| known.ty).collect::<Vec<_>>();
        assert_eq!(short("_Z6matmulPKfS0_Pfi"), "matmul");
        assert_eq!(types("_Z6matmulPKfS0_Pfi"), ["const float*", "const float*", "float*", "int"]);
        assert_eq!(types("_Z1fv"), Vec::<String>::new());
        let scale = "_ZN1a5scaleIfLi4EEEvPT_S1_";
        assert_eq!((short(scale).as_str(), plain(scale).as_str()), ("a::scale<float, 4>", "scale"));
        assert_eq!(types(scale), ["float*", "float"]);
        assert!(is_called(scale, "a::scale<float,4>") && !is_called(scale, "a::scale<float,5>"));
        assert!(is_called("_Z1kILj8ELb1EEvv", "k<8, true>"));
        assert_eq!((short("twice").as_str(), demangled("twice")), ("twice", None));
    }

    #[test]
    fn examples_fit_their_types() {
        let examples =
            [("const float*", 8), ("int", 4), ("unsigned long long*", 8), ("Pair", 12), ("bool", 1)];
        let given = ["buf:f32:1024:zeros", "i32:1", "buf:u64:1024:zeros", "{i32:1, f32:2}", "u8:1"];
        assert_eq!(examples.map(|(ty, bytes)| example(ty, bytes)), given);
        assert_eq!(example("float2", 8), "{f32:1, f32:1}@8");
        assert_eq!(example("int3", 12), "{i32:1, i32:1, i32:1}");
    }
}
