//! What the fields of a launch hold besides words: shapes, numbers, seeds, arguments and named contents.
//!
//! Each can be read from the text of an option and from a file, where it may be written as numbers and lists too. What it
//! leaves out: whether the names exist and whether an argument suits its parameter, which depends on the kernel.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use simt::{Dim3, MAX_CLUSTER_BLOCKS};

use crate::structure::is_name;

/// A grid or a block as it is written: `4` or `4,2`, or a list of numbers in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Shape(Vec<u32>);

/// How shapes are written in files.
const SHAPE: &str = "a shape is written as in `4`, `[4, 2]` or `\"4,2\"`";

impl Shape {
    /// The numbers.
    pub fn sizes(&self) -> &[u32] {
        &self.0
    }

    fn dim3(&self) -> Option<Dim3> {
        match self.0[..] {
            [x] => Some(Dim3::new(x, 1, 1)),
            [x, y] => Some(Dim3::new(x, y, 1)),
            [x, y, z] => Some(Dim3::new(x, y, z)),
            _ => None,
        }
    }

    /// Blocks in the grid.
    ///
    /// # Errors
    /// One line that says how to write a grid.
    pub fn grid(&self) -> Result<Dim3, String> {
        self.dim3().filter(|grid| grid.x > 0 && grid.y > 0 && grid.z > 0).ok_or_else(|| {
            "a grid is one to three whole numbers, each at least 1, as in `4` or `4,2`".to_owned()
        })
    }

    /// Threads in a block.
    ///
    /// # Errors
    /// One line that says how to write a block.
    pub fn block(&self) -> Result<Dim3, String> {
        let block = self.dim3().filter(|block| (1..=1024).contains(&block.count()) && block.z <= 64);
        block.ok_or_else(|| {
            "a block has 1 to 1024 threads, and at most 64 in z, as in `256` or `16,16`".to_owned()
        })
    }
}

impl Shape {
    /// Blocks in a cluster.
    ///
    /// # Errors
    /// One line that says how to write a cluster.
    pub fn cluster(&self) -> Result<Dim3, String> {
        let cluster = self.dim3().filter(|cluster| (1..=MAX_CLUSTER_BLOCKS).contains(&cluster.count()));
        cluster.ok_or_else(|| format!("a cluster has 1 to {MAX_CLUSTER_BLOCKS} blocks, as in `4` or `2,2`"))
    }

    /// The numbers as they are written; zeros if there are more than three or none.
    pub fn as_written(&self) -> Dim3 {
        self.dim3().unwrap_or_default()
    }
}

impl From<Dim3> for Shape {
    /// With as many numbers as say something.
    fn from(Dim3 { x, y, z }: Dim3) -> Shape {
        match (y, z) {
            (1, 1) => Shape(vec![x]),
            (_, 1) => Shape(vec![x, y]),
            _ => Shape(vec![x, y, z]),
        }
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Shape, String> {
        let sizes: Result<_, _> = text.split(',').map(|size| size.trim().parse()).collect();
        sizes.map(Shape).map_err(|_| SHAPE.to_owned())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(Sizes)
    }
}

struct Sizes;

impl<'de> Visitor<'de> for Sizes {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sizes: {SHAPE}")
    }

    fn visit_u64<E: de::Error>(self, size: u64) -> Result<Shape, E> {
        self.visit_str(&size.to_string())
    }

    fn visit_i64<E: de::Error>(self, size: i64) -> Result<Shape, E> {
        self.visit_str(&size.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Shape, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
        let mut sizes = Vec::new();
        while let Some(size) = list.next_element()? {
            sizes.push(size);
        }
        Ok(Shape(sizes))
    }
}

/// A non-empty range of seeds, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// The first.
    pub start: u64,
    /// One more than the last.
    pub end: u64,
}

impl Seeds {
    /// How many they are.
    pub fn count(self) -> u64 {
        self.end - self.start
    }
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seeds, String> {
        let ends =
            text.split_once("..").and_then(|(start, end)| Some((start.parse().ok()?, end.parse().ok()?)));
        let (start, end) = ends.ok_or("seeds are written `A..B`, as in `0..100`, where B is not included")?;
        if start >= end {
            return Err(
                "this range is empty: A is the first seed, and B is one more than the last".to_owned()
            );
        }
        Ok(Seeds { start, end })
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seeds, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Seeds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Each resident block has registers and shared memory of its own, so their number is limited.
const MAX_RESIDENT_BLOCKS: u32 = 1024;

/// A number of blocks that can be resident.
pub(super) fn residents(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|blocks| (1..=MAX_RESIDENT_BLOCKS).contains(blocks));
    number.ok_or_else(|| format!("1 to {MAX_RESIDENT_BLOCKS} blocks can be resident at the same time"))
}

/// A number of steps.
///
/// # Errors
/// One line that says how to write it.
pub fn steps(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&steps| steps > 0);
    number.ok_or_else(|| "a number of steps is a whole number, at least 1".to_owned())
}

/// An argument as it is passed: a number, a structure, a buffer or the name of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Passed {
    /// What messages call it; empty if it has no name of its own.
    pub name: String,
    /// `i32:5`, `{f32:2, x}`, `buf:f32:1024:iota` or `x`.
    pub is: String,
}

impl FromStr for Passed {
    type Err = String;

