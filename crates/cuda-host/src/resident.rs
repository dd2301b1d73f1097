//! How many blocks of a launch are on the device together.
//!
//! What the occupancy functions promise is resident, so a program that sizes its grid by them may let all blocks wait for each
//! other. How many registers a kernel needs is not known here. With fewer resident blocks a launch is faster, so kernels that
//! cannot wait for anything do without.

/// Shared memory that a block may have unless the program asks for more.
pub(crate) const SHARED_BYTES: u64 = 48 << 10;

/// Shared memory that a block may have if the program asks for it: that of compute capability 7.0.
pub(crate) const MAX_SHARED_BYTES: u64 = 96 << 10;

/// What `cudaGetDeviceProperties` says of the device.
const MULTIPROCESSORS: u64 = 80;

/// How many blocks of a launch fit on a multiprocessor, by its threads, blocks and shared memory.
pub(crate) fn of_multiprocessor(threads: u64, shared_bytes: u64) -> u64 {
    let of_threads = if threads == 0 || threads > 1024 { 0 } else { 2048 / threads.next_multiple_of(32) };
    of_threads.min(32).min(MAX_SHARED_BYTES.checked_div(shared_bytes).unwrap_or(32))
}

/// How many blocks of a launch fit on the device.
pub(crate) fn of_device(threads: u64, shared_bytes: u64) -> u64 {
    of_multiprocessor(threads, shared_bytes) * MULTIPROCESSORS
}

/// Which kernels of a module may wait for other blocks: those that read memory in a way which sees what others write.
#[derive(Debug)]
pub(crate) struct Waiting {
    kernels: Vec<String>,
    /// Whether a function of the module may, which any kernel may call.
    is_function: bool,
}

impl Waiting {
    pub fn new(ptx: &str) -> Waiting {
        let mut found = Waiting { kernels: Vec::new(), is_function: false };
        let mut kernel = None;
        for line in ptx.lines() {
            if let Some((_, rest)) = line.split_once(".entry ") {
                kernel = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next();
            } else if line.contains(".func ") {
                kernel = None;
            }
            if !sees_others(line) {
                continue;
            }
            match kernel {
                Some(name) if found.kernels.last().is_none_or(|last| last != name) => {
                    found.kernels.push(name.to_owned());
                }
                Some(_) => {}
                None => found.is_function = true,
            }
        }
        found
    }

    pub fn may_wait(&self, kernel: &str) -> bool {
        self.is_function || self.kernels.iter().any(|known| known == kernel)
    }
}

/// Whether an instruction is an atomic or a load that is not a plain one. A loop around a plain load does not end: the compiler
/// may load once.
fn sees_others(line: &str) -> bool {
    let line = line.trim_start();
    let opcode = line.split(' ').find(|word| !word.starts_with('@')).unwrap_or_default();
    let is_load = opcode.starts_with("ld.") || opcode.starts_with("atom.");
    let is_plain_load = opcode.starts_with("ld.")
        && !["volatile", "relaxed", "acquire", "mmio", "cv", "cg"].iter().any(|word| opcode.contains(word));
    is_load && !is_plain_load && !opcode.contains(".shared")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_may_wait_for_others_are_known() {
        let kernel =
            |name: &str, line: &str| format!(".visible .entry {name}(\n.param .u64 p\n)\n{{\n\t{line}\n}}\n");
        let ptx = [
            kernel("a", "ld.global.u32 %r1, [%rd1];"),
            kernel("b", "@%p1 ld.volatile.global.u32 %r1, [%rd1];"),
            kernel("c", "atom.shared.add.u32 %r1, [%rd1], 1;"),
            kernel("d", "atom.global.add.u32 %r1, [%rd1], 1;"),
        ];
        let waiting = Waiting::new(&ptx.concat());
        assert_eq!(["a", "b", "c", "d"].map(|name| waiting.may_wait(name)), [false, true, false, true]);
        let function = ".func f(\n)\n{\n\tld.acquire.gpu.u32 %r1, [%rd1];\n}\n".to_owned();
        assert!(Waiting::new(&[ptx[0].clone(), function].concat()).may_wait("a"));
    }
}
