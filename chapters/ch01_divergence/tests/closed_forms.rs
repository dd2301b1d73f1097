//! The chapter's counters, compared with what follows from the source.
//!
//! Each kernel is described once, by its CUDA source and the branches of its PTX. The model computes the counters for
//! several shapes, with blocks that are and are not multiples of 32, and with sizes that are and are not multiples of
//! the block. The kernels that build lists are in `lists.rs`.

mod model;

use std::ops::Range;

use model::{BLOCKS, In, Model, Of, Piece, Thread, counted, every_thread, line, once, own, shapes};
use simt::Counters;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::{boundary, branch, divergence, predication};
use thirty_two_lanes::{Choice, Device, Launch};

fn by_thread(t: Thread) -> bool {
    t.x.is_multiple_of(2)
}

fn by_warp(t: Thread) -> bool {
    (t.x / 32).is_multiple_of(2)
}

fn run_math(kernel: &'static Kernel, n: usize, block: u32, debug: bool) -> Counters {
    let mut device = Device::open(Choice::Sim).unwrap();
    let c = device.zeroed::<f32>("c", n).unwrap();
    let launch = Launch::cover(kernel, n, block).arg(c).arg(n as i32);
    let launch = if debug { launch.debug().unwrap() } else { launch };
    counted(&device.launch(&launch).unwrap())
}

/// With optimisation, an arithmetic kernel consists of `if (i >= n) return;` as one branch, a select and a store, and
/// the end. A warp can diverge only at the guard.
#[test]
fn optimised_arithmetic_diverges_only_at_the_guard() {
    use divergence::{
        MATH_EVEN_THREAD, MATH_EVEN_WARP, MATH_PRECEDENCE, MATH_PRECEDENCE_FIXED, MATH_TWO_IFS,
    };
    for kernel in
        [&MATH_EVEN_THREAD, &MATH_EVEN_WARP, &MATH_TWO_IFS, &MATH_PRECEDENCE, &MATH_PRECEDENCE_FIXED]
    {
        shapes(|n, block| {
            let outside = |t: Thread, _| t.x >= n;
            let inside = |t: Thread| usize::from(t.x < n);
            let pieces = vec![
                Piece { taken: Some(&outside), ..once(&every_thread) },
                Piece { elements: &[&own], ..once(&inside) },
                once(&every_thread),
            ];
            let expected = line(n, block, pieces).counters(kernel, false);
            assert_eq!(run_math(kernel, n, block, false), expected, "{kernel}, {n} in blocks of {block}");
        });
    }
}

/// Without optimisation, the guard is a branch over a jump to the end, and the `if` a branch over a jump to its first
/// half. A warp diverges at the `if` only if its threads choose, and not if the warp does.
#[test]
fn unoptimised_arithmetic_diverges_where_lanes_choose() {
    use divergence::{MATH_EVEN_THREAD, MATH_EVEN_WARP, MATH_PRECEDENCE_FIXED};
    type Choice = fn(Thread) -> bool;
    let cases: [(&Kernel, Choice); 3] =
        [(&MATH_EVEN_THREAD, by_thread), (&MATH_EVEN_WARP, by_warp), (&MATH_PRECEDENCE_FIXED, by_warp)];
    for (kernel, even) in cases {
        shapes(|n, block| {
            let is_inside = |t: Thread, _| t.x < n;
            let inside = |t: Thread| usize::from(t.x < n);
            let outside = |t: Thread| usize::from(t.x >= n);
            let is_odd = |t: Thread, _| !even(t);
            let evens = |t: Thread| usize::from(t.x < n && even(t));
            let odds = |t: Thread| usize::from(t.x < n && !even(t));
            let pieces = vec![
                Piece { taken: Some(&is_inside), ..once(&every_thread) },
                once(&outside),                                  // over the body …
                once(&outside),                                  // … to the end
                Piece { taken: Some(&is_odd), ..once(&inside) }, // the if
                once(&evens),
                once(&evens),                                 // its first half
                once(&odds),                                  // its second half
                Piece { elements: &[&own], ..once(&inside) }, // the store
                once(&every_thread),
            ];
            let expected = line(n, block, pieces).counters(kernel, true);
            assert_eq!(run_math(kernel, n, block, true), expected, "{kernel}, {n} in blocks of {block}");
        });
    }
}

