//! Elements of memory as registers hold them: a load extends them, a store truncates them.

use crate::isa::op::memory::Access;
use crate::isa::value::Args;
use crate::machine::registers::{Lanes, Slot};

/// Loads the values of one lane from the start of `data`.
#[inline(always)]
pub fn load_lane(lanes: &mut Lanes<'_>, args: &Args, access: &Access, lane: usize, data: &[u8]) {
    let width = access.bytes as usize;
    for (slot, element) in values(args).into_iter().zip(data.chunks_exact(width)).take(access.count as usize)
    {
        let value = extend(element, access);
        match access.register_bits {
            64 => lanes.wide[slot as usize][lane] = value,
            _ => lanes.narrow[slot as usize][lane] = value as u32,
        }
    }
}

/// Replaces the value of an element that a lane has loaded.
pub fn set_element(
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    lane: usize,
    element: usize,
    bytes: [u8; 8],
) {
    let single = Access { count: 1, ..*access };
    let args = Args { d: values(args)[element], ..*args };
    load_lane(lanes, &args, &single, lane, &bytes[..usize::from(access.bytes)]);
}

/// The registers of an access's values.
pub fn values(args: &Args) -> [Slot; 4] {
    [args.d, args.q, args.b, args.c]
}

/// An element as its register holds it: extended to the register's width with zeros or with its sign.
#[inline(always)]
pub fn extend(element: &[u8], access: &Access) -> u64 {
    let value = read_le(element);
    let width = u32::from(access.bytes) * 8;
    if !access.signed || width >= u32::from(access.register_bits) {
        return value;
    }
    let shift = 64 - width;
    let extended = ((value << shift) as i64 >> shift) as u64;
    extended & (u64::MAX >> (64 - u32::from(access.register_bits)))
}

#[inline(always)]
pub fn read_le(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => unreachable!("elements have 1, 2, 4 or 8 bytes"),
    }
}

/// Stores the values of one lane to the start of `data`.
#[inline(always)]
pub fn store_lane(lanes: &Lanes<'_>, args: &Args, access: &Access, lane: usize, data: &mut [u8]) {
    let width = access.bytes as usize;
    let elements = data.chunks_exact_mut(width).take(access.count as usize);
    for (slot, element) in values(args).into_iter().zip(elements) {
        let value = lanes.value(slot, lane, access.register_bits == 64);
        element.copy_from_slice(&value.to_le_bytes()[..width]);
    }
}
