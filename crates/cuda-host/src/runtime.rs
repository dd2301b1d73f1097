//! The functions that host code calls: C's, and the CUDA runtime's.

use cudac::Line;
use cudac::host::{RuntimeCall, Scalar};

use crate::access::allocated;
use crate::arithmetic::{float, of_float};
use crate::device::Owner;
use crate::finding::Kind;
use crate::function::Function;
use crate::machine::{Machine, Result, Stop};
use crate::memory::{Access, BASE, state};
use crate::random::Random;

/// What to do about a function that frees other memory.
pub(crate) const OTHER_FREE: &str =
    "memory of `cudaMallocHost` is freed with `cudaFreeHost`, and that of `malloc` with `free`";

/// What is wrong with it.
pub(crate) const OTHER_MEMORY: &str = "this memory belongs to another function that frees";

/// An array of variable length has at most this many bytes, as all variables of a function together.
const MOST_ARRAY_BYTES: u64 = 64 << 20;

impl Machine<'_> {
    pub(crate) fn runtime(&mut self, function: Function, call: &RuntimeCall, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b, c) = (at(0), at(1), at(2));
        match function {
            Function::Malloc | Function::New => self.allocate(a, state::EMPTY),
            Function::Calloc => self.allocate(a.saturating_mul(b), state::SET),
            Function::Free | Function::Delete => self.free(a).map(|()| 0),
            Function::Memcpy | Function::Memmove => self.copy(a, b, c).map(|()| a),
            Function::Memset => self.fill(a, b as u8, c).map(|()| a),
            Function::Exit => Err(Box::new(Stop::Exit(a as i32))),
            Function::Abort => Err(Box::new(Stop::Exit(134))),
            Function::Rand => Ok(self.random.next() as u64),
            Function::Srand => {
                self.random = Random::new(a as u32);
                Ok(0)
            }
            Function::Clock => Ok(self.device.now()),
            Function::Puts => {
                let mut text = self.text(a)?;
                text.push(b'\n');
                self.put(1, &text).map(|()| 0)
            }
            Function::Putchar => self.put(1, &[a as u8]).map(|()| a),
            Function::PutText
            | Function::PutBytes
            | Function::PutInteger
            | Function::PutUnsigned
            | Function::PutFloat
            | Function::PutCharacter => self.put_value(function, values),
            Function::Put => {
                let bytes = self.bytes_of(b, c)?;
                self.put(a, &bytes).map(|()| 0)
            }
            Function::NewText
            | Function::DeleteText
            | Function::TextSize
            | Function::TextCopy
            | Function::TextSet => self.of_text(function, values),
            Function::File(function) => self.of_file(function, values),
            Function::BlockBytes => {
                let at = self.memory.offset(a);
                let known = at.and_then(|at| self.memory.blocks.get(&at)).filter(|block| block.is_live);
                Ok(known.map_or(0, |block| block.bytes))
            }
            Function::Array => self.array(a as i64, b, c),
            Function::Aligned => self.allocate_aligned(a, b, state::EMPTY),
            Function::Trap => {
                let help = self.suspect().unwrap_or_else(|| {
                    "find out why the condition does not hold: print the values in it".to_owned()
                });
                self.found(Kind::Assert, "the condition of `assert` does not hold", &help)
            }
            Function::Sqrt
            | Function::Rsqrt
            | Function::Floor
            | Function::Ceil
            | Function::Rint
            | Function::Trunc
            | Function::Fma => Ok(math(function, call.result, values)),
            cuda => self.cuda(cuda, values),
        }
    }

    pub(crate) fn allocate(&mut self, bytes: u64, with: u8) -> Result<u64> {
        self.allocate_aligned(1, bytes, with)
    }

    /// `aligned_alloc`: allocations begin at multiples of 64, and of more if that is asked for.
    fn allocate_aligned(&mut self, align: u64, bytes: u64, with: u8) -> Result<u64> {
        let align = if align.is_power_of_two() && align <= 1 << 20 { align } else { 1 };
        let [most, _] = self.most_bytes();
        let made = self.memory.allocate(bytes, with, self.line, align, most);
        made.map(|at| BASE + at).ok_or_else(|| self.out_of_memory().into())
    }

    /// The elements of an array of variable length: how many, the bytes of each, and how many of them get values.
    fn array(&mut self, count: i64, bytes: u64, given: u64) -> Result<u64> {
        let Some(length) = u64::try_from(count).ok().filter(|count| *count >= given) else {
            let message = match given {
                0 => format!("an array of {count} elements is declared"),
                _ => format!("an array of {count} elements is declared, and gets {given} values"),
            };
            return self.found(Kind::OutOfBounds, message, "test the length before the declaration");
        };
        let bytes = length.saturating_mul(bytes);
        if bytes > MOST_ARRAY_BYTES {
            let message = format!(
                "an array of {bytes} bytes is declared, and a variable has at most {MOST_ARRAY_BYTES}"
            );
            return self.bounded(message, "allocate large arrays with `malloc` or as a `std::vector`");
        }
        self.allocate(bytes, state::EMPTY)
    }

    fn free(&mut self, address: u64) -> Result<()> {
        if address == 0 {
            return Ok(());
        }
        let known =
            self.memory.offset(address).and_then(|at| self.memory.blocks.get(&at).map(|block| (at, *block)));
        let Some((at, block)) = known else {
            if self.device.block(address).is_some_and(|block| block.owner == Owner::Pinned) {
                return self.found(Kind::OutOfBounds, OTHER_MEMORY, OTHER_FREE);
            }
            let help = "free what an allocation returned, with the function that belongs to it";
            let kind = if self.device.has(address) { Kind::WrongSpace } else { Kind::OutOfBounds };
            return self.found(
                kind,
                format!("{address:#x} is no allocation of the host, so it cannot be freed"),
                help,
            );
        };
        if !block.is_live {
            let place = self.places.place(block.line);
            let message = format!("the memory that {place} allocated is freed a second time");
            return self.found(Kind::DoubleFree, message, "free it once, and set the pointer to `NULL` then");
        }
        self.memory.free(at);
        if let Some((_, at)) = self.device.registered.remove(&address)
            && let Some(block) = self.device.block(at)
        {
            self.device.free(block);
        }
        Ok(())
    }

    /// Whether bytes of the host may be accessed; if they are read, also whether somebody has written them.
    pub(crate) fn check_host(&mut self, address: u64, bytes: u64, done: &str, access: Access) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        if address < 4096 {
            let help = "test the pointer: an allocation may have failed, or the variable was never set";
            return self.found(
                Kind::OutOfBounds,
                format!("a null pointer is dereferenced: {bytes} bytes are {done}"),
                help,
            );
        }
        if self.native.is_some() {
            return Ok(());
        }
        let range = self.memory.offset(address).map(|at| at as usize..(at.saturating_add(bytes)) as usize);
        let Some(states) = range.clone().and_then(|range| self.memory.states.get(range)) else {
            self.check_block(address, bytes, done)?;
            let message = format!("{bytes} bytes at {address:#x} are {done}, which belong to nothing");
            return self.found(Kind::OutOfBounds, message, "find out where the pointer comes from");
        };
        let bad = states.iter().position(|known| match *known {
            state::NONE | state::FREED | state::MOVED => true,
            state::EMPTY => access == Access::Read,
            _ => false,
        });
        let (Some(bad), Some(range)) = (bad, range) else { return Ok(()) };
        let found = states[bad];
        let place = self.place_of((range.start + bad) as u64);
        match found {
            state::FREED => {
                let help = "free it after its last use";
                self.found(
                    Kind::UseAfterFree,
                    format!("{bytes} bytes are {done} in memory that was freed{place}"),
                    help,
                )
            }
            state::NONE => {
                self.check_block(address, bytes, done)?;
                let help = "compare the index with the number of elements";
                self.found(
                    Kind::OutOfBounds,
                    format!("{bytes} bytes are {done} outside of every object{place}"),
                    help,
                )
            }
            state::MOVED => Err(Stop::error(
                "bytes of registered memory and others are used together: register all of them",
            )),
            _ => Err(self.unwritten(bytes, done, &place).into()),
        }
    }

    /// Whether bytes of the host that begin in an allocation end in it.
    fn check_block(&mut self, address: u64, bytes: u64, done: &str) -> Result<()> {
        let Some(offset) = self.memory.offset(address) else { return Ok(()) };
        match self.memory.block_before(offset) {
            Some((start, block)) if block.is_live && offset - start < block.bytes => {
                let (size, line) = (block.bytes, block.line);
                self.check_end(done, offset - start, bytes, size, line)
            }
            _ => Ok(()),
        }
    }

    /// Whether bytes from a place in an allocation on are all in it.
    pub(crate) fn check_end(&mut self, done: &str, at: u64, bytes: u64, size: u64, line: Line) -> Result<()> {
        if at.saturating_add(bytes) <= size {
            return Ok(());
        }
        let message =
            format!("{bytes} bytes are {done} from byte {at} on of {}", allocated(&self.places, size, line));
        self.found(Kind::OutOfBounds, message, "compare the number of bytes with that of the allocation")
    }

    /// Where an offset is, for a message.
    fn place_of(&self, offset: u64) -> String {
        let Some((start, block)) = self.memory.block_before(offset) else { return String::new() };
        let distance = offset - start;
        let place = self.places.place(block.line);
        if distance < block.bytes {
            format!(": byte {distance} of the {} bytes that {place} allocated", block.bytes)
        } else if distance - block.bytes < 64 {
            format!(
                ": {} bytes after the {} bytes that {place} allocated",
                distance - block.bytes,
                block.bytes
            )
        } else {
            String::new()
        }
    }
}

/// A function of numbers, in the type of its result.
pub(crate) fn math(function: Function, ty: Option<Scalar>, values: &[u64]) -> u64 {
    let is_single = ty == Some(Scalar::F32);
    let number = |nth: usize| {
        let bits = values.get(nth).copied().unwrap_or(0);
        if is_single { f64::from(float(bits)) } else { f64::from_bits(bits) }
    };
    let x = number(0);
    let value = match function {
        Function::Sqrt => x.sqrt(),
        Function::Rsqrt => 1.0 / x.sqrt(),
        Function::Floor => x.floor(),
        Function::Ceil => x.ceil(),
        Function::Rint => x.round_ties_even(),
        Function::Trunc => x.trunc(),
        _ if is_single => return of_float(float(values[0]).mul_add(float(values[1]), float(values[2]))),
        _ => x.mul_add(number(1), number(2)),
    };
    if is_single { of_float(value as f32) } else { value.to_bits() }
}
