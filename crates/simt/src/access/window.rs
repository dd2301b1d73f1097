//! Generic addresses, and the memory that each one refers to.

use crate::isa::op::memory::Memory;
use crate::machine::global::Window;
use crate::machine::registers::Wide;

/// The memory that a window shows, and the generic address at which it starts.
pub fn memory_of(window: Option<Window>) -> (Memory, u64) {
    match window {
        None => (Memory::Global, 0),
        Some(Window::Shared) => (Memory::Shared, Window::Shared.base()),
        Some(Window::Local) => (Memory::Local, Window::Local.base()),
        Some(Window::Param) => (Memory::Param, Window::Param.base()),
    }
}

/// The lanes of `mask` whose generic addresses are in a window, or in global memory.
pub fn lanes_in(window: Option<Window>, at: &Wide, mask: u32) -> u32 {
    let is_in = at.map(|address| u32::from(Window::of(address) == window));
    (0..).zip(is_in).fold(0, |lanes, (lane, is_in)| lanes | is_in << lane) & mask
}

/// The memory to which an address of an instruction refers, and the address within it.
pub fn resolve(memory: Memory, address: u64) -> (Memory, u64) {
    if memory != Memory::Generic {
        return (memory, address);
    }
    let (memory, base) = memory_of(Window::of(address));
    (memory, address - base)
}
