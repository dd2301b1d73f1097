//! Tensor maps: how a tensor lies in global memory, which box of it a copy moves, and how the box lies in shared memory.
//!
//! A tensor map is 128 bytes that only a driver makes and only copies read, so what is in them is ours: a mark, by which
//! other bytes are told from a map, and the fields one after another. All doors make them with [`TensorMap::encode`], which checks
//! what the documentation of `cuTensorMapEncodeTiled` asks of targets of `sm_90`. [`TensorMap::decode`] checks the same again,
//! because a kernel may replace fields.
//!
//! Dimension 0 is that of the neighbours in memory. Strides that do not grow are taken, as drivers take them. Left out, and refused
//! by name: interleaved layouts, and what only `sm_100` has. What copies do with elements of `TFLOAT32` and `…_FTZ` is what an H200 does:
//! copies to shared memory round the former, and sums in global memory flush the latter.
//! Specification: CUDA driver API, section 6.30; PTX ISA, section 5.5.

use std::fmt;

use crate::ptx::ast::Type;

/// Bytes of a tensor map.
pub const TENSOR_MAP_BYTES: usize = 128;
/// What the address of a tensor map is a multiple of, in bytes.
pub const TENSOR_MAP_ALIGN: u64 = 64;
/// Dimensions of a tensor at most.
pub const MAX_RANK: usize = 5;
/// What the address of a box in shared memory is a multiple of, in bytes.
pub const BOX_ALIGN: u64 = 128;
/// Bytes that a swizzle moves together.
pub const CHUNK: u64 = 16;

/// The first bytes of each map.
const MARK: [u8; 8] = *b"tensor\x1a\x01";
const MAX_BOX: u32 = 256;
const MAX_STEP: u32 = 8;
const MAX_SIZE: u64 = 1 << 32;
const MAX_STRIDE: u64 = 1 << 40;

/// What a caller asks of `cuTensorMapEncodeTiled`: numbers as CUDA has them. The slices have as many values as they need for
/// the rank; more are not looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct TensorMapRequest<'r> {
    /// `CUtensorMapDataType`.
    pub element: u32,
    /// How many dimensions the tensor has.
    pub rank: u32,
    /// The address of its first element.
    pub address: u64,
    /// Elements in each dimension.
    pub sizes: &'r [u64],
    /// Bytes from one element to the next in each dimension but the first.
    pub strides: &'r [u64],
    /// Elements of a box in each dimension.
    pub lengths: &'r [u32],
    /// In each dimension, of how many elements of the box one is copied.
    pub steps: &'r [u32],
    /// `CUtensorMapInterleave`.
    pub interleave: u32,
    /// `CUtensorMapSwizzle`.
    pub swizzle: u32,
    /// `CUtensorMapL2promotion`.
    pub promotion: u32,
    /// `CUtensorMapFloatOOBfill`.
    pub fill: u32,
}

/// A tensor map that copies can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The type of an element.
    pub element: Type,
    /// How many dimensions the tensor has.
    pub rank: usize,
    /// How the chunks of a box lie in shared memory.
    pub swizzle: Swizzle,
    /// Whether elements outside the tensor are NaN; otherwise they are zero.
    pub fills_nan: bool,
    /// Whether copies to shared memory round elements to tf32.
    pub rounds: bool,
    /// Whether sums take subnormal numbers for zeros.
    pub flushes: bool,
    /// Where the tensor begins in global memory.
    pub address: u64,
    sizes: [u64; MAX_RANK],
    /// Also that of dimension 0, which is the size of an element.
    strides: [u64; MAX_RANK],
    lengths: [u32; MAX_RANK],
    steps: [u32; MAX_RANK],
}

/// How chunks of 16 bytes lie in lines of 128 bytes of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzle {
    /// One after another.
    None,
    /// Exchanged within 32 bytes.
    In32,
    /// Exchanged within 64 bytes.
    In64,
    /// Exchanged within 128 bytes.
    In128,
}

impl Swizzle {
    fn of(number: u32) -> Option<Swizzle> {
        [Swizzle::None, Swizzle::In32, Swizzle::In64, Swizzle::In128].get(number as usize).copied()
    }

