//! `cuTensorMapEncodeTiled`: tensor maps, for host code of all doors.
//!
//! The emulator knows what a map is and what the driver checks ([`simt::TensorMap`]). Here are only the values of the call.
//! What it does with the memory is nobody's access to it, as on a GPU.

use cudac::host::Scalar;
use simt::{TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES, TensorMap, TensorMapError, TensorMapRequest};

use crate::errors::{INVALID_VALUE, NOT_SUPPORTED};
use crate::machine::{Machine, Result};

/// Dimensions of a tensor at most; of others the emulator says what is wrong.
const MOST: u64 = 5;

impl Machine<'_> {
    /// The values are those of the function: where the map goes, type, rank, address, sizes, strides, box, element strides,
    /// interleave, swizzle, promotion, fill.
    pub(crate) fn encode_tensor_map(&mut self, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let [map, rank] = [0, 2].map(at);
        // Of a rank that is refused, nothing is read.
        let count = Some(rank & u64::from(u32::MAX)).filter(|rank| *rank <= MOST).unwrap_or(0);
        let named = [
            (0, "the tensor map"),
            (3, "`globalAddress`"),
            (4, "`globalDim`"),
            (6, "`boxDim`"),
            (7, "`elementStrides`"),
        ];
        let missing = named.into_iter().chain((count > 1).then_some((5, "`globalStrides`")));
        if let Some((_, name)) = missing.into_iter().find(|(nth, _)| at(*nth) == 0) {
            return Ok(self.no_tensor_map(INVALID_VALUE, &format!("{name} is a null pointer")));
        }
        if !map.is_multiple_of(TENSOR_MAP_ALIGN) {
            let message = format!("the address of the tensor map is not a multiple of {TENSOR_MAP_ALIGN}");
            return Ok(self.no_tensor_map(INVALID_VALUE, &message));
        }
        let sizes = self.numbers_at(Scalar::U64, at(4), count)?;
        let strides = self.numbers_at(Scalar::U64, at(5), count.saturating_sub(1))?;
        let lengths = self.numbers_at(Scalar::U32, at(6), count)?;
        let steps = self.numbers_at(Scalar::U32, at(7), count)?;
        let narrow = |numbers: &[u64]| numbers.iter().map(|number| *number as u32).collect::<Vec<_>>();
        let number = |nth: usize| at(nth) as u32;
        let made = TensorMap::encode(&TensorMapRequest {
            element: number(1),
            rank: number(2),
            address: self.device.resolve(at(3)),
            sizes: &sizes,
            strides: &strides,
            lengths: &narrow(&lengths),
            steps: &narrow(&steps),
            interleave: number(8),
            swizzle: number(9),
            promotion: number(10),
            fill: number(11),
        });
        match made {
            Ok(bytes) => self.give(map, &bytes, |_| true).map(|()| 0),
            Err(error) => {
                let code = if error.is_unsupported() { NOT_SUPPORTED } else { INVALID_VALUE };
                Ok(self.no_tensor_map(code, &error.to_string()))
            }
        }
    }

    /// `cuTensorMapReplaceAddress`: where the map is, and the new address of the tensor.
    pub(crate) fn move_tensor_map(&mut self, map: u64, address: u64) -> Result<u64> {
        let bytes: Vec<u8> = self.bytes_of(map, TENSOR_MAP_BYTES as u64)?;
        let address = self.device.resolve(address);
        let moved = bytes.try_into().map_err(|_| TensorMapError::NoMap);
        match moved.and_then(|bytes| TensorMap::moved(&bytes, address)) {
            Ok(bytes) => self.give(map, &bytes, |_| true).map(|()| 0),
            Err(error) => Ok(self.failed(INVALID_VALUE, format!("`cuTensorMapReplaceAddress`: {error}"))),
        }
    }

    /// The error of a function that would make a map of another kind.
    pub(crate) fn other_tensor_map(&mut self, name: &str) -> u64 {
        let message = format!("`{name}` is not supported: only tiled tensor maps are");
        self.failed(NOT_SUPPORTED, message)
    }

    fn no_tensor_map(&mut self, code: u64, message: &str) -> u64 {
        self.failed(code, format!("`cuTensorMapEncodeTiled`: {message}"))
    }

    /// Numbers in the host's memory, one after another.
    fn numbers_at(&mut self, ty: Scalar, address: u64, count: u64) -> Result<Vec<u64>> {
        (0..count).map(|nth| self.load(ty, address.wrapping_add(nth * ty.bytes()))).collect()
    }
}
