//! A kernel on generated launches.
//!
//! Every pointer gets a buffer, every number a small value. That is not what a kernel expects, and need not be: both
//! texts have to do the same with it.

use simt::{Arg, Checks, Dim3, Emulator, Launch, Limits};

const BYTES: u64 = 1 << 18;

/// What a launch left.
pub struct Outcome {
    pub memory: Vec<Vec<u8>>,
    pub faults: Vec<String>,
}

/// How alike two outcomes are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Likeness {
    /// Both stopped with the same fault, so that nothing else was compared.
    Stopped,
    Same,
    /// Some floats differ in their last bits.
    Rounded,
    /// What a clock says, or which thread comes first, decides.
    Order,
    /// Threads race, so that the memory says nothing; with one thread it is the same.
    Races,
    Memory,
    Faults,
}

impl Likeness {
    /// For the report.
    pub fn words(self) -> &'static str {
        match self {
            Likeness::Stopped => "the same fault in every launch, so that memory is not compared",
            Likeness::Same => "the same bytes",
            Likeness::Rounded => "floats that differ in their last bits",
            Likeness::Order => "other bytes, where a clock or the order of atomic exchanges decides",
            Likeness::Races => "other bytes, in a launch whose threads race; the same bytes with one thread",
            Likeness::Memory => "other bytes",
            Likeness::Faults => "other faults",
        }
    }
}

/// How a kernel is launched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Usual,
    /// With the check for races.
    Checked,
    /// With one thread, which cannot race.
    Alone,
}

/// Runs a kernel, the only one of a module.
pub fn run(ptx: &str, name: &str, round: u32, way: Way) -> Result<Outcome, String> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("kernel.ptx", ptx).map_err(|error| error.to_string())?;
    if let Some(error) = module.unsupported().first() {
        return Err(error.to_string());
    }
    let info = module
        .kernels()
        .iter()
        .find(|info| info.name.contains(name))
        .ok_or("no kernel of this name")?
        .clone();
    let mut launch = match way {
        Way::Alone => Launch::new(1, 1),
        _ if round.is_multiple_of(2) => Launch::new(3, 64),
        _ => Launch::new(Dim3::new(2, 2, 1), Dim3::new(16, 8, 1)),
    };
    launch.checks =
        if way == Way::Checked { Checks { initialisation: false, ..Checks::ALL } } else { Checks::NONE };
    launch.max_steps = 4_000_000;
    launch.shared_bytes = 8192;
    let mut buffers = Vec::new();
    for (nth, param) in info.params.iter().enumerate() {
        let small = [64_u32, 16, 7, 3][(nth + round as usize) % 4];
        launch = match param.bytes {
            8 => {
                let buffer =
                    emulator.alloc(&format!("buffer {nth}"), BYTES).map_err(|error| error.to_string())?;
                let bytes = emulator.write(buffer).map_err(|error| error.to_string())?;
                fill(bytes, round);
                buffers.push(buffer);
                launch.arg(buffer.address())
            }
            4 if round >= 2 => launch.arg((small as f32 / 8.0).to_bits()),
            4 => launch.arg(small),
            size => {
                let mut bytes = vec![0; size as usize];
                fill(&mut bytes, round);
                launch.arg(Arg::bytes(&bytes))
            }
        };
    }
    let report = emulator.launch(&module, &info.name, &launch).map_err(|error| error.to_string())?;
    let memory =
        buffers.iter().map(|buffer| emulator.read(*buffer).map(<[u8]>::to_vec).unwrap_or_default()).collect();
    Ok(Outcome { memory, faults: report.faults.iter().map(|fault| format!("{:?}", fault.kind)).collect() })
}

/// Small integers in two rounds, floats between 0.5 and 4.5 in the others.
fn fill(bytes: &mut [u8], round: u32) {
    for (at, bytes) in bytes.chunks_exact_mut(4).enumerate() {
        let value = (at as u32).wrapping_mul(2_654_435_761).wrapping_add(round) >> 24;
        let value = if round >= 2 { (0.5 + value as f32 / 64.0).to_bits() } else { value & 63 };
        bytes.copy_from_slice(&value.to_le_bytes());
    }
}

/// Compares what two texts left.
pub fn compare(ours: &Outcome, theirs: &Outcome) -> Likeness {
    if ours.faults != theirs.faults {
        return Likeness::Faults;
    }
    if !theirs.faults.is_empty() {
        return Likeness::Stopped;
    }
    if ours.memory == theirs.memory {
        return Likeness::Same;
    }
    let pairs = ours.memory.iter().flatten().zip(theirs.memory.iter().flatten());
    let (ours, theirs): (Vec<u8>, Vec<u8>) = pairs.unzip();
    let close = ours
        .chunks_exact(8)
        .zip(theirs.chunks_exact(8))
        .all(|(a, b)| a == b || floats(a, b) || doubles(a, b));
    if close { Likeness::Rounded } else { Likeness::Memory }
}

fn floats(a: &[u8], b: &[u8]) -> bool {
    let read = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    a.chunks_exact(4)
        .zip(b.chunks_exact(4))
        .all(|(a, b)| a == b || near(f64::from(read(a)), f64::from(read(b)), 1e-4))
}

fn doubles(a: &[u8], b: &[u8]) -> bool {
    let read = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap_or_default());
    near(read(a), read(b), 1e-10)
}

fn near(a: f64, b: f64, part: f64) -> bool {
    // Below that are the bits of small integers.
    let is_float = |x: f64| x == 0.0 || x.abs() > 1e-30;
    a.is_nan() && b.is_nan()
        || is_float(a) && is_float(b) && (a - b).abs() <= part * a.abs().max(b.abs()).max(part)
}
