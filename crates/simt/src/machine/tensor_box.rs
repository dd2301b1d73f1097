//! The box that a tensor copy moves: which bytes of global memory it consists of, and where they are in shared memory.
//!
//! While it is under way, a box is kept in the order of its elements. Rows that lie outside the tensor are not in global memory:
//! a copy to shared memory fills them, and one to global memory drops them. A swizzle exchanges chunks within lines of 128 bytes,
//! by their address in shared memory and not by their place in the box.

use std::sync::Arc;

use super::bulk::{Area, Reached, Reduction, bytes_of, write};
use super::global::Global;
use super::tensor_map::{BOX_ALIGN, CHUNK, Swizzle};

/// A box of a tensor, without the place in shared memory.
#[derive(Clone, Debug)]
pub struct TensorBox {
    /// All its bytes, those outside the tensor included.
    pub bytes: u64,
    /// What lies in the tensor, by the offset in the box, in the order of these.
    pub rows: Vec<(u64, Area)>,
    /// How its chunks lie in shared memory.
    pub swizzle: Swizzle,
    /// An element outside the tensor, and its bytes.
    pub filler: (u64, u8),
    /// Whether a copy to shared memory rounds what lies in the tensor to tf32.
    pub rounds: bool,
    /// The map itself, if it is in global memory.
    pub map: Option<Area>,
}

/// A box with its place in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'b> {
    /// The box.
    pub tensor: &'b TensorBox,
    /// The offset of its first byte in shared memory.
    pub shared: u64,
}

impl TensorBox {
    /// Bytes of shared memory from the first of the box to the last that a swizzle may use.
    pub fn span(&self) -> u64 {
        if self.swizzle == Swizzle::None { self.bytes } else { self.bytes.next_multiple_of(BOX_ALIGN) }
    }

    /// What there is of it in global memory.
    pub fn areas(&self) -> Vec<Area> {
        self.rows.iter().map(|(_, area)| *area).collect()
    }

    /// Reads the box from global memory, and fills what lies outside the tensor.
    pub fn gather(&self, global: &mut Global) -> Vec<u8> {
        let (filler, bytes) = self.filler;
        let element = &filler.to_le_bytes()[..usize::from(bytes)];
        let mut data: Vec<u8> = element.iter().copied().cycle().take(self.bytes as usize).collect();
        for (at, area) in &self.rows {
            let mut row = bytes_of(area, &[], global);
            if self.rounds {
                row.chunks_exact_mut(4).for_each(round);
            }
            data[*at as usize..][..row.len()].copy_from_slice(&row);
        }
        data
    }

    /// Writes what lies in the tensor to global memory.
    pub fn scatter(&self, data: &[u8], reduction: Option<Reduction>, global: &mut Global) {
        for (at, area) in &self.rows {
            write(area, &data[*at as usize..][..area.bytes as usize], reduction, &mut [], global);
        }
    }
}

impl Placed<'_> {
    /// Where the bytes from an offset in the box on are in shared memory, piece by piece.
    fn pieces(self, at: u64, bytes: u64) -> Vec<Area> {
        let Placed { tensor, shared } = self;
        let piece = |offset, bytes| Area { memory: Reached::Shared, offset, bytes };
        if tensor.swizzle == Swizzle::None {
            return vec![piece(shared + at, bytes)];
        }
        let (mut pieces, mut next, end) = (Vec::new(), at, at + bytes);
        while next < end {
            let until = end.min((next / CHUNK + 1) * CHUNK);
            pieces.push(piece(tensor.swizzle.applied(shared + next), until - next));
            next = until;
        }
        pieces
    }

    /// The bytes of shared memory that a copy to it writes: all of the box.
    pub fn written(self) -> Vec<Area> {
        let Placed { tensor, shared } = self;
        // As long as lines are full, a swizzle moves nothing out of them.
        if tensor.span() == tensor.bytes {
            return vec![Area { memory: Reached::Shared, offset: shared, bytes: tensor.bytes }];
        }
        self.pieces(0, tensor.bytes)
    }

    /// The bytes of shared memory that a copy from it reads and does not drop.
    pub fn read(self) -> Vec<Area> {
        let mut areas: Vec<Area> = Vec::new();
        let rows = self.tensor.rows.iter().flat_map(|(at, area)| self.pieces(*at, area.bytes));
        for area in rows {
            match areas.last_mut() {
                Some(last) if last.offset + last.bytes == area.offset => last.bytes += area.bytes,
                _ => areas.push(area),
            }
        }
        areas
    }

    /// Takes the box out of shared memory.
    pub fn take(self, memory: &[u8]) -> Vec<u8> {
        let pieces = self.pieces(0, self.tensor.bytes);
        pieces
            .iter()
            .flat_map(|area| &memory[area.offset as usize..][..area.bytes as usize])
            .copied()
            .collect()
    }

    /// Puts the box into shared memory.
    pub fn put(self, mut data: &[u8], memory: &mut [u8]) {
        for area in self.pieces(0, self.tensor.bytes) {
            let (piece, left) = data.split_at(area.bytes as usize);
            memory[area.offset as usize..][..piece.len()].copy_from_slice(piece);
            data = left;
        }
    }
}

