//! A tensor map of a buffer as an argument: what a program would have `cuTensorMapEncodeTiled` make.
//!
//! ```text
//! {tensor_map=a, type=bf16, sizes=[256, 64], strides=[512], box=[64, 8], swizzle=128}
//! ```
//!
//! Sizes and the box are in elements, strides in bytes, and dimension 0 is that of neighbours in memory. Left out: interleaved
//! layouts, and where in the buffer the tensor begins.

use simt::{TENSOR_MAP_BYTES, TensorMap, TensorMapRequest};

use crate::structure::{is_name, parts};

const HOW: &str = "a tensor map is written as in `{tensor_map=a, type=bf16, sizes=[256, 64], box=[64, 8], swizzle=128}`, also \
                   with `strides`, `element_strides`, `l2` and `fill=nan`";

/// A tensor map of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The buffer.
    pub buffer: String,
    element: u32,
    sizes: Vec<u64>,
    strides: Vec<u64>,
    lengths: Vec<u32>,
    steps: Vec<u32>,
    swizzle: u32,
    promotion: u32,
    fill: u32,
}

impl Tensor {
    /// Whether what is between the braces of a structure is a tensor map.
    pub fn is_one(text: &str) -> bool {
        text.trim_ascii_start().starts_with("tensor_map")
    }

    /// Reads what is between the braces.
    pub fn parse(text: &str) -> Result<Tensor, String> {
        let mut made = Tensor {
            buffer: String::new(),
            element: u32::MAX,
            sizes: Vec::new(),
            strides: Vec::new(),
            lengths: Vec::new(),
            steps: Vec::new(),
            swizzle: 0,
            promotion: 0,
            fill: 0,
        };
        let (mut bytes, mut has_strides) = (0, false);
        for part in parts(text) {
            let (name, value) = part.split_once('=').ok_or(HOW)?;
            let value = value.trim_ascii();
            match name.trim_ascii() {
                "tensor_map" if is_name(value) => value.clone_into(&mut made.buffer),
                "type" => {
                    (made.element, bytes) = TensorMap::element_named(value).ok_or_else(|| no_type(value))?;
                }
                "sizes" => made.sizes = numbers(value)?,
                "strides" => (made.strides, has_strides) = (numbers(value)?, true),
                "box" => made.lengths = narrow(&numbers(value)?),
                "element_strides" => made.steps = narrow(&numbers(value)?),
                "swizzle" => made.swizzle = one_of(value, &["0", "32", "64", "128"])?,
                "l2" => made.promotion = one_of(value, &["0", "64", "128", "256"])?,
                "fill" => made.fill = one_of(value, &["zero", "nan"])?,
                _ => return Err(format!("`{part}` is not known: {HOW}")),
            }
        }
        if !has_strides {
            made.strides = packed(bytes, &made.sizes);
            made.strides.pop();
        }
        if made.steps.is_empty() {
            made.steps = vec![1; made.sizes.len()];
        }
        made.check()
    }

    fn check(self) -> Result<Tensor, String> {
        let rank = self.sizes.len();
        if self.buffer.is_empty() || self.element == u32::MAX || rank == 0 {
            return Err(HOW.to_owned());
        }
        if self.lengths.len() != rank || self.steps.len() != rank || self.strides.len() + 1 != rank {
            return Err(format!(
                "a tensor map of {rank} sizes has as many numbers in `box`, and one less in `strides`"
            ));
        }
        match TensorMap::encode(&self.request(0)) {
            Ok(_) => Ok(self),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Its bytes. A buffer is at an address that every map may have.
    pub fn bytes(&self, address: u64) -> Vec<u8> {
        let made = TensorMap::encode(&self.request(address));
        made.map_or_else(|_| vec![0; TENSOR_MAP_BYTES], |bytes| bytes.to_vec())
    }

    /// What a program would ask of the driver, with the buffer at this address.
    pub fn request(&self, address: u64) -> TensorMapRequest<'_> {
        TensorMapRequest {
            element: self.element,
            rank: self.sizes.len() as u32,
            address,
            sizes: &self.sizes,
            strides: &self.strides,
            lengths: &self.lengths,
            steps: &self.steps,
            interleave: 0,
            swizzle: self.swizzle,
            promotion: self.promotion,
            fill: self.fill,
        }
    }
}

/// The bytes of all elements up to a dimension, for each of them.
fn packed(bytes: u64, sizes: &[u64]) -> Vec<u64> {
    let longer = |bytes: &mut u64, size: &u64| {
        *bytes = bytes.saturating_mul(*size);
        Some(*bytes)
    };
    sizes.iter().scan(bytes, longer).collect()
}

fn no_type(name: &str) -> String {
    format!(
        "a tensor has no elements of type `{name}`: choose `u8`, `u16`, `u32`, `i32`, `u64`, `i64`, `f16`, `bf16`, `f32` or `f64`"
    )
}

/// `[64, 8]`, or one number.
fn numbers(text: &str) -> Result<Vec<u64>, String> {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    if inner.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let number = |part: &str| part.parse().map_err(|_| format!("`{part}` is no whole number: {HOW}"));
    parts(inner).into_iter().map(number).collect()
}

/// What does not fit is too large for every limit.
fn narrow(numbers: &[u64]) -> Vec<u32> {
    numbers.iter().map(|number| u32::try_from(*number).unwrap_or(u32::MAX)).collect()
}

/// The place of a word in a list.
fn one_of(text: &str, words: &[&str]) -> Result<u32, String> {
    let at = words.iter().position(|word| *word == text);
    at.map(|at| at as u32).ok_or_else(|| format!("`{text}` is none of `{}`: {HOW}", words.join("`, `")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_lies_tightly_if_it_has_no_strides() {
        let made = Tensor::parse("tensor_map=a, type=f32, sizes=[8, 6, 5], box=[4, 2, 1], fill=nan").unwrap();
        assert_eq!((&*made.strides, &*made.steps, &*made.buffer), (&[32, 192][..], &[1, 1, 1][..], "a"));
        assert_eq!(made.bytes(64).len(), TENSOR_MAP_BYTES);
        let one = Tensor::parse("tensor_map=a, type=bf16, sizes=64, box=64, swizzle=128").unwrap();
        assert!(one.strides.is_empty());
    }

    #[test]
    fn what_no_driver_takes_is_refused() {
        let refused = |text: &str| Tensor::parse(text).unwrap_err();
        assert!(refused("tensor_map=a, type=f32, sizes=[7, 4], box=[4, 2]").contains("a multiple of 16"));
        assert!(refused("tensor_map=a, type=f32, sizes=[8], box=[257]").contains("from 1 to 256"));
        assert!(refused("tensor_map=a, type=f31, sizes=[8], box=[4]").contains("`f31`"));
        assert!(refused("tensor_map=a, type=f32, sizes=[8, 8], box=[4]").contains("as many numbers"));
        assert!(
            refused("tensor_map=a, type=f32, sizes=[8], box=[4], swizzle=16").contains("`16` is none of")
        );
        assert!(refused("tensor_map=a, type=f32, box=[4]").contains("is written as in"));
        assert!(refused("tensor_map=a, colour=red").contains("`colour=red` is not known"));
    }
}
