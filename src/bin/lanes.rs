//! `lanes`: runs and lists the kernels of any PTX file, on the emulator.

use std::process::ExitCode;

fn main() -> ExitCode {
    lanes::run::main()
}
