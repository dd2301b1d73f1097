//! Launches, and what the emulator finds in them; and what is known at the end of the program.

use std::rc::Rc;

use cudac::Line;
use cudac::host::{FUNCTION_BYTES, KERNEL_BASE, Kernel, KernelCall, Passing, Scalar};
use simt::{AccessKind, Arg, Counters, Dim3, FaultKind, LaunchError, Severity};

use crate::STEPS_OF_A_LAUNCH;
use crate::device::{Device, LoadedKernel, PRINT_LIMIT, Printed};
use crate::errors::{
    INVALID_CLUSTER_SIZE, INVALID_CONFIGURATION, INVALID_HANDLE, INVALID_VALUE, NO_STREAM, TOO_LARGE,
};
use crate::finding::{Finding, Kind};
use crate::machine::{Machine, Result, Stop};
use crate::memory::Access;
use crate::order::{LEGACY, Other, Point, What};
use crate::places::Places;
use crate::resident::Room;
use crate::unordered;
use crate::work::{Node, Wanted};

/// What a launch costs in addition to its warp instructions. An empty kernel takes as long as a quarter of so many, so that a loop of
/// empty launches that never ends is stopped sooner than one of launches that do something.
const COST_OF_A_LAUNCH: u64 = 1024;

/// Warp instructions that a launch may take for each of its warps, in addition to the usual limit: what a large grid does is not
/// endless because it is much.
const STEPS_OF_A_WARP: u64 = 10_000;

/// How many times what one launch may take all launches may take together.
const LAUNCHES_TOGETHER: u64 = 16;

/// What to do about a grid that waits for itself.
const COOPERATE: &str =
    "launch the kernel with `cudaLaunchCooperativeKernel`, which makes all blocks resident together";

