//! What comes before what: streams, events, and waits of the host.
//!
//! Each piece of work knows what comes after it: the streams whose next work does, and the events that were recorded after
//! it. When the host waits for one of those, the work is done and forgotten. So is the oldest of more than [`MOST_WORK`] pieces,
//! which is what this can miss: a wait that is missing for so long.
//!
//! Specification: CUDA Runtime API, "Stream synchronization behavior" and "API synchronization behavior". The legacy default
//! stream waits for all blocking streams, and they wait for it; streams of `cudaStreamNonBlocking` do neither.

use cudac::Line;
use std::collections::BTreeSet;
use std::ops::Range;

/// The legacy default stream.
pub(crate) const LEGACY: u64 = 0;

/// The handles `cudaStreamLegacy` and `cudaStreamPerThread`.
const LEGACY_HANDLE: u64 = 1;
const PER_THREAD: u64 = 2;

/// The first stream that a program creates. The numbers below are those of the handles above.
const FIRST_STREAM: u64 = 16;

/// Work for which the host has not waited is kept at least up to so many pieces. A GPU keeps about as many launches for later.
const MOST_WORK: usize = 1024;

/// Where something can wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Point {
    /// What a stream does next.
    Stream(u64),
    /// An event, and what waits for it.
    Event(u64),
}

/// Work, by its line and its stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Other {
    pub line: Line,
    pub stream: u64,
    pub is_atomic: bool,
}

/// What work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Kernel,
    Copy,
    /// A memset, or an allocation in the order of a stream.
    Set,
    /// A function of the host, until it has ended.
    Function,
}

/// Work of a stream for which the host has not waited.
#[derive(Debug)]
pub(crate) struct Work {
    pub what: What,
    /// Its place in the order of all work.
    pub number: u64,
    /// Its stream.
    pub stream: u64,
    /// What comes after it.
    before: BTreeSet<Point>,
    /// The allocations that a kernel gets, by their addresses.
    pub blocks: Vec<u64>,
    /// What it has changed, in the order of the addresses.
    pub changed: Vec<Range<u64>>,
    /// Whether it changes memory by atomics, which need no order among themselves.
    pub is_atomic: bool,
    /// What it reads, if it is a copy.
    pub read: Range<u64>,
    pub line: Line,
}

impl Work {
    pub fn other(&self) -> Other {
        Other { line: self.line, stream: self.stream, is_atomic: self.is_atomic }
    }

    fn is_before(&self, point: Point) -> bool {
        self.before.contains(&point)
    }

    /// Whether nothing orders it before what a stream does next.
    pub fn is_unordered(&self, stream: u64) -> bool {
        !self.is_before(Point::Stream(stream))
    }

    pub fn changes(&self, bytes: &Range<u64>) -> bool {
        let next = self.changed.partition_point(|changed| changed.end <= bytes.start);
        self.changed.get(next).is_some_and(|changed| overlap(changed, bytes))
    }

    pub fn reads(&self, bytes: &Range<u64>) -> bool {
        overlap(&self.read, bytes)
    }
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether a stream and the legacy default stream wait for each other, which its number says.
pub(crate) fn is_blocking(stream: u64) -> bool {
    stream < FIRST_STREAM || stream.is_multiple_of(2)
}

/// All work for which the host has not waited, and what orders it.
#[derive(Debug, Default)]
pub(crate) struct Order {
    pub work: Vec<Work>,
    /// How much work there was so far.
    count: u64,
    /// The streams that the program has, of all that it has created. The number says whether it is a blocking one.
    streams: BTreeSet<u64>,
    created: u64,
    /// Whether the default stream of the thread has been used.
    is_per_thread: bool,
    /// How many functions of the host are among the work.
    functions: usize,
}

impl Order {
    /// A new stream.
    pub fn create(&mut self, is_blocking: bool) -> u64 {
        let stream = FIRST_STREAM + 2 * self.created + u64::from(!is_blocking);
        self.created += 1;
        self.streams.insert(stream);
        stream
    }

    /// How many streams there are.
    pub fn streams(&self) -> usize {
        self.streams.len()
    }

    /// Destroys a stream; whether there was one. Its work goes on. If it has none, what it has waited for comes before what the
    /// default stream does next, as far as that waits for it, and before nothing else.
    pub fn destroy(&mut self, stream: u64) -> bool {
        let is_blocking = is_blocking(stream);
        if self.streams.contains(&stream) && self.work.iter().all(|work| work.stream != stream) {
            for work in &mut self.work {
                if work.before.remove(&Point::Stream(stream)) && is_blocking {
                    work.before.insert(Point::Stream(LEGACY));
                }
            }
        }
        self.streams.remove(&stream)
    }

    /// Forgets an event that was destroyed.
    pub fn forget_event(&mut self, event: u64) {
        for work in &mut self.work {
            work.before.remove(&Point::Event(event));
        }
    }

