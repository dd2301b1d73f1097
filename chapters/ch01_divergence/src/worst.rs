//! The worst cases: one lane with long work, and 32 lanes on 32 paths.
//!
//! Each kernel has a twin that does the same work without diverging. Then the work of the one lane gets longer, at
//! whatever size the reader asks for, which shows on a GPU from where on it costs time. What a compiler could do about it
//! is left out, because it cannot know the data.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::branch::{
    EXPENSIVE_ONE_LANE, EXPENSIVE_PACKED, WORST_CASE_SWITCH, WORST_CASE_TOGETHER,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, DIVERGENT_BRANCHES, INSTRUCTIONS, INSTRUCTIONS_PER_WARP,
};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

/// A multiple of 1024, so that both arrangements have the same number of expensive elements.
const SIZE: usize = 4096;
const WHOLE: usize = 1024;
const BLOCK: u32 = 128;
/// Two arrays on the machine, and on the host the input, the expected result, and both machines' results.
const ELEMENT_BYTES: u64 = 2 * 4 + 4 + 8 + 2 * 4;
/// The iterations of an expensive element's loop: so many that the rest of the kernel hardly counts.
const LONG: i32 = 1000;
/// The iterations of the loop on each of the 32 paths.
const SHORT: i32 = 100;

/// The iterations of the section that lets the loop grow. Its longest loop is that of `LONG`.
const LENGTHS: [i32; 4] = [1, 10, 100, LONG];

/// The work of a round on element `i`, x -> a * x + b, as a and b; none for an element that has no work.
type Work = fn(usize) -> Option<(u32, u32)>;

/// A kernel, its row if the rounds are in the name, and what it computes.
type Case = (&'static Kernel, &'static str, Work);

const ONE_LANE: Case = (&EXPENSIVE_ONE_LANE, "one_lane", |i| i.is_multiple_of(32).then_some(EXPENSIVE));
const PACKED: Case = (&EXPENSIVE_PACKED, "packed", |i| (i / 32).is_multiple_of(32).then_some(EXPENSIVE));
const SWITCH: Case = (&WORST_CASE_SWITCH, "switch", |i| Some(walk((i % 32) as u32)));
const TOGETHER: Case = (&WORST_CASE_TOGETHER, "together", |i| Some(walk((i % 32) as u32)));

const EXPENSIVE: (u32, u32) = (1_664_525, 1_013_904_223);

fn walk(path: u32) -> (u32, u32) {
    (2 * path + 3, path)
}

/// So many rounds of the work on element `i` are again a multiplication and an addition.
fn rounds_of(work: Work, i: usize, rounds: i32) -> (u32, u32) {
    let Some((factor, more)) = work(i) else { return (1, 0) };
    (0..rounds).fold((1, 0), |(a, b), _| (factor.wrapping_mul(a), factor.wrapping_mul(b).wrapping_add(more)))
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.own_size(SIZE, ELEMENT_BYTES)?, lab.own_block(BLOCK), lab.seed());
    let values = LazyCell::new(|| Random::new(seed).words(n));
    let title = format!("how bad does it get? {} elements, blocks of {block}", grouped(n as u64));
    lab.section("worst", &title, &[DIVERGENT_BRANCHES, ACTIVE_LANES, INSTRUCTIONS_PER_WARP]);
    for (case, rounds) in [(ONE_LANE, LONG), (PACKED, LONG), (SWITCH, SHORT), (TOGETHER, SHORT)] {
        lab.variant(case.0.name, |device| run(device, case, rounds, &values, block, seed))?;
    }
    lab.notice(|section| {
        let factor = factor(section, EXPENSIVE_ONE_LANE.name, EXPENSIVE_PACKED.name)?;
        // Other sizes have more expensive elements in one of the two arrangements.
        (n.is_multiple_of(WHOLE) && block.is_multiple_of(32)).then(|| {
            format!(
                "{} expensive elements, one in each warp, take {factor:.1} times as many instructions as \
                 they do packed into whole warps. The longer the work, the closer the factor gets to 32.",
                grouped(n as u64 / 32)
            )
        })
    });
    lab.notice(|section| {
        let factor = factor(section, WORST_CASE_SWITCH.name, WORST_CASE_TOGETHER.name)?;
        let lanes = section.row(WORST_CASE_SWITCH.name)?.run.counters.ptx_lanes_per_instruction();
        (n.is_multiple_of(32) && block.is_multiple_of(32)).then(|| {
            format!(
                "32 paths in a warp take {factor:.1} times as many instructions as one path, with {lanes:.2} \
                 lanes active on average."
            )
        })
    });
    Ok(())
}

