//! The words that options accept: names and numbers, parsed and printed.
//!
//! Parsing and printing are side by side, because a fault ends with the command that repeats the run. What it leaves
//! out: what describes a launch, which [`spec`] parses.

use std::fmt;
use std::path::PathBuf;

use spec::whole;

use super::compile::Compiler;

/// An architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arch {
    /// 80 for `sm_80`.
    pub number: u32,
    /// Whether it is the one with instructions of its own, as `sm_90a`.
    pub is_specific: bool,
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, if self.is_specific { "a" } else { "" })
    }
}

/// `compute_80`, `sm_80` or `80`; `90a` for one with instructions of its own.
pub fn arch(text: &str) -> Result<Arch, String> {
    let name = text.strip_prefix("compute_").or(text.strip_prefix("sm_")).unwrap_or(text);
    let number = name.strip_suffix('a').unwrap_or(name);
    let known = number.parse().ok().filter(|arch| (20..1000).contains(arch));
    known.map(|known| Arch { number: known, is_specific: number != name }).ok_or_else(|| {
        "an architecture from 20 on is written as in `80`, `sm_80` or `compute_80`, or as in `90a`".to_owned()
    })
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

/// A folder that exists.
pub fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() {
        Ok(path)
    } else {
        Err("there is no such folder: correct its name, or omit it, since CUDA needs none here".to_owned())
    }
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

/// `4G`, `512M`, `64k` or a number of bytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (number, shift) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'M')) => (&text[..at], 20),
        Some((at, 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let number = whole(number).and_then(|number| number.checked_mul(1 << shift));
    number.filter(|bytes| *bytes <= MOST_BYTES).ok_or_else(|| {
        format!(
            "memory is a number of bytes, at least 1 and at most {}G, as in `1000000` or `4G`",
            MOST_BYTES >> 30
        )
    })
}

/// More memory than any computer has on which this runs.
const MOST_BYTES: u64 = 1 << 44;

pub fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "a tolerance is a number, at least 0, as in `1e-6`".to_owned())
}

/// `cudac`, `nvrtc` or `clang`.
pub fn compiler(text: &str) -> Result<Compiler, String> {
    let known = Compiler::ALL.iter().find(|(name, _)| *name == text);
    known.map(|(_, compiler)| *compiler).ok_or_else(|| "a compiler is `cudac`, `nvrtc` or `clang`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_macro_without_a_value_is_1() {
        assert_eq!(define("TILE=4=5"), Ok(("TILE".to_owned(), "4=5".to_owned())));
        assert_eq!(define("FAST"), Ok(("FAST".to_owned(), "1".to_owned())));
        for wrong in ["", "=3", "3D=1", "MAX(a,b)=a"] {
            assert!(define(wrong).unwrap_err().contains("as in `TILE=32`"), "{wrong}");
        }
    }

    #[test]
    fn bytes_have_units() {
        let read = ["7", "64k", "64K", "3M", "4G", "16384G"].map(|text| bytes(text).unwrap());
        assert_eq!(read, [7, 64 << 10, 64 << 10, 3 << 20, 4 << 30, 1 << 44]);
        for wrong in [
            "",
            "0",
            "G",
            "-1",
            "+1",
            "1.5G",
            "4g",
            "4GB",
            " 4",
            "16385G",
            "99999999999999999999",
            "18446744073709551615G",
        ] {
            assert!(bytes(wrong).unwrap_err().contains("as in"), "{wrong}");
        }
    }

    #[test]
    fn architectures_have_three_spellings() {
        let plain = Arch { number: 80, is_specific: false };
        assert_eq!(["compute_80", "sm_80", "80"].map(|text| arch(text).unwrap()), [plain; 3]);
        assert_eq!(arch("sm_90a").unwrap(), Arch { number: 90, is_specific: true });
        assert_eq!(arch("90a").unwrap().to_string(), "90a");
        for wrong in ["", "ampere", "compute_", "a", "-80", "8.0", "99999999999"] {
            assert!(arch(wrong).is_err(), "{wrong}");
        }
    }
}