    /// Bytes within which chunks are exchanged.
    fn width(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::In32 => Some(32),
            Swizzle::In64 => Some(64),
            Swizzle::In128 => Some(128),
        }
    }

    /// Where a byte is in shared memory that would be at `address` without a swizzle: the number of its chunk in the line is
    /// combined with the number of the line.
    pub fn applied(self, address: u64) -> u64 {
        let chunks = match self {
            Swizzle::None => 0,
            Swizzle::In32 => 0x10,
            Swizzle::In64 => 0x30,
            Swizzle::In128 => 0x70,
        };
        address ^ (address >> 3 & chunks)
    }
}

/// Neighbours in dimension 0 that a box and its tensor have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxRow {
    /// The offset of the first one in the box, in bytes, before any swizzle.
    pub at: u64,
    /// Its address in global memory.
    pub address: u64,
    /// Bytes of all.
    pub bytes: u64,
}

/// Why there is no tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TensorMapError {
    /// The bytes are no tensor map.
    NoMap,
    /// `CUtensorMapDataType` has no such number.
    Element(u32),
    /// A type that is not supported.
    UnsupportedElement(u32),
    /// A rank that is not from 1 to 5.
    Rank(u32),
    /// An address that is not a multiple of 16.
    Address(u64),
    /// A size that is not from 1 to 2³².
    Size(usize, u64),
    /// A stride that is not a multiple of 16 below 2⁴⁰.
    Stride(usize, u64),
    /// A box that is not from 1 to 256 elements long.
    Length(usize, u32),
    /// Rows of a box whose size in bytes is not a multiple of 16.
    RowBytes(u64),
    /// A step that is not from 1 to 8.
    Step(usize, u32),
    /// `CUtensorMapInterleave` has no such number.
    Interleave(u32),
    /// Interleaved layouts are not supported.
    Interleaved,
    /// `CUtensorMapSwizzle` has no such number.
    Swizzle(u32),
    /// A swizzle that needs `sm_100`.
    NewSwizzle(u32),
    /// Rows of a box that have more bytes than the swizzle is wide.
    RowBeyondSwizzle(u64, u64),
    /// `CUtensorMapL2promotion` has no such number.
    Promotion(u32),
    /// `CUtensorMapFloatOOBfill` has no such number.
    Fill(u32),
    /// Numbers that have no NaN are to be filled with it.
    NanOfIntegers,
    /// Fewer sizes, strides, lengths or steps than the rank needs.
    TooFew,
}

impl TensorMapError {
    /// Whether a GPU of `sm_90` may take what is refused here.
    pub fn is_unsupported(self) -> bool {
        use TensorMapError::{Interleaved, NewSwizzle, UnsupportedElement};
        matches!(self, Interleaved | UnsupportedElement(_) | NewSwizzle(_))
    }
}

impl std::error::Error for TensorMapError {}

impl fmt::Display for TensorMapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use TensorMapError as E;
        match *self {
            E::NoMap => write!(f, "the bytes are no tensor map: `cuTensorMapEncodeTiled` makes them"),
            E::Element(number) => write!(f, "there is no type of elements {number}"),
            E::UnsupportedElement(number) => write!(
                f,
                "elements of type `{}` are not supported: `sm_90` does not have them",
                ELEMENTS.get(number as usize).map_or("", |(name, _)| name)
            ),
            E::Rank(rank) => write!(f, "the rank of a tensor is from 1 to {MAX_RANK}, not {rank}"),
            E::Address(address) => {
                write!(f, "the address {address:#x} of the tensor is not a multiple of 16 bytes")
            }
            E::Size(d, size) => write!(f, "size {d} of the tensor is {size}, and has to be from 1 to 2^32"),
            E::Stride(d, stride) => {
                write!(
                    f,
                    "stride {d} of the tensor is {stride} bytes, and has to be a multiple of 16 below 2^40"
                )
            }
            E::Length(d, length) => {
                write!(f, "the box has {length} elements in dimension {d}, and may have from 1 to {MAX_BOX}")
            }
            E::RowBytes(bytes) => {
                write!(f, "a row of the box has {bytes} bytes, and has to have a multiple of 16")
            }
            E::Step(d, step) => write!(f, "element stride {d} is {step}, and has to be from 1 to {MAX_STEP}"),
            E::Interleave(number) => write!(f, "there is no interleave {number}"),
            E::Interleaved => {
                write!(f, "interleaved layouts are not supported; use `CU_TENSOR_MAP_INTERLEAVE_NONE`")
            }
            E::Swizzle(number) => write!(f, "there is no swizzle {number}"),
            E::NewSwizzle(number) => {
                write!(f, "swizzle {number} needs sm_100; sm_90 has swizzles of 32, 64 and 128 bytes")
            }
            E::RowBeyondSwizzle(bytes, width) => {
                write!(
                    f,
                    "a row of the box has {bytes} bytes, and may have {width} at most with this swizzle"
                )
            }
            E::Promotion(number) => write!(f, "there is no promotion of L2 {number}"),
            E::Fill(number) => write!(f, "there is no fill {number}"),
            E::NanOfIntegers => write!(f, "only elements of floating-point types can be filled with NaN"),
            E::TooFew => write!(
                f,
                "there are fewer sizes, strides, box lengths or element strides than the rank needs"
            ),
        }
    }
}

