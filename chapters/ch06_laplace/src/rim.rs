//! A border with work of its own: one kernel that branches, or two kernels?
//!
//! The work can be as long as we want. The threads of the second kernel are numbered around the border, so that its
//! warps are full. It leaves out borders with a different condition on each side.

use anyhow::Result;
use thirty_two_lanes::kernels::laplace::{JACOBI_INSIDE, JACOBI_RIM, JACOBI_RIM_BRANCH};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, DIVERGENT_WARPS, INSTRUCTIONS};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Device, Dim3, Lab, Launch, Row, Tolerance};

use crate::grid::{Grid, POINT_BYTES};

const BLOCK: Dim3 = Dim3::new(32, 8, 1);
/// The length of a border point's work, in iterations of its loop.
const ROUNDS: [i32; 4] = [0, 10, 100, 1000];

pub fn section(lab: &mut Lab) -> Result<()> {
    let (points, seed) = (lab.size(4096, POINT_BYTES)?, lab.seed());
    let near = Grid::within(points);
    let grid = Grid { width: near.width.max(2), height: near.height.max(2) };
    let title = format!(
        "should a border with work of its own have its own kernel? {} x {} points in blocks of 32 x 8",
        grid.width, grid.height
    );
    lab.section("rim", &title, &[DIVERGENT_WARPS, ACTIVE_LANES, INSTRUCTIONS]);
    for rounds in ROUNDS {
        lab.variant(&format!("branch_{rounds}"), |device| branch(device, grid, rounds, seed))?;
        lab.variant(&format!("two_kernels_{rounds}"), |device| two_kernels(device, grid, rounds, seed))?;
    }
    for rounds in ROUNDS {
        lab.notice(|section| compared(section, rounds));
    }
    lab.notice(why);
    lab.gpu_notice(clock);
    lab.gpu_notice(idle);
    Ok(())
}

fn branch(device: &mut Device, grid: Grid, rounds: i32, seed: u64) -> Result<Row> {
    let values = grid.values(seed);
    let (u, next) = (device.upload("u", &values)?, device.zeroed::<f32>("next", values.len())?);
    let launch = Launch::new(&JACOBI_RIM_BRANCH, grid.blocks(BLOCK), BLOCK).seed(seed);
    let launch = launch.arg(grid.width as i32).arg(grid.height as i32).arg(rounds);
    let run = device.launch(&launch.arg(u).arg(next))?;
    device.check(run, next, &grid.step(&values, |value| around(value, rounds)), &Tolerance::Exact)
}

fn two_kernels(device: &mut Device, grid: Grid, rounds: i32, seed: u64) -> Result<Row> {
    let values = grid.values(seed);
    let (u, next) = (device.upload("u", &values)?, device.zeroed::<f32>("next", values.len())?);
    let (width, height) = (grid.width as i32, grid.height as i32);
    let inside = Launch::new(&JACOBI_INSIDE, grid.blocks(BLOCK), BLOCK).seed(seed);
    let mut run = device.launch(&inside.arg(width).arg(height).arg(u).arg(next))?;
    let rim = Launch::cover(&JACOBI_RIM, 2 * (grid.width + grid.height - 2), 128).seed(seed);
    run += device.launch(&rim.arg(width).arg(height).arg(rounds).arg(u).arg(next))?;
    device.check(run, next, &grid.step(&values, |value| around(value, rounds)), &Tolerance::Exact)
}

/// Steps of 5/8 around a circle of length 1: exact for multiples of 2⁻²⁰.
fn around(value: f64, rounds: i32) -> f64 {
    (0..rounds).fold(value, |value, _| if value + 0.625 >= 1.0 { value + 0.625 - 1.0 } else { value + 0.625 })
}

fn compared(section: &Section, rounds: i32) -> Option<String> {
    let cost = |name: &str| Some(section.row(&format!("{name}_{rounds}"))?.run.counters.ptx_instructions);
    let (branch, two) = (cost("branch")?, cost("two_kernels")?);
    let (cheaper, ratio) = if branch <= two {
        ("The branch needs", two as f64 / branch as f64)
    } else {
        ("The two kernels need", branch as f64 / two as f64)
    };
    Some(format!(
        "{} of work: {} PTX instructions with the branch, {} in two kernels. {cheaper} fewer, by a factor of \
         {ratio:.2}.",
        counted(rounds as u64, "round"),
        grouped(branch),
        grouped(two),
    ))
}

/// Why the branch costs something even where the border has nothing to do.
fn why(section: &Section) -> Option<String> {
    let [branch, two] = ["branch", "two_kernels"].map(|name| section.row(&format!("{name}_{}", ROUNDS[0])));
    let (branch, two) = (branch?, two?);
    let counters = branch.run.counters;
    Some(format!(
        "{} of {} diverge in the kernel with the branch: each row of points begins and ends with a point of \
         the border, for which the other lanes of its warp wait. The price of the second kernel is not among \
         the instructions: it takes {} launches instead of {}.",
        counters.divergent_warps,
        counted(counters.warps, "warp"),
        two.run.kernels.len(),
        branch.run.kernels.len(),
    ))
}

/// A GPU's time with the branch and with two kernels.
fn times(section: &Section, rounds: i32) -> Option<[f64; 2]> {
    let time = |name: &str| {
        section.row(&format!("{name}_{rounds}"))?.run.timing.as_ref().map(|timing| timing.median_us)
    };
    Some([time("branch")?, time("two_kernels")?])
}

/// Another launch takes time before its first instruction, and no counter of instructions shows that.
fn clock(section: &Section) -> Option<String> {
    let (short, long) = (ROUNDS[0], ROUNDS[ROUNDS.len() - 1]);
    let ([short_branch, short_two], [long_branch, long_two]) =
        (times(section, short)?, times(section, long)?);
    Some(format!(
        "On the GPU a step with {} of work takes {short_branch:.1} µs with the branch and {short_two:.1} µs \
         in two kernels; with {} rounds it takes {long_branch:.1} µs and {long_two:.1} µs.",
        counted(short as u64, "round"),
        grouped(long as u64),
    ))
}

/// Up to this many warps are far from filling a GPU.
const FEW_WARPS: u64 = 1024;

/// Why fewer instructions need not take less time.
fn idle(section: &Section) -> Option<String> {
    let long = ROUNDS[ROUNDS.len() - 1];
    let [branch, two] = times(section, long)?;
    let warps = section.row(&format!("branch_{long}"))?.run.counters.warps;
    (branch < two && warps <= FEW_WARPS).then(|| {
        format!(
            "The instructions that the second kernel saves do not save time here. With only {}, most of a \
             GPU is idle, so waiting lanes keep no other warp from issuing, and a second launch takes \
             longer.",
            counted(warps, "warp"),
        )
    })
}
