//! Nothing is left of calls of the runtime when what they took has been given back: neither in the process nor in the executor.

#[path = "sequences/native.rs"]
mod native;

use native::{clang, compiled, natively};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const LEAKS: &str = include_str!("sequences/leaks.cu");

/// What may be noted in addition when there are ten times as many rounds: lists that are bounded, and have not reached the bound.
const NOTED_BYTES: usize = 1 << 20;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "it asks glibc and `/proc` what the process has")]
fn rounds_of_calls_leave_nothing_skipped_without_clang() {
    let Some(clang) = clang() else { return };
    let native = compiled(&clang, LEAKS);
    // Tables that are made once and kept.
    natively(&native, &[0, 1]);
    for seed in [0, 1] {
        let peaks = [300, 3000].map(|rounds| {
            let before = MEMORY.current_usage();
            MEMORY.reset_peak_usage();
            let outcome = natively(&native, &[seed, rounds]);
            let peak = MEMORY.peak_usage();
            let printed = String::from_utf8_lossy(&outcome.output).into_owned();
            let expected = ("0 bytes and 0 parts more\n", 0);
            assert_eq!((&*printed, outcome.status), expected, "seed {seed}: {:?}", outcome.findings);
            drop((outcome, printed));
            let after = MEMORY.current_usage();
            assert!(after <= before + 4096, "seed {seed}: {} bytes are left", after - before);
            peak - before
        });
        assert!(peaks[1] <= peaks[0] + NOTED_BYTES, "seed {seed}: at most {peaks:?} bytes");
    }
}
