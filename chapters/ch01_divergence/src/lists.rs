//! A few elements need long work: is it better to make one pass with a branch, or to build two lists first?
//!
//! The counts of the lists include the work of building them, and the lists themselves are checked as well. Three
//! lengths of the long work show from which length on the lists are worth it. Better ways to build a list are left out,
//! because they need shuffles and votes.

use anyhow::Result;
use thirty_two_lanes::kernels::sorting::{
    COUNT_LISTS, FILL_LISTS, PLACE_LISTS, PROCESS_EXPENSIVE, PROCESS_MIXED, PROCESS_SIMPLE,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, DIVERGENT_BRANCHES, INSTRUCTIONS};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Random, Row, Run, Tolerance, Verdict};

const N: usize = 4096;
const BLOCK: u32 = 128;
/// How many threads build the lists, each for a share of the elements.
const BUILDERS: usize = 256;
/// Values use all 32 bits, so one in 16 is below this.
const THRESHOLD: u32 = 1 << 28;
/// The length of the expensive work, in iterations of its loop.
const ROUNDS: [i32; 3] = [1, 10, 100];

pub fn section(lab: &mut Lab) -> Result<()> {
    let values = Random::new(lab.seed()).words(N);
    let expensive = values.iter().filter(|&&value| value < THRESHOLD).count();
    let title =
        format!("does it pay to sort first? {expensive} of {N} elements need 1, 10 or 100 rounds of work");
    lab.section("lists", &title, &[DIVERGENT_BRANCHES, ACTIVE_LANES, INSTRUCTIONS]);
    for rounds in ROUNDS {
        lab.variant(&format!("mixed_{rounds}"), |device| mixed(device, &values, rounds))?;
        lab.variant(&format!("lists_{rounds}"), |device| lists(device, &values, rounds))?;
    }
    for rounds in ROUNDS {
        lab.notice(|section| compared(section, rounds));
    }
    lab.gpu_notice(on_the_clock);
    Ok(())
}

fn mixed(device: &mut Device, values: &[u32], rounds: i32) -> Result<Row> {
    let (x, z) = (device.upload("x", values)?, device.zeroed::<u32>("z", N)?);
    let launch = Launch::cover(&PROCESS_MIXED, N, BLOCK);
    let run = device.launch(&launch.arg(x).arg(z).arg(THRESHOLD).arg(rounds).arg(N as i32))?;
    device.check(run, z, &expected(values, rounds), &Tolerance::Exact)
}

/// Each pass over a list has as many threads as the list has entries, because the host knows its length here.
fn lists(device: &mut Device, values: &[u32], rounds: i32) -> Result<Row> {
    let (x, z) = (device.upload("x", values)?, device.zeroed::<u32>("z", N)?);
    let (simple, expensive) = (device.zeroed::<i32>("simple", N)?, device.zeroed::<i32>("expensive", N)?);
    let counts = device.zeroed::<i32>("counts", 2)?;
    let mut run = build(device, x, [simple, expensive], counts)?;
    let [is_simple, is_expensive] = [|x| x >= THRESHOLD, |x| x < THRESHOLD].map(|is_in| list(values, is_in));
    let launch = Launch::cover(&PROCESS_SIMPLE, is_simple.len(), BLOCK);
    run += device.launch(&launch.arg(x).arg(z).arg(simple).arg(counts))?;
    let launch = Launch::cover(&PROCESS_EXPENSIVE, is_expensive.len(), BLOCK);
    run += device.launch(&launch.arg(x).arg(z).arg(expensive).arg(counts).arg(rounds))?;
    for (found, wanted) in [(simple, is_simple), (expensive, is_expensive)] {
        // After the end of a list, its memory is still zero.
        let padding = vec![0.0; N - wanted.len()];
        let row = device.check(run.clone(), found, &[wanted, padding].concat(), &Tolerance::Exact)?;
        if row.verdict != Verdict::Ok {
            return Ok(row);
        }
    }
    device.check(run, z, &expected(values, rounds), &Tolerance::Exact)
}

/// Builds both lists: counts how many entries each thread has, finds where each thread writes, and then
/// writes them.
fn build(
    device: &mut Device,
    x: Buffer<u32>,
    [simple, expensive]: [Buffer<i32>; 2],
    counts: Buffer<i32>,
) -> Result<Run> {
    let places = device.zeroed::<i32>("simple_places", BUILDERS)?;
    let other_places = device.zeroed::<i32>("expensive_places", BUILDERS)?;
    let launch = Launch::cover(&COUNT_LISTS, BUILDERS, BLOCK).arg(x).arg(THRESHOLD);
    let mut run = device.launch(&launch.arg(places).arg(other_places).arg(N as i32))?;
    let launch = Launch::new(&PLACE_LISTS, 1, 1).arg(places).arg(other_places);
    run += device.launch(&launch.arg(counts).arg(BUILDERS as i32))?;
    let launch = Launch::cover(&FILL_LISTS, BUILDERS, BLOCK).arg(x).arg(THRESHOLD);
    let launch = launch.arg(places).arg(other_places).arg(simple).arg(expensive);
    run += device.launch(&launch.arg(N as i32))?;
    Ok(run)
}

/// The indices of the elements in a list, in its order: thread after thread, each with every `BUILDERS`-th element,
/// beginning at its own number.
fn list(values: &[u32], is_in: fn(u32) -> bool) -> Vec<f64> {
    let numbers = (0..BUILDERS).flat_map(|t| (t..N).step_by(BUILDERS));
    numbers.filter(|&i| is_in(values[i])).map(|i| i as f64).collect()
}

fn expected(values: &[u32], rounds: i32) -> Vec<f64> {
    let long = |x: u32| (0..rounds).fold(x, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let short = |x: u32| x.wrapping_mul(2).wrapping_add(1);
    values.iter().map(|&x| if x < THRESHOLD { long(x) } else { short(x) }.into()).collect()
}

fn compared(section: &Section, rounds: i32) -> Option<String> {
    let cost =
        |name: &str| section.row(&format!("{name}_{rounds}")).map(|row| row.run.counters.ptx_instructions);
    let (mixed, lists) = (cost("mixed")?, cost("lists")?);
    let (cheaper, ratio) = if mixed < lists {
        ("one pass is", lists as f64 / mixed as f64)
    } else {
        ("the lists are", mixed as f64 / lists as f64)
    };
    let (mixed, lists) = (grouped(mixed), grouped(lists));
    Some(format!(
        "With {} of work, one pass takes {mixed} PTX instructions and the lists take {lists}: {cheaper} \
         cheaper by a factor of {ratio:.2}.",
        counted(rounds as u64, "round"),
    ))
}

/// Instructions are not time: while a single thread finds the places in the lists, the rest of a GPU is idle.
fn on_the_clock(section: &Section) -> Option<String> {
    let last = ROUNDS[ROUNDS.len() - 1];
    let time = |name: &str| {
        section.row(&format!("{name}_{last}"))?.run.timing.as_ref().map(|timing| timing.median_us)
    };
    let (mixed, lists) = (time("mixed")?, time("lists")?);
    Some(format!(
        "The clock measures something else: with {}, one pass takes {mixed:.1} µs on the GPU, and the {} \
         launches for the lists take {lists:.1} µs together. In one of these, a single thread goes through \
         all counts.",
        counted(last as u64, "round"),
        section.row(&format!("lists_{last}"))?.run.kernels.len(),
    ))
}