/// Without optimisation and with two `if`s: after the guard, each `if` is a branch over the jump to its body.
#[test]
fn two_unoptimised_ifs_diverge_twice() {
    let kernel = &divergence::MATH_TWO_IFS;
    shapes(|n, block| {
        let is_inside = |t: Thread, _| t.x < n;
        let inside = |t: Thread| usize::from(t.x < n);
        let outside = |t: Thread| usize::from(t.x >= n);
        let is_odd = |t: Thread, _| !by_thread(t);
        let is_even = |t: Thread, _| by_thread(t);
        let evens = |t: Thread| usize::from(t.x < n && by_thread(t));
        let odds = |t: Thread| usize::from(t.x < n && !by_thread(t));
        let pieces = vec![
            Piece { taken: Some(&is_inside), ..once(&every_thread) },
            once(&outside),                                  // over the body …
            once(&outside),                                  // … to the end
            Piece { taken: Some(&is_odd), ..once(&inside) }, // the first if
            once(&evens),
            once(&evens),                                     // its body
            Piece { taken: Some(&is_even), ..once(&inside) }, // the second if
            once(&odds),
            once(&odds),                                  // its body
            Piece { elements: &[&own], ..once(&inside) }, // the store
            once(&every_thread),
        ];
        let expected = line(n, block, pieces).counters(kernel, true);
        assert_eq!(run_math(kernel, n, block, true), expected, "{n} in blocks of {block}");
    });
}

/// Without a guard and without an `else` there is no branch at all.
#[test]
fn an_unguarded_select_has_no_branch() {
    let kernel = &divergence::MATH_UNGUARDED;
    for block in BLOCKS {
        let n = 3 * block as usize;
        let mut device = Device::open(Choice::Sim).unwrap();
        let c = device.zeroed::<f32>("c", n).unwrap();
        let run = device.launch(&Launch::cover(kernel, n, block).arg(c)).unwrap();
        let pieces = vec![Piece { elements: &[&own], ..once(&every_thread) }];
        assert_eq!(counted(&run), line(n, block, pieces).counters(kernel, false), "blocks of {block}");
    }
}

/// Inputs whose sign follows no simple pattern: the parity of the bits of the index (the Thue-Morse sequence).
fn is_negative(i: usize) -> bool {
    i.count_ones() % 2 == 1
}

/// The pieces are: the guard; a load and the `if`; a jump; the first path and a jump over the second; the second path;
/// the end. Each path has a store of its own, so a warp with lanes on both makes two requests.
#[test]
fn a_square_root_costs_both_paths() {
    let kernel = &branch::BRANCH_SQRT;
    shapes(|n, block| {
        let values: Vec<f32> = (0..n).map(|i| if is_negative(i) { -2.0 } else { 4.0 }).collect();
        let mut device = Device::open(Choice::Sim).unwrap();
        let (x, z) = (device.upload("x", &values).unwrap(), device.zeroed::<f32>("z", n).unwrap());
        let run = device.launch(&Launch::cover(kernel, n, block).arg(x).arg(z).arg(n as i32)).unwrap();
        let expected = expected_two_paths(n, block, kernel, &|t| is_negative(t.x));
        assert_eq!(counted(&run), expected, "{n} in blocks of {block}");
    });
}

/// The pieces are: the guard; then a load, both values, a select and a store without a branch.
#[test]
fn computing_both_values_needs_no_branch_except_the_guard() {
    let kernel = &branch::SQRT_THEN_SELECT;
    shapes(|n, block| {
        let mut device = Device::open(Choice::Sim).unwrap();
        let (x, z) = (device.zeroed::<f32>("x", n).unwrap(), device.zeroed::<f32>("z", n).unwrap());
        let run = device.launch(&Launch::cover(kernel, n, block).arg(x).arg(z).arg(n as i32)).unwrap();
        assert_eq!(
            counted(&run),
            expected_guarded(n, block, kernel, &[&own, &own]),
            "{n} in blocks of {block}"
        );
    });
}