    /// Reads `i32:5`, or `n i32:5` with the name of the parameter.
    fn from_str(text: &str) -> Result<Passed, String> {
        let (name, is) = text.split_once(' ').filter(|(name, _)| is_name(name)).unwrap_or(("", text));
        Ok(Passed { name: name.to_owned(), is: is.trim().to_owned() })
    }
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.is)
    }
}

impl<'de> Deserialize<'de> for Passed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Passed, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Named {
            name: String,
            is: String,
        }
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "an argument is written as in `i32:5`, `n i32:5` or `{ name = \"n\", is = \"i32:5\" }`"
        )]
        enum Written {
            Text(String),
            Named(Named),
            Tensor(WrittenTensor),
        }
        match Written::deserialize(deserializer)? {
            Written::Text(text) => text.parse().map_err(de::Error::custom),
            Written::Named(Named { name, is }) => Ok(Passed { name, is }),
            Written::Tensor(tensor) => Ok(Passed { name: String::new(), is: tensor.text() }),
        }
    }
}

/// A tensor map as a table of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTensor {
    tensor_map: String,
    #[serde(rename = "type")]
    ty: String,
    sizes: Vec<u64>,
    strides: Option<Vec<u64>>,
    #[serde(rename = "box")]
    lengths: Vec<u64>,
    element_strides: Option<Vec<u64>>,
    swizzle: Option<u64>,
    l2: Option<u64>,
    fill: Option<String>,
}

impl WrittenTensor {
    /// As it is written on a command line.
    fn text(&self) -> String {
        let mut parts = vec![format!("tensor_map={}", self.tensor_map), format!("type={}", self.ty)];
        for (name, numbers) in [
            ("sizes", Some(&self.sizes)),
            ("strides", self.strides.as_ref()),
            ("box", Some(&self.lengths)),
            ("element_strides", self.element_strides.as_ref()),
        ] {
            let Some(numbers) = numbers else { continue };
            let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
            parts.push(format!("{name}=[{}]", numbers.join(", ")));
        }
        let swizzle = self.swizzle.map(|bytes| bytes.to_string());
        let l2 = self.l2.map(|bytes| bytes.to_string());
        for (name, word) in [("swizzle", swizzle), ("l2", l2), ("fill", self.fill.clone())] {
            parts.extend(word.map(|word| format!("{name}={word}")));
        }
        format!("{{{}}}", parts.join(", "))
    }
}

/// A text with a name: `x=f32:1024:iota`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name, of letters, digits and `_`.
    pub name: String,
    /// `f32:1024:iota`.
    pub is: String,
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        let parts = text.split_once('=').filter(|(name, _)| is_name(name));
        let (name, is) = parts.ok_or("a name and a value are written as in `x=f32:1024:zeros`")?;
        Ok(Named { name: name.to_owned(), is: is.to_owned() })
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.is)
    }
}

/// Texts with names, which are a table in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table(pub Vec<Named>);

impl<'de> Deserialize<'de> for Table {
    /// Reads a table, in the order of its names, because that of a file means nothing.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Table, D::Error> {
        let table = BTreeMap::deserialize(deserializer)?;
        Ok(Table(table.into_iter().map(|(name, is)| Named { name, is }).collect()))
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|Named { name, is }| (name, is)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_up_to_three_sizes() {
        let grid = |text: &str| text.parse::<Shape>().and_then(|shape| shape.grid());
        assert_eq!(grid("4"), Ok(Dim3::new(4, 1, 1)));
        assert_eq!(grid("4,2,3"), Ok(Dim3::new(4, 2, 3)));
        for wrong in ["", "0", "4,", "4,0", "1,1,1,1", "-1", "x", "4294967296"] {
            assert!(grid(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_block_that_no_gpu_has_is_refused() {
        let block = |text: &str| text.parse::<Shape>().and_then(|shape| shape.block());
        assert!(block("32,32").is_ok() && block("1,1,64").is_ok());
        for wrong in ["1025", "33,32", "1,1,65", "2147483648,2147483648,4"] {
            assert!(block(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shapes_are_as_long_as_they_must_be() {
        let shapes = [Dim3::new(4, 1, 1), Dim3::new(4, 2, 1), Dim3::new(4, 1, 3)];
        assert_eq!(shapes.map(|shape| Shape::from(shape).to_string()), ["4", "4,2", "4,1,3"]);
    }

    #[test]
    fn a_range_has_at_least_one_seed() {
        assert_eq!("3..5".parse(), Ok(Seeds { start: 3, end: 5 }));
        for wrong in ["", "5", "5..5", "5..3", "..5", "5..", "0..=5", "-1..5", "0..18446744073709551616"] {
            assert!(wrong.parse::<Seeds>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_argument_may_have_a_name() {
        let passed = |text: &str| text.parse::<Passed>().map(|passed| (passed.name, passed.is)).unwrap();
        let is = |name: &str, is: &str| (name.to_owned(), is.to_owned());
        assert_eq!(passed("x buf:f32:3:list=1, 2, 3"), is("x", "buf:f32:3:list=1, 2, 3"));
        for plain in ["i32:5", "x", "{f32:2, i32:5}", "buf:f32:3:list=1, 2, 3"] {
            assert_eq!(passed(plain), is("", plain));
        }
    }
}