    /// Forgets what was done with the allocation at an address, because there is another one now.
    pub fn forget_bytes(&mut self, address: u64) {
        let is_there = |bytes: &Range<u64>| bytes.start >> 40 == address >> 40;
        for work in &mut self.work {
            work.blocks.retain(|block| *block != address);
            work.changed.retain(|bytes| !is_there(bytes));
            if is_there(&work.read) {
                work.read = 0..0;
            }
        }
    }

    /// The stream of a handle.
    pub fn stream(&mut self, handle: u64) -> Option<u64> {
        self.is_per_thread |= handle == PER_THREAD;
        match handle {
            LEGACY | LEGACY_HANDLE => Some(LEGACY),
            PER_THREAD => Some(PER_THREAD),
            _ => self.streams.contains(&handle).then_some(handle),
        }
    }

    /// Whether all work so far is in the legacy default stream.
    pub fn has_one_stream(&self) -> bool {
        self.created == 0 && !self.is_per_thread
    }

    /// A stream is about to get something to do: the default stream waits for blocking streams, and they wait for it.
    pub fn enter(&mut self, stream: u64) {
        if self.has_one_stream() && stream == LEGACY || !is_blocking(stream) {
            return;
        }
        let mut work = std::mem::take(&mut self.work);
        for work in &mut work {
            let is_awaited = |point: &Point| match *point {
                Point::Stream(other) if stream == LEGACY => is_blocking(other),
                other => other == Point::Stream(LEGACY),
            };
            if work.is_unordered(stream) && work.before.iter().any(is_awaited) {
                work.before.insert(Point::Stream(stream));
            }
        }
        self.work = work;
    }

    /// A stream that was entered gets work. Of much work for which the host has not waited, the oldest is forgotten.
    pub fn add(&mut self, what: What, stream: u64, line: Line) -> &mut Work {
        if self.work.len() >= 2 * MOST_WORK {
            let mut nth = 0;
            self.work.retain(|work| {
                nth += 1;
                nth > MOST_WORK || work.what == What::Function
            });
        }
        let before = BTreeSet::from([Point::Stream(stream)]);
        let number = self.count;
        self.count += 1;
        self.functions += usize::from(what == What::Function);
        let (blocks, changed) = (Vec::new(), Vec::new());
        self.work.push(Work {
            what,
            number,
            stream,
            before,
            blocks,
            changed,
            is_atomic: false,
            read: 0..0,
            line,
        });
        let last = self.work.len() - 1;
        &mut self.work[last]
    }

    /// An event comes after everything that comes before the next work of a stream.
    pub fn record(&mut self, event: u64, stream: u64) {
        self.enter(stream);
        for work in &mut self.work {
            work.before.remove(&Point::Event(event));
            if work.is_before(Point::Stream(stream)) {
                work.before.insert(Point::Event(event));
            }
        }
    }

    /// What a stream does next comes after an event.
    pub fn wait_for(&mut self, stream: u64, event: u64) {
        self.enter(stream);
        let awaited = self.work.iter_mut().filter(|work| work.is_before(Point::Event(event)));
        awaited.for_each(|work| _ = work.before.insert(Point::Stream(stream)));
    }

    /// The host waits for what comes before a point, or for everything. Returns what is done.
    pub fn finish(&mut self, point: Option<Point>) -> Vec<Work> {
        if let Some(Point::Stream(stream)) = point {
            self.enter(stream);
        }
        self.work.extract_if(.., |work| point.is_none_or(|point| work.is_before(point))).collect()
    }

    /// Whether a function of the host that has not ended comes before a point, or anywhere.
    pub fn has_function_before(&self, point: Option<Point>) -> bool {
        let is_before = |work: &Work| point.is_none_or(|point| work.is_before(point));
        self.functions > 0 && self.work.iter().any(|work| work.what == What::Function && is_before(work))
    }

    /// A function of the host has ended.
    pub fn end_function(&mut self, number: u64) {
        if let Ok(at) = self.work.binary_search_by_key(&number, |work| work.number) {
            self.work.remove(at);
            self.functions -= 1;
        }
    }

    /// Whether work comes before an event that is not done.
    pub fn is_awaited(&self, event: u64) -> bool {
        self.work.iter().any(|work| work.is_before(Point::Event(event)))
    }

    /// Takes back that work is done.
    pub fn resume(&mut self, done: Vec<Work>) {
        self.work.extend(done);
        self.work.sort_by_key(|work| work.number);
    }

