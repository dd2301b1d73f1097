//! Tests of [`super`]: edge cases by hand, and bit fields against a model that works bit by bit.

use crate::isa::testing::{eval, numbers};
use crate::ptx::ast::Type::{self, B32, B64, S32, S64, U32, U64};

#[track_caller]
fn check(opcode: &str, result: Type, sources: &[(Type, u64)], want: u64) {
    let got = eval(opcode, result, sources);
    assert_eq!(got, want, "`{opcode}` of {sources:x?} gave {got:#x}, not {want:#x}");
}

#[test]
fn counts_of_nothing_and_of_everything() {
    for (opcode, of_zero, of_ones) in [
        ("popc.b32", 0, 32),
        ("clz.b32", 32, 0),
        ("bfind.u32", 0xffff_ffff, 31),
        ("bfind.shiftamt.u32", 0xffff_ffff, 0),
    ] {
        check(opcode, U32, &[(B32, 0)], of_zero);
        check(opcode, U32, &[(B32, 0xffff_ffff)], of_ones);
    }
    for (opcode, of_zero, of_ones) in [
        ("popc.b64", 0, 64),
        ("clz.b64", 64, 0),
        ("bfind.u64", 0xffff_ffff, 63),
        ("bfind.shiftamt.u64", 0xffff_ffff, 0),
    ] {
        check(opcode, U32, &[(B64, 0)], of_zero);
        check(opcode, U32, &[(B64, u64::MAX)], of_ones);
    }
    check("brev.b32", B32, &[(B32, 1)], 0x8000_0000);
    check("brev.b64", B64, &[(B64, 0b11)], 0b11 << 62);
}

#[test]
fn bfind_looks_for_the_first_bit_that_is_not_the_sign() {
    check("bfind.u32", U32, &[(U32, 0x0010_0001)], 20);
    check("bfind.shiftamt.u32", U32, &[(U32, 0x0010_0001)], 11);
    check("bfind.s32", U32, &[(S32, 0xffff_ffff)], 0xffff_ffff);
    check("bfind.s32", U32, &[(S32, 0xffff_fffe)], 0);
    check("bfind.s32", U32, &[(S32, 0x8000_0000)], 30);
    check("bfind.shiftamt.s32", U32, &[(S32, 0x8000_0000)], 1);
    check("bfind.s64", U32, &[(S64, 0)], 0xffff_ffff);
    check("bfind.shiftamt.s64", U32, &[(S64, 1)], 63);
}

#[test]
fn fns_counts_from_the_base_in_either_direction() {
    let fns = |mask, base, offset: i32, want| {
        check("fns.b32", B32, &[(B32, mask), (U32, base), (S32, u64::from(offset as u32))], want);
    };
    fns(0xaaaa_aaaa, 3, 1, 3);
    fns(0xaaaa_aaaa, 3, -1, 3);
    fns(0xaaaa_aaaa, 2, 1, 3);
    fns(0xaaaa_aaaa, 2, -1, 1);
    fns(0xaaaa_aaaa, 2, 0, 0xffff_ffff);
    fns(0xaaaa_aaaa, 5, 0, 5);
    fns(0xaaaa_aaaa, 0, 16, 31);
    fns(0xaaaa_aaaa, 0, 17, 0xffff_ffff);
    fns(0xffff_ffff, 31, -32, 0);
    fns(0x7c8d_9eaf, 31, -16, 5);
    fns(0xffff_ffff, 31, 1, 31);
    fns(0xffff_ffff, 31, i32::MIN + 1, 0xffff_ffff);
    // What hardware returns; the specification does not say.
    fns(0xffff_ffff, 31, i32::MIN, 0);
    fns(0, 32, i32::MIN, 0);
    fns(0xffff_ffff, 32, 0, 0xffff_ffff);
}

#[test]
fn fns_is_a_walk_from_bit_to_bit() {
    for (mask, seed) in numbers().zip(numbers().skip(3)).take(2_000) {
        let (mask, base, offset) = (mask as u32, seed as u32 % 32, (seed >> 8) as i32 % 20);
        let step = if offset < 0 { -1 } else { 1 };
        let walk = std::iter::successors(Some(base as i32), |pos| Some(pos + step));
        let mut set = walk.take_while(|pos| (0..32).contains(pos)).filter(|pos| mask >> pos & 1 != 0);
        let found = match offset {
            0 => set.next().filter(|&pos| pos == base as i32),
            _ => set.nth(offset.unsigned_abs() as usize - 1),
        };
        let want = u64::from(found.map_or(u32::MAX, |pos| pos as u32));
        let sources = [(B32, mask.into()), (U32, base.into()), (S32, u64::from(offset as u32))];
        check("fns.b32", B32, &sources, want);
    }
}

