//! Local memory: bytes that belong to one lane, one frame after the other.

use super::registers::{Narrow, WARP_SIZE};

/// The largest size in bytes of the local memory of all resident threads: enough for frames of a few KiB in the largest
/// blocks.
pub const MAX_RESIDENT_LOCAL_BYTES: u64 = 1 << 30;

/// The local memory of a warp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Local {
    bytes: Vec<u8>,
    /// How many bytes each lane has.
    lane_bytes: usize,
}

impl Local {
    /// Starts over with `lane_bytes` zeroed bytes a lane.
    pub fn reset(&mut self, lane_bytes: u64) {
        self.lane_bytes = lane_bytes as usize;
        self.bytes.clear();
        self.bytes.resize(self.lane_bytes * WARP_SIZE, 0);
    }

    /// Makes room for `lane_bytes` bytes a lane, keeping what is there.
    pub fn grow(&mut self, lane_bytes: u64) {
        let wanted = lane_bytes as usize;
        if wanted <= self.lane_bytes {
            return;
        }
        let mut bytes = vec![0; wanted * WARP_SIZE];
        for lane in 0..WARP_SIZE {
            let own = &self.bytes[lane * self.lane_bytes..][..self.lane_bytes];
            bytes[lane * wanted..][..self.lane_bytes].copy_from_slice(own);
        }
        (self.bytes, self.lane_bytes) = (bytes, wanted);
    }

    /// How many bytes each lane has.
    pub fn lane_bytes(&self) -> u64 {
        self.lane_bytes as u64
    }

    /// The bytes of one lane.
    pub fn lane(&mut self, lane: usize) -> &mut [u8] {
        &mut self.bytes[lane * self.lane_bytes..][..self.lane_bytes]
    }

    /// The bytes of one lane, read only.
    pub fn of_lane(&self, lane: usize) -> &[u8] {
        &self.bytes[lane * self.lane_bytes..][..self.lane_bytes]
    }

    /// The 32-bit word at `offset` of every lane, which must be inside.
    #[inline(always)]
    pub fn word(&self, offset: usize) -> Narrow {
        std::array::from_fn(|lane| {
            let bytes = &self.bytes[lane * self.lane_bytes + offset..][..4];
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        })
    }

    /// Sets the 32-bit word at `offset`, which must be inside, for the lanes of `mask`.
    #[inline(always)]
    pub fn set_word(&mut self, offset: usize, mask: u32, words: &Narrow) {
        for (lane, word) in words.iter().enumerate() {
            if mask >> lane & 1 != 0 {
                self.bytes[lane * self.lane_bytes + offset..][..4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}
