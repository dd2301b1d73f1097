//! Graphs: work that is captured in streams, to be launched as a whole.
//!
//! While a stream is captured, its work is kept in place of being carried out. A launch of the graph carries it out with streams of
//! its own, as often as it is launched, so what the parts may not do to each other is found as always. Left out: graphs that are
//! made node by node (one that is made empty stays empty) or changed, and functions of the host and allocations in them.

use std::collections::{BTreeMap, BTreeSet};

use cudac::host::Scalar;

use crate::bounds::MOST_PARTS;
use crate::errors::{
    CAPTURE_IMPLICIT, CAPTURE_INVALIDATED, CAPTURE_UNSUPPORTED, INVALID_HANDLE, INVALID_VALUE,
};
use crate::function::Function;
use crate::machine::{Machine, Result, Stop};
use crate::order::{LEGACY, Point};
use crate::work::{Capture, Graph, Node, Part};

impl Machine<'_> {
    /// Keeps work of a stream if the stream is being captured; whether it is.
    pub(crate) fn is_kept(&mut self, stream: u64, node: impl FnOnce() -> Node) -> bool {
        let line = self.line;
        let Some(capture) = self.capture.as_mut().filter(|capture| capture.streams.contains(&stream)) else {
            return false;
        };
        if capture.parts.len() < MOST_PARTS {
            capture.parts.push(Part { node: node(), stream, line });
        } else {
            capture.is_full = true;
        }
        true
    }

    /// An event is recorded in a stream; whether that is kept.
    pub(crate) fn is_record_kept(&mut self, stream: u64, event: u64) -> bool {
        let is_kept = self.is_kept(stream, || Node::Record(event));
        if let Some(capture) = self.capture.as_mut().filter(|_| is_kept) {
            capture.events.insert(event);
        }
        is_kept
    }

    /// A stream waits for an event; whether that is kept. A stream that waits for what is captured is captured too.
    pub(crate) fn is_wait_kept(&mut self, stream: u64, event: u64) -> bool {
        let Some(capture) = self.capture.as_mut().filter(|capture| capture.events.contains(&event)) else {
            return false;
        };
        capture.streams.insert(stream);
        self.is_kept(stream, || Node::Wait(event))
    }

    /// The error of a call that nobody may make while a stream is captured: one that waits, and one that uses the default stream.
    pub(crate) fn capture_error(&mut self, is_waiting: bool) -> Option<(u64, &'static str)> {
        let capture = self.capture.as_mut()?;
        capture.is_invalid = true;
        Some(if is_waiting {
            (CAPTURE_UNSUPPORTED, "the host cannot wait while a stream is captured")
        } else {
            (CAPTURE_IMPLICIT, "the default stream cannot be used while a stream is captured")
        })
    }

    /// What a graph cannot have here.
    pub(crate) fn refuse_in_capture(&self, stream: u64, what: &str) -> Result<()> {
        let is_captured = self.capture.as_ref().is_some_and(|capture| capture.streams.contains(&stream));
        if is_captured { Err(Stop::error(format!("{what} in a graph is not supported"))) } else { Ok(()) }
    }

    pub(crate) fn of_graph(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b) = (at(0), at(1));
        match function {
            Function::CaptureBegin => {
                let Some(origin) = self.device.order.stream(a) else { return Ok(self.no_stream()) };
                if origin == LEGACY || self.capture.is_some() {
                    let message =
                        "only one stream that the program created can be captured at a time".to_owned();
                    return Ok(self.failed(CAPTURE_UNSUPPORTED, message));
                }
                let (graph, streams) = (self.graph_number()?, BTreeSet::from([origin]));
                self.capture = Some(Capture { origin, graph, streams, ..Capture::default() });
                Ok(0)
            }
            Function::CaptureEnd => {
                let Some(capture) = self.capture.take() else {
                    return Ok(self.failed(INVALID_VALUE, "no stream is captured".to_owned()));
                };
                if capture.is_full {
                    let message = format!("a graph has more than {MOST_PARTS} parts");
                    return self
                        .bounded(message, "capture less at a time, and launch the smaller graph more often");
                }
                if capture.is_invalid {
                    let message = "what was called during the capture cannot be captured".to_owned();
                    // As the documentation has it, there is no graph then.
                    self.store(Scalar::U64, b, 0)?;
                    return Ok(self.failed(CAPTURE_INVALIDATED, message));
                }
                let graph = Graph { origin: capture.origin, parts: capture.parts, uses: 1 };
                self.graphs.insert(capture.graph, graph);
                self.store(Scalar::U64, b, capture.graph).map(|()| 0)
            }
            Function::GraphCreate if b != 0 => {
                Ok(self.failed(INVALID_VALUE, "the flags of `cudaGraphCreate` have to be 0".to_owned()))
            }
            Function::GraphCreate => self.new_graph(a, Graph { origin: LEGACY, parts: Vec::new(), uses: 1 }),
            Function::IsCapturing => {
                Ok(u64::from(self.capture.as_ref().is_some_and(|capture| capture.streams.contains(&a))))
            }
            Function::GraphNodes => {
                let is_work = |part: &&Part| !matches!(part.node, Node::Record(_) | Node::Wait(_));
                Ok(self.graphs.get(&a).map_or(0, |graph| graph.parts.iter().filter(is_work).count() as u64))
            }
            Function::GraphKeep | Function::GraphDrop => {
                let Some(graph) = self.graphs.get_mut(&a) else { return Ok(self.no_graph()) };
                graph.uses = if function == Function::GraphKeep { graph.uses + 1 } else { graph.uses - 1 };
                self.graphs.retain(|_, graph| graph.uses > 0);
                Ok(0)
            }
            _ => match (self.graphs.get(&a).cloned(), self.device.order.stream(b)) {
                (Some(graph), Some(stream)) => self.launch_graph(graph, stream),
                (None, _) => Ok(self.no_graph()),
                _ => Ok(self.no_stream()),
            },
        }
    }

    /// A new graph, whose handle is stored at an address.
    fn new_graph(&mut self, to: u64, graph: Graph) -> Result<u64> {
        let number = self.graph_number()?;
        self.graphs.insert(number, graph);
        self.store(Scalar::U64, to, number).map(|()| 0)
    }

    /// The number of a graph that is made now.
    fn graph_number(&mut self) -> Result<u64> {
        self.check_handles(
            self.graphs.len(),
            "graphs",
            "call `cudaGraphDestroy` and `cudaGraphExecDestroy` when one is not needed any more",
        )?;
        self.last_graph += 1;
        Ok(self.last_graph)
    }

    fn no_graph(&mut self) -> u64 {
        self.failed(INVALID_VALUE, "there is no such graph: it was never made, or destroyed".to_owned())
    }

    /// Carries out the parts of a graph. What follows it in its stream comes after all of them.
    fn launch_graph(&mut self, graph: Graph, stream: u64) -> Result<u64> {
        let line = self.line;
        self.device.order.enter(stream);
        self.await_functions(Some(Point::Stream(stream)))?;
        let mut streams = BTreeMap::from([(graph.origin, stream)]);
        let (mut events, mut refused) = (BTreeMap::new(), 0);
        for part in graph.parts {
            let order = &mut self.device.order;
            let stream = *streams.entry(part.stream).or_insert_with(|| order.create(false));
            self.line = part.line;
            match part.node {
                Node::Kernel(kernel, _) if !self.device.is_loaded(self.kernels[kernel].module) => {
                    let name = self.kernels[kernel].kernel.name.clone();
                    let message = format!("the graph launches `{name}`, whose module was unloaded");
                    refused = self.failed(INVALID_HANDLE, message);
                }
                Node::Kernel(kernel, mut wanted) => {
                    wanted.stream = stream;
                    self.start(kernel, &wanted)?;
                }
                Node::Copy(copy) => {
                    self.cuda_memcpy(copy, Some(stream))?;
                }
                Node::Set(address, value, bytes) => {
                    self.cuda_memset(address, value, bytes, Some(stream))?;
                }
                Node::Record(event) => {
                    let event = *events.entry(event).or_insert_with(|| self.device.new_event());
                    self.device.order.record(event, stream);
                }
                Node::Wait(event) => {
                    let event = events.get(&event).copied().unwrap_or(event);
                    self.device.order.wait_for(stream, event);
                }
            }
        }
        for own in streams.into_values().filter(|own| *own != stream) {
            let event = self.device.new_event();
            self.device.order.record(event, own);
            self.device.order.wait_for(stream, event);
            self.device.order.destroy(own);
            self.device.destroy_event(event);
        }
        for event in events.into_values() {
            self.device.destroy_event(event);
        }
        self.line = line;
        Ok(refused)
    }
}