/// The names of `CUtensorMapDataType`, in the order of its numbers, and what they mean; none for what is not supported.
const ELEMENTS: [(&str, Option<Type>); 16] = [
    ("UINT8", Some(Type::U8)),
    ("UINT16", Some(Type::U16)),
    ("UINT32", Some(Type::U32)),
    ("INT32", Some(Type::S32)),
    ("UINT64", Some(Type::U64)),
    ("INT64", Some(Type::S64)),
    ("FLOAT16", Some(Type::F16)),
    ("FLOAT32", Some(Type::F32)),
    ("FLOAT64", Some(Type::F64)),
    ("BFLOAT16", Some(Type::Bf16)),
    ("FLOAT32_FTZ", Some(Type::F32)),
    ("TFLOAT32", Some(Type::F32)),
    ("TFLOAT32_FTZ", Some(Type::F32)),
    ("16U4_ALIGN8B", None),
    ("16U4_ALIGN16B", None),
    ("16U6_ALIGN16B", None),
];

impl TensorMap {
    /// The number in `CUtensorMapDataType` of a type such as `bf16` or `tf32`, and its bytes; integers under all their names.
    pub fn element_named(name: &str) -> Option<(u32, u64)> {
        let ty = match name {
            "i8" | "s8" | "u8" => Type::U8,
            "i16" | "s16" | "u16" => Type::U16,
            "i32" => Type::S32,
            "i64" => Type::S64,
            "f32_ftz" => return Some((10, 4)),
            "tf32" => return Some((11, 4)),
            "tf32_ftz" => return Some((12, 4)),
            _ => Type::named(name)?,
        };
        let number = ELEMENTS.iter().position(|(_, known)| *known == Some(ty))?;
        Some((number as u32, u64::from(ty.size_bytes())))
    }

    /// A tensor map as bytes.
    ///
    /// # Errors
    /// What is asked for breaks a rule of `cuTensorMapEncodeTiled`, or is not supported.
    pub fn encode(request: &TensorMapRequest<'_>) -> Result<[u8; TENSOR_MAP_BYTES], TensorMapError> {
        TensorMap::new(request)?;
        let mut bytes = [0; TENSOR_MAP_BYTES];
        let mut put = |at: usize, new: &[u8]| bytes[at..at + new.len()].copy_from_slice(new);
        let TensorMapRequest { element, rank, address, interleave, swizzle, promotion, fill, .. } = *request;
        put(MARK_AT, &MARK);
        put(ADDRESS_AT, &address.to_le_bytes());
        put(
            NUMBERS_AT,
            &[element, rank - 1, interleave, swizzle, promotion, fill].map(|number| number as u8),
        );
        let rank = rank as usize;
        for (d, size) in request.sizes.iter().take(rank).enumerate() {
            put(SIZES_AT + 4 * d, &((size - 1) as u32).to_le_bytes());
        }
        for (d, stride) in request.strides.iter().take(rank - 1).enumerate() {
            put(STRIDES_AT + 8 * d, &stride.to_le_bytes());
        }
        for (d, length) in request.lengths.iter().take(rank).enumerate() {
            put(LENGTHS_AT + 2 * d, &(*length as u16).to_le_bytes());
        }
        for (d, step) in request.steps.iter().take(rank).enumerate() {
            put(STEPS_AT + d, &[*step as u8]);
        }
        Ok(bytes)
    }