/// The pieces are: the guard around the load; the votes and the `if` around the root, because the other value is a
/// select; the guard around the store. The compiler cannot rely on the vote, so each lane also tests its own value.
#[test]
fn votes_do_not_remove_the_branch() {
    let kernel = &branch::SQRT_VOTED;
    shapes(|n, block| {
        let values: Vec<f32> = (0..n).map(|i| if is_negative(i) { -2.0 } else { 4.0 }).collect();
        let mut device = Device::open(Choice::Sim).unwrap();
        let (x, z) = (device.upload("x", &values).unwrap(), device.zeroed::<f32>("z", n).unwrap());
        let run = device.launch(&Launch::cover(kernel, n, block).arg(x).arg(z).arg(n as i32)).unwrap();
        let outside = |t: Thread, _| t.x >= n;
        let inside = |t: Thread| usize::from(t.x < n);
        let skips = |t: Thread, _| t.x < n && is_negative(t.x);
        let takes = |t: Thread| usize::from(t.x >= n || !is_negative(t.x));
        let pieces = vec![
            Piece { taken: Some(&outside), ..once(&every_thread) },
            Piece { elements: &[&own], ..once(&inside) },
            Piece { taken: Some(&skips), ..once(&every_thread) },
            once(&takes),
            Piece { taken: Some(&outside), ..once(&every_thread) },
            Piece { elements: &[&own], ..once(&inside) },
            once(&every_thread),
        ];
        assert_eq!(counted(&run), line(n, block, pieces).counters(kernel, false), "{n} in blocks of {block}");
    });
}

/// All lanes choose the same path, so each warp executes one path and one store.
#[test]
fn a_uniform_condition_does_not_diverge() {
    let kernel = &branch::UNIFORM_CONDITION;
    shapes(|n, block| {
        let mut device = Device::open(Choice::Sim).unwrap();
        let (x, z) = (device.zeroed::<f32>("x", n).unwrap(), device.zeroed::<f32>("z", n).unwrap());
        let launch = Launch::cover(kernel, n, block).arg(1_i32).arg(x).arg(z).arg(n as i32);
        let run = device.launch(&launch).unwrap();
        assert_eq!(counted(&run), expected_two_paths(n, block, kernel, &|_| true));
    });
}

fn expected_two_paths(n: usize, block: u32, kernel: &Kernel, is_first: Of<bool>) -> Counters {
    let outside = |t: Thread, _| t.x >= n;
    let inside = |t: Thread| usize::from(t.x < n);
    let takes = |t: Thread, _| is_first(t);
    let first = |t: Thread| usize::from(t.x < n && is_first(t));
    let second = |t: Thread| usize::from(t.x < n && !is_first(t));
    let pieces = vec![
        Piece { taken: Some(&outside), ..once(&every_thread) },
        Piece { taken: Some(&takes), elements: &[&own], ..once(&inside) },
        once(&second),
        Piece { elements: &[&own], ..once(&first) },
        Piece { elements: &[&own], ..once(&second) },
        once(&every_thread),
    ];
    line(n, block, pieces).counters(kernel, false)
}

