//! What `lanes run` prints about a run on the GPU.

use super::TITLE;
use crate::execute::{Difference, OnGpu};
use spec::layout::{counted, grouped, paragraph};
use thirty_two_lanes::machine::Timing;

/// What the GPU did, and whether it agrees with the emulator.
pub fn render(gpu: &OnGpu, was_emulated: bool) -> String {
    let mut out = format!("\n{TITLE}on the GPU, {}{TITLE:#}\n", gpu.name);
    if let Some(withheld) = &gpu.withheld {
        return out + &paragraph("  ", withheld);
    }
    out += &paragraph("  ", &gpu.timing.as_ref().map_or("ran once, without timing".to_owned(), time));
    match (was_emulated, gpu.compared, gpu.differences.len()) {
        (false, ..) => out += "  not run on the emulator, so nothing was checked\n",
        (true, 0, _) => out += "  there is no buffer to compare\n",
        (true, buffers, 0) => {
            let buffers = counted(buffers as u64, "buffer");
            out += &paragraph("  ", &format!("agrees with the emulator in {buffers}, bit for bit"));
        }
        (true, ..) => gpu.differences.iter().for_each(|difference| out += &differs(difference)),
    }
    out
}

fn time(Timing { median_us, min_us, max_us, runs, .. }: &Timing) -> String {
    format!("took {median_us:.1} us, the median of {runs} runs ({min_us:.1} to {max_us:.1})")
}

fn differs(Difference { buffer, elements, different, first, .. }: &Difference) -> String {
    let (index, sim, gpu) = first;
    let (different, elements) = (grouped(*different), counted(*elements, "element"));
    let text = format!(
        "{buffer} differs from the emulator's in {different} of {elements};\nelement {index} is {gpu} on the GPU and \
         {sim} on the emulator"
    );
    paragraph("  ", &text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn text_of(gpu: &OnGpu, was_emulated: bool) -> String {
        let text = render(gpu, was_emulated);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn gpu() -> OnGpu {
        let timing = Timing { median_us: 12.34, min_us: 12.0, max_us: 15.0, runs: 11, warm_up_us: None };
        OnGpu {
            name: "NVIDIA H200".to_owned(),
            withheld: None,
            timing: Some(timing),
            contents: BTreeMap::new(),
            differences: Vec::new(),
            compared: 2,
        }
    }

    #[test]
    fn a_gpu_agrees_or_differs_or_was_not_asked() {
        let text = text_of(&gpu(), true);
        assert!(text.contains("took 12.3 us, the median of 11 runs (12.0 to 15.0)"), "{text}");
        assert!(text.ends_with("agrees with the emulator in 2 buffers, bit for bit"), "{text}");
        let first = (5, "1.5".to_owned(), "1.25".to_owned());
        let difference =
            Difference { argument: 2, buffer: "arg2".to_owned(), elements: 64, different: 3, first };
        let text = text_of(&OnGpu { differences: vec![difference], ..gpu() }, true);
        let expected = "arg2 differs from the emulator's in 3 of 64 elements; element 5 is 1.25 on the GPU and 1.5 on the emulator";
        assert!(text.ends_with(expected), "{text}");
        assert!(text_of(&OnGpu { compared: 0, ..gpu() }, false).ends_with("nothing was checked"));
        let withheld = Some("not launched on the GPU: the kernel needs sm_90".to_owned());
        let text = text_of(&OnGpu { withheld, timing: None, ..gpu() }, true);
        assert!(text.ends_with("not launched on the GPU: the kernel needs sm_90"), "{text}");
    }
}
