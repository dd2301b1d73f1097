//! A library that stands in for `libcuda` and `libnvrtc`. Programs that bring their kernels as PTX run with it on the emulator, and
//! are checked.
//!
//! `lanes exec` puts it in front of the real ones. It holds no logic of the driver: a call becomes a name and numbers
//! (`symbols`, `calls`), which a thread of its own carries out with [`cuda_host::driver::drive`]. That thread reads and writes the memory of
//! the process (`memory`). NVRTC (`nvrtc`) is cudac.
//!
//! What is found is written at once to a file in the folder that `LANES_REPORT` names, one line of JSON for each finding
//! (`report`), or to the standard error if there is no such folder. `LANES_LAUNCH` has how kernels are launched, in JSON, as requests
//! of a page describe a launch; `LANES_ARCH` the compute capability that the device claims; `LANES_MEMORY` its bytes of memory. The
//! library opens nothing else, starts no program, and never loads a real driver.

mod calls;
mod exports;
mod functions;
mod memory;
mod nvrtc;
mod report;
pub mod settings;
mod symbols;

pub use report::{Report, read};

/// The names under which programs look for this library.
pub const NAMES: [&str; 10] = [
    "libcuda.so",
    "libcuda.so.1",
    "libnvrtc.so",
    "libnvrtc.so.11.2",
    "libnvrtc.so.12",
    "libnvrtc.so.13",
    "libcuda.dylib",
    "libnvrtc.dylib",
    "libgpuocelot.so",
    "libgpuocelot.dylib",
];
