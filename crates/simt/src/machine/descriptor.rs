//! Descriptors of matrices in shared memory: 64 bits that say where each 16 bytes of a matrix are.
//!
//! ```text
//! bits 0 to 13    the start, in units of 16 bytes
//! bits 16 to 29   the leading distance, in units of 16 bytes
//! bits 32 to 45   the stride, in units of 16 bytes
//! bits 49 to 51   the base offset: where a swizzle begins that does not begin at a multiple of its size
//! bits 62, 63     the swizzle: none, or rows of 128, 64 or 32 bytes
//! ```
//!
//! Elements are neighbours in one direction, that of `k` or, in a transposed matrix, the other one. *Units* of 16 bytes are counted in
//! this direction, *lines* in the other. Eight lines of a row each are an atom. Without a swizzle a row is one unit. A swizzle
//! exchanges the units of each row: bits 4 and up of the address are combined with bits 7 and up by an exclusive or.
//! Left out: what the hardware makes of a base offset was not measured; here it is subtracted from bits 7 and up.
//! Specification: PTX ISA, section 9.7.15.5.1.

/// Bytes of a unit.
pub const UNIT: u64 = 16;

/// Lines of an atom.
const ATOM: u64 = 8;

/// Bits of an address in a descriptor, before it is divided by 16.
const ADDRESS_MASK: u64 = 0x3_ffff;

/// Bits that mean nothing, and have to be zero.
const UNUSED: u64 = !(0x3fff | 0x3fff << 16 | 0x3fff << 32 | 0b111 << 49 | 0b11 << 62);

/// A descriptor, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The first byte, in shared memory.
    pub start: u64,
    leading: u64,
    stride: u64,
    base_offset: u64,
    /// Bytes of a row of an atom.
    row: u64,
}

/// What is wrong with a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Bits are set that mean nothing.
    Unused,
    /// The matrix begins elsewhere than a swizzle: at a multiple of so many bytes.
    Start(u64),
    /// It begins within a row of so many bytes, and goes beyond its end.
    Row(u64),
}

impl Descriptor {
    /// The descriptor with these bits.
    pub fn of(bits: u64) -> Result<Descriptor, Flaw> {
        if bits & UNUSED != 0 {
            return Err(Flaw::Unused);
        }
        let distance = |first: u32| (bits >> first & 0x3fff) * UNIT;
        let row = [16, 128, 64, 32][(bits >> 62) as usize];
        let base_offset = bits >> 49 & 0b111;
        Ok(Descriptor { start: distance(0), leading: distance(16), stride: distance(32), base_offset, row })
    }

    /// Refuses a matrix that does not begin where its swizzle does. It has so many bytes in the direction in which elements are
    /// neighbours. It may begin within a row, as long as it ends there.
    pub fn check(&self, bytes_across: u64) -> Result<(), Flaw> {
        let (inside, size) = (self.start % self.row, self.row * ATOM);
        if self.row == UNIT {
            return Ok(());
        }
        if (self.start - inside) % size != self.base_offset * 128 % size {
            return Err(Flaw::Start(size));
        }
        if inside != 0 && inside + bytes_across > self.row { Err(Flaw::Row(self.row)) } else { Ok(()) }
    }

    /// The address of a unit of a line.
    pub fn address(&self, is_transposed: bool, unit: u64, line: u64) -> u64 {
        let in_row = self.row / UNIT;
        let (atom, line) = (line / ATOM, line % ATOM);
        let offset = match (is_transposed, self.row) {
            (false, UNIT) => atom * self.stride + unit * self.leading,
            (false, _) => atom * self.stride + unit * UNIT,
            (true, UNIT) => atom * self.leading + unit * self.stride,
            (true, _) => atom * self.stride + unit / in_row * self.leading + unit % in_row * UNIT,
        };
        let plain = self.start + offset + line * self.row;
        let swizzle = (plain >> 7).wrapping_sub(self.base_offset) & (in_row - 1);
        (plain ^ swizzle << 4) & ADDRESS_MASK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(start: u64, leading: u64, stride: u64, swizzle: u64) -> Descriptor {
        Descriptor::of(start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62).unwrap()
    }

    #[test]
    fn rows_of_128_bytes_exchange_their_units() {
        let plain = descriptor(0x2000, 16, 1024, 1);
        // The first row stays, the second exchanges neighbours, the eighth is turned round.
        assert_eq!([0, 1].map(|unit| plain.address(false, unit, 0)), [0x2000, 0x2010]);
        assert_eq!([0, 1].map(|unit| plain.address(false, unit, 1)), [0x2090, 0x2080]);
        assert_eq!(plain.address(false, 0, 7), 0x2000 + 7 * 128 + 7 * 16);
        assert_eq!(plain.address(false, 0, 8), 0x2400);
        // The next 32 bytes of the same rows.
        let next = descriptor(0x2020, 16, 1024, 1);
        assert_eq!([0, 1].map(|unit| next.address(false, unit, 1)), [0x20b0, 0x20a0]);
    }

    #[test]
    fn smaller_swizzles_exchange_fewer_units() {
        let four = descriptor(0x400, 0, 512, 2);
        assert_eq!([0, 1, 2, 3].map(|line| four.address(false, 0, line)), [0x400, 0x440, 0x490, 0x4d0]);
        let two = descriptor(0x400, 0, 256, 3);
        assert_eq!([0, 1, 3, 4].map(|line| two.address(false, 0, line)), [0x400, 0x420, 0x460, 0x490]);
    }

    #[test]
    fn without_a_swizzle_atoms_lie_anywhere() {
        let plain = descriptor(0x100, 0x800, 0x80, 0);
        assert_eq!(plain.address(false, 1, 9), 0x100 + 0x800 + 0x80 + 16);
        assert_eq!(plain.address(true, 1, 9), 0x100 + 0x80 + 0x800 + 16);
    }

    #[test]
    fn transposed_rows_go_on_at_the_leading_distance() {
        let wide = descriptor(0, 0x2000, 0x400, 1);
        assert_eq!(wide.address(true, 7, 0), 0x70);
        assert_eq!(wide.address(true, 8, 0), 0x2000);
        assert_eq!(wide.address(true, 9, 8), 0x2410);
    }

    #[test]
    fn what_begins_elsewhere_than_a_swizzle_is_refused() {
        assert_eq!(Descriptor::of(1 << 46), Err(Flaw::Unused));
        assert_eq!(descriptor(0x480, 0, 1024, 1).check(32), Err(Flaw::Start(1024)));
        assert_eq!(descriptor(0x460, 0, 1024, 1).check(32), Ok(()));
        assert_eq!(descriptor(0x470, 0, 1024, 1).check(32), Err(Flaw::Row(128)));
        assert_eq!(descriptor(0x10, 0, 128, 0).check(32), Ok(()));
        let offset = Descriptor::of(0x480 >> 4 | 1 << 49 | 1 << 62).unwrap();
        assert_eq!((offset.check(32), offset.address(false, 1, 0)), (Ok(()), 0x490));
    }
}
