//! What `lanes exec` says about launches and the device, in the environment.

use std::num::NonZeroU64;

use cuda_host::Limits;
use spec::launch::Launch;

/// The folder for the reports of all processes.
pub const FOLDER: &str = "LANES_REPORT";
/// How kernels are launched, as a description in JSON.
pub const LAUNCH: &str = "LANES_LAUNCH";
/// The compute capability that the device claims: 80 for 8.0.
pub const ARCH: &str = "LANES_ARCH";
/// Bytes of memory.
pub const MEMORY: &str = "LANES_MEMORY";
/// How many cores a launch uses.
pub const CORES: &str = "LANES_CORES";
/// How many launches of a kind are checked for races at first; without a number, all are.
pub const CHECK_LAUNCHES: &str = "LANES_CHECK_LAUNCHES";

/// The compute capability unless something else is said: what most programs of today are compiled for.
pub const USUAL_ARCH: u32 = 80;

/// The compute capability, and the limits.
pub fn read() -> (u32, Limits) {
    let said = |name: &str| std::env::var(name).ok();
    let number = |name: &str| said(name).and_then(|text| text.parse::<u64>().ok());
    let launch: Launch = said(LAUNCH).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let usual = Limits::default();
    let launch = simt::Launch {
        cores: number(CORES).map_or(1, |cores| cores as u32),
        ..launch.emulated(1.into(), 1.into(), cuda_host::STEPS_OF_A_LAUNCH)
    };
    let memory_bytes = number(MEMORY).unwrap_or(usual.memory_bytes);
    let check_launches = number(CHECK_LAUNCHES).and_then(NonZeroU64::new);
    let limits = Limits { launch, memory_bytes, check_launches, ..usual };
    (number(ARCH).map_or(USUAL_ARCH, |arch| arch as u32), limits)
}