impl Machine<'_> {
    pub(crate) fn launch(&mut self, launch: &KernelCall, frame: u64) -> Result<u64> {
        let kernel = self.eval(&launch.kernel, frame)?;
        let wanted = self.evaluated(launch, frame)?;
        let kernel = self.kernel_at(kernel)?;
        self.start(kernel, &wanted)
    }

    /// The number of the kernel at an address.
    pub(crate) fn kernel_at(&self, address: u64) -> Result<usize> {
        if let Some(number) = self.native.as_ref().and_then(|native| native.kernels.get(&address)) {
            return Ok(*number);
        }
        let distance = address.wrapping_sub(KERNEL_BASE);
        let number = (distance / FUNCTION_BYTES) as usize;
        if number < self.program.kernels.len() && distance.is_multiple_of(FUNCTION_BYTES) {
            return Ok(number);
        }
        let help = "pass the name of a `__global__` function";
        self.found(Kind::OutOfBounds, format!("{address:#x} is launched, which is no kernel"), help)
    }

    /// `cudaLaunchKernel`: the kernel, the grid, the block, where the addresses of the arguments are, and the rest.
    pub(crate) fn launch_kernel(&mut self, values: &[u64], is_cooperative: bool) -> Result<u64> {
        let [kernel, grid, block, table, shared_bytes, stream] = values[..] else { return Ok(INVALID_VALUE) };
        let kernel = self.kernel_at(kernel)?;
        let (mut args, mut addresses) = (Vec::new(), Vec::new());
        let loaded = Rc::clone(&self.kernels[kernel]);
        for (nth, passing) in loaded.kernel.parameters.iter().enumerate() {
            let place = self.load(Scalar::U64, table.wrapping_add(8 * nth as u64))?;
            let bytes = match passing {
                Passing::Scalar(ty) => ty.bytes(),
                Passing::Object(bytes) => *bytes,
            };
            let bytes = self.bytes_of(place, bytes)?;
            args.push(self.argument(bytes, &mut addresses));
        }
        let (grid, block) = (self.shape(grid)?, self.shape(block)?);
        let cluster = self.device.thread.next_cluster.take();
        let wanted = Wanted { grid, block, cluster, shared_bytes, stream, args, addresses, is_cooperative };
        self.start(kernel, &wanted)
    }

    /// The error of a launch that returns it, which `<<<>>>` does not.
    pub(crate) fn returned_error(&mut self) -> u64 {
        self.device.thread.failure.as_mut().map_or(0, |failure| {
            failure.is_launch = false;
            failure.code
        })
    }

    /// Launches a kernel, unless no device would.
    pub(crate) fn start(&mut self, kernel: usize, wanted: &Wanted) -> Result<u64> {
        self.unchecked()?;
        self.device.thread.known_failure = None;
        let loaded = Rc::clone(&self.kernels[kernel]);
        let Kernel { name, shared_bytes, .. } = &loaded.kernel;
        let bytes = wanted.shared_bytes.saturating_add(*shared_bytes);
        let refused = refused(wanted, bytes, self.device.shared_allowed(kernel), self.device.room);
        let stream = self.device.order.stream(wanted.stream);
        let no_stream = || stream.is_none().then(|| (INVALID_HANDLE, NO_STREAM.to_owned()));
        if let Some((code, message)) = refused.or_else(no_stream) {
            let is_shape = !matches!(code, TOO_LARGE | INVALID_HANDLE);
            let message = format!("the launch of `{name}` failed: {message}");
            self.device.fail_launch(code, self.line, message, is_shape);
            return Ok(0);
        }
        let stream = stream.unwrap_or(LEGACY);
        if self.is_kept(stream, || Node::Kernel(kernel, wanted.clone())) {
            return Ok(0);
        }
        if let Some((code, message)) = (stream == LEGACY).then(|| self.capture_error(false)).flatten() {
            let message = format!("the launch of `{name}` failed: {message}");
            self.device.fail_launch(code, self.line, message, false);
            return Ok(0);
        }
        self.execute(kernel, wanted, stream)
    }

    /// Keeps what a kernel has printed until the host waits for it.
    fn keep(&mut self, printed: Printed) -> Result<()> {
        if printed.text.is_empty() {
            return Ok(());
        }
        self.device.printed.push(printed);
        let bytes: usize = self.device.printed.iter().map(|printed| printed.text.len()).sum();
        if bytes > self.limits.output_bytes {
            self.too_much_output()?;
        }
        Ok(())
    }

    /// A kernel cannot be emulated. A client of the driver may have many, so it is named.
    #[expect(clippy::unnecessary_box_returns, reason = "it is what a `Result` has")]
    pub(crate) fn unsupported(&self, kernel: &str, error: &simt::ptx::Error) -> Box<Stop> {
        let text = error.to_string();
        Stop::error(if self.places.are_of_driver() {
            format!("the kernel `{kernel}` in PTX, {text}")
        } else {
            text
        })
    }

    /// Carries out a launch.
    fn execute(&mut self, kernel: usize, wanted: &Wanted, stream: u64) -> Result<u64> {
        let loaded = Rc::clone(&self.kernels[kernel]);
        let name = &loaded.kernel.name;
        self.flush()?;
        self.device.order.enter(stream);
        self.await_functions(Some(Point::Stream(stream)))?;
        let blocks = self.device.used_by(&loaded, &wanted.addresses);
        let mut launch = self.how(&loaded, wanted);
        if !self.is_checked(kernel, wanted, &blocks) {
            (launch.checks.races, launch.checks.volatile_races) = (false, false);
        }
        let work = self.device.order.add(What::Kernel, stream, self.line);
        work.blocks = blocks;
        let number = work.number;
        self.most_steps = self.most_steps.max(launch.max_steps);
        self.device.launches += 1;
        self.sign()?;
        let hidden = self.device.hide(stream);
        let before = self.device.before(stream);
        self.device.tell_kind(&loaded, wanted.is_cooperative);
        self.pull()?;
        let launched = self.device.launch(&loaded, launch);
        self.push()?;
        let is_atomic = launched.as_ref().is_ok_and(|report| has_atomics(&report.counters));
        let user = self.device.after(&before, stream, is_atomic);
        self.device.show(&hidden);
        let mut report = match launched {
            Ok(report) => report,
            Err(LaunchError::Unsupported { error, .. }) => return Err(self.unsupported(name, &error)),
            Err(error) => {
                let message = format!("the launch of `{name}` failed: {error}");
                let code =
                    if error.is_about_clusters() { INVALID_CLUSTER_SIZE } else { INVALID_CONFIGURATION };
                self.device.fail_launch(code, self.line, message, true);
                return Ok(0);
            }
        };
        self.count_launch(report.counters.ptx_instructions)?;
        let (text, kernel) = (std::mem::take(&mut report.output), name.clone());
        self.keep(Printed { work: number, line: self.line, kernel, text })?;
        if report.was_stopped {
            self.judge(&report.faults, name)?;
            return Err(Box::new(Stop::Interrupted));
        }
        if let Some(other) = user {
            let finding = self.unordered(name, stream, ["writes", "uses"], other);
            self.report(finding);
        }
        // Bytes that count as unwritten only because they are hidden.
        let early = report.faults.extract_if(.., |fault| other_work(fault, &hidden).is_some());
        for fault in early.collect::<Vec<_>>() {
            let Some(other) = other_work(&fault, &hidden) else { continue };
            if is_among_atomics(&fault, other) {
                continue;
            }
            let actors = of_kernel(&mut self.places, &fault, self.line, name).actors;
            let finding = self.unordered(name, stream, ["reads", "writes"], other);
            self.report(Finding { actors, ..finding });
        }
        for read in &report.stale_reads {
            let finding = stale(&mut self.places, read, self.line, name);
            self.report(finding);
        }
        self.judge(&report.faults, name)
    }

    /// Whether a launch is checked for races, if launches are.
    fn is_checked(&mut self, kernel: usize, wanted: &Wanted, blocks: &[u64]) -> bool {
        match self.limits.check_launches.filter(|_| self.limits.launch.checks.races) {
            Some(interval) => self.repeats.is_checked(kernel, wanted, blocks, interval),
            None => true,
        }
    }

    /// How a kernel is launched.
    pub(crate) fn how(&self, loaded: &LoadedKernel, wanted: &Wanted) -> simt::Launch {
        let room = self.device.room;
        let resident = room.of_device(wanted.block.count(), wanted.shared_bytes + loaded.kernel.shared_bytes);
        let may_wait = wanted.is_cooperative || self.device.may_wait(loaded);
        let how = &self.limits.launch;
        let is_usual = how.resident_blocks == simt::DEFAULT_RESIDENT_BLOCKS;
        simt::Launch {
            grid: wanted.grid,
            block: wanted.block,
            cluster: wanted.cluster,
            args: wanted.args.clone(),
            shared_bytes: wanted.shared_bytes as u32,
            resident_blocks: if may_wait && is_usual { resident as u32 } else { how.resident_blocks },
            print_bytes: self.device.limits[PRINT_LIMIT],
            max_steps: most_steps(how.max_steps, wanted.grid, wanted.block),
            ..how.clone()
        }
    }

    /// A loop of launches that never ends is stopped: a launch counts as some warp instructions, and those that it executes. A
    /// process that calls the driver may live for hours, as tests do, and can be ended from outside.
    fn count_launch(&mut self, steps: u64) -> Result<()> {
        if self.places.are_of_driver() {
            return Ok(());
        }
        self.launched_steps += COST_OF_A_LAUNCH + steps;
        let limit = self.most_steps.saturating_mul(LAUNCHES_TOGETHER);
        if self.launched_steps > limit {
            let message =
                format!("the {} launches took more than {limit} steps together", self.device.launches);
            let help = "is there a loop of launches that never ends? A larger `--max-steps` allows more";
            return self.bounded(message, help);
        }
        Ok(())
    }

    /// An argument of a kernel. Addresses in it are noted, and those of registered memory become those that the device uses.
    pub(crate) fn argument(&self, mut bytes: Vec<u8>, addresses: &mut Vec<u64>) -> Arg {
        for word in bytes.chunks_exact_mut(8) {
            let address = word.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            let address = self.device.resolve(address);
            word.copy_from_slice(&address.to_le_bytes());
            addresses.push(address);
        }
        Arg::bytes(&bytes)
    }

    /// The shape, the stream and the arguments of a launch.
    fn evaluated(&mut self, launch: &KernelCall, frame: u64) -> Result<Wanted> {
        let grid = self.eval(&launch.grid, frame)?;
        let grid = self.shape(grid)?;
        let block = self.eval(&launch.block, frame)?;
        let block = self.shape(block)?;
        let shared_bytes = self.eval(&launch.shared_bytes, frame)?;
        let stream = self.eval(&launch.stream, frame)?;
        let mut args = Vec::with_capacity(launch.arguments.len());
        let mut addresses = Vec::new();
        for (passing, argument) in &launch.arguments {
            let value = self.eval(argument, frame)?;
            self.at(launch.line);
            let bytes = match passing {
                Passing::Scalar(ty) => value.to_le_bytes()[..ty.bytes() as usize].to_vec(),
                Passing::Object(bytes) => self.bytes_of(value, *bytes)?,
            };
            args.push(self.argument(bytes, &mut addresses));
        }
        self.at(launch.line);
        let is_cooperative = std::mem::take(&mut self.device.thread.next_is_cooperative);
        let cluster = self.device.thread.next_cluster.take();
        Ok(Wanted { grid, block, cluster, shared_bytes, stream, args, addresses, is_cooperative })
    }

    /// Turns what the emulator found in a launch into findings. What stops a launch stops the program; after other mistakes
    /// it continues, as under compute-sanitizer. A line is reported once.
    pub(crate) fn judge(&mut self, faults: &[simt::Fault], name: &str) -> Result<u64> {
        let is_stopped = faults.iter().any(simt::Fault::ends_launch);
        if is_stopped {
            self.print_all()?;
        }
        // A note that names no thread is about a constant that nobody set, which is a suspect and no more.
        let is_suspect = |fault: &simt::Fault| fault.severity == Severity::Note && fault.actors.is_empty();
        for fault in faults.iter().filter(|fault| !is_suspect(fault)) {
            let mut finding = of_kernel(&mut self.places, fault, self.line, name);
            let address = fault.location.as_ref().map(|location| location.address);
            if fault.kind == FaultKind::Uninitialized
                && let Some(help) = address.and_then(|address| self.device.unfilled(&self.places, address))
            {
                finding.help = help;
            }
            if fault.kind == FaultKind::Trap && fault.message.contains("cooperative launch") {
                finding.message = format!(
                    "the kernel `{name}` calls `grid.sync()`, and its launch at {} is not cooperative: the launch fails",
                    self.places.place(self.line)
                );
                COOPERATE.clone_into(&mut finding.help);
            }
            if address.is_some_and(Device::is_name) {
                finding.kind = Kind::WrongSpace;
                finding.message =
                    format!("the kernel `{name}` got the name of a variable of the device as a pointer");
                "use the variable in the kernel, or pass the address that `cudaGetSymbolAddress` returns"
                    .clone_into(&mut finding.help);
            } else if let Some(address) = address.filter(|address| self.is_of_host(*address)) {
                finding.kind = Kind::WrongSpace;
                finding.message = format!(
                    "the kernel `{name}` accesses the address {address:#x}, which is in the memory of the host"
                );
                "copy the data to memory from `cudaMalloc`, and pass that pointer"
                    .clone_into(&mut finding.help);
            }
            self.report(finding);
        }
        if is_stopped { Err(Box::new(Stop::Reported)) } else { Ok(0) }
    }

    /// A kernel and work of another stream use the same bytes.
    fn unordered(&self, name: &str, stream: u64, [does, others_do]: [&str; 2], other: Other) -> Finding {
        let message = format!(
            "the kernel `{name}` {does} bytes that the work of {} {others_do} in another stream, and nothing \
             orders the two",
            self.places.place(other.line)
        );
        Finding::new(Kind::Unsynchronized, self.line, message, unordered::help([stream, other.stream]))
    }

    /// A finding after which the program continues; a line is reported once.
    pub(crate) fn report(&mut self, finding: Finding) {
        let is_new = |known: &Finding| (known.kind, known.line) != (finding.kind, finding.line);
        if self.findings.iter().all(is_new) {
            self.add(finding);
        }
    }

    /// The three numbers of a `dim3`.
    fn shape(&mut self, address: u64) -> Result<Dim3> {
        let mut part = |nth: u64| self.load(Scalar::U32, address + 4 * nth).map(|value| value as u32);
        Ok(Dim3::new(part(0)?, part(1)?, part(2)?))
    }

    pub(crate) fn bytes_of(&mut self, address: u64, bytes: u64) -> Result<Vec<u8>> {
        Ok(self.take(address, bytes, Access::Copy)?.0)
    }

    /// What may be the reason that a program finds its results wrong: something that would be right in another program.
    pub(crate) fn suspect(&self) -> Option<String> {
        let mut zeros = self.program.zeros.iter().filter(|(name, _)| self.device.is_zero(name));
        let zero = || {
            let (name, line) = zeros.next()?;
            let message =
                format!("`{name}` is zero: store its value with `cudaMemcpyToSymbol` before the launch");
            Some((*line, message))
        };
        let (line, message) = self.suspects.first().cloned().or_else(zero)?;
        Some(format!("{}: {message}", self.places.place(line)))
    }

    /// What is known when the program has ended. Memory that was not freed is reported whatever the status is, as
    /// compute-sanitizer's `--leak-check` does.
    pub(crate) fn at_end(&mut self, status: i32) {
        if let Err(stop) = self.unchecked()
            && let Stop::Finding(finding) = *stop
        {
            self.add(finding);
        }
        let failure = self.device.thread.known_failure.take().filter(|_| status != 0);
        match &failure {
            Some(failure) => self.report(Finding::new(
                Kind::FailedCall,
                failure.line,
                format!("{}, and the program ended with the status {status}", failure.named()),
                "correct the call",
            )),
            None if status != 0 => self.add(self.failed_by_itself(status)),
            None => {}
        }
        for printed in std::mem::take(&mut self.device.printed) {
            self.add(lost(&printed));
        }
        // A program that gives up after a failure leaves its memory to the end of the process.
        if failure.is_some() {
            return;
        }
        for (line, bytes) in self.device.live() {
            let message = match bytes {
                1 => "1 byte of the device that is allocated here is never freed".to_owned(),
                _ => format!("{bytes} bytes of the device that are allocated here are never freed"),
            };
            let help = "call `cudaFree` when they are not needed any more";
            // Other people's programs leave their memory to the end of the process, on purpose.
            let severity = if self.places.are_of_driver() { Severity::Note } else { Severity::Error };
            self.add(Finding { severity, ..Finding::new(Kind::Leak, line, message, help) });
        }
    }

    /// The program says by its status that something is wrong.
    fn failed_by_itself(&self, status: i32) -> Finding {
        let message =
            format!("the program ended with the status {status}, which says that something is wrong");
        let help = self.suspect();
        let help = help.unwrap_or_else(|| "look at what it printed: a test of its own failed".to_owned());
        Finding::new(Kind::ExitStatus, self.line, message, help)
    }
}

