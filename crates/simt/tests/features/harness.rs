//! Runs one case on every committed build of its file, with every schedule and mechanism, and compares memory.

use std::fmt::Debug;
use std::fmt::Write as _;
use std::path::PathBuf;

use simt::{Arg, Buffer, Checks, Dim3, Emulator, Launch, Limits, Module, Reconvergence, Report, Schedule};
use test_support::Random;

/// A kernel, and the function that runs and checks it.
pub type Case = (&'static str, fn(&mut Setting));

/// What determines a run besides the kernel: one emulator, one module and the choices of every launch.
pub struct Setting {
    emulator: Emulator,
    module: Module,
    kernel: &'static str,
    label: String,
    choices: (Reconvergence, Schedule, u64),
    /// Every report and every buffer that was read, which are compared with another run.
    transcript: String,
}

/// An element of a buffer.
pub trait Element: Copy + Debug + Default + PartialEq {
    /// Its representation in memory.
    fn bytes(self) -> Vec<u8>;
    /// The value that `bytes` represent.
    fn of(bytes: &[u8]) -> Self;
    /// Whether a kernel's result is the expected one; any NaN equals any other.
    fn is(self, expected: Self) -> bool {
        self == expected
    }
}

macro_rules! elements {
    ($($ty:ty, $is:expr;)*) => {$(
        impl Element for $ty {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn of(bytes: &[u8]) -> $ty {
                <$ty>::from_le_bytes(bytes.try_into().expect("the element's own size"))
            }
            fn is(self, expected: $ty) -> bool {
                ($is)(self, expected)
            }
        }
    )*};
}

elements! {
    u8, |x, y| x == y;
    i16, |x, y| x == y;
    i32, |x, y| x == y;
    u32, |x, y| x == y;
    i64, |x, y| x == y;
    u64, |x, y| x == y;
    f32, |x: f32, y: f32| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
    f64, |x: f64, y: f64| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
}

impl Setting {
    /// A buffer that contains `values`.
    pub fn input<T: Element>(&mut self, values: &[T]) -> Buffer {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
        let buffer = self.emulator.alloc("input", bytes.len() as u64).unwrap();
        self.emulator.write(buffer).unwrap().copy_from_slice(&bytes);
        buffer
    }

    /// A buffer for `count` results.
    pub fn output<T: Element>(&mut self, count: usize) -> Buffer {
        self.emulator.alloc("output", (count * T::default().bytes().len()) as u64).unwrap()
    }

    /// The contents of a buffer.
    pub fn read<T: Element>(&mut self, buffer: Buffer) -> Vec<T> {
        let values =
            self.emulator.read(buffer).unwrap().chunks(T::default().bytes().len()).map(T::of).collect();
        write!(self.transcript, "{values:?}").unwrap();
        values
    }

    /// Compares a buffer with the expected values, element by element.
    pub fn check<T: Element>(&mut self, buffer: Buffer, expected: &[T]) {
        let found: Vec<T> = self.read(buffer);
        assert_eq!(found.len(), expected.len(), "{}", self.label);
        for (index, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            assert!(found.is(*expected), "{}: element {index}: {found:?}, not {expected:?}", self.label);
        }
    }

    /// Compares floats with the expected ones, up to a relative error (absolute below 1).
    pub fn check_close(&mut self, buffer: Buffer, expected: &[f64], error: f64) {
        for (index, (found, expected)) in self.read::<f32>(buffer).into_iter().zip(expected).enumerate() {
            let found = f64::from(found);
            let close = (found - expected).abs() <= error * expected.abs().max(1.0);
            assert!(close, "{}: element {index}: {found:?}, not {expected:?}", self.label);
        }
    }

    /// The launch of the case's kernel in this setting, without arguments.
    pub fn prepare(&self, grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Launch {
        let (reconvergence, schedule, seed) = self.choices;
        // A correct kernel is correct with the weak memory too, and no checker reports anything.
        Launch {
            reconvergence,
            schedule,
            seed,
            max_steps: 10_000_000,
            checks: Checks::ALL,
            weak_memory: seed % 2 == 1,
            ..Launch::new(grid, block)
        }
    }

    /// The name of the case's kernel.
    pub fn kernel(&self) -> &'static str {
        self.kernel
    }

    /// Whether the mechanism is the reconvergence stack.
    pub fn is_stack(&self) -> bool {
        self.choices.0 == Reconvergence::Stack
    }

    /// Launches the case's kernel.
    pub fn launch(&mut self, launch: &Launch) -> Report {
        let report = self.emulator.launch(&self.module, self.kernel, launch);
        let report = report.unwrap_or_else(|error| panic!("{}: {error}", self.label));
        write!(self.transcript, "{report:?}").unwrap();
        report
    }

    /// Launches another kernel of the file, which prepares something for the case's kernel, and expects no fault.
    pub fn run_kernel(
        &mut self,
        kernel: &'static str,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        args: impl IntoIterator<Item = Arg>,
    ) {
        let own = std::mem::replace(&mut self.kernel, kernel);
        self.run(grid, block, args);
        self.kernel = own;
    }

    /// Launches the case's kernel and expects no fault.
    pub fn run(
        &mut self,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        args: impl IntoIterator<Item = Arg>,
    ) {
        let mut launch = self.prepare(grid, block);
        launch.args.extend(args);
        let report = self.launch(&launch);
        let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
        assert!(faults.is_empty(), "{}: {}", self.label, faults.join("\n"));
    }
}

/// Buffers and numbers as arguments.
#[macro_export]
macro_rules! args {
    ($($value:expr),*) => { [$($crate::harness::IntoArg::into_arg($value)),*] };
}

/// A value that a kernel takes as an argument.
pub trait IntoArg {
    /// The argument.
    fn into_arg(self) -> Arg;
}

impl IntoArg for Buffer {
    fn into_arg(self) -> Arg {
        self.address().into()
    }
}

impl IntoArg for i32 {
    fn into_arg(self) -> Arg {
        self.into()
    }
}

impl IntoArg for u32 {
    fn into_arg(self) -> Arg {
        self.into()
    }
}

impl IntoArg for &[u8] {
    fn into_arg(self) -> Arg {
        Arg::bytes(self)
    }
}

/// The committed builds of `kernels/NAME.cu`: the file's name and the text.
pub fn builds(name: &str) -> Vec<(String, String)> {
    builds_in("../../kernels/ptx", name)
}

/// The builds of a source in a folder, whose path is relative to the package.
pub fn builds_in(folder: &str, name: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .filter(|(file, _)| file.split('.').next() == Some(name) || name == "*")
        .map(|(file, path)| (file, std::fs::read_to_string(path).expect("a file of text")))
        .collect();
    files.sort();
    files
}

const CHOICES: [(Schedule, u64); 4] =
    [(Schedule::RoundRobin, 0), (Schedule::Random, 1), (Schedule::Random, 2), (Schedule::Random, 3)];

/// Runs the cases of a file on all of its builds. Every kernel must have a case, and every case a kernel.
pub fn check_file(name: &str, cases: &[Case]) {
    check_builds(name, &builds(name), cases);
}

/// Runs the cases of a file on these builds.
pub fn check_builds(name: &str, builds: &[(String, String)], cases: &[Case]) {
    assert!(!builds.is_empty(), "no build of `{name}` is committed");
    let mut unused: Vec<&str> = cases.iter().map(|case| case.0).collect();
    for (file, text) in builds {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load(file, text).unwrap_or_else(|error| panic!("{file}: {error}"));
        for kernel in module.kernels() {
            let case = cases.iter().find(|case| case.0 == kernel.name);
            let case = case.unwrap_or_else(|| panic!("{file}: no test for the kernel `{}`", kernel.name));
            unused.retain(|name| *name != case.0);
            for reconvergence in [Reconvergence::Stack, Reconvergence::Its] {
                for (schedule, seed) in CHOICES {
                    check_twice(file, (&emulator, &module), *case, (reconvergence, schedule, seed));
                }
            }
        }
    }
    assert!(unused.is_empty(), "{name}: no build has the kernels {unused:?}");
}

/// Runs a case in two copies of an emulator: the same seed must give the same reports and the same memory. The emulator
/// is copied because loading a file takes longer than running a case.
fn check_twice(
    file: &str,
    loaded: (&Emulator, &Module),
    case: Case,
    choices: (Reconvergence, Schedule, u64),
) {
    let transcript = || {
        let (emulator, module) = (loaded.0.clone(), loaded.1.clone());
        let label = format!("{file}, `{}`, {choices:?}", case.0);
        let mut setting =
            Setting { emulator, module, kernel: case.0, label, choices, transcript: String::new() };
        case.1(&mut setting);
        setting.transcript
    };
    assert!(transcript() == transcript(), "{file}, `{}`, {choices:?}: two runs differ", case.0);
}

/// Numbers that look random and are the same in every run.
pub fn numbers() -> impl Iterator<Item = u64> {
    let mut random = Random::new(0);
    std::iter::repeat_with(move || random.bits())
}

/// `count` results for each of `threads` threads, one after another.
pub fn per_thread<T, const N: usize>(threads: usize, results: impl Fn(usize) -> [T; N]) -> Vec<T> {
    (0..threads).flat_map(results).collect()
}
