// Operands of matrix products, made from numbers: `crates/simt/tests/mma.rs` makes the same ones.
//
// Each kind of operands is meant to show something: infinities, ties, cancellation, subnormals.

#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

enum Format { F16, BF16, TF32, F32, F64, X8, X4, S32, E4M3, E5M2 };

__device__ u64 mixed(u64 z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// A floating-point number of a kind, with so many bits of exponent and of mantissa.
__device__ u64 number(int exponent_bits, int mantissa_bits, bool accumulates, int kind, u64 r) {
    u64 top = (1ull << exponent_bits) - 1, bias = top >> 1, mantissa = r & ((1ull << mantissa_bits) - 1), exponent = 0;
    u64 sign = r >> 63, drawn = r >> 40 & 0x7fff, few = mantissa & ~((1ull << (mantissa_bits - 2)) - 1);
    bool is_wide = accumulates && exponent_bits >= 8;
    switch (kind) {
        // Any bits; but a double is zero.
        case 0: return exponent_bits == 11 ? 0 : r & ((1ull << (1 + exponent_bits + mantissa_bits)) - 1);
        case 1: exponent = bias - 4 + drawn % 8; break;
        case 2: exponent = 1 + drawn % (top - 1); break;
        case 3: exponent = bias - 1 + drawn % 3; mantissa = few; break;
        case 4: exponent = drawn % 3; break;
        case 5:
            if ((r >> 56 & 3) < (is_wide ? 1 : 3)) { mantissa = 0; break; }
            exponent = is_wide ? bias - 24 + drawn % 48 : bias - 12 + drawn % 24;
            break;
        case 6:
            exponent = bias - 4 + drawn % 8;
            if ((r >> 55 & 63) == 0) { exponent = top; if (r >> 61 & 1) mantissa = 0; }
            break;
        case 7: exponent = is_wide ? bias - 28 + drawn % 56 : bias - 14 + drawn % 28; break;
        // Products below all numbers of single precision, or just above them.
        case 9:
            if (is_wide && (r >> 56 & 3)) { mantissa = 0; break; }
            exponent = is_wide ? drawn % 3 : exponent_bits < 8 ? drawn % 6 : bias - 66 - drawn % 12;
            if (r >> 58 & 1) mantissa = few;
            break;
        default: exponent = is_wide ? drawn % 24 : bias / 2 - 4 + drawn % 16; break;
    }
    return sign << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa;
}

// An integer of a kind: any, or often one of the ends.
__device__ u64 whole(int bits, int kind, u64 r) {
    u64 all = (1ull << bits) - 1, top = 1ull << (bits - 1);
    if (kind == 0 || (r >> 40 & 3) == 0) return r & all;
    if (bits == 32) return (r >> 40 & 1) ? top - 1 - (r & 0xfff) : top + (r & 0xfff);
    u64 ends[] = {top, top - 1, all};
    return ends[(r >> 40 & 3) - 1];
}

__device__ u64 element(Format format, bool accumulates, int kind, u64 r) {
    switch (format) {
        case F16: return number(5, 10, accumulates, kind, r);
        case BF16: return number(8, 7, accumulates, kind, r);
        // The bits that the format does not have are there in the register, and are not zero.
        case TF32: return number(8, 10, accumulates, kind, r) << 13 | (r >> 20 & 0x1fff);
        case F32: return number(8, 23, accumulates, kind, r);
        case F64: return number(11, 52, accumulates, kind, r);
        case E4M3: return number(4, 3, accumulates, kind, r);
        case E5M2: return number(5, 2, accumulates, kind, r);
        case X8: return whole(8, kind, r);
        case X4: return whole(4, kind, r);
        default: return whole(32, kind, r);
    }
}

__device__ int width(Format format) {
    return format == F64 ? 64 : format == X8 || format == E4M3 || format == E5M2 ? 8 : format == X4 ? 4 : format == F16 || format == BF16 ? 16 : 32;
}

// A register of operand 0, 1 or 2 of product `index`.
template <class Word>
__device__ Word word(Format format, int operand, int kind, u64 index, u32 lane, int reg) {
    int bits = width(format);
    u64 value = 0;
    for (int place = 0; place * bits < (int)sizeof(Word) * 8; ++place) {
        u64 key = (u64)kind << 60 | index << 24 | (u64)operand << 20 | lane << 12 | reg << 8 | place;
        value |= element(format, operand == 2, kind, mixed(key)) << (place * bits);
    }
    return (Word)value;
}
