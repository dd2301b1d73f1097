//! Graphs: those that were captured in streams, and those that the program makes node by node.
//!
//! A node becomes parts of a graph in a stream of its own: the stream waits for the events of the nodes that it depends on, does the
//! work, and records the node's event. A node that follows one other goes on in its stream. So what two nodes may not do to each
//! other is found as it is for streams. What was made of a graph has parts of its own, which can be changed.
//!
//! Left out: nodes of the host, of allocations, of conditions and of other graphs; and edges that are added or removed later.

use std::collections::BTreeMap;

use cudac::host::Scalar;
use simt::Dim3;

use super::errors::code;
use super::function::How;
use super::held::Handle;
use super::state::{Driver, Values};
use crate::bounds::MOST_PARTS;
use crate::function::Function;
use crate::machine::{Result, Stop};
use crate::order::LEGACY;
use crate::work::{Copy, Graph, Node, Part};

/// The flags that a graph may have: it frees what it allocates when it is launched again, and kernels launch it.
const AUTO_FREE: u64 = 1;
const DEVICE_LAUNCH: u64 = 4;

/// The stream and the event in which a graph of nodes begins, and those of the first node. Real ones have small numbers.
const ROOT: u64 = 1 << 62;

/// The direction of a copy that the addresses say.
const ANY: u64 = 4;

/// How many nodes a graph can have: of each there are three parts and more.
const MOST_NODES: usize = MOST_PARTS / 4;

/// The graphs of a process whose nodes the program knows, by their numbers, and what was made of them.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    known: BTreeMap<u64, Nodes>,
}

/// The nodes of a graph.
#[derive(Clone, Debug, Default)]
struct Nodes {
    /// The graph in which they were made, whose number their handles have.
    of: u64,
    /// For each node the stream in which it is, and the part that is its work.
    all: Vec<(u64, usize)>,
    /// Which node is the last of its stream.
    last: BTreeMap<u64, usize>,
}

/// What a node waits for, and the stream in which it is.
struct Joined {
    stream: u64,
    waits: Vec<u64>,
}

impl Nodes {
    /// A new node goes on in the stream of one that it depends on, if that is still the last there.
    fn join(&self, before: &[usize]) -> Joined {
        let new = ROOT + 1 + self.all.len() as u64;
        let goes_on = before.iter().find(|node| self.last.get(&self.all[**node].0) == Some(node));
        let waits = before.iter().filter(|node| Some(*node) != goes_on).map(|node| event_of(*node));
        let waits: Vec<u64> = if before.is_empty() { vec![ROOT] } else { waits.collect() };
        Joined { stream: goes_on.map_or(new, |node| self.all[*node].0), waits }
    }
}

/// The event that a node records.
fn event_of(node: usize) -> u64 {
    ROOT + 1 + node as u64
}

/// The handle of a node of a graph.
fn node_handle(graph: u64, node: usize) -> u64 {
    Handle::Node.make((graph as usize) << 20 | node)
}

