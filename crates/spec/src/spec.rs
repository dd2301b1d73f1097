//! An argument in text form: a number, or a buffer and its initial contents.
//!
//! To add a way to fill a buffer, add a variant of [`Fill`]. What it leaves out: arrays in structures, whose
//! elements are written as fields.

use std::ops::Range;
use std::path::PathBuf;

use crate::element::Type;
use crate::structure::Structure;

/// What an argument is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// A number: its type and its bytes.
    Scalar(Type, Vec<u8>),
    /// A buffer in global memory.
    Buffer(BufferSpec),
    /// A structure by value.
    Structure(Structure),
}

/// A buffer in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferSpec {
    /// The type of its elements.
    pub ty: Type,
    /// The number of elements, at least one.
    pub count: u64,
    /// The values of the elements.
    pub fill: Fill,
}

impl BufferSpec {
    /// Reads `f32:1024:zeros`.
    ///
    /// # Errors
    /// One line that says how to write it.
    pub fn parse(text: &str) -> Result<BufferSpec, String> {
        let parts: Vec<&str> = text.splitn(3, ':').collect();
        let &[ty, count, fill] = &parts[..] else { return Err(BUFFER.to_owned()) };
        let ty = Type::named(ty)?;
        let count = whole(count).ok_or("a buffer has a whole number of elements, and at least 1")?;
        Ok(BufferSpec { ty, count, fill: Fill::parse(ty, count, fill)? })
    }

    /// Its size, or `u64::MAX` if that is too small for it.
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.ty.bytes as u64)
    }
}

/// The initial contents of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Zeros.
    Zeros,
    /// Not written: reading it is a fault.
    Uninitialized,
    /// 0, 1, 2 and so on.
    Iota,
    /// Random numbers from this seed. It is not the seed of the run, so that many runs can have the same input.
    Random(u64),
    /// Random integers from a range, from this seed.
    Between(u64, Range<i64>),
    /// The same bytes in every element.
    Same(Vec<u8>),
    /// The bytes of all elements.
    List(Vec<u8>),
    /// The bytes of a file.
    File(PathBuf),
}

const BUFFER: &str = "a buffer is written `buf:TYPE:COUNT:FILL`, as in `buf:f32:1024:zeros`";
const SCALAR: &str = "a number is written `TYPE:VALUE`, as in `i32:5`, a buffer as in `buf:f32:1024:zeros`, and a structure \
                      as in `{f32:2, i32:5}`";
const FILL: &str = "choose `zeros`, `iota`, `rand`, `fill=VALUE`, `list=VALUE,VALUE`, `file=PATH` or \
                    `uninitialized`";

impl Spec {
    /// Reads `i32:5`, `buf:f32:1024:zeros` or `{f32:2, i32:5}`.
    ///
    /// # Errors
    /// One line that says how to write it.
    pub fn parse(text: &str) -> Result<Spec, String> {
        if text.starts_with('{') {
            return Structure::parse(text).map(Spec::Structure);
        }
        let (ty, rest) = text.split_once(':').ok_or(SCALAR)?;
        if ty == "buf" {
            return BufferSpec::parse(rest).map(Spec::Buffer);
        }
        let ty = Type::named(ty)?;
        Ok(Spec::Scalar(ty, ty.parse(rest)?))
    }
}