/// What a kernel has printed, if the program ends before anybody sees it.
fn lost(printed: &Printed) -> Finding {
    let first = printed.text.lines().next().unwrap_or_default();
    let first: String = first.chars().take(60).collect();
    let message = format!(
        "the kernel `{}` prints `{first}`, which does not appear: the program ends without a call that waits for the kernel",
        printed.kernel
    );
    let help = "call `cudaDeviceSynchronize()` after the launch";
    Finding::new(Kind::Kernel(FaultKind::LostOutput), printed.line, message, help)
}

/// The limit on warp instructions of a launch: the one that the caller of the program has set, or one that is enough for a grid of
/// this size.
fn most_steps(limit: u64, grid: Dim3, block: Dim3) -> u64 {
    if limit != STEPS_OF_A_LAUNCH {
        return limit;
    }
    let warps = grid.count().saturating_mul(block.count().div_ceil(32));
    limit.saturating_add(warps.saturating_mul(STEPS_OF_A_WARP))
}

/// Why a device refuses a launch, whose blocks have some shared memory and may have so much.
fn refused(wanted: &Wanted, shared: u64, allowed: u64, room: Room) -> Option<(u64, String)> {
    let Wanted { grid, block, .. } = wanted;
    if grid.count() == 0 || block.count() == 0 {
        return Some((
            INVALID_CONFIGURATION,
            format!("the grid is {grid} and the block is {block}, and neither may be empty"),
        ));
    }
    if block.count() > simt::MAX_BLOCK_THREADS || block.z > 64 {
        let threads = block.count();
        let message =
            format!("a block of {threads} threads, {block}, is larger than 1024 threads or than 64 in z");
        return Some((INVALID_CONFIGURATION, message));
    }
    let most = simt::MAX_GRID;
    if grid.x > most.x || grid.y > most.y || grid.z > most.z {
        return Some((INVALID_CONFIGURATION, format!("the grid is {grid}, and may be at most {most}")));
    }
    if shared > allowed {
        return Some((INVALID_VALUE, format!("{shared} bytes of shared memory are more than {allowed}")));
    }
    let (blocks, resident) = (grid.count(), room.of_device(block.count(), shared));
    (wanted.is_cooperative && blocks > resident).then(|| {
        let message = format!(
            "only {resident} of the {blocks} blocks can be resident together, and all blocks of a cooperative launch have to be"
        );
        (TOO_LARGE, message)
    })
}