impl Driver<'_> {
    pub(super) fn of_graph(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let [a, b, c] = [0, 1, 2].map(|nth| values.at(nth));
        Some(match name {
            "cuGraphCreate" => self.create_graph(a, b),
            "cuGraphAddKernelNode" | "cuGraphAddKernelNode_v2" => {
                self.kernel_node(values.at(4)).and_then(|node| self.add_node(a, b, [c, values.at(3)], node))
            }
            "cuGraphAddMemcpyNode" => {
                self.copy_node(values.at(4)).and_then(|node| self.add_node(a, b, [c, values.at(3)], node))
            }
            "cuGraphAddMemsetNode" => {
                self.set_node(values.at(4)).and_then(|node| self.add_node(a, b, [c, values.at(3)], node))
            }
            "cuGraphAddEmptyNode" => self.add_node(a, b, [c, values.at(3)], Ok(Node::Wait(ROOT))),
            "cuGraphExecKernelNodeSetParams"
            | "cuGraphExecKernelNodeSetParams_v2"
            | "cuGraphKernelNodeSetParams"
            | "cuGraphKernelNodeSetParams_v2" => {
                let (graph, node, from) = changed(name, [a, b, c]);
                self.kernel_node(from).and_then(|new| self.change_node(graph, node, new))
            }
            "cuGraphExecMemcpyNodeSetParams" | "cuGraphMemcpyNodeSetParams" => {
                let (graph, node, from) = changed(name, [a, b, c]);
                self.copy_node(from).and_then(|new| self.change_node(graph, node, new))
            }
            "cuGraphExecMemsetNodeSetParams" | "cuGraphMemsetNodeSetParams" => {
                let (graph, node, from) = changed(name, [a, b, c]);
                self.set_node(from).and_then(|new| self.change_node(graph, node, new))
            }
            "cuGraphInstantiateWithFlags" if c & DEVICE_LAUNCH != 0 && c & AUTO_FREE != 0 => {
                self.fail(code::INVALID_VALUE, "a graph that kernels launch cannot free memory by itself")
            }
            "cuGraphClone"
            | "cuGraphInstantiate"
            | "cuGraphInstantiate_v2"
            | "cuGraphInstantiateWithFlags"
            | "cuGraphInstantiateWithParams" => self.instantiate(a, b),
            "cuGraphUpload" => Ok(0),
            "cuGraphLaunch" => match self.machine.cuda(Function::GraphLaunch, &[a, b]) {
                Ok(0) => Ok(self.machine.returned_error()),
                other => other,
            },
            "cuGraphDestroy" | "cuGraphExecDestroy" => {
                self.graphs.known.remove(&a);
                self.objects.drop_graph(a);
                self.machine.cuda(Function::GraphDrop, &[a])
            }
            "cuGraphGetNodes" => self.nodes_of(a, b, c),
            _ => return None,
        })
    }

    pub(super) fn no_graph(&mut self) -> Result<u64> {
        self.fail(code::INVALID_VALUE, "there is no such graph: it was never made, or destroyed")
    }

    /// A number for a new graph, if there may be one more.
    fn new_graph(&mut self) -> Result<u64> {
        self.machine.check_handles(
            self.machine.graphs.len(),
            "graphs",
            "call `cuGraphDestroy` and `cuGraphExecDestroy` when one is not needed any more",
        )?;
        self.machine.last_graph += 1;
        Ok(self.machine.last_graph)
    }

    fn create_graph(&mut self, to: u64, flags: u64) -> Result<u64> {
        if flags != 0 {
            return self.fail(code::INVALID_VALUE, "the flags of `cuGraphCreate` have to be 0");
        }
        let graph = self.new_graph()?;
        self.give(to, Scalar::U64, graph)?;
        let begins = Part { node: Node::Record(ROOT), stream: ROOT, line: self.machine.line };
        self.machine.graphs.insert(graph, Graph { origin: ROOT, parts: vec![begins], uses: 1 });
        self.graphs.known.insert(graph, Nodes { of: graph, ..Nodes::default() });
        Ok(0)
    }

    /// A graph that can be launched, or a second one: with the parts that the graph has now.
    fn instantiate(&mut self, to: u64, graph: u64) -> Result<u64> {
        let Some(parts) = self.machine.graphs.get(&graph).cloned() else { return self.no_graph() };
        let made = self.new_graph()?;
        self.give(to, Scalar::U64, made)?;
        self.machine.graphs.insert(made, Graph { uses: 1, ..parts });
        if let Some(nodes) = self.graphs.known.get(&graph).cloned() {
            self.graphs.known.insert(made, nodes);
        }
        self.objects.share(graph, made);
        Ok(0)
    }

    /// Adds a node: where its handle goes, the graph, where the nodes before it are and how many, its work.
    fn add_node(
        &mut self,
        to: u64,
        graph: u64,
        [before, count]: [u64; 2],
        node: std::result::Result<Node, u64>,
    ) -> Result<u64> {
        let node = match node {
            Ok(node) => node,
            Err(code) => return Ok(code),
        };
        let Some(nodes) = self.graphs.known.get(&graph).filter(|nodes| nodes.of == graph).cloned() else {
            return if self.machine.graphs.contains_key(&graph) {
                Err(Stop::error("a node that is added to a graph that was captured is not supported"))
            } else {
                self.no_graph()
            };
        };
        if nodes.all.len() >= MOST_NODES || count > nodes.all.len() as u64 {
            let message = format!("a graph of {} nodes, and one more after {count} others", nodes.all.len());
            return self.fail(code::INVALID_VALUE, message);
        }
        let handles = self.take_words(before, count)?;
        let Some(before) =
            handles.iter().map(|handle| known_node(&nodes, *handle)).collect::<Option<Vec<_>>>()
        else {
            return self.fail(code::INVALID_VALUE, "a node depends on one that is not of its graph");
        };
        self.give(to, Scalar::U64, node_handle(graph, nodes.all.len()))?;
        self.put_node(graph, &before, node);
        Ok(0)
    }

    /// The parts of a new node.
    fn put_node(&mut self, graph: u64, before: &[usize], node: Node) {
        let line = self.machine.line;
        let (Some(known), Some(nodes)) =
            (self.machine.graphs.get_mut(&graph), self.graphs.known.get_mut(&graph))
        else {
            return;
        };
        let Joined { stream, waits } = nodes.join(before);
        let mut put = |node: Node| known.parts.push(Part { node, stream, line });
        for event in waits {
            put(Node::Wait(event));
        }
        put(node);
        put(Node::Record(event_of(nodes.all.len())));
        nodes.last.insert(stream, nodes.all.len());
        nodes.all.push((stream, known.parts.len() - 2));
    }

    /// Another work for a node of a graph, or of what was made of it.
    fn change_node(
        &mut self,
        graph: Option<u64>,
        handle: u64,
        new: std::result::Result<Node, u64>,
    ) -> Result<u64> {
        let new = match new {
            Ok(new) => new,
            Err(code) => return Ok(code),
        };
        let graph = graph.or(Handle::Node.number(handle).map(|number| (number >> 20) as u64)).unwrap_or(0);
        let part = self.graphs.known.get(&graph).and_then(|nodes| {
            let node = known_node(nodes, handle)?;
            Some(nodes.all[node].1)
        });
        let part =
            part.and_then(|part| self.machine.graphs.get_mut(&graph).and_then(|g| g.parts.get_mut(part)));
        match part {
            Some(part) if std::mem::discriminant(&part.node) == std::mem::discriminant(&new) => {
                part.node = new;
                Ok(0)
            }
            _ => self.fail(code::INVALID_VALUE, "the graph has no such node of this kind"),
        }
    }

    /// `CUDA_KERNEL_NODE_PARAMS`: the function, the grid, the block, shared memory, the arguments; and in a newer version a kernel.
    fn kernel_node(&mut self, from: u64) -> Result<std::result::Result<Node, u64>> {
        if from == 0 {
            return self.fail(code::INVALID_VALUE, "a node is described at a null pointer").map(Err);
        }
        let words = self.take_words(from, 7)?;
        let half = |nth: usize| (words[nth / 2] >> (32 * (nth % 2))) as u32;
        let how = How {
            grid: Dim3::new(half(2), half(3), half(4)),
            block: Dim3::new(half(5), half(6), half(7)),
            cluster: None,
            shared_bytes: u64::from(half(8)),
            stream: LEGACY,
            is_cooperative: false,
        };
        let function = match words[0] {
            0 => self.take_words(from.wrapping_add(56), 1)?[0],
            function => function,
        };
        let wanted = self.wanted(function, how, [words[5], words[6]])?;
        Ok(wanted.map(|(kernel, wanted)| Node::Kernel(kernel, wanted)))
    }

    /// `CUDA_MEMCPY3D`: eleven words for where from, as many for where to, and the three sizes. Only rows without gaps are one copy.
    fn copy_node(&mut self, from: u64) -> Result<std::result::Result<Node, u64>> {
        if from == 0 {
            return self.fail(code::INVALID_VALUE, "a node is described at a null pointer").map(Err);
        }
        let words = self.take_words(from, 25)?;
        let [width, height, depth] = [words[22], words[23], words[24]];
        let place = |words: &[u64]| {
            let at = match words[4] & 0xffff_ffff {
                1 => words[5],
                2 | 4 => words[6],
                _ => return None,
            };
            let is_whole = words[1] == 0 && words[2] == 0 && (height.max(depth) <= 1 || words[9] == width);
            is_whole.then(|| at.wrapping_add(words[0]))
        };
        let bytes = width.checked_mul(height).and_then(|bytes| bytes.checked_mul(depth));
        match (place(&words[..11]), place(&words[11..22]), bytes) {
            (Some(from), Some(to), Some(bytes)) => Ok(Ok(Node::Copy(Copy { to, from, bytes, kind: ANY }))),
            _ => Err(Stop::error("a copy of rows with gaps, or of arrays, in a graph is not supported")),
        }
    }

    /// `CUDA_MEMSET_NODE_PARAMS`: where, the pitch, the value and the bytes of an element, elements of a row, rows.
    fn set_node(&mut self, from: u64) -> Result<std::result::Result<Node, u64>> {
        if from == 0 {
            return self.fail(code::INVALID_VALUE, "a node is described at a null pointer").map(Err);
        }
        let words = self.take_words(from, 5)?;
        let (value, each) = (words[2] & 0xffff_ffff, words[2] >> 32);
        if !matches!(each, 1 | 2 | 4) {
            return self
                .fail(code::INVALID_VALUE, format!("elements of {each} bytes cannot be set"))
                .map(Err);
        }
        let pattern = &value.to_le_bytes()[..each as usize];
        let bytes = words[3].checked_mul(each).and_then(|bytes| bytes.checked_mul(words[4]));
        match bytes {
            Some(bytes) if pattern.iter().all(|byte| *byte == pattern[0]) && words[4] <= 1 => {
                Ok(Ok(Node::Set(words[0], pattern[0], bytes)))
            }
            _ => Err(Stop::error("rows, or a pattern of several bytes, in a graph are not supported")),
        }
    }

    /// The nodes of a graph, or only how many there are.
    fn nodes_of(&mut self, graph: u64, to: u64, count_at: u64) -> Result<u64> {
        if to == 0 {
            let count = self.machine.cuda(Function::GraphNodes, &[graph])?;
            return self.give(count_at, Scalar::U64, count);
        }
        let Some(nodes) = self.graphs.known.get(&graph) else {
            return Err(Stop::error("the nodes of a graph that was captured are not supported"));
        };
        let (count, of) = (nodes.all.len(), nodes.of);
        let room = self.take_words(count_at, 1)?[0].min(count as u64);
        for node in 0..room {
            self.give(to.wrapping_add(8 * node), Scalar::U64, node_handle(of, node as usize))?;
        }
        self.give(count_at, Scalar::U64, room)
    }
}

