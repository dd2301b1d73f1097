//! What to launch, with which arguments.

use clap::Args;
use simt::Dim3;

use super::given::{Given, Written};
use super::words;

/// A launch, or several.
#[derive(Args, Debug)]
pub struct LaunchOptions {
    /// The kernel, one of a template with its arguments as in "scale<float, 4>"; may be omitted if there is only one
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Blocks in the grid
    #[arg(
        long,
        default_value = "1",
        value_name = "X[,Y[,Z]]",
        value_parser = words::grid,
        allow_negative_numbers = true
    )]
    pub grid: Dim3,
    /// Threads in a block
    #[arg(
        long,
        default_value = "32",
        value_name = "X[,Y[,Z]]",
        value_parser = words::block,
        allow_negative_numbers = true
    )]
    pub block: Dim3,
    /// Dynamic shared memory per block
    #[arg(long, default_value_t = 0, value_name = "BYTES", allow_negative_numbers = true)]
    pub shared_bytes: u32,
    /// The next argument of the kernel (see below)
    #[arg(long = "arg", value_name = "SPEC", value_parser = Given::parse, allow_negative_numbers = true)]
    pub args: Vec<Given>,
    /// A buffer with a name, for arguments
    #[arg(long = "buffer", value_name = "NAME=TYPE:COUNT:FILL", value_parser = words::named_buffer)]
    pub buffers: Vec<(String, String)>,
    /// What a `__constant__` or `__device__` variable contains at first: numbers as in a buffer, one number, or a
    /// structure
    #[arg(long = "symbol", value_name = "NAME=SPEC", value_parser = words::named_value)]
    pub symbols: Vec<(String, String)>,
    /// The next of several launches on the same buffers, in place of --kernel, --grid, --block, --shared-bytes and
    /// --arg
    #[arg(
        long = "launch",
        value_name = "KERNEL<<<GRID, BLOCK>>>(ARGS)",
        value_parser = Written::parse,
        conflicts_with_all = ["kernel", "grid", "block", "shared_bytes", "args"]
    )]
    pub launches: Vec<Written>,
}
