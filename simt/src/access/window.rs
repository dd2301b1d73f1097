//! Generic addresses: the memory that one reaches.

use crate::isa::op::memory::Memory;
use crate::machine::global::Window;

/// The memory behind a window, and the generic address where it starts.
pub fn memory_of(window: Option<Window>) -> (Memory, u64) {
    match window {
        None => (Memory::Global, 0),
        Some(Window::Shared) => (Memory::Shared, Window::Shared.base()),
        Some(Window::Local) => (Memory::Local, Window::Local.base()),
        Some(Window::Param) => (Memory::Param, Window::Param.base()),
    }
}

/// The memory and the address in it that an address of an instruction means.
pub fn resolve(memory: Memory, address: u64) -> (Memory, u64) {
    if memory != Memory::Generic {
        return (memory, address);
    }
    let (memory, base) = memory_of(Window::of(address));
    (memory, address - base)
}