/// The graph, the node and the parameters of a call that changes a node: of what was made of a graph, or of the graph itself.
fn changed(name: &str, [a, b, c]: [u64; 3]) -> (Option<u64>, u64, u64) {
    if name.starts_with("cuGraphExec") { (Some(a), b, c) } else { (None, a, b) }
}

/// The number of a node in its graph.
fn known_node(nodes: &Nodes, handle: u64) -> Option<usize> {
    let number = Handle::Node.number(handle)?;
    let node = number & ((1 << 20) - 1);
    ((number >> 20) as u64 == nodes.of && node < nodes.all.len()).then_some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_goes_on_in_the_stream_of_the_last_one_before_it() {
        let mut nodes = Nodes { of: 3, all: vec![(10, 1)], last: BTreeMap::from([(10, 0)]) };
        let Joined { stream, waits } = nodes.join(&[0]);
        assert_eq!((stream, waits), (10, vec![]));
        nodes.all.push((10, 4));
        nodes.last.insert(10, 1);
        let Joined { stream, waits } = nodes.join(&[0]);
        assert_eq!((stream, waits), (ROOT + 3, vec![event_of(0)]));
        let Joined { stream, waits } = nodes.join(&[0, 1]);
        assert_eq!((stream, waits), (10, vec![event_of(0)]));
        let Joined { waits, .. } = nodes.join(&[]);
        assert_eq!(waits, [ROOT]);
        assert_eq!(known_node(&nodes, node_handle(3, 1)), Some(1));
        assert_eq!(
            (known_node(&nodes, node_handle(3, 2)), known_node(&nodes, node_handle(2, 1))),
            (None, None)
        );
    }
}
