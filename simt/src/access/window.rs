//! Generic addresses, and the memory that each one refers to.

use crate::isa::op::memory::Memory;
use crate::machine::global::Window;
use crate::machine::registers::{Wide, lanes_of};

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
    lanes_of(mask).filter(|&lane| Window::of(at[lane]) == window).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// The memory to which an address of an instruction refers, and the address within it.
pub fn resolve(memory: Memory, address: u64) -> (Memory, u64) {
    if memory != Memory::Generic {
        return (memory, address);
    }
    let (memory, base) = memory_of(Window::of(address));
    (memory, address - base)
}