/// The work of another stream that changes the bytes which a kernel reads too early.
fn other_work(fault: &simt::Fault, hidden: &unordered::Hidden) -> Option<Other> {
    let location = fault.location.as_ref().filter(|_| fault.kind == FaultKind::Uninitialized)?;
    hidden.other(location.address)
}

/// Whether a kernel has changed global memory by atomics, maybe among others.
fn has_atomics(counters: &Counters) -> bool {
    counters.global_atomic_requests + counters.global_reduction_requests > 0
}

/// Whether a kernel updates atomically what the work of another stream changes, too.
fn is_among_atomics(fault: &simt::Fault, other: Other) -> bool {
    let is_update = fault.actors.first().is_some_and(|actor| actor.access == Some(AccessKind::Update));
    other.is_atomic && is_update
}

fn of_kernel(places: &mut Places, fault: &simt::Fault, line: Line, name: &str) -> Finding {
    let site = fault.actors.first().map(|actor| &actor.site);
    let launched = places.place(line);
    let at = match site.and_then(|site| site.source.as_ref()) {
        Some(source) => places.line(&source.file, source.line),
        // Who brings PTX and no names of files has its lines.
        None if places.are_of_driver() => {
            site.map_or(line, |site| places.line(&format!("{name}.ptx"), site.ptx_line))
        }
        None => line,
    };
    let mut finding = Finding::new(
        Kind::Kernel(fault.kind),
        at,
        format!("{} (kernel `{name}`, launched at {launched})", fault.message),
        fault.help.clone(),
    );
    finding.severity = fault.severity;
    finding.actors = fault.actors.iter().map(ToString::to_string).collect();
    finding
}

