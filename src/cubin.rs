//! Machine code of a GPU that is whole: a file in ELF whose parts all lie in it.
//!
//! The driver is given the address of machine code and not its length, which it takes from the code itself. What it
//! leaves out: the instructions.

use anyhow::{Result, bail};

/// Machine code, all of which is there.
#[derive(Clone, Copy, Debug)]
pub struct Cubin<'a> {
    bytes: &'a [u8],
}

/// The size of ELF's header, and of its descriptions of segments and of sections.
const HEADER: usize = 64;
const SEGMENT: u64 = 56;
const SECTION: u64 = 64;
/// A section that takes no place in the file, and one of names, which end in zeros.
const NO_BITS: u64 = 8;
const NAMES: u64 = 3;

impl<'a> Cubin<'a> {
    /// Checks that what this describes is in it.
    ///
    /// # Errors
    /// If it is no machine code of a GPU, or if a part of it is missing.
    pub fn new(bytes: &'a [u8]) -> Result<Cubin<'a>> {
        let file = File { bytes };
        if bytes.len() < HEADER || !bytes.starts_with(b"\x7fELF\x02\x01") || file.number(18, 2) != Some(190) {
            bail!("this is no machine code of a GPU: name a file that `ptxas` has written");
        }
        if file.parts_are_there() == Some(true) {
            return Ok(Cubin { bytes });
        }
        bail!("a part of the machine code is missing: write it again");
    }

    /// The bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }
}

struct File<'a> {
    bytes: &'a [u8],
}

impl File<'_> {
    fn number(&self, at: u64, length: u64) -> Option<u64> {
        let bytes = self.part(at, length)?;
        Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn part(&self, at: u64, length: u64) -> Option<&[u8]> {
        let end = usize::try_from(at.checked_add(length)?).ok()?;
        self.bytes.get(usize::try_from(at).ok()?..end)
    }

    /// Whether the parts that the segments and sections describe are there; `None` if a description is not.
    fn parts_are_there(&self) -> Option<bool> {
        let (segments, sections) = (self.table(32, 54, SEGMENT)?, self.table(40, 58, SECTION)?);
        for at in segments {
            self.part(self.number(at + 8, 8)?, self.number(at + 32, 8)?)?;
        }
        for at in sections {
            let kind = self.number(at + 4, 4)?;
            if kind != NO_BITS {
                let part = self.part(self.number(at + 24, 8)?, self.number(at + 32, 8)?)?;
                if kind == NAMES && part.last().is_some_and(|&last| last != 0) {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// Where the descriptions of a table are, which the header says at `address` and `sizes`.
    fn table(&self, address: u64, sizes: u64, size: u64) -> Option<impl Iterator<Item = u64> + use<>> {
        let (first, count) = (self.number(address, 8)?, self.number(sizes + 2, 2)?);
        if count > 0 && self.number(sizes, 2)? != size {
            return None;
        }
        self.part(first, count * size)?;
        Some((0..count).map(move |nth| first + nth * size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(bytes: &mut [u8], at: usize, number: u64, length: usize) {
        bytes[at..at + length].copy_from_slice(&number.to_le_bytes()[..length]);
    }

    /// A header, one segment, and three sections: none, names, and one without a place in the file.
    fn whole() -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56 + 3 * 64 + 8];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        for (at, number, length) in [
            (18, 190, 2),
            (32, 64, 8),
            (54, 56, 2),
            (56, 1, 2),
            (40, 120, 8),
            (58, 64, 2),
            (60, 3, 2),
            (62, 1, 2),
        ] {
            put(&mut bytes, at, number, length);
        }
        let (segment, names, absent) = (64, 120 + 64, 120 + 128);
        for (at, number) in [(segment + 8, 64), (segment + 32, 100), (names + 24, 312), (names + 32, 8)] {
            put(&mut bytes, at, number, 8);
        }
        put(&mut bytes, names + 4, NAMES, 4);
        put(&mut bytes, absent + 4, NO_BITS, 4);
        put(&mut bytes, absent + 32, 1 << 40, 8);
        bytes
    }

    #[test]
    fn machine_code_is_all_there_or_refused() {
        let whole = whole();
        assert_eq!(Cubin::new(&whole).unwrap().bytes(), whole);
        for length in 0..whole.len() {
            assert!(Cubin::new(&whole[..length]).is_err(), "{length} bytes");
        }
        for other in [&b""[..], b"\x7fELF", &[0; 64], b".version 8.0\n.target sm_70\n"] {
            assert!(Cubin::new(other).unwrap_err().to_string().contains("no machine code"));
        }
    }

    #[test]
    fn what_leads_outside_is_refused() {
        for (at, length) in
            [(32, 8), (40, 8), (56, 2), (60, 2), (54, 2), (58, 2), (72, 8), (96, 8), (208, 8), (216, 8)]
        {
            for number in [u64::MAX, u64::MAX / 2, (1 << 40) + 50_000, 60_000] {
                let mut bytes = whole();
                put(&mut bytes, at, number, length);
                let refused = Cubin::new(&bytes);
                assert!(refused.is_err(), "{number} at {at}");
            }
        }
        let mut bytes = whole();
        *bytes.last_mut().unwrap() = 1;
        assert!(Cubin::new(&bytes).unwrap_err().to_string().contains("a part"), "a name without an end");
    }
}