    /// The tensor map that bytes are.
    ///
    /// # Errors
    /// They are none, or one whose fields have been replaced by what no map may have.
    pub fn decode(bytes: &[u8; TENSOR_MAP_BYTES]) -> Result<TensorMap, TensorMapError> {
        if bytes[MARK_AT..MARK_AT + MARK.len()] != MARK {
            return Err(TensorMapError::NoMap);
        }
        let number = |at: usize, count: usize| {
            bytes[at..at + count].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        };
        let word = |index: usize| number(NUMBERS_AT + index, 1) as u32;
        let sizes: [u64; MAX_RANK] = std::array::from_fn(|d| number(SIZES_AT + 4 * d, 4) + 1);
        let strides: [u64; MAX_RANK - 1] = std::array::from_fn(|d| number(STRIDES_AT + 8 * d, 8));
        let lengths: [u32; MAX_RANK] = std::array::from_fn(|d| number(LENGTHS_AT + 2 * d, 2) as u32);
        let steps: [u32; MAX_RANK] = std::array::from_fn(|d| number(STEPS_AT + d, 1) as u32);
        TensorMap::new(&TensorMapRequest {
            element: word(0),
            rank: word(1) + 1,
            address: number(ADDRESS_AT, 8),
            sizes: &sizes,
            strides: &strides,
            lengths: &lengths,
            steps: &steps,
            interleave: word(2),
            swizzle: word(3),
            promotion: word(4),
            fill: word(5),
        })
    }

    /// A tensor map whose tensor is at another address.
    ///
    /// # Errors
    /// The bytes are no tensor map, or the address is not a multiple of 16.
    pub fn moved(
        bytes: &[u8; TENSOR_MAP_BYTES],
        address: u64,
    ) -> Result<[u8; TENSOR_MAP_BYTES], TensorMapError> {
        let mut bytes = *bytes;
        bytes[ADDRESS_AT..ADDRESS_AT + 8].copy_from_slice(&address.to_le_bytes());
        TensorMap::decode(&bytes)?;
        Ok(bytes)
    }

    fn new(request: &TensorMapRequest<'_>) -> Result<TensorMap, TensorMapError> {
        use TensorMapError as E;
        let TensorMapRequest { element, address, interleave, swizzle, promotion, fill, .. } = *request;
        let (name, ty) = *ELEMENTS.get(element as usize).ok_or(E::Element(element))?;
        let rank = request.rank as usize;
        check((1..=MAX_RANK).contains(&rank), E::Rank(request.rank))?;
        check(interleave <= 2, E::Interleave(interleave))?;
        check(swizzle <= 6, E::Swizzle(swizzle))?;
        check(promotion <= 3, E::Promotion(promotion))?;
        check(fill <= 1, E::Fill(fill))?;
        let element = ty.ok_or(E::UnsupportedElement(element))?;
        check(interleave == 0, E::Interleaved)?;
        let swizzle = Swizzle::of(swizzle).ok_or(E::NewSwizzle(swizzle))?;
        check(address.is_multiple_of(16), E::Address(address))?;
        let fills_nan = fill == 1;
        let has_nan = matches!(element, Type::F16 | Type::Bf16 | Type::F32 | Type::F64);
        check(has_nan || !fills_nan, E::NanOfIntegers)?;
        let mut map = TensorMap {
            element,
            rank,
            swizzle,
            fills_nan,
            rounds: name.starts_with("TFLOAT32"),
            flushes: name.ends_with("_FTZ"),
            address,
            sizes: [1; MAX_RANK],
            strides: [u64::from(element.size_bytes()); MAX_RANK],
            lengths: [1; MAX_RANK],
            steps: [1; MAX_RANK],
        };
        map.set_dimensions(request)?;
        Ok(map)
    }

    fn set_dimensions(&mut self, request: &TensorMapRequest<'_>) -> Result<(), TensorMapError> {
        use TensorMapError as E;
        for d in 0..self.rank {
            let size = *request.sizes.get(d).ok_or(E::TooFew)?;
            let length = *request.lengths.get(d).ok_or(E::TooFew)?;
            let step = *request.steps.get(d).ok_or(E::TooFew)?;
            check((1..=MAX_SIZE).contains(&size), E::Size(d, size))?;
            check((1..=MAX_BOX).contains(&length), E::Length(d, length))?;
            check((1..=MAX_STEP).contains(&step), E::Step(d, step))?;
            (self.sizes[d], self.lengths[d]) = (size, length);
            if d > 0 {
                let stride = *request.strides.get(d - 1).ok_or(E::TooFew)?;
                check(stride.is_multiple_of(16) && stride < MAX_STRIDE, E::Stride(d - 1, stride))?;
                // There are no steps in dimension 0.
                (self.strides[d], self.steps[d]) = (stride, step);
            }
        }
        let row = u64::from(self.lengths[0]) * self.strides[0];
        check(row.is_multiple_of(CHUNK), E::RowBytes(row))?;
        let width = self.swizzle.width().unwrap_or(row);
        check(row <= width, E::RowBeyondSwizzle(row, width))
    }

