//! The interface for the chapters of Thirty-Two Lanes: the same kernel on two machines, and a report about both.
//!
//! The promise: a kernel that this crate launches runs on an emulator first, which sees every lane. Only if nothing was
//! wrong with it, it also runs on the reader's GPU, from the same PTX text. The results are compared, and the counters
//! and times fit on one screen.
//!
//! ```no_run
//! use thirty_two_lanes::{Choice, Device, Launch, Tolerance, kernels};
//!
//! # fn main() -> anyhow::Result<()> {
//! let mut device = Device::open(Choice::Auto)?;
//! let c = device.zeroed::<f32>("c", 1000)?;
//! let launch = Launch::cover(&kernels::divergence::MATH_EVEN_THREAD, 1000, 64).arg(c).arg(1000_i32);
//! let run = device.launch(&launch)?;
//! let expected: Vec<f64> = (0..1000).map(|i| if i % 2 == 0 { 100.0 } else { 200.0 }).collect();
//! let row = device.check(run, c, &expected, &Tolerance::Exact)?;
//! println!("{}, {} divergent branches", row.verdict.name(), row.run.counters.ptx_divergent_branches);
//! # Ok(())
//! # }
//! ```
//!
//! The four types: a [`Device`] is all machines behind one interface; a [`Buffer`] is an array on all of them; a
//! [`Launch`] is a kernel with its shape and its arguments; a [`Report`] is what is printed at the end. A chapter gets
//! the device, the report and the options of the command line together, as a [`Lab`].
//!
//! What it leaves out: streams, textures, several GPUs, and everything else that the book does not need.

mod arguments;
pub mod buffer;
pub mod check;
pub mod claims;
pub mod cli;
pub mod cores;
pub mod cubin;
pub mod device;
pub mod files;
pub mod golden;
pub mod gpu;
pub mod hardware;
pub mod kernel;
pub mod kernels;
pub mod lab;
pub mod last_block;
pub mod launch;
pub mod machine;
pub mod program;
pub mod progress;
pub mod report;
pub mod sim;
mod target;
pub mod terminal;
pub mod testing;
pub mod weak;

pub use buffer::{Buffer, Element};
pub use check::{Check, Tolerance};
pub use cubin::Cubin;
pub use device::{Choice, Device};
pub use gpu::{Card, CardArgument, Image};
pub use lab::Lab;
pub use launch::Launch;
pub use machine::{Run, Timing, Traced};
pub use report::{Report, Row, Verdict};
pub use simt::{Dim3, Schedule};
pub use spec::{self, Random};
