//! The chapter's counters, compared with what follows from the pairings.
//!
//! A pairing is a list of rounds, and a round is a list of which thread adds which element to which. Requests, sectors,
//! barriers and divergent branches follow from that and the rules of the hardware. Nothing is taken from a run. For
//! full blocks whose size is a power of two there are formulas, which give the figures of an H200 at the size of the
//! first note.

use simt::Counters;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::reduction::{REDUCE_INTERLEAVED, REDUCE_NEIGHBORED, REDUCE_NEIGHBORED_LESS};
use thirty_two_lanes::kernels::reduction_steps::{REDUCE_SHARED, REDUCE_SHARED_LAST_WARP};
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::{Buffer, Choice, Device, Launch};

/// A thread that adds element `from` of its block to element `into`.
#[derive(Clone, Copy)]
struct Add {
    thread: usize,
    into: usize,
    from: usize,
}

type Rounds = Vec<Vec<Add>>;

/// The rounds of a block with this many elements.
type Pairing = fn(usize) -> Rounds;

const PAIRINGS: [(&Kernel, Pairing); 3] = [
    (&REDUCE_NEIGHBORED, neighbored),
    (&REDUCE_NEIGHBORED_LESS, neighbored_less),
    (&REDUCE_INTERLEAVED, interleaved),
];

/// Distances 1, 2, 4 and so on, as long as there is an element at that distance.
fn strides(length: usize) -> impl Iterator<Item = usize> {
    (0..).map(|round| 1 << round).take_while(move |&stride| stride < length)
}

fn neighbored(length: usize) -> Rounds {
    let round = |stride: usize| {
        let working = (0..length).filter(|i| i % (2 * stride) == 0 && i + stride < length);
        working.map(|i| Add { thread: i, into: i, from: i + stride }).collect()
    };
    strides(length).map(round).collect()
}

fn neighbored_less(length: usize) -> Rounds {
    let number =
        |round: Vec<Add>| round.into_iter().enumerate().map(|(thread, add)| Add { thread, ..add }).collect();
    neighbored(length).into_iter().map(number).collect()
}

fn interleaved(length: usize) -> Rounds {
    let mut left = length;
    let mut rounds = Vec::new();
    while left > 1 {
        let half = left.div_ceil(2);
        rounds.push((half..left).map(|from| Add { thread: from - half, into: from - half, from }).collect());
        left = half;
    }
    rounds
}

/// The counters that a launch must have.
fn expected(pairing: Pairing, n: usize, block: usize) -> Counters {
    let mut counters = Counters::default();
    for first in (0..n).step_by(block) {
        let rounds = pairing(block.min(n - first));
        let warps: Vec<_> = (0..block).step_by(32).map(|start| start..block.min(start + 32)).collect();
        for (number, threads) in warps.into_iter().enumerate() {
            let before = counters.ptx_divergent_branches;
            for round in &rounds {
                let adds: Vec<Add> =
                    round.iter().copied().filter(|add| threads.contains(&add.thread)).collect();
                one_round(&mut counters, first, &adds, threads.len());
            }
            if number == 0 {
                last(&mut counters, threads.len());
            }
            counters.warps += 1;
            counters.divergent_warps += u64::from(counters.ptx_divergent_branches > before);
        }
    }
    counters
}

/// Two loads, a store and the barrier. A warp diverges if some of its threads add and some do not.
fn one_round(counters: &mut Counters, first: usize, adds: &[Add], threads: usize) {
    counters.ptx_barriers += 1;
    if adds.is_empty() {
        return;
    }
    let own = sectors(adds.iter().map(|add| first + add.into));
    counters.global_load_requests += 2;
    counters.global_load_sectors += own + sectors(adds.iter().map(|add| first + add.from));
    counters.global_store_requests += 1;
    counters.global_store_sectors += own;
    counters.ptx_divergent_branches += u64::from(adds.len() < threads);
}

/// Thread 0 reads the block's sum and stores it, and so diverges from the other threads of its warp.
fn last(counters: &mut Counters, threads: usize) {
    counters.global_load_requests += 1;
    counters.global_load_sectors += 1;
    counters.global_store_requests += 1;
    counters.global_store_sectors += 1;
    counters.ptx_divergent_branches += u64::from(threads > 1);
}

/// Arrays begin at a multiple of 32 bytes, so each sector contains eight elements, the first of which has an index that
/// is a multiple of eight.
fn sectors(elements: impl Iterator<Item = usize>) -> u64 {
    let mut sectors: Vec<usize> = elements.map(|element| element / 8).collect();
    sectors.sort_unstable();
    sectors.dedup();
    sectors.len() as u64
}

/// The counters of a launch, without those of PTX instructions in general.
fn counted(kernel: &'static Kernel, n: usize, block: u32, parts: u32) -> Counters {
    let (mut device, launch, _) = prepared(kernel, n, block, parts);
    let run = device.launch(&launch).unwrap();
    assert!(run.faults.is_empty(), "{kernel}: {:?}", run.faults);
    Counters { ptx_instructions: 0, ptx_lanes: 0, ptx_branches: 0, ..run.counters }
}

fn prepared(kernel: &'static Kernel, n: usize, block: u32, parts: u32) -> (Device, Launch, Buffer<i32>) {
    let mut device = Device::open(Choice::Sim).unwrap();
    let blocks = blocks_for(n, block * parts);
    let x = device.upload("x", &vec![1; n]).unwrap();
    let sums = device.zeroed::<i32>("sums", blocks as usize).unwrap();
    (device, Launch::new(kernel, blocks, block).arg(x).arg(sums).arg(n as u32), sums)
}