/// Like the square root, with a load on the first path, from the address that the index gives.
#[test]
fn a_guarded_load_reads_only_for_lanes_with_an_index() {
    let kernel = &branch::GUARDED_LOAD;
    shapes(|n, block| {
        // Every second index is negative; the others are scattered by a step that is coprime to n.
        let target = |i: usize| i * 7919 % n;
        let index: Vec<i32> =
            (0..n).map(|i| if i % 2 == 0 { target(i) as i32 } else { -1 - i as i32 }).collect();
        let mut device = Device::open(Choice::Sim).unwrap();
        let (k, x) = (device.upload("index", &index).unwrap(), device.zeroed::<f32>("x", n).unwrap());
        let z = device.zeroed::<f32>("z", n).unwrap();
        let run = device.launch(&Launch::cover(kernel, n, block).arg(k).arg(x).arg(z).arg(n as i32)).unwrap();
        let outside = |t: Thread, _| t.x >= n;
        let is_guarded = |t: Thread, _| by_thread(t);
        let inside = |t: Thread| usize::from(t.x < n);
        let reads = |t: Thread| usize::from(t.x < n && by_thread(t));
        let skips = |t: Thread| usize::from(t.x < n && !by_thread(t));
        let there = |t: Thread, _| target(t.x);
        let load_and_store: [In<usize>; 2] = [&there, &own];
        let pieces = vec![
            Piece { taken: Some(&outside), ..once(&every_thread) },
            Piece { taken: Some(&is_guarded), elements: &[&own], ..once(&inside) },
            once(&skips),
            Piece { elements: &load_and_store, ..once(&reads) },
            Piece { elements: &[&own], ..once(&skips) },
            once(&every_thread),
        ];
        assert_eq!(counted(&run), line(n, block, pieces).counters(kernel, false), "{n} in blocks of {block}");
    });
}

/// The pieces are: the guard; then three loads, a select and a store without a branch.
#[test]
fn a_merge_has_no_branch_except_the_guard() {
    let kernel = &branch::SELECT_MERGE;
    shapes(|n, block| {
        let mut device = Device::open(Choice::Sim).unwrap();
        let p = device.zeroed::<i32>("p", n).unwrap();
        let [x, y, z] = ["x", "y", "z"].map(|name| device.zeroed::<f32>(name, n).unwrap());
        let launch = Launch::cover(kernel, n, block).arg(p).arg(x).arg(y).arg(z).arg(n as i32);
        let run = device.launch(&launch).unwrap();
        assert_eq!(counted(&run), expected_guarded(n, block, kernel, &[&own, &own, &own, &own]));
    });
}

/// The pieces are: the guard; then two loads, an addition and a store.
#[test]
fn an_addition_diverges_only_at_the_end_of_the_array() {
    shapes(|n, block| {
        let expected = expected_guarded(n, block, &boundary::ADD_GUARDED, &[&own, &own, &own]);
        assert_eq!(run_add(n, block), expected, "{n} in blocks of {block}");
    });
}

fn run_add(n: usize, block: u32) -> Counters {
    let mut device = Device::open(Choice::Sim).unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| device.zeroed::<f32>(name, n).unwrap());
    let launch = Launch::cover(&boundary::ADD_GUARDED, n, block).arg(a).arg(b).arg(c).arg(n as i32);
    counted(&device.launch(&launch).unwrap())
}

fn expected_guarded(n: usize, block: u32, kernel: &Kernel, elements: &[In<usize>]) -> Counters {
    let outside = |t: Thread, _| t.x >= n;
    let inside = |t: Thread| usize::from(t.x < n);
    let pieces = vec![
        Piece { taken: Some(&outside), ..once(&every_thread) },
        Piece { elements, ..once(&inside) },
        once(&every_thread),
    ];
    line(n, block, pieces).counters(kernel, false)
}

/// Width, height and the side of a block; the first three are from the note.
const PICTURES: [(usize, usize, usize); 6] =
    [(76, 62, 16), (76, 61, 16), (200, 150, 16), (33, 9, 8), (1, 1, 32), (64, 64, 16)];

/// The guard in two dimensions, as one branch on both conditions.
#[test]
fn a_picture_diverges_only_at_its_edges() {
    for (width, height, tile) in PICTURES {
        let outside = |t: Thread, _| t.x >= width || t.y >= height;
        let inside = |t: Thread| usize::from(t.x < width && t.y < height);
        let pixel = |t: Thread, _| t.y * width + t.x;
        let load_and_store: [In<usize>; 2] = [&pixel, &pixel];
        let pieces = vec![
            Piece { taken: Some(&outside), ..once(&every_thread) },
            Piece { elements: &load_and_store, ..once(&inside) },
            once(&every_thread),
        ];
        let model =
            Model { grid: (width.div_ceil(tile), height.div_ceil(tile)), block: (tile, tile), pieces };
        let expected = model.counters(&boundary::BRIGHTEN_GUARDED, false);
        assert_eq!(run_picture(width, height, tile), expected, "{width} x {height} in tiles of {tile}");
    }
}