    /// How many elements of a dimension a box has, without those between steps.
    fn count(&self, d: usize) -> u64 {
        u64::from(self.lengths[d].div_ceil(self.steps[d]))
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> u64 {
        self.strides[0]
    }

    /// Bytes of a box, in shared memory and for an mbarrier, wherever it lies.
    pub fn box_bytes(&self) -> u64 {
        (0..self.rank).map(|d| self.count(d)).product::<u64>() * self.element_bytes()
    }

    /// The rows of the box at some coordinates that lie in the tensor, at least in part.
    pub fn rows(&self, coordinates: &[i32; MAX_RANK]) -> Vec<BoxRow> {
        let bytes = self.element_bytes();
        let first = i64::from(coordinates[0]);
        let (begin, end) = (first.max(0), (first + i64::from(self.lengths[0])).min(self.sizes[0] as i64));
        let mut rows = Vec::new();
        if begin >= end {
            return rows;
        }
        let (before, row) = ((begin - first) as u64 * bytes, self.count(0) * bytes);
        let length = (end - begin) as u64 * bytes;
        for number in 0..(1..self.rank).map(|d| self.count(d)).product::<u64>() {
            if let Some(start) = self.start_of_row(number, coordinates) {
                let address = start.wrapping_add(begin as u64 * bytes);
                rows.push(BoxRow { at: number * row + before, address, bytes: length });
            }
        }
        rows
    }

    /// The address of element 0 of dimension 0, for a row of the box by its number; `None` if it is outside the tensor.
    fn start_of_row(&self, number: u64, coordinates: &[i32; MAX_RANK]) -> Option<u64> {
        let (mut left, mut address) = (number, self.address);
        for (d, first) in coordinates.iter().enumerate().take(self.rank).skip(1) {
            let index = (left % self.count(d)) as i64 * i64::from(self.steps[d]);
            left /= self.count(d);
            let place = i64::from(*first) + index;
            if place < 0 || place as u64 >= self.sizes[d] {
                return None;
            }
            address = address.wrapping_add((place as u64).wrapping_mul(self.strides[d]));
        }
        Some(address)
    }

    /// The bytes of an element that lies outside the tensor. The NaN is that of an H200, the same 16 bits in each type.
    pub fn filler(&self) -> u64 {
        if self.fills_nan { 0x7ff7_7ff7_7ff7_7ff7 } else { 0 }
    }
}

/// A field that a kernel may replace.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Where it begins.
    pub at: usize,
    /// Its bytes, or those of one of several.
    pub bytes: u64,
    /// How many there are, one for each dimension.
    pub count: u64,
    /// Whether its value has to be known from the text.
    pub is_literal: bool,
}

const fn field(at: usize, bytes: u64, count: u64) -> Field {
    Field { at, bytes, count, is_literal: false }
}

const fn literal(at: usize) -> Field {
    Field { at, bytes: 1, count: 1, is_literal: true }
}

/// The fields by their names in PTX. The rank and the sizes are less one.
pub const FIELDS: [(&str, Field); 10] = [
    ("global_address", field(ADDRESS_AT, 8, 1)),
    ("rank", field(NUMBERS_AT + 1, 1, 1)),
    ("box_dim", field(LENGTHS_AT, 2, 5)),
    ("global_dim", field(SIZES_AT, 4, 5)),
    ("global_stride", field(STRIDES_AT, 8, 4)),
    ("element_stride", field(STEPS_AT, 1, 5)),
    ("elemtype", literal(NUMBERS_AT)),
    ("interleave_layout", literal(NUMBERS_AT + 2)),
    ("swizzle_mode", literal(NUMBERS_AT + 3)),
    ("fill_mode", literal(NUMBERS_AT + 5)),
];

/// Where the fields begin.
const MARK_AT: usize = 0;
const ADDRESS_AT: usize = 8;
/// Type, rank less one, interleave, swizzle, promotion, fill: a byte each.
const NUMBERS_AT: usize = 16;
/// Less one, in four bytes each.
const SIZES_AT: usize = 24;
const LENGTHS_AT: usize = 44;
const STEPS_AT: usize = 54;
const STRIDES_AT: usize = 64;

fn check(holds: bool, error: TensorMapError) -> Result<(), TensorMapError> {
    if holds { Ok(()) } else { Err(error) }
}
