//! The kernels of a PTX text and their parameters, for the registry that `build.rs` writes.
//!
//! This is a scan for `.entry` and the parentheses after it, not a parser. The text comes from the compiler, so its
//! form is known. `simt` has a parser, but `build.rs` cannot wait until the whole emulator is compiled.
//!
//! PTX ISA, *Kernel and Function Directives: .entry* and *Kernel Function Parameters*.

/// A kernel of a PTX module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
}

/// The type of a kernel's parameter in PTX, where a pointer is a `U64` and an `int` a `U32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// One byte, such as a `bool`.
    U8,
    /// Two bytes.
    U16,
    /// Four bytes: `int`, `unsigned`.
    U32,
    /// Eight bytes: `long long`, and every pointer.
    U64,
    /// A `float`.
    F32,
    /// A `double`.
    F64,
    /// A structure, passed as bytes.
    Bytes {
        /// Its alignment in bytes.
        align: u32,
        /// Its size in bytes.
        len: u32,
    },
}

/// The kernels of a PTX text, in the order of the text.
///
/// # Errors
/// If a parameter has a form that this scan does not know; the message quotes it.
pub fn entries(ptx: &str) -> Result<Vec<Entry>, String> {
    let code: Vec<_> = ptx.lines().map(without_comment).collect();
    code.join("\n").split(".entry").skip(1).map(entry).collect()
}

fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Reads ` name(…)…`; a kernel without parameters may have no parentheses before its body.
fn entry(text: &str) -> Result<Entry, String> {
    let head = text.split('{').next().unwrap_or_default();
    let (name, rest) = head.split_once('(').unwrap_or((head, ")"));
    let list = rest.split(')').next().unwrap_or_default();
    let params = list.split(',').map(str::trim).filter(|param| !param.is_empty());
    Ok(Entry { name: name.trim().to_owned(), params: params.map(param).collect::<Result<_, _>>()? })
}

/// Reads `.param .u64 name` or `.param .align 8 .b8 name[16]`.
fn param(text: &str) -> Result<Param, String> {
    let words: Vec<_> = text.split_whitespace().collect();
    let unknown = || format!("the parameter `{text}` has a form that is not known here; extend `entries.rs`");
    match words[..] {
        [".param", ".align", align, ".b8", name] => bytes(align, name).ok_or_else(unknown),
        [".param", kind, ..] => scalar(kind).ok_or_else(unknown),
        _ => Err(unknown()),
    }
}

fn scalar(kind: &str) -> Option<Param> {
    Some(match kind {
        ".u8" | ".s8" | ".b8" => Param::U8,
        ".u16" | ".s16" | ".b16" => Param::U16,
        ".u32" | ".s32" | ".b32" => Param::U32,
        ".u64" | ".s64" | ".b64" => Param::U64,
        ".f32" => Param::F32,
        ".f64" => Param::F64,
        _ => return None,
    })
}

fn bytes(align: &str, name: &str) -> Option<Param> {
    let len = name.split_once('[')?.1.strip_suffix(']')?;
    Some(Param::Bytes { align: align.parse().ok()?, len: len.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_in_order_with_their_parameters() {
        let ptx = "// not .entry this\n.visible .entry one(\n\t.param .u64 one_param_0,\n\t.param .f32 one_param_1\n)\n\
                   .maxntid 32, 1, 1\n{\n ret;\n}\n.entry two()\n{\n}\n";
        let found = entries(ptx).unwrap();
        assert_eq!(found[0], Entry { name: "one".into(), params: vec![Param::U64, Param::F32] });
        assert_eq!(found[1], Entry { name: "two".into(), params: vec![] });
    }

    #[test]
    fn a_structure_is_bytes() {
        let found = entries(".entry a(.param .align 8 .b8 a_param_0[24]){}").unwrap();
        assert_eq!(found[0].params, [Param::Bytes { align: 8, len: 24 }]);
    }

    #[test]
    fn an_unknown_form_is_quoted() {
        let message = entries(".entry a(.param .texref t){}").unwrap_err();
        assert!(message.contains("`.param .texref t`"), "{message}");
    }
}