/// What the weak memory did, which is no mistake by itself.
fn stale(places: &mut Places, read: &simt::StaleRead, line: Line, name: &str) -> Finding {
    let source =
        read.reader.site.source.as_ref().map_or(line, |source| places.line(&source.file, source.line));
    let message = format!("{} (kernel `{name}`, launched at {})", read.message, places.place(line));
    let help = "no mistake by itself: PTX's memory model allows it unless something orders the two accesses";
    let actors = [&read.reader, &read.newer].map(ToString::to_string).to_vec();
    Finding { actors, severity: Severity::Note, ..Finding::new(Kind::StaleRead, source, message, help) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resident::SHARED_BYTES;

    #[test]
    fn a_large_grid_may_take_more_steps_unless_the_caller_says_how_many() {
        let (grid, block) = (Dim3::from(1000), Dim3::from(40));
        assert_eq!(most_steps(STEPS_OF_A_LAUNCH, grid, block), STEPS_OF_A_LAUNCH + 2000 * STEPS_OF_A_WARP);
        assert_eq!(most_steps(7, grid, block), 7);
        let most = Dim3::new(u32::MAX, u32::MAX, u32::MAX);
        assert_eq!(most_steps(STEPS_OF_A_LAUNCH, most, most), u64::MAX);
    }

    #[test]
    fn a_launch_is_refused_for_what_no_device_has() {
        let refused = |grid, block, shared, allowed| {
            let (args, addresses) = (Vec::new(), Vec::new());
            let wanted = Wanted {
                grid,
                block,
                cluster: None,
                shared_bytes: 0,
                stream: 0,
                args,
                addresses,
                is_cooperative: false,
            };
            super::refused(&wanted, shared, allowed, Room::default())
        };
        let code = |grid, block, shared| refused(grid, block, shared, SHARED_BYTES).map(|(code, _)| code);
        let one = Dim3::from(1);
        assert_eq!(code(one, Dim3::from(1024), SHARED_BYTES), None);
        assert_eq!(code(one, Dim3::from(1025), 0), Some(INVALID_CONFIGURATION));
        assert_eq!(code(one, Dim3::new(1, 1, 65), 0), Some(INVALID_CONFIGURATION));
        assert_eq!(code(Dim3::from(0), one, 0), Some(INVALID_CONFIGURATION));
        assert_eq!(code(one, one, SHARED_BYTES + 1), Some(INVALID_VALUE));
        assert!(refused(one, one, 96 << 10, 96 << 10).is_none());
    }
}