/// Rounds a float to the nearest tf32, a tie to the even one. A NaN is always the same.
fn round(float: &mut [u8]) {
    let bits = float.iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte));
    let (magnitude, infinity) = (bits & 0x7fff_ffff, 0x7f80_0000);
    let rounded = match magnitude {
        _ if magnitude > infinity => 0x7fff_e000,
        _ if magnitude == infinity => bits,
        _ => (bits + 0xfff + (bits >> 13 & 1)) & !0x1fff,
    };
    float.copy_from_slice(&rounded.to_le_bytes());
}

/// The box of a copy, shared by the copies to several blocks.
pub type SharedBox = Arc<TensorBox>;

#[cfg(test)]
mod tests {
    use super::*;

    fn with_rows(swizzle: Swizzle, bytes: u64, rows: &[(u64, u64)]) -> TensorBox {
        let area = |bytes| Area { memory: Reached::Global(0), offset: 0, bytes };
        let rows = rows.iter().map(|&(at, bytes)| (at, area(bytes))).collect();
        TensorBox { bytes, rows, swizzle, filler: (0, 4), rounds: false, map: None }
    }

    #[test]
    fn a_box_comes_back_as_it_was_put() {
        for (swizzle, bytes) in
            [(Swizzle::None, 80), (Swizzle::In32, 96), (Swizzle::In64, 384), (Swizzle::In128, 1024)]
        {
            let tensor = with_rows(swizzle, bytes, &[]);
            let placed = Placed { tensor: &tensor, shared: 384 };
            let data: Vec<u8> = (0..bytes).map(|byte| byte as u8).collect();
            let mut memory = vec![0; 2048];
            placed.put(&data, &mut memory);
            assert_eq!(placed.take(&memory), data, "{swizzle:?}");
        }
    }

    /// As an H200 rounds.
    #[test]
    fn floats_are_rounded_to_tf32() {
        for (float, rounded) in [
            (0x3f80_0fff_u32, 0x3f80_0000_u32),
            (0x3f80_1000, 0x3f80_0000),
            (0x3f80_1001, 0x3f80_2000),
            (0xbf80_3000, 0xbf80_4000),
            (0x007f_ffff, 0x0080_0000),
            (0x8000_0001, 0x8000_0000),
            (0x7f7f_ffff, 0x7f80_0000),
            (0xff80_0000, 0xff80_0000),
            (0xff80_0001, 0x7fff_e000),
        ] {
            let mut bytes = float.to_le_bytes();
            round(&mut bytes);
            assert_eq!(u32::from_le_bytes(bytes), rounded, "{float:x}");
        }
    }

    #[test]
    fn a_copy_reads_only_what_lies_in_the_tensor() {
        let area = |offset, bytes| Area { memory: Reached::Shared, offset, bytes };
        let tensor = with_rows(Swizzle::None, 64, &[(0, 16), (16, 8), (32, 4)]);
        assert_eq!(Placed { tensor: &tensor, shared: 128 }.read(), [area(128, 24), area(160, 4)]);
        let tensor = with_rows(Swizzle::In128, 256, &[(128, 20)]);
        assert_eq!(Placed { tensor: &tensor, shared: 0 }.read(), [area(144, 16), area(128, 4)]);
        assert_eq!(Placed { tensor: &tensor, shared: 0 }.written(), [area(0, 256)]);
    }
}
