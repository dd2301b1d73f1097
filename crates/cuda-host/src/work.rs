//! What a program wants a stream to do: launches, copies and memsets, as data that a graph can keep.

use cudac::Line;
use std::collections::BTreeSet;

use simt::{Arg, Dim3};

use crate::device::Device;

/// A launch whose parts have been evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub grid: Dim3,
    pub block: Dim3,
    /// Blocks in a cluster, if the launch says so.
    pub cluster: Option<Dim3>,
    pub shared_bytes: u64,
    pub stream: u64,
    pub args: Vec<Arg>,
    /// The arguments that may be addresses.
    pub addresses: Vec<u64>,
    /// Whether the blocks may wait for each other.
    pub is_cooperative: bool,
}

/// A copy: where to, where from, how many bytes, and the direction that the program names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    pub to: u64,
    pub from: u64,
    pub bytes: u64,
    pub kind: u64,
}

impl Copy {
    /// `cudaMemcpyFromSymbol`: its arguments are the target, the symbol, its size, the bytes, the offset and the direction.
    pub fn of_symbol(values: &[u64]) -> Copy {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        Copy { to: at(0), from: Device::named(at(1)).wrapping_add(at(4)), bytes: at(3), kind: at(5) }
    }
}

/// A part of a graph.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Kernel(usize, Wanted),
    Copy(Copy),
    /// The address, the value and the number of bytes.
    Set(u64, u8, u64),
    /// An event is recorded.
    Record(u64),
    /// An event is waited for.
    Wait(u64),
}

/// A part of a graph, with the stream that it was captured in and its line.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub node: Node,
    pub stream: u64,
    pub line: Line,
}

/// What is being captured.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    /// The stream in which it began.
    pub origin: u64,
    /// The number that the graph will have.
    pub graph: u64,
    pub streams: BTreeSet<u64>,
    pub events: BTreeSet<u64>,
    pub parts: Vec<Part>,
    /// Whether something was called that cannot be captured.
    pub is_invalid: bool,
    /// Whether there were more parts than a graph can have.
    pub is_full: bool,
}

/// A graph.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub origin: u64,
    pub parts: Vec<Part>,
    /// How many handles it has: its own, and those of what was made of it.
    pub uses: u64,
}
