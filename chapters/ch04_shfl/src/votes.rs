//! Votes: every lane says yes or no, and learns what the other lanes said.
//!
//! Three warps have different data: some lanes of the first say yes, all of the second, and none of the
//! third. It leaves out which lanes take part after the warp has diverged, which is what masks are for.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use thirty_two_lanes::kernels::bare_votes::{BALLOT_BARE, BALLOT_MASK};
use thirty_two_lanes::kernels::features_warps::{SYNC_REDUCTIONS, VOTES_IN_HALVES};
use thirty_two_lanes::kernels::shuffles::{COUNT_BY_BALLOT, MATCH_WARP, VOTE_WARP};
use thirty_two_lanes::launch::Code;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Run, Tolerance, Verdict};

use crate::picture::{LANES, line, ruler};

/// Three warps.
const N: usize = 3 * LANES;

const LEGEND: &str = "The picture shows the first warp. `ballot` gives every lane the same mask. `match` \
                      gives a lane the mask of the lanes with the same x, so there is a row for each value \
                      of x.";

pub fn section(lab: &mut Lab) -> Result<()> {
    let values = values(lab.seed());
    let title = "what do lanes learn from each other's yes or no? One block of three warps";
    lab.section("votes", title, &[INSTRUCTIONS_PER_WARP, SHARED_REQUESTS, BARRIERS_PER_WARP]);
    lab.variant("vote_warp", |device| vote_warp(device, &values))?;
    lab.variant("vote_halves", |device| vote_halves(device, &values))?;
    lab.variant("match_warp", |device| match_warp(device, &values))?;
    lab.variant("count_block", |device| count_block(device, &values))?;
    lab.variant("count_by_ballot", |device| count_by_ballot(device, &values))?;
    lab.variant("ballot_mask_sm_60", |device| ballot_mask(device, &values))?;
    lab.variant("ballot_bare_sm_60", |device| ballot_bare(device, &values))?;
    lab.variant("ballot_bare_sm_70", |device| ballot_refused(device, &values))?;
    lab.picture("vote_picture", |device| picture(device, &values))?;
    lab.notice(|_| Some(LEGEND.to_owned()));
    lab.notice(whose_votes);
    lab.notice(who_counts);
    Ok(())
}

/// From 0 to 3, then from 1 to 4, then all 0.
fn values(seed: u64) -> Vec<i32> {
    let small = |word: u32| (word % 4) as i32;
    let words = Random::new(seed).words(N);
    (0..N).map(|i| [small(words[i]), 1 + small(words[i]), 0][i / LANES]).collect()
}

/// The mask of the lanes of a warp for which something is true.
fn mask(values: &[i32], is_in: impl Fn(i32) -> bool) -> u32 {
    values.iter().enumerate().map(|(lane, &value)| u32::from(is_in(value)) << lane).sum()
}

fn ballots(values: &[i32]) -> Vec<u32> {
    let of_warp = |warp: &[i32]| vec![mask(warp, |value| value > 0); LANES];
    values.chunks(LANES).flat_map(of_warp).collect()
}

fn doubles(words: &[u32]) -> Vec<f64> {
    words.iter().map(|&word| word.into()).collect()
}

fn vote_warp(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<u32>("y", 3 * N)?);
    let run = device.launch(&Launch::new(&VOTE_WARP, 1, N as u32).arg(x).arg(y))?;
    let ballots = ballots(values);
    let answers =
        ballots.iter().flat_map(|&ballot| [ballot, (ballot == u32::MAX).into(), (ballot > 0).into()]);
    let got: Vec<u32> = device.read(y)?.sim.iter().step_by(3).copied().collect();
    let row = device.check(run, y, &doubles(&answers.collect::<Vec<_>>()), &Tolerance::Exact)?;
    Ok(row.fact("lanes_with_whole_ballot", same(&got, &ballots)))
}

fn vote_halves(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<u32>("y", N)?);
    let run = device.launch(&Launch::new(&VOTES_IN_HALVES, 1, N as u32).arg(x).arg(y))?;
    let ballots = ballots(values);
    let of_half = |(i, ballot): (usize, &u32)| ballot & if i % LANES < 16 { 0xffff } else { 0xffff_0000 };
    let halves: Vec<u32> = ballots.iter().enumerate().map(of_half).collect();
    let got = device.read(y)?.sim;
    let row = device.check(run, y, &doubles(&halves), &Tolerance::Exact)?;
    Ok(row.fact("lanes_with_whole_ballot", same(&got, &ballots)))
}

fn same(a: &[u32], b: &[u32]) -> f64 {
    a.iter().zip(b).filter(|(a, b)| a == b).count() as f64
}

fn match_warp(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<u32>("y", 3 * N)?);
    let run = device.launch(&Launch::new(&MATCH_WARP, 1, N as u32).arg(x).arg(y))?;
    let answers = values.iter().enumerate().flat_map(|(i, &own)| {
        let warp = &values[i / LANES * LANES..][..LANES];
        let all_same = warp.iter().all(|&value| value == own);
        [mask(warp, |value| value == own), if all_same { u32::MAX } else { 0 }, all_same.into()]
    });
    let answers: Vec<u32> = answers.collect();
    device.check(run, y, &doubles(&answers), &Tolerance::Exact)
}

