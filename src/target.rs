//! Which GPUs can run a PTX text: those of the compute capability that its target names, and newer ones.
//!
//! A driver refuses a text for a newer GPU than its own, so it gets only texts that it can run. A target such as
//! `sm_90a` is for one generation alone. What it leaves out: versions of PTX, which depend on the driver.

/// The target of a text, for example `sm_90`, if a GPU of this compute capability (80 for 8.0) cannot run it.
pub(crate) fn missing(ptx: &str, capability: u32) -> Option<&str> {
    let target = target(ptx)?;
    let number = target.strip_prefix("sm_")?;
    let (of_one, digits) = match number.strip_suffix(|letter: char| letter.is_ascii_alphabetic()) {
        Some(digits) => (true, digits),
        None => (false, number),
    };
    let needed: u32 = digits.parse().ok()?;
    let runs = if of_one { capability == needed } else { capability >= needed };
    (!runs).then_some(target)
}

/// The first word after `.target`.
fn target(ptx: &str) -> Option<&str> {
    let rest = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"))?;
    rest.split(|c: char| c == ',' || c.is_whitespace()).find(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::kernels::modern_warps::{PICK_ELECT, SUMS_REDUX, SUMS_SHUFFLES};

    use super::*;

    #[test]
    fn a_gpu_runs_what_is_for_itself_or_for_an_older_one() {
        let text = |target: &str| format!("// a comment\n.version 8.0\n.target {target}, debug\n");
        let missing = |target, capability| missing(&text(target), capability).map(str::to_owned);
        assert_eq!(missing("sm_90", 89), Some("sm_90".to_owned()));
        assert_eq!(missing("sm_90", 90), None);
        assert_eq!(missing("sm_80", 90), None);
        assert_eq!(missing("sm_90", 100), None);
        assert_eq!(missing("sm_90a", 100), Some("sm_90a".to_owned()));
        assert_eq!(missing("sm_90a", 90), None);
    }

    #[test]
    fn a_kernel_of_a_newer_build_needs_a_newer_gpu() {
        let oldest = |kernel: &crate::kernel::Kernel| kernel.builds().last().unwrap().ptx;
        assert_eq!(missing(oldest(&SUMS_SHUFFLES), 75), None);
        assert_eq!(missing(oldest(&SUMS_REDUX), 75), Some("sm_80"));
        assert_eq!(missing(oldest(&PICK_ELECT), 80), Some("sm_90"));
        assert_eq!(missing(oldest(&PICK_ELECT), 90), None);
    }

    #[test]
    fn a_text_without_a_target_is_left_to_the_driver() {
        assert_eq!(missing("", 10), None);
    }
}
