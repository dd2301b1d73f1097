//! What the command line says of launches, before the file is read: launches in CUDA's words, and expectations.
//!
//! What it leaves out: whether the names exist, which is looked up when the program is known.

use serde::Deserialize;
use spec::launch::{Field, Launch, Passed};
use spec::parts;

/// A launch as CUDA writes it: `sum<<<8, 256>>>(x, i32:5)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    pub launch: Launch,
}

const WRITTEN: &str = "a launch is written as in `sum<<<8, 256>>>(x, i32:5)`, with shapes as in `(8, 2)` and the bytes of \
                       dynamic shared memory after the block";

impl Written {
    /// Reads a launch.
    pub fn parse(text: &str) -> Result<Written, String> {
        let (kernel, rest) = text.split_once("<<<").ok_or(WRITTEN)?;
        let (shape, args) = rest.split_once(">>>").ok_or(WRITTEN)?;
        let args = args.trim().trim_end_matches(';').trim_end();
        let args = args.strip_prefix('(').and_then(|args| args.strip_suffix(')')).ok_or(WRITTEN)?;
        let args = if args.trim().is_empty() { Vec::new() } else { parts(args) };
        let passed = |is: &str| Passed { name: String::new(), is: is.to_owned() };
        let mut launch = Launch {
            kernel: Some(kernel.trim().to_owned()).filter(|kernel| !kernel.is_empty()),
            arguments: args.into_iter().map(passed).collect(),
            ..Launch::default()
        };
        let shape = parts(shape);
        if !(2..=3).contains(&shape.len()) {
            return Err(WRITTEN.to_owned());
        }
        for (name, text) in ["grid", "block", "shared_bytes"].into_iter().zip(shape) {
            let field = Field::named(name).ok_or(WRITTEN)?;
            launch.set(field, &sizes(text)).map_err(|error| format!("`{name}`: {error}"))?;
        }
        Ok(Written { text: text.to_owned(), launch })
    }
}

/// `8,2` of `dim3(8, 2)`, `(8, 2)` or `{8, 2}`.
fn sizes(text: &str) -> String {
    let inner = text.strip_prefix("dim3").unwrap_or(text).trim();
    let inner =
        inner.strip_prefix(['(', '{']).and_then(|inner| inner.strip_suffix([')', '}'])).unwrap_or(inner);
    inner.chars().filter(|c| !c.is_whitespace()).collect()
}

/// What a buffer has to contain in the end.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The contents, as a buffer is filled: `list=1,2`, `iota`.
    pub is: Option<String>,
    /// The name of a buffer with the same contents, which a kernel for reference may have written.
    pub like: Option<String>,
    /// By how much floats may differ, relative to the larger of 1 and the expected number.
    pub tolerance: Option<f64>,
    /// The elements to compare, as in `0..64`.
    pub range: Option<String>,
}

/// What `--expect` says.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    pub text: String,
    /// The buffer, or the number of an argument.
    pub buffer: String,
    pub what: Expect,
}

impl Expectation {
    /// Reads `1=iota`, `y:0..8=list=1,2` or `y=like=reference`.
    pub fn parse(text: &str) -> Result<Expectation, String> {
        let parts = text.split_once('=').filter(|(name, what)| !name.is_empty() && !what.is_empty());
        let (name, what) = parts
            .ok_or("what is expected is written as in `1=iota`, `y:0..8=fill=5` or `y=like=reference`")?;
        let (name, range) = name.split_once(':').map_or((name, None), |(name, range)| (name, Some(range)));
        let like = what.strip_prefix("like=").map(str::to_owned);
        let is = like.is_none().then(|| what.to_owned());
        let what = Expect { is, like, tolerance: None, range: range.map(str::to_owned) };
        Ok(Expectation { text: text.to_owned(), buffer: name.to_owned(), what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::launch::command_line;

    #[test]
    fn a_launch_is_written_as_in_cuda() {
        let written = |text: &str| command_line(&Written::parse(text).unwrap().launch.options());
        assert_eq!(
            written("scale<float, 4><<<dim3(8, 2), 256, 64>>>(x, {i32:1, f32:2}, u8:3);"),
            "--kernel 'scale<float, 4>' --grid 8,2 --block 256 --shared-bytes 64 --arg x --arg '{i32:1, f32:2}' --arg u8:3"
        );
        assert_eq!(written("<<<1, (8, 8)>>>()"), "--grid 1 --block 8,8");
        for wrong in
            ["k", "k<<<1>>>()", "k<<<1, 32>>>", "k<<<1, 32, 0, 0>>>()", "k<<<0, 32>>>()", "k<<<1, 32, x>>>()"]
        {
            assert!(Written::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_expected_names_a_buffer() {
        let whole = Expectation::parse("1=list=1,2").unwrap();
        assert_eq!((whole.buffer.as_str(), whole.what.is.as_deref()), ("1", Some("list=1,2")));
        let part = Expectation::parse("y:0..8=like=z").unwrap().what;
        assert_eq!((part.range.as_deref(), part.like.as_deref(), part.is), (Some("0..8"), Some("z"), None));
        for wrong in ["", "y", "=iota", "y="] {
            assert!(Expectation::parse(wrong).is_err(), "{wrong}");
        }
    }
}
