//! Typed arrays on a device.
//!
//! A buffer is only a number and a length. The bytes belong to the machines, and each machine has its own. What it
//! leaves out: views of a part of a buffer, which no chapter has needed.

use std::fmt::{Debug, Display};
use std::marker::PhantomData;

use bytemuck::Pod;

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
pub trait Element: sealed::Sealed + Pod + PartialEq + Debug + Display + Default + Send {
    /// Its size in bytes.
    const BYTES: usize = size_of::<Self>();

    /// The bytes of these values, little-endian as on the GPU.
    fn to_bytes(values: &[Self]) -> Vec<u8> {
        let mut bytes = bytemuck::cast_slice(values).to_vec();
        reorder(&mut bytes, Self::BYTES);
        bytes
    }

    /// The values that these bytes represent.
    fn from_bytes(bytes: &[u8]) -> Vec<Self> {
        let mut values = bytemuck::pod_collect_to_vec(bytes);
        reorder(bytemuck::cast_slice_mut(&mut values), Self::BYTES);
        values
    }

    /// The value in double precision: exact, except for 64-bit integers beyond 2⁵³.
    fn to_double(self) -> f64;
}

/// Turns elements of so many bytes from the order of the host into that of the GPU, or back.
fn reorder(bytes: &mut [u8], size: usize) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}

macro_rules! element {
    ($($ty:ty),*) => {$(
        impl sealed::Sealed for $ty {}

        impl Element for $ty {
            fn to_double(self) -> f64 {
                self as f64
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