/// A positive integer. If it does not fit, it is more than there is memory for, and is refused for that reason.
pub fn whole(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0');
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

impl Fill {
    /// Reads `zeros`, `list=1,2,3` and so on, for `count` elements.
    ///
    /// # Errors
    /// One line that says how to write it.
    pub fn parse(ty: Type, count: u64, text: &str) -> Result<Fill, String> {
        match text.split_once('=') {
            None if text == "zeros" => Ok(Fill::Zeros),
            None if text == "uninitialized" => Ok(Fill::Uninitialized),
            None if text == "rand" => Ok(Fill::Random(0)),
            None if text == "iota" => match ty.integer(i128::from(count - 1)) {
                Some(_) => Ok(Fill::Iota),
                None => Err(format!("`iota` counts to {}, which {} cannot hold", count - 1, ty.name)),
            },
            Some(("rand", how)) => chance(ty, how),
            Some(("fill", value)) => Ok(Fill::Same(ty.parse(value)?)),
            Some(("list", values)) => list(ty, count, values),
            Some(("file", "")) => Err("`file=` needs the name of a file".to_owned()),
            Some(("file", path)) => Ok(Fill::File(path.into())),
            _ => Err(format!("a buffer cannot be filled with `{text}`: {FILL}")),
        }
    }
}

/// `7`, or `7,-100..100`.
fn chance(ty: Type, text: &str) -> Result<Fill, String> {
    let (seed, range) = text.split_once(',').map_or((text, None), |(seed, range)| (seed, Some(range)));
    let seed = seed
        .parse()
        .map_err(|_| format!("`rand={text}` has no seed: write a whole number, as in `rand=7`"))?;
    let Some(range) = range else { return Ok(Fill::Random(seed)) };
    let ends = range.split_once("..").and_then(|(low, high)| Some(low.parse().ok()?..high.parse().ok()?));
    let fits = |value: i64| ty.integer(value.into()).is_some();
    match ends {
        Some(ends) if !ends.is_empty() && fits(ends.start) && fits(ends.end - 1) => {
            Ok(Fill::Between(seed, ends))
        }
        _ => Err(format!(
            "`{range}` is not a range of whole numbers that {} can hold: write it as in `rand=7,-100..100`",
            ty.name
        )),
    }
}

fn list(ty: Type, count: u64, values: &str) -> Result<Fill, String> {
    let values: Vec<Vec<u8>> =
        values.split(',').map(|value| ty.parse(value.trim())).collect::<Result<_, _>>()?;
    if values.len() as u64 != count {
        return Err(format!("the list has {} values for {count} elements: give one for each", values.len()));
    }
    Ok(Fill::List(values.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str) -> Fill {
        match Spec::parse(text) {
            Ok(Spec::Buffer(buffer)) => buffer.fill,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arguments_are_numbers_or_buffers() {
        assert_eq!(Spec::parse("i16:-2"), Ok(Spec::Scalar(Type::named("i16").unwrap(), vec![0xfe, 0xff])));
        assert_eq!(fill("buf:u8:4:zeros"), Fill::Zeros);
        assert_eq!(fill("buf:u8:4:uninitialized"), Fill::Uninitialized);
        assert_eq!(fill("buf:u8:256:iota"), Fill::Iota);
        assert_eq!((fill("buf:u8:4:rand"), fill("buf:u8:4:rand=7")), (Fill::Random(0), Fill::Random(7)));
        assert_eq!(fill("buf:f32:4:rand=7,-2..3"), Fill::Between(7, -2..3));
        assert_eq!(fill("buf:u16:4:fill=0x102"), Fill::Same(vec![2, 1]));
        assert_eq!(fill("buf:u8:3:list=1, 2,3"), Fill::List(vec![1, 2, 3]));
        assert_eq!(fill("buf:u8:3:file=C:\\a=b"), Fill::File("C:\\a=b".into()));
    }

    #[test]
    fn a_range_has_whole_numbers_that_the_type_can_hold() {
        for range in ["0..257", "-1..3", "3..3", "1", "0..x"] {
            let error = Spec::parse(&format!("buf:u8:2:rand=1,{range}")).unwrap_err();
            assert!(
                error.starts_with(&format!("`{range}` is not a range of whole numbers that u8 can hold")),
                "{error}"
            );
        }
        assert!(Spec::parse("buf:u8:2:rand=1,0..256").is_ok());
    }

    #[test]
    fn a_list_and_a_count_must_agree() {
        assert!(Spec::parse("buf:u8:2:list=1,2,3").unwrap_err().contains("3 values for 2 elements"));
        assert!(Spec::parse("buf:u8:257:iota").unwrap_err().contains("counts to 256"));
    }
}
