//! One warp, instruction by instruction: which lanes are active?
//!
//! The first section gives the warp sixteen negative numbers and sixteen others, and looks at which lanes
//! execute each instruction. The second asks whether a warp stays together: its halves wait for each other,
//! once built for a warp with one program counter and once for lanes with one each. What that means for
//! programs is left to chapter 3.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::branch::{BRANCH_SQRT, SQRT_THEN_SELECT, SQRT_VOTED};
use thirty_two_lanes::kernels::progress::HANDSHAKE;
use thirty_two_lanes::machine::Traced;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, DIVERGENT_BRANCHES, INSTRUCTIONS, INSTRUCTIONS_PER_WARP,
};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Tolerance, Verdict};

const LANES: usize = 32;

/// A kernel, and how many of the warp's numbers are negative.
static CASES: [(&str, &Kernel, usize); 4] = [
    ("warp_agrees", &BRANCH_SQRT, 0),
    ("warp_halved", &BRANCH_SQRT, 16),
    ("warp_selects", &SQRT_THEN_SELECT, 16),
    ("warp_votes", &SQRT_VOTED, 16),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let columns = [DIVERGENT_BRANCHES, ACTIVE_LANES, INSTRUCTIONS_PER_WARP];
    lab.section(
        "warp",
        "which lanes are active? One warp of 32 numbers, none or 16 of them negative",
        &columns,
    );
    for (name, kernel, negative) in CASES {
        lab.variant(name, |device| paths(device, kernel, negative))?;
    }
    let (_, kernel, negative) = CASES[1];
    lab.picture("warp_halved_lanes", |device| {
        let (launch, _) = prepare(device, kernel, negative)?;
        Ok(draw(&device.trace(&launch)?))
    })?;
    lab.notice(one_after_the_other);
    lab.notice(thrown_away);
    lab.notice(no_votes);
    Ok(())
}

/// Numbers of which the first ones are negative.
fn numbers(negative: usize) -> Vec<f32> {
    (0..LANES).map(|lane| if lane < negative { -1.0 } else { 4.0 }).collect()
}

fn prepare(device: &mut Device, kernel: &'static Kernel, negative: usize) -> Result<(Launch, Buffer<f32>)> {
    let (x, z) = (device.upload("x", &numbers(negative))?, device.zeroed::<f32>("z", LANES)?);
    Ok((Launch::cover(kernel, LANES, 32).arg(x).arg(z).arg(LANES as i32), z))
}

fn paths(device: &mut Device, kernel: &'static Kernel, negative: usize) -> Result<Row> {
    let (launch, z) = prepare(device, kernel, negative)?;
    let run = device.launch(&launch)?;
    let expected: Vec<f64> = (0..LANES).map(|lane| if lane < negative { -3.0 } else { 2.0 }).collect();
    let row = device.check(run, z, &expected, &Tolerance::Exact)?;
    let trace = device.trace(&launch)?;
    // A path is a set of lanes that executes instructions without the others.
    let paths: BTreeSet<u32> = trace.iter().map(|step| step.mask).filter(|&mask| mask != u32::MAX).collect();
    let shared = paths
        .iter()
        .flat_map(|one| paths.iter().filter(move |other| *other != one).map(move |other| one & other));
    let shared = shared.fold(0, |lanes, both| lanes | both);
    let fewest = trace.iter().map(|step| step.mask.count_ones()).min().unwrap_or(0);
    let lanes_at = |name: &str| {
        let steps = trace.iter().filter(|step| step.ptx.contains(name));
        steps.fold(0, |lanes, step| lanes | step.active)
    };
    let roots = lanes_at("sqrt.");
    let of_negative = roots & ((1_u64 << negative) - 1) as u32;
    let votes = trace.iter().filter(|step| step.ptx.contains("vote.")).count();
    let row = row.fact("paths", paths.len() as f64).fact("lanes_on_two_paths", shared.count_ones().into());
    let row = row.fact("fewest_lanes", fewest.into()).fact("votes", votes as f64);
    Ok(row
        .fact("roots", roots.count_ones().into())
        .fact("roots_of_negative", of_negative.count_ones().into()))
}