    /// Whether some work, by its number, is not done.
    pub fn is_running(&self, number: u64) -> bool {
        self.work.binary_search_by_key(&number, |work| work.number).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether work in one stream is ordered before what another does next, after some steps.
    fn is_ordered(order: &mut Order, from: u64, to: u64, between: impl Fn(&mut Order)) -> bool {
        order.enter(from);
        let number = order.add(What::Kernel, from, Line::new(0, 1)).number;
        between(order);
        order.enter(to);
        order.work.iter().any(|work| work.number == number && !work.is_unordered(to))
    }

    fn with_streams() -> [u64; 4] {
        let mut order = Order::default();
        [LEGACY, order.create(true), order.create(true), order.create(false)]
    }

    fn order() -> Order {
        let mut order = Order::default();
        for is_blocking in [true, true, false] {
            order.create(is_blocking);
        }
        order
    }

    #[test]
    fn only_blocking_streams_and_the_default_stream_wait_for_each_other() {
        let [legacy, a, b, free] = with_streams();
        for (from, to, wanted) in [
            (legacy, legacy, true),
            (legacy, a, true),
            (a, legacy, true),
            (a, b, false),
            (legacy, PER_THREAD, true),
            (PER_THREAD, a, false),
            (legacy, free, false),
            (free, legacy, false),
            (free, free, true),
        ] {
            assert_eq!(is_ordered(&mut order(), from, to, |_| ()), wanted, "{from} {to}");
        }
    }

    #[test]
    fn work_of_the_default_stream_orders_what_is_before_it_and_after_it() {
        let [legacy, a, b, free] = with_streams();
        let default = |order: &mut Order| {
            order.enter(legacy);
            order.add(What::Kernel, legacy, Line::new(0, 2));
        };
        assert!(is_ordered(&mut order(), a, b, default));
        assert!(!is_ordered(&mut order(), a, free, default) && !is_ordered(&mut order(), free, b, default));
    }

    #[test]
    fn an_event_orders_what_was_there_when_it_was_recorded() {
        let [legacy, a, b, free] = with_streams();
        let by_event = |from: u64, to: u64| {
            move |order: &mut Order| {
                order.record(1, from);
                order.wait_for(to, 1);
            }
        };
        assert!(is_ordered(&mut order(), a, free, by_event(a, free)));
        assert!(is_ordered(&mut order(), a, free, by_event(legacy, free)));
        assert!(is_ordered(&mut order(), free, a, by_event(free, legacy)));
        assert!(!is_ordered(&mut order(), free, a, by_event(legacy, a)));
        let again = |order: &mut Order| {
            order.record(1, a);
            order.record(1, b);
            order.wait_for(b, 1);
        };
        assert!(!is_ordered(&mut order(), a, b, again));
    }

    #[test]
    fn the_host_waits_for_what_comes_before_a_stream() {
        let [legacy, a, b, free] = with_streams();
        let mut order = order();
        for stream in [a, b, free] {
            order.enter(stream);
            order.add(What::Kernel, stream, Line::new(0, 1));
        }
        let mut done = |point| order.finish(point).iter().map(|work| work.number).collect::<Vec<_>>();
        assert_eq!(done(Some(Point::Stream(b))), [1]);
        assert_eq!(done(Some(Point::Stream(legacy))), [0]);
        assert_eq!(done(Some(Point::Event(9))), []);
        assert_eq!(done(None), [2]);
    }

    #[test]
    fn what_work_changes_is_known_to_the_byte() {
        let mut order = order();
        let work = order.add(What::Kernel, LEGACY, Line::new(0, 1));
        work.changed = (0..1000).map(|row| 16 * row..16 * row + 4).collect();
        for (bytes, wanted) in [
            (0..1, true),
            (3..5, true),
            (4..16, false),
            (4..17, true),
            (12..40, true),
            (15_984..15_985, true),
            (15_988..99_999, false),
        ] {
            assert_eq!(work.changes(&bytes), wanted, "{bytes:?}");
        }
    }

    #[test]
    fn a_function_comes_before_what_waits_for_its_stream_until_it_has_ended() {
        let [legacy, a, b, free] = with_streams();
        let mut order = order();
        order.enter(a);
        let number = order.add(What::Function, a, Line::new(0, 1)).number;
        order.record(1, a);
        order.wait_for(free, 1);
        for _ in 0..3 * MOST_WORK {
            order.add(What::Set, b, Line::new(0, 1));
        }
        order.enter(legacy);
        let is_before = |order: &Order| {
            let points = [Point::Stream(a), Point::Stream(legacy), Point::Stream(free), Point::Event(1)];
            points.map(|point| order.has_function_before(Some(point)))
        };
        assert_eq!(is_before(&order), [true; 4]);
        assert!(order.has_function_before(None) && !order.has_function_before(Some(Point::Stream(b))));
        order.end_function(number);
        assert_eq!((is_before(&order), order.has_function_before(None)), ([false; 4], false));
    }

    #[test]
    fn handles_are_those_of_live_streams() {
        let mut order = order();
        let stream = order.create(true);
        assert_eq!((order.stream(stream), order.stream(1), order.stream(99)), (Some(stream), Some(0), None));
        assert!(order.destroy(stream) && !order.destroy(stream) && !order.destroy(0));
        assert_eq!(order.stream(stream), None);
    }
}
