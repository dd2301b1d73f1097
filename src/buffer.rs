//! Typed arrays on a device.
//!
//! A buffer is a number and a length: the bytes are the machines', and each machine has its own. What it leaves
//! out: views of a part of a buffer, which no chapter has needed.

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
pub struct BufferId(pub(crate) usize);

// Derived, both would ask for the same of `T`.
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

/// What a buffer can hold: the numbers that PTX knows. Nobody else can implement it.
pub trait Element: sealed::Sealed + Copy + PartialEq + Debug + Display + Default + 'static {
    /// Its size.
    const BYTES: usize;
    /// Its bytes, little-endian as on the GPU.
    fn append_to(self, bytes: &mut Vec<u8>);
    /// From [`Element::BYTES`] bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// Its value in double precision: exact for all but the 64-bit integers beyond 2⁵³.
    fn to_f64(self) -> f64;
    /// Whether two are the same bit for bit, which tells +0 from -0 and a NaN from another.
    fn same_bits(self, other: Self) -> bool;
}

macro_rules! element {
    ($($ty:ty),*) => {$(
        impl sealed::Sealed for $ty {}

        impl Element for $ty {
            const BYTES: usize = size_of::<$ty>();

            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                <$ty>::from_le_bytes(bytes.try_into().expect("BYTES bytes"))
            }

            fn to_f64(self) -> f64 {
                self as f64
            }

            fn same_bits(self, other: Self) -> bool {
                self.to_le_bytes() == other.to_le_bytes()
            }
        }
    )*};
}

element!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

/// The bytes of a slice, little-endian.
pub fn to_bytes<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * T::BYTES);
    values.iter().for_each(|value| value.append_to(&mut bytes));
    bytes
}

/// The values that the bytes stand for.
pub fn from_bytes<T: Element>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::BYTES).map(T::from_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip() {
        let values = [1.5_f32, -0.0, f32::NAN];
        let back: Vec<f32> = from_bytes(&to_bytes(&values));
        assert!(values.iter().zip(&back).all(|(a, b)| a.same_bits(*b)));
        assert_eq!(from_bytes::<i64>(&to_bytes(&[i64::MIN])), [i64::MIN]);
    }

    #[test]
    fn bits_tell_zeros_apart() {
        assert!(!0.0_f32.same_bits(-0.0));
        assert!(7_u32.same_bits(7));
    }
}