/// The same one busy lane with more and more to do.
pub fn lengths(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.own_size(SIZE, ELEMENT_BYTES)?, lab.own_block(BLOCK), lab.seed());
    let values = LazyCell::new(|| Random::new(seed).words(n));
    let title = format!(
        "from which length on does one busy lane cost time? {} elements, blocks of {block}",
        grouped(n as u64)
    );
    lab.section("lengths", &title, &[ACTIVE_LANES, INSTRUCTIONS_PER_WARP, INSTRUCTIONS]);
    for rounds in LENGTHS {
        for case in [ONE_LANE, PACKED] {
            lab.variant(&length(case, rounds), |device| run(device, case, rounds, &values, block, seed))?;
        }
    }
    lab.notice(|section| {
        let factors = each_length(|rounds| {
            let factor = factor(section, &length(ONE_LANE, rounds), &length(PACKED, rounds))?;
            Some(format!("{factor:.1} with {}", counted(rounds as u64, "round")))
        })?;
        Some(format!("One busy lane in each warp multiplies the PTX instructions by {factors}."))
    });
    lab.gpu_notice(|section| {
        let time = |name: &str| Some(section.row(name)?.run.timing.as_ref()?.median_us);
        let times = each_length(|rounds| {
            let [lane, packed] = [ONE_LANE, PACKED].map(|case| time(&length(case, rounds)));
            Some(format!("{:.1} and {:.1} µs with {}", lane?, packed?, counted(rounds as u64, "round")))
        })?;
        Some(format!("On the GPU, one busy lane in each warp and the packed twin take {times}."))
    });
    Ok(())
}

/// What is to be said of each length, in one sentence.
fn each_length(say: impl Fn(i32) -> Option<String>) -> Option<String> {
    Some(LENGTHS.into_iter().map(say).collect::<Option<Vec<_>>>()?.join(", "))
}

fn length((_, name, _): Case, rounds: i32) -> String {
    format!("{name}_{rounds}")
}

fn run(
    device: &mut Device,
    (kernel, _, work): Case,
    rounds: i32,
    values: &[u32],
    block: u32,
    seed: u64,
) -> Result<Row> {
    let n = values.len();
    let (x, z) = (device.upload("x", values)?, device.zeroed::<u32>("z", n)?);
    let launch = Launch::cover(kernel, n, block).seed(seed);
    let run = device.launch(&launch.arg(x).arg(z).arg(rounds).arg(n as i32))?;
    // The work depends on the number of an element in a piece of this size.
    let pieces: Vec<(u32, u32)> = (0..WHOLE).map(|i| rounds_of(work, i, rounds)).collect();
    let done = |(i, &x): (usize, &u32)| {
        let (factor, more) = pieces[i % WHOLE];
        factor.wrapping_mul(x).wrapping_add(more).into()
    };
    let expected: Vec<f64> = values.iter().enumerate().map(done).collect();
    device.check(run, z, &expected, &Tolerance::Exact)
}

/// How many times as many instructions `bad` takes as `good`.
fn factor(section: &Section, bad: &str, good: &str) -> Option<f64> {
    let [bad, good] = [bad, good].map(|name| section.row(name));
    Some(bad?.run.counters.ptx_instructions as f64 / good?.run.counters.ptx_instructions as f64)
}