/// How many characters of an instruction fit beside 32 lanes.
const TEXT: usize = 40;

/// Time runs downwards, with a column for each lane. Instructions that all lanes execute in a row share one
/// line.
fn draw(trace: &[Traced]) -> String {
    let mut out = "  0       8       16      24     31\n".to_owned();
    for steps in trace.chunk_by(|one, other| one.mask == u32::MAX && other.mask == u32::MAX) {
        let lane = |lane: u32| if steps[0].mask >> lane & 1 == 1 { '#' } else { '.' };
        let lanes: String = (0..32).map(lane).collect();
        let text = match steps.len() {
            1 => steps[0].ptx.split_whitespace().collect::<Vec<_>>().join(" "),
            count => format!("{count} instructions, up to the branch"),
        };
        let _ = writeln!(out, "  {lanes}  {}", text.chars().take(TEXT).collect::<String>());
    }
    out
}

fn fact(section: &Section, name: &str, fact: &str) -> Option<f64> {
    section.row(name)?.fact_value(fact)
}

fn one_after_the_other(section: &Section) -> Option<String> {
    let of = |name| fact(section, "warp_halved", name);
    let (paths, fewest, shared) = (of("paths")?, of("fewest_lanes")?, of("lanes_on_two_paths")?);
    Some(format!(
        "The {paths} paths run one after the other, with {fewest} lanes active and the others switched off. \
         {shared} lanes take more than one."
    ))
}

fn thrown_away(section: &Section) -> Option<String> {
    let of = |name| fact(section, name, "roots_of_negative");
    let (branch, select) = (of("warp_halved")?, of("warp_selects")?);
    Some(format!(
        "With a branch, {branch} roots of negative numbers are computed. If every lane computes both values \
         and keeps one, there are {select} such roots, and all of them are thrown away."
    ))
}

fn no_votes(section: &Section) -> Option<String> {
    let (branch, voted) = (fact(section, "warp_agrees", "votes")?, fact(section, "warp_votes", "votes")?);
    let cost = |name| section.row(name).map(|row| row.run.counters.ptx_instructions_per_warp());
    let (agrees, parts, votes) = (cost("warp_agrees")?, cost("warp_halved")?, cost("warp_votes")?);
    Some(format!(
        "The plain branch executes {branch} votes. It takes {agrees:.2} PTX instructions if all lanes go one \
         way, and {parts:.2} if they diverge. With {voted} votes around the paths, a warp that diverges \
         takes {votes:.2}."
    ))
}

/// How many iterations of its loop a lane waits before it gives up: more than it needs, on a GPU as well.
const PATIENCE: i32 = 20_000;

pub fn together(lab: &mut Lab) -> Result<()> {
    let title = "does a warp stay together? Two halves that wait for each other";
    lab.section("together", title, &[INSTRUCTIONS, ACTIVE_LANES]);
    for arch in [60, 70] {
        lab.variant(&format!("handshake_{arch}"), |device| handshake(device, arch))?;
    }
    lab.notice(|section| {
        let through = |name| fact(section, name, "lanes_through");
        let (old, new) = (through("handshake_60")?, through("handshake_70")?);
        Some(format!(
            "Built for sm_60, one half runs to its end before the other begins, and {old} lanes get what \
             they wait for. Built for sm_70, each lane has its own program counter, and {new} lanes do. So \
             no lane may rely on the others to be at the same instruction."
        ))
    });
    Ok(())
}

fn handshake(device: &mut Device, arch: u32) -> Result<Row> {
    let (flag, through) = (device.zeroed::<i32>("flag", 2)?, device.zeroed::<i32>("through", LANES)?);
    let launch = Launch::new(&HANDSHAKE, 1, 32).arch(arch)?;
    let run = device.launch(&launch.arg(flag).arg(through).arg(PATIENCE))?;
    let row = device.check(run, through, &[1.0; LANES], &Tolerance::Exact)?;
    let lanes = device.read(through)?.sim.iter().filter(|&&is_through| is_through == 1).count();
    let row = row.fact("lanes_through", lanes as f64);
    // Which half gives up depends on which side runs first, and machines may differ in that.
    Ok(if arch < 70 { row.expect(Verdict::Wrong) } else { row })
}