/// A position or a length: 8 bits in 32-bit instructions, all bits in 64-bit ones.
fn place(bits: u32, width: u32) -> u64 {
    u64::from(if width == 32 { bits & 0xff } else { bits })
}

/// `bfe` as the specification defines it, bit by bit.
fn bfe_model(a: u64, pos: u32, len: u32, width: u32, signed: bool) -> u64 {
    let (pos, len, msb) = (place(pos, width), place(len, width), u64::from(width) - 1);
    let sign = if !signed || len == 0 { 0 } else { a >> (pos + len - 1).min(msb) & 1 };
    let bit = |i| if i < len && pos + i <= msb { a >> (pos + i) & 1 } else { sign };
    (0..u64::from(width)).fold(0, |d, i| d | bit(i) << i)
}

fn bfi_model(a: u64, b: u64, pos: u32, len: u32, width: u32) -> u64 {
    let (pos, len) = (place(pos, width), place(len, width));
    let inside = (0..len).take_while(|i| pos + i < u64::from(width));
    inside.fold(b, |d, i| d & !(1 << (pos + i)) | (a >> i & 1) << (pos + i))
}

#[test]
fn fields_are_cut_and_filled_bit_by_bit() {
    let edges = [0, 1, 7, 31, 32, 33, 63, 64, 65, 255, 256, 0x104, 0x1_0001, u32::MAX];
    for (a, b) in numbers().zip(numbers().skip(5)).take(12) {
        for (pos, len) in edges.iter().flat_map(|&pos| edges.map(|len| (pos, len))) {
            let field = [(U32, u64::from(pos)), (U32, u64::from(len))];
            let (low_a, low_b) = (a & 0xffff_ffff, b & 0xffff_ffff);
            let extract = |opcode, ty, a, width, signed| {
                check(opcode, ty, &[(ty, a), field[0], field[1]], bfe_model(a, pos, len, width, signed));
            };
            extract("bfe.u32", U32, low_a, 32, false);
            extract("bfe.s32", S32, low_a, 32, true);
            extract("bfe.u64", U64, a, 64, false);
            extract("bfe.s64", S64, a, 64, true);
            let insert = |opcode, ty, a, b, width| {
                check(opcode, ty, &[(ty, a), (ty, b), field[0], field[1]], bfi_model(a, b, pos, len, width));
            };
            insert("bfi.b32", B32, low_a, low_b, 32);
            insert("bfi.b64", B64, a, b, 64);
        }
    }
}

#[test]
fn extension_and_masks_clamp_or_wrap() {
    let szext = |opcode, ty, a, len, want| check(opcode, ty, &[(ty, a), (U32, len)], want);
    szext("szext.clamp.s32", S32, 0xff, 8, 0xffff_ffff);
    szext("szext.clamp.u32", U32, 0xffff_ffff, 8, 0xff);
    szext("szext.clamp.s32", S32, 0xff, 0, 0);
    szext("szext.clamp.s32", S32, 0x1234_5678, 32, 0x1234_5678);
    szext("szext.clamp.u32", U32, 0x1234_5678, 99, 0x1234_5678);
    szext("szext.wrap.s32", S32, 0x1234_5678, 32, 0);
    szext("szext.wrap.s32", S32, 0x1234_5688, 40, 0xffff_ff88);
    let bmsk = |opcode, pos, len, want| check(opcode, B32, &[(U32, pos), (U32, len)], want);
    bmsk("bmsk.clamp.b32", 1, 2, 0b110);
    bmsk("bmsk.clamp.b32", 4, 0, 0);
    bmsk("bmsk.clamp.b32", 4, 40, 0xffff_fff0);
    bmsk("bmsk.clamp.b32", 32, 4, 0);
    bmsk("bmsk.clamp.b32", 30, 4, 0xc000_0000);
    bmsk("bmsk.wrap.b32", 33, 2, 0b110);
    bmsk("bmsk.wrap.b32", 1, 32, 0);
    bmsk("bmsk.wrap.b32", 30, 4, 0xc000_0000);
}
