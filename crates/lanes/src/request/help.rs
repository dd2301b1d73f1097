//! The texts below the options in `--help`: how arguments and scenario files are written, with examples.

pub const EXAMPLES: &str = "\
Examples:
  lanes list saxpy.cu
  lanes run saxpy.cu --grid 4 --block 256 --print 2:8 --arg f32:2 \\
      --arg buf:f32:1024:iota --arg buf:f32:1024:zeros --arg i32:1024
  lanes explain race";

pub const EXEC: &str = "\
The command gets a library in the place of NVIDIA's driver (libcuda) and of its compiler
(libnvrtc). It and the processes that it starts run their kernels on the emulator, which checks them. Nothing else about the
command changes: it runs with your rights, and what its own code does is not checked. A
command is served if it brings its kernels as PTX, as Rust programs with cudarc or cust,
numba and tinygrad do. Programs that are linked with NVIDIA's runtime (libcudart) call
private parts of the driver, which there are none of: give their sources to `lanes run`.

Examples:
  lanes exec -- cargo test
  lanes exec --format junit --report cuda.xml -- python3 -m pytest
  lanes exec --seed 7 --schedule random -- ./simulation --steps 10

Exit status: 1 an error was found, 2 something could not be emulated or the command could
not be started, otherwise the status of the command";

pub const ARGUMENTS: &str = "\
Arguments, one --arg for each parameter, in order:
  i32:5  f32:1.5  u64:0x10   a number: i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64
  buf:f32:1024:zeros         a buffer of 1024 zeros; messages call argument 0 `arg0`
  buf:i32:64:iota            0, 1, 2 and so on
  buf:f32:64:fill=1.5        all elements the same
  buf:f32:64:rand            random: floats in [0,1), integers over their whole range;
                             rand=7 for another seed
  buf:i32:64:rand=7,-5..5    random whole numbers from -5 to 4
  buf:i32:3:list=7,8,9       these values
  buf:f32:64:file=x.bin      the bytes of a file, little-endian
  buf:f32:64:uninitialized   never written; reading it is reported as a fault
  {f32:2, {i32:5, x}}        a structure by value, from its fields; @16 after the last brace
                             aligns it to 16 bytes, as float4 is
  x                          the buffer that --buffer x=f32:1024:zeros makes

Several kernels on the same buffers, one after the other:
  lanes run sum.cu --buffer x=f32:2048:iota --buffer part=f32:8:zeros --buffer y=f32:1:zeros \\
      --launch 'sum<<<8, 256>>>(x, part, i32:2048)' --launch 'sum<<<1, 8>>>(part, y, i32:8)' \\
      --expect y=fill=2096128 --tolerance 1e-6

Checkers: races (race), initialisation (init), synchronisation (sync). Accesses outside
every buffer are always reported, because the emulator cannot carry them out, and so are
deadlocks. `--check memory` switches the three checkers off.

Examples:
  lanes run sum.cu --kernel sum --grid 8 --block 256 --print 1:1 \\
      --arg buf:f32:2048:rand --arg buf:f32:1:zeros --arg i32:2048
  lanes run sum.cu --seeds 0..100 --check races ...     look for a schedule that fails
  lanes run sum.cu --seeds 0..100 --check memory --print 1 ...     compare the results

A .cu file with a function `main` is run as a whole, host code included, unless --kernel
or --arg is given: what it prints comes first, and then what is wrong with it. With --seeds
it is run once for each seed. Clocks and events return stated values, because nothing is
measured. It may read the files below the current folder. What it writes stays in memory,
where it can read it, unless --write names a folder that the file is in: then the file is
really written when the program has ended, with --seeds that of the run that is shown.

Host code is interpreted, and each access of it is checked. What the interpreter cannot read,
and what would take it long, is compiled by clang (16 or newer) if that is installed: then
the host code runs as any program, with your rights, and only what it does with the device
is checked. --host interpret forbids that, --host clang asks for it, --write forbids it too.

A kernel that a program launches again and again with the same shape on the same allocations
is checked for races the first times, and then at intervals, which the report says. All other
checks see every launch. --check-launches all checks each one for races too.

A long run shows how far it is. Ctrl-C, or a signal that asks it to end, ends it, and what is
known until then is printed; a second one ends it at once.

Exit status: 0 no error, 1 the kernel has an error, or the seeds left different results
in a buffer that is printed or in the output of a program, or a buffer is not as --expect says,
or something is wrong with the program, 2 the kernel or the program could not be run, 130 Ctrl-C ended a run in which
nothing had been found";

pub const ADVISE: &str = "\
The options that decide a run are those of `lanes run`. The launch is run and watched; what
can be tried mechanically (a longer row, a barrier that is left out) is tried, and only what
was counted is said.

Example:
  lanes advise transpose.cu --grid 4,4 --block 32,8 --arg buf:f32:16384:iota \\
      --arg buf:f32:16384:zeros --arg i32:128";

pub const PLAY: &str = "\
The options that decide a run are those of `lanes run`. The file needs nothing besides a browser.

Example:
  lanes play saxpy.cu --grid 2 --arg f32:2 --arg buf:f32:64:iota --arg buf:f32:64:zeros --arg i32:64";

pub const TEST: &str = "\
A scenario file names a CUDA or PTX file, and has any number of tests (docs/scenarios.md):
  file = \"sum.cu\"

  [[test]]
  name = \"a sum of 2048 numbers\"
  seeds = \"0..4\"
  buffers = { x = \"f32:2048:iota\", sum = \"f32:1:zeros\" }
  expect = { sum = { is = \"fill=2096128\", tolerance = 1e-6 } }

  [[test.launch]]
  kernel = \"sum\"
  grid = 8
  block = 256
  args = [\"x\", \"sum\", \"i32:2048\"]
  counters = { shared_bank_conflicts = \"<= 0\" }

Exit status: 0 all tests passed, 1 a test failed, 2 a file is wrong or could not be run";