fn run_picture(width: usize, height: usize, tile: usize) -> Counters {
    let mut device = Device::open(Choice::Sim).unwrap();
    let [picture, out] = ["picture", "out"].map(|name| device.zeroed::<f32>(name, width * height).unwrap());
    let grid = (width.div_ceil(tile) as u32, height.div_ceil(tile) as u32);
    let launch = Launch::new(&boundary::BRIGHTEN_GUARDED, grid, (tile as u32, tile as u32));
    let launch = launch.arg(picture).arg(out).arg(width as i32).arg(height as i32);
    counted(&device.launch(&launch).unwrap())
}

/// The counts of the third note, without its mistakes: 10,000 elements take 314 warps, one of which is entirely
/// outside. In the picture of 200 × 150, the corner block has 3 warps on the edge and 5 below it, so there are 75.
#[test]
fn the_counts_of_the_third_note_are_right() {
    let parted = |counters: Counters| (counters.divergent_warps, counters.warps);
    assert_eq!(parted(run_add(1003, 64)), (1, 32));
    assert_eq!(parted(run_add(100, 64)), (1, 4));
    assert_eq!(parted(run_add(1000, 64)), (1, 32));
    let many = run_add(10_000, 64);
    assert_eq!((parted(many), many.warps - many.global_store_requests), ((1, 314), 1));
    assert_eq!(parted(run_picture(76, 62, 16)), (31, 160));
    assert_eq!(parted(run_picture(200, 160, 16)), (80, 1040));
    assert_eq!(parted(run_picture(76, 61, 16)), (35, 160));
    assert_eq!(parted(run_picture(200, 150, 16)), (75, 1040));
}