#[test]
fn a_pairing_decides_requests_sectors_and_branches() {
    for (kernel, pairing) in PAIRINGS {
        for n in [1, 31, 33, 100, 1003, 1024, 3000, 4096] {
            for block in [1, 32, 48, 64, 256, 1024] {
                let expected = expected(pairing, n, block as usize);
                assert_eq!(counted(kernel, n, block, 1), expected, "{kernel}: {n} in blocks of {block}");
            }
        }
    }
}

/// For full blocks whose size is a power of two, from 64 threads on.
#[test]
fn full_blocks_have_formulas() {
    for block in [64, 128, 256, 512, 1024] {
        let [neighbored, less, interleaved] =
            PAIRINGS.map(|(kernel, _)| counted(kernel, block as usize, block, 1));
        let (b, warps, rounds) = (u64::from(block), u64::from(block) / 32, u64::from(block.ilog2()));
        // Two loads for each warp that adds: all warps in 5 rounds, then half as many in each round.
        assert_eq!(neighbored.global_load_requests, 2 * (5 * warps + warps - 1) + 1);
        // Half of the warps, a quarter and so on down to one, and one in each of the last 5 rounds.
        assert_eq!(less.global_load_requests, 2 * (warps - 1 + 5) + 1);
        assert_eq!(interleaved.global_load_requests, less.global_load_requests);
        // No matter which thread adds them, neighbours touch every sector in three rounds, then every second one and so
        // on.
        assert_eq!((neighbored.global_load_sectors, less.global_load_sectors), (b - 1, b - 1));
        // As many as the adding threads fill, twice. Below 8 elements it is one, twice. The sum is read at the end.
        assert_eq!(interleaved.global_load_sectors, b / 4 + 5);
        // The last 5 rounds, and the thread that writes the sum.
        assert_eq!((less.ptx_divergent_branches, interleaved.ptx_divergent_branches), (6, 6));
        assert_eq!(interleaved.ptx_barriers, rounds * warps);
    }
}

/// The H200's counts for 2^24 elements in blocks of 1024: 16,760,832 load sectors for both kernels with neighbours, and
/// 4,276,224 for the other one, with as many requests. It counts 5 of a block's 6 divergent branches. The last one,
/// `if (i == 0)`, is not a branch in machine code but a predicate on the exit (`@P0 EXIT`).
#[test]
fn the_size_of_the_note_gives_the_figures_of_the_hardware() {
    const BLOCK: u32 = 1024;
    const BLOCKS: u64 = (1 << 24) / BLOCK as u64;
    let [neighbored, less, interleaved] =
        PAIRINGS.map(|(kernel, _)| counted(kernel, BLOCK as usize, BLOCK, 1));
    assert_eq!(BLOCKS * neighbored.global_load_sectors, 16_760_832);
    assert_eq!(BLOCKS * less.global_load_sectors, 16_760_832);
    assert_eq!(BLOCKS * interleaved.global_load_sectors, 4_276_224);
    assert_eq!(BLOCKS * less.global_load_requests, 1_196_032);
    assert_eq!(BLOCKS * interleaved.global_load_requests, 1_196_032);
    assert_eq!(BLOCKS * (less.ptx_divergent_branches - 1), 81_920);
    assert_eq!(BLOCKS * (interleaved.ptx_divergent_branches - 1), 81_920);
}

/// The lanes that add in each round, from a trace.
#[test]
fn the_lanes_that_add_are_those_of_the_pairing() {
    for (kernel, pairing) in PAIRINGS {
        for threads in [2, 32, 48, 256] {
            let (mut device, launch, _) = prepared(kernel, threads, threads as u32, 1);
            let mut round = vec![0; threads.div_ceil(32)];
            let mut masks = vec![vec![0_u32; round.len()]; pairing(threads).len()];
            for step in device.trace(&launch).unwrap() {
                let warp = step.warp as usize;
                if step.ptx.starts_with("bar.sync") {
                    round[warp] += 1;
                } else if step.ptx.starts_with("st.global") && round[warp] < masks.len() {
                    masks[round[warp]][warp] |= step.active;
                }
            }
            for (round, adds) in pairing(threads).into_iter().enumerate() {
                let mut expected = vec![0_u32; masks[round].len()];
                for add in adds {
                    expected[add.thread / 32] |= 1 << (add.thread % 32);
                }
                assert_eq!(masks[round], expected, "{kernel}: round {round} of {threads}");
            }
        }
    }
}

/// Sums in shared memory: each sector is loaded once if no warp begins or ends inside one, and only the block's sum is
/// stored.
#[test]
fn with_shared_memory_each_sector_is_loaded_once() {
    for kernel in [&REDUCE_SHARED, &REDUCE_SHARED_LAST_WARP] {
        for n in [1, 100, 1003, 4096, 20_000] {
            for block in [32, 48, 64, 1024] {
                let counters = counted(kernel, n, block, 8);
                let blocks = u64::from(blocks_for(n, 8 * block));
                assert_eq!(
                    counters.global_load_sectors,
                    n.div_ceil(8) as u64,
                    "{kernel}: {n} in blocks of {block}"
                );
                assert_eq!(counters.global_store_sectors, blocks, "{kernel}: {n} in blocks of {block}");
            }
        }
    }
}

/// A full block waits once after the loads and once in each round; the last five rounds are executed by one warp.
#[test]
fn the_last_warp_needs_no_barrier_of_the_block() {
    for block in [32, 64, 128, 1024] {
        let per_warp = |kernel| {
            let counters = counted(kernel, 8 * block as usize, block, 8);
            counters.ptx_barriers / counters.warps
        };
        let rounds = u64::from(block.ilog2());
        assert_eq!(
            (per_warp(&REDUCE_SHARED), per_warp(&REDUCE_SHARED_LAST_WARP)),
            (1 + rounds, 1 + rounds - 5)
        );
    }
}
