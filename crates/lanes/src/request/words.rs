//! The words that options accept: shapes, names and numbers, parsed and printed.
//!
//! Parsing and printing are side by side, because a fault ends with the command that repeats the run. What it leaves
//! out: arguments, which [`spec`] parses.

use cudac::toolchain::Choice;
use simt::Dim3;
use spec::BufferSpec;
use spec::launch::{Word, Words};

/// `compute_80`, `sm_80` or `80`.
pub fn arch(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("compute_").or(text.strip_prefix("sm_")).unwrap_or(text);
    let known = number.parse().ok().filter(|arch| (20..1000).contains(arch));
    known
        .ok_or_else(|| "an architecture from 20 on is written as in `80`, `sm_80` or `compute_80`".to_owned())
}

/// `NAME` or `NAME=VALUE`, as compilers read it after `-D`.
pub fn define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_word) {
        return Err(format!("`{name}` is not the name of a macro: write it as in `TILE=32`"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// `NAME=TYPE:COUNT:FILL`: the name, and the buffer as text.
pub fn named_buffer(text: &str) -> Result<(String, String), String> {
    let (name, spec) = named_value(text)?;
    BufferSpec::parse(&spec).map_err(|why| why.replace("buf:", "NAME="))?;
    Ok((name, spec))
}

/// `NAME=VALUE`.
pub fn named_value(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| spec::is_name(name));
    let (name, spec) = parts.ok_or("a name and a value are written as in `x=f32:1024:zeros`")?;
    Ok((name.to_owned(), spec.to_owned()))
}

/// `scale<float, 4>`
pub fn instance(text: &str) -> Result<String, String> {
    let is_instance = text.contains('<') && text.trim_end().ends_with('>') && !text.contains("<<<");
    if is_instance {
        Ok(text.to_owned())
    } else {
        Err("a kernel of a template is written as in `scale<float, 4>`".to_owned())
    }
}

/// `c++17`, or `17`.
pub fn standard(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("c++").unwrap_or(text);
    let known = number.parse().ok().filter(|version| [11, 14, 17, 20].contains(version));
    known.ok_or_else(|| "choose `c++11`, `c++14`, `c++17` or `c++20`".to_owned())
}

pub fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "a tolerance is a number, at least 0, as in `1e-6`".to_owned())
}

/// `cudac` or `nvrtc`.
pub fn compiler(text: &str) -> Result<Choice, String> {
    let known = Choice::ALL.iter().find(|(name, _)| *name == text);
    known.map(|(_, choice)| *choice).ok_or_else(|| "a compiler is `cudac` or `nvrtc`".to_owned())
}

/// The name of a compiler in an option.
pub fn compiler_name(choice: Choice) -> &'static str {
    Choice::ALL.iter().find(|(_, known)| *known == choice).map_or("", |(name, _)| name)
}

pub fn grid(text: &str) -> Result<Dim3, String> {
    shape(text)
        .ok_or_else(|| "a grid is one to three whole numbers, each at least 1, as in `4` or `4,2`".to_owned())
}

pub fn block(text: &str) -> Result<Dim3, String> {
    shape(text).filter(|block| block.count() <= 1024 && block.z <= 64).ok_or_else(|| {
        "a block has 1 to 1024 threads, and at most 64 in z, as in `256` or `16,16`".to_owned()
    })
}

fn shape(text: &str) -> Option<Dim3> {
    let sizes: Option<Vec<u32>> = text.split(',').map(|size| size.parse().ok().filter(|&n| n > 0)).collect();
    match sizes?[..] {
        [x] => Some(Dim3::new(x, 1, 1)),
        [x, y] => Some(Dim3::new(x, y, 1)),
        [x, y, z] => Some(Dim3::new(x, y, z)),
        _ => None,
    }
}

/// As a grid or a block is written.
pub fn shape_name(Dim3 { x, y, z }: Dim3) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x},{y}"),
        _ => format!("{x},{y},{z}"),
    }
}

/// A value of which each has a name: a schedule, or a mechanism.
pub fn word<T: Words>(text: &str) -> Result<T, String> {
    text.parse().map(|Word(value)| value)
}

/// Each resident block has registers and shared memory of its own, so their number is limited.
const MAX_RESIDENT_BLOCKS: u32 = 1024;

pub fn residents(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|blocks| (1..=MAX_RESIDENT_BLOCKS).contains(blocks));
    number.ok_or_else(|| format!("1 to {MAX_RESIDENT_BLOCKS} blocks can be resident at the same time"))
}

pub fn steps(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&steps| steps > 0);
    number.ok_or_else(|| "a number of steps is a whole number, at least 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_up_to_three_sizes() {
        assert_eq!(shape("4"), Some(Dim3::new(4, 1, 1)));
        assert_eq!(shape("4,2,3"), Some(Dim3::new(4, 2, 3)));
        for wrong in ["", "0", "4,", "4,0", "1,1,1,1", "-1", "x", "4294967296"] {
            assert_eq!(shape(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn shapes_are_as_long_as_they_must_be() {
        let shapes = [Dim3::new(4, 1, 1), Dim3::new(4, 2, 1), Dim3::new(4, 1, 3)];
        assert_eq!(shapes.map(shape_name), ["4", "4,2", "4,1,3"]);
    }

    #[test]
    fn a_block_that_no_gpu_has_is_refused() {
        assert!(block("32,32").is_ok() && block("1,1,64").is_ok());
        for wrong in ["1025", "33,32", "1,1,65", "2147483648,2147483648,4"] {
            assert!(block(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_macro_without_a_value_is_1() {
        assert_eq!(define("TILE=4=5"), Ok(("TILE".to_owned(), "4=5".to_owned())));
        assert_eq!(define("FAST"), Ok(("FAST".to_owned(), "1".to_owned())));
        for wrong in ["", "=3", "3D=1", "MAX(a,b)=a"] {
            assert!(define(wrong).unwrap_err().contains("as in `TILE=32`"), "{wrong}");
        }
    }

    #[test]
    fn architectures_have_three_spellings() {
        assert_eq!(["compute_80", "sm_80", "80"].map(|text| arch(text).unwrap()), [80; 3]);
        for wrong in ["", "ampere", "compute_", "-80", "8.0", "99999999999"] {
            assert!(arch(wrong).is_err(), "{wrong}");
        }
    }
}
