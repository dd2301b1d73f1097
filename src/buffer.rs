//! Typed arrays on a device.
//!
//! A buffer is only a number and a length. The bytes belong to the machines, and each machine has its own. What it
//! leaves out: views of a part of a buffer, which no chapter has needed.

use std::fmt::{Debug, Display};
use std::marker::PhantomData;

/// An array of `T` in the global memory of every machine of a device.
#[derive(Debug, PartialEq, Eq)]
pub struct Buffer<T> {
    pub(crate) id: BufferId,
    len: usize,
    element: PhantomData<T>,
}

/// The number of a buffer, the same on every machine of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub usize);

// The derived ones would require `Clone` and `Copy` of `T`.
impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Buffer<T> {}

impl<T> Buffer<T> {
    pub(crate) fn new(id: BufferId, len: usize) -> Buffer<T> {
        Buffer { id, len, element: PhantomData }
    }

    /// How many elements it has.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether it has no element.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The element types of a buffer: the numbers that PTX knows. The trait is sealed.
///
/// Conversions take whole slices, so that their loops are compiled here, with optimisation, and not in a chapter.
pub trait Element: sealed::Sealed + Copy + PartialEq + Debug + Display + Default + Send + 'static {
    /// Its size in bytes.
    const BYTES: usize;
    /// The bytes of these values, little-endian as on the GPU.
    fn to_bytes(values: &[Self]) -> Vec<u8>;
    /// The values that these bytes represent.
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
    /// The values in double precision: exact, except for 64-bit integers beyond 2⁵³.
    fn to_doubles(values: &[Self]) -> Vec<f64>;
}

macro_rules! element {
    ($($ty:ty),*) => {$(
        impl sealed::Sealed for $ty {}

        impl Element for $ty {
            const BYTES: usize = size_of::<$ty>();

            fn to_bytes(values: &[Self]) -> Vec<u8> {
                values.iter().flat_map(|value| value.to_le_bytes()).collect()
            }

            fn from_bytes(bytes: &[u8]) -> Vec<Self> {
                let chunks = bytes.chunks_exact(Self::BYTES);
                chunks.map(|chunk| <$ty>::from_le_bytes(chunk.try_into().expect("BYTES bytes"))).collect()
            }

            fn to_doubles(values: &[Self]) -> Vec<f64> {
                values.iter().map(|&value| value as f64).collect()
            }
        }
    )*};
}

element!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip() {
        let bytes = f32::to_bytes(&[1.5, -0.0]);
        assert_eq!(bytes, [0, 0, 0xc0, 0x3f, 0, 0, 0, 0x80]);
        assert_eq!(f32::from_bytes(&bytes), [1.5, 0.0]);
        assert_eq!(i64::from_bytes(&i64::to_bytes(&[i64::MIN])), [i64::MIN]);
    }
}