/// The pieces are: the guard; a load and the test whether there is work; the counter, set to zero; the loop, whose
/// branch is taken until the last iteration; the store; the end.
#[test]
fn a_warp_waits_for_its_busiest_lane() {
    type Choice = fn(usize) -> bool;
    let cases: [(&'static Kernel, Choice); 2] =
        [(&branch::EXPENSIVE_ONE_LANE, |i| i % 32 == 0), (&branch::EXPENSIVE_PACKED, |i| i / 32 % 32 == 0)];
    for (kernel, is_expensive) in cases {
        shapes(|n, block| {
            for rounds in [0, 1, 5] {
                let works = |t: Thread| t.x < n && is_expensive(t.x) && rounds > 0;
                let outside = |t: Thread, _| t.x >= n;
                let inside = |t: Thread| usize::from(t.x < n);
                let rests = |t: Thread, _| !works(t);
                let starts = |t: Thread| usize::from(works(t));
                let turns = |t: Thread| if works(t) { rounds } else { 0 };
                let goes_back = |_: Thread, turn| turn + 1 < rounds;
                let pieces = vec![
                    Piece { taken: Some(&outside), ..once(&every_thread) },
                    Piece { taken: Some(&rests), elements: &[&own], ..once(&inside) },
                    once(&starts),
                    Piece { taken: Some(&goes_back), ..once(&turns) },
                    Piece { elements: &[&own], ..once(&inside) },
                    once(&every_thread),
                ];
                let expected = line(n, block, pieces).counters(kernel, false);
                assert_eq!(
                    run_expensive(kernel, n, block, rounds),
                    expected,
                    "{kernel}, {n}, {block}, {rounds}"
                );
            }
        });
    }
}

fn run_expensive(kernel: &'static Kernel, n: usize, block: u32, rounds: usize) -> Counters {
    let mut device = Device::open(Choice::Sim).unwrap();
    let [x, z] = ["x", "z"].map(|name| device.zeroed::<u32>(name, n).unwrap());
    let launch = Launch::cover(kernel, n, block).arg(x).arg(z).arg(rounds as i32).arg(n as i32);
    counted(&device.launch(&launch).unwrap())
}

/// The pieces are: the guard; a load and the `if`; its body; the store of all lanes; the end.
#[test]
fn a_growing_body_stays_a_branch_in_ptx() {
    use predication::{MERGE_1, MERGE_2, MERGE_4, MERGE_8, MERGE_16, MERGE_32};
    for kernel in [&MERGE_1, &MERGE_2, &MERGE_4, &MERGE_8, &MERGE_16, &MERGE_32] {
        shapes(|n, block| {
            let outside = |t: Thread, _| t.x >= n;
            let inside = |t: Thread| usize::from(t.x < n);
            let skips = |t: Thread, _| is_negative(t.x);
            let works = |t: Thread| usize::from(t.x < n && !is_negative(t.x));
            let pieces = vec![
                Piece { taken: Some(&outside), ..once(&every_thread) },
                Piece { taken: Some(&skips), elements: &[&own], ..once(&inside) },
                once(&works),
                Piece { elements: &[&own], ..once(&inside) },
                once(&every_thread),
            ];
            let expected = line(n, block, pieces).counters(kernel, false);
            assert_eq!(run_steps(kernel, n, block), expected, "{kernel}, {n} in blocks of {block}");
        });
    }
}

/// The pieces are: the guard; a load and the `if`, whose branch leads to the end; the body with a store of its own; the
/// end. A lane that does not enter the `if` has nothing more to do.
#[test]
fn a_body_without_a_rest_ends_the_other_lanes() {
    use predication::{BODY_1, BODY_2, BODY_4, BODY_8, BODY_16, BODY_32};
    for kernel in [&BODY_1, &BODY_2, &BODY_4, &BODY_8, &BODY_16, &BODY_32] {
        shapes(|n, block| {
            let outside = |t: Thread, _| t.x >= n;
            let inside = |t: Thread| usize::from(t.x < n);
            let skips = |t: Thread, _| is_negative(t.x);
            let works = |t: Thread| usize::from(t.x < n && !is_negative(t.x));
            let pieces = vec![
                Piece { taken: Some(&outside), ..once(&every_thread) },
                Piece { taken: Some(&skips), elements: &[&own], ..once(&inside) },
                Piece { elements: &[&own], ..once(&works) },
                once(&every_thread),
            ];
            let expected = line(n, block, pieces).counters(kernel, false);
            assert_eq!(run_steps(kernel, n, block), expected, "{kernel}, {n} in blocks of {block}");
        });
    }
}

fn run_steps(kernel: &'static Kernel, n: usize, block: u32) -> Counters {
    let values: Vec<f32> = (0..n).map(|i| if is_negative(i) { -1.0 } else { 1.0 }).collect();
    let mut device = Device::open(Choice::Sim).unwrap();
    let (x, z) = (device.upload("x", &values).unwrap(), device.zeroed::<f32>("z", n).unwrap());
    counted(&device.launch(&Launch::cover(kernel, n, block).arg(x).arg(z).arg(n as i32)).unwrap())
}

/// The switch finds its case by bisection. For the numbers 0 to 31 it tests whether a lane's number is in the upper
/// half, then in the upper half of that half, down to pairs, both of whose numbers are tested by name. That is 31
/// branches at which a warp of 32 lanes diverges, 15 between halves and 16 between pairs. In the text, the paths to the
/// lowest number of each half come first, level after level, each with the loop of its pair's upper number at its end.
/// The loops of the lower numbers follow.
#[test]
fn a_switch_executes_every_path_separately() {
    let kernel = &branch::WORST_CASE_SWITCH;
    for rounds in [0, 1, 3] {
        shapes(|n, block| {
            let outside = |t: Thread, _| t.x >= n;
            let inside = |t: Thread| usize::from(t.x < n);
            let switch = Switch::new(n, rounds);
            let mut pieces = vec![Piece { taken: Some(&outside), ..once(&every_thread) }];
            pieces.extend(switch.pieces());
            pieces[1].elements = &[&own]; // the load before the first test
            pieces.push(Piece { elements: &[&own], ..once(&inside) });
            pieces.push(once(&every_thread));
            let expected = line(n, block, pieces).counters(kernel, false);
            assert_eq!(run_expensive(kernel, n, block, rounds), expected, "{n}, {block}, {rounds}");
        });
    }
}

type Walks = Box<dyn Fn(Thread) -> usize>;
type Taken = Box<dyn Fn(Thread, usize) -> bool>;

/// The pieces of the switch: how often a thread executes each, and whether it takes the branch at its end.
struct Switch(Vec<(Walks, Option<Taken>)>);

impl Switch {
    fn new(n: usize, rounds: usize) -> Switch {
        let mut switch = Switch(Vec::new());
        // 0, 16, 8, 24, 4, 20, …: the lowest numbers of the halves, level after level.
        let lowest = || (0..16_u8).map(|k| usize::from(k.reverse_bits() >> 3));
        for low in lowest() {
            let mut size = if low == 0 { 32 } else { 1 << low.trailing_zeros() };
            while size > 2 {
                size /= 2;
                switch.push(n, low..low + 2 * size, move |path| path >= low + size);
            }
            switch.push(n, low..low + 2, move |path| path == low);
            if low == 30 {
                switch.push(n, 31..32, |path| path != 31);
            } else {
                switch.push(n, low + 1..low + 2, move |path| path == low + 1);
                switch.0.push((Box::new(|_| 0), None)); // The way of numbers that are neither; there are none.
            }
            switch.push_loop(n, low + 1, rounds, true);
        }
        for low in lowest() {
            switch.push_loop(n, low, rounds, low != 30);
        }
        switch
    }

    /// Adds a piece that the lanes of some paths execute, and that ends in a test of the path.
    fn push(&mut self, n: usize, paths: Range<usize>, taken: impl Fn(usize) -> bool + 'static) {
        let walks = move |t: Thread| usize::from(t.x < n && paths.contains(&(t.x % 32)));
        self.0.push((Box::new(walks), Some(Box::new(move |t, _| taken(t.x % 32)))));
    }

    /// Adds the test whether there is an iteration, the counter, the loop, and, unless the end follows, a jump there.
    fn push_loop(&mut self, n: usize, path: usize, rounds: usize, jumps: bool) {
        let is_here = move |t: Thread| t.x < n && t.x % 32 == path;
        let times = move |times: usize| Box::new(move |t| if is_here(t) { times } else { 0 }) as Walks;
        let some = usize::from(rounds > 0);
        self.0.push((times(1), Some(Box::new(move |_, _| rounds == 0))));
        self.0.push((times(some), None));
        self.0.push((times(rounds), Some(Box::new(move |_, round| round + 1 < rounds))));
        if jumps {
            self.0.push((times(some), None));
        }
    }

    fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.0.iter().map(|(walks, taken)| Piece { taken: taken.as_deref(), ..once(walks) })
    }
}

/// The pieces are: the guard; a load and the test whether there is a loop; two values computed from the path's number;
/// the loop; the store; the end.
#[test]
fn one_path_for_all_lanes_does_not_diverge() {
    let kernel = &branch::WORST_CASE_TOGETHER;
    shapes(|n, block| {
        let rounds = 3;
        let outside = |t: Thread, _| t.x >= n;
        let inside = |t: Thread| usize::from(t.x < n);
        let turns = |t: Thread| if t.x < n { rounds } else { 0 };
        let goes_back = |_: Thread, turn| turn + 1 < rounds;
        let pieces = vec![
            Piece { taken: Some(&outside), ..once(&every_thread) },
            Piece { taken: Some(&|_, _| false), elements: &[&own], ..once(&inside) },
            once(&inside),
            Piece { taken: Some(&goes_back), ..once(&turns) },
            Piece { elements: &[&own], ..once(&inside) },
            once(&every_thread),
        ];
        assert_eq!(run_expensive(kernel, n, block, rounds), line(n, block, pieces).counters(kernel, false));
    });
}