/// How many threads of the block say yes.
fn yes(values: &[i32]) -> u32 {
    values.iter().filter(|&&value| value > 0).count() as u32
}

/// The barrier that counts, in the kernel that also asks whether all threads say yes and whether any does.
fn count_block(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", 3 * N)?);
    let run = device.launch(&Launch::new(&SYNC_REDUCTIONS, 1, N as u32).arg(x).arg(y))?;
    let count = yes(values);
    let answers = [count, (count as usize == N).into(), (count > 0).into()].repeat(N);
    device.check(run, y, &doubles(&answers), &Tolerance::Exact)
}

fn count_by_ballot(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<u32>("y", N)?);
    let run = device.launch(&Launch::new(&COUNT_BY_BALLOT, 1, N as u32).arg(x).arg(y))?;
    let answers = vec![yes(values); N];
    Ok(device.check(run, y, &doubles(&answers), &Tolerance::Exact)?.expect(Verdict::Wrong))
}

fn ballot_mask(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<u32>("y", N)?);
    let run = device.launch(&Launch::new(&BALLOT_MASK, 1, N as u32).arg(x).arg(y))?;
    device.check(run, y, &doubles(&ballots(values)), &Tolerance::Exact)
}

fn ballot_bare(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<u32>("y", N)?);
    let run = device.launch(&Launch::new(&BALLOT_BARE, 1, N as u32).arg(x).arg(y))?;
    let row = device.check(run, y, &doubles(&ballots(values)), &Tolerance::Exact)?;
    Ok(row.fact("is_accepted", 1.0))
}

/// The same text for Volta, which the compiler would write too. Neither a driver nor the emulator accepts it.
fn ballot_refused(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<u32>("y", N)?);
    let build = BALLOT_BARE.builds().next().context("`ballot_bare` is in some build")?;
    let ptx = build.ptx.replace(".target sm_60", ".target sm_70").into();
    let code = Code { name: "bare_votes for sm_70".to_owned(), ptx };
    let launch = Launch::of(code, BALLOT_BARE.name, 1, N as u32).arg(x).arg(y);
    let row = match device.trial(&launch, y) {
        Ok((run, _)) => Row::new(run, Verdict::Ok).fact("is_accepted", 1.0),
        Err(error) => Row::new(Run::default(), Verdict::Fault)
            .fact("is_accepted", 0.0)
            .remark(error.root_cause().to_string()),
    };
    Ok(row.expect(Verdict::Fault))
}

/// The first warp: the element of each lane, and the masks that the lanes get, bit by bit. Then the other
/// answers, for all three warps.
fn picture(device: &mut Device, values: &[i32]) -> Result<String> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<u32>("y", 3 * N)?);
    let voted = device.trial(&Launch::new(&VOTE_WARP, 1, N as u32).arg(x).arg(y), y)?.1;
    let matched = device.trial(&Launch::new(&MATCH_WARP, 1, N as u32).arg(x).arg(y), y)?.1;
    let bit = |mask: u32, lane: usize| if mask >> lane & 1 == 1 { "1" } else { "." }.to_owned();
    let mut out = ruler();
    out += &line("x", |lane| values[lane].to_string());
    out += &line("ballot x > 0", |lane| bit(voted[0], lane));
    let mut seen: Vec<u32> = matched.iter().step_by(3).take(LANES).copied().collect();
    seen.sort_unstable_by_key(|mask| mask.trailing_zeros());
    seen.dedup();
    for mask in seen {
        let first = mask.trailing_zeros() as usize;
        out += &line(&format!("match {}", values[first]), |lane| bit(mask, lane));
    }
    for warp in 0..N / LANES {
        let first = 3 * warp * LANES;
        let (all, any, all_same) = (voted[first + 1], voted[first + 2], matched[first + 2]);
        let _ = writeln!(out, "  warp {warp} gets: all {all}, any {any}, match_all {all_same}");
    }
    Ok(out)
}

fn whose_votes(section: &Section) -> Option<String> {
    let lanes_with = |name| section.row(name)?.fact_value("lanes_with_whole_ballot");
    let (whole, halves) = (lanes_with("vote_warp")?, lanes_with("vote_halves")?);
    Some(format!(
        "With the full mask, {whole} of {N} lanes get the ballot of their whole warp. With a mask for each \
         half, {halves} do: those for which the other half of the warp only says no. A lane that is not in \
         the mask does not count."
    ))
}

fn who_counts(section: &Section) -> Option<String> {
    let barriers = section.row("count_block")?.run.counters.ptx_barriers;
    let warps = section.row("count_block")?.run.counters.warps;
    let wrong = section.row("count_by_ballot")?.check.as_ref()?.wrong;
    Some(format!(
        "`__syncthreads_count`, `_and` and `_or` ask the whole block. Each is a barrier, which makes {} for \
         each warp. A vote is not a barrier of the block and stays within its warp, so {wrong} of {N} \
         threads get another count than that of the block.",
        barriers / warps,
    ))
}
