//! The counters of the kernels that build lists, compared with what follows from the source; see `closed_forms.rs`.

mod model;

use model::{In, Model, Piece, Thread, counted, every_thread, line, once, own, shapes};
use thirty_two_lanes::kernels::sorting;
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::{Choice, Device, Launch};

/// A stretch of expensive elements, a gap, and then single ones, so that there are warps with none, some and all.
fn is_expensive(i: usize) -> bool {
    (40..140).contains(&i) || i.is_multiple_of(97)
}

const THRESHOLD: u32 = 100;
const ROUNDS: usize = 3;

fn values(n: usize) -> Vec<u32> {
    (0..n).map(|i| if is_expensive(i) { 1 } else { 1000 }).collect()
}

/// The lists of simple and of expensive elements, as `threads` threads build them.
fn lists(n: usize, threads: usize) -> [Vec<usize>; 2] {
    let numbers = || (0..threads).flat_map(|t| (t..n).step_by(threads));
    [false, true].map(|expensive| numbers().filter(|&i| is_expensive(i) == expensive).collect())
}

fn ints(numbers: &[usize]) -> Vec<i32> {
    numbers.iter().map(|&number| number as i32).collect()
}

/// The pieces are: the guard; a load and the `if`; a jump; for expensive elements the test whether there is a loop, its
/// counter, the loop, and a store; for simple ones a store; the end.
#[test]
fn a_mixed_list_waits_for_its_expensive_elements() {
    let kernel = &sorting::PROCESS_MIXED;
    shapes(|n, block| {
        let mut device = Device::open(Choice::Sim).unwrap();
        let (x, z) = (device.upload("x", &values(n)).unwrap(), device.zeroed::<u32>("z", n).unwrap());
        let launch = Launch::cover(kernel, n, block).arg(x).arg(z);
        let run = device.launch(&launch.arg(THRESHOLD).arg(ROUNDS as i32).arg(n as i32)).unwrap();
        let outside = |t: Thread, _| t.x >= n;
        let inside = |t: Thread| usize::from(t.x < n);
        let is_long = |t: Thread, _| is_expensive(t.x);
        let long = |t: Thread| usize::from(t.x < n && is_expensive(t.x));
        let short = |t: Thread| usize::from(t.x < n && !is_expensive(t.x));
        let turns = |t: Thread| ROUNDS * long(t);
        let goes_back = |_: Thread, turn| turn + 1 < ROUNDS;
        let pieces = vec![
            Piece { taken: Some(&outside), ..once(&every_thread) },
            Piece { taken: Some(&is_long), elements: &[&own], ..once(&inside) },
            once(&short),
            Piece { taken: Some(&|_, _| false), ..once(&long) },
            once(&long),
            Piece { taken: Some(&goes_back), ..once(&turns) },
            Piece { elements: &[&own], ..once(&long) },
            Piece { elements: &[&own], ..once(&short) },
            once(&every_thread),
        ];
        assert_eq!(counted(&run), line(n, block, pieces).counters(kernel, false), "{n} in blocks of {block}");
    });
}

/// Calls `check` with every size and block, and with one or two blocks of builders.
fn builders(mut check: impl FnMut(usize, u32, u32)) {
    shapes(|n, block| [1, 2].into_iter().for_each(|blocks| check(n, block, blocks)));
}

/// How many elements a builder has: every `threads`-th, beginning at its own number.
fn elements_of(t: Thread, n: usize, threads: usize) -> usize {
    n.saturating_sub(t.x).div_ceil(threads)
}

/// The pieces are: the test whether there is an element; for threads without one a jump, for those with one the first
/// address; the loop, with a load and no `if`, because the result of a comparison can be added; a jump; two zeros for
/// threads without an element; two stores and the end.
#[test]
fn counting_diverges_where_the_elements_end() {
    let kernel = &sorting::COUNT_LISTS;
    builders(|n, block, blocks| {
        let threads = (block * blocks) as usize;
        let mut device = Device::open(Choice::Sim).unwrap();
        let x = device.upload("x", &values(n)).unwrap();
        let [simple, expensive] =
            ["simple", "expensive"].map(|name| device.zeroed::<i32>(name, threads).unwrap());
        let launch = Launch::new(kernel, blocks, block).arg(x).arg(THRESHOLD).arg(simple).arg(expensive);
        let run = device.launch(&launch.arg(n as i32)).unwrap();
        let turns = |t: Thread| elements_of(t, n, threads);
        let works = |t: Thread| turns(t).min(1);
        let rests = |t: Thread| 1 - works(t);
        let has_some = |t: Thread, _| works(t) == 1;
        let goes_back = |t: Thread, turn| turn + 1 < turns(t);
        let element: [In<usize>; 1] = [&|t, turn| t.x + turn * threads];
        let pieces = vec![
            Piece { taken: Some(&has_some), ..once(&every_thread) },
            once(&rests),
            once(&works),
            Piece { taken: Some(&goes_back), elements: &element, ..once(&turns) },
            once(&works),
            once(&rests),
            Piece { elements: &[&own, &own], ..once(&every_thread) },
        ];
        let expected = line(threads, block, pieces).counters(kernel, false);
        assert_eq!(counted(&run), expected, "{n} by {blocks} blocks of {block}");
    });
}

/// The pieces are: the test whether it is the first thread, after which all others end; the test whether there is a
/// count, and two zeros; the addresses; the loop of two loads and two stores; the two sums; the end.
#[test]
fn placing_is_the_work_of_one_thread() {
    let kernel = &sorting::PLACE_LISTS;
    for (blocks, block) in [(1, 1), (1, 32), (1, 48), (2, 64), (3, 256), (1, 1024)] {
        for threads in [0, 1, 33, 256, 1003] {
            let mut device = Device::open(Choice::Sim).unwrap();
            let [simple, expensive] =
                ["simple", "expensive"].map(|name| device.upload(name, &vec![2; threads]).unwrap());
            let counts = device.zeroed::<i32>("counts", 2).unwrap();
            let launch = Launch::new(kernel, blocks, block).arg(simple).arg(expensive).arg(counts);
            let run = device.launch(&launch.arg(threads as i32)).unwrap();
            let others = |t: Thread, _| t.x != 0;
            let first = |t: Thread| usize::from(t.x == 0);
            let some = |t: Thread| first(t) * threads.min(1);
            let turns = |t: Thread| first(t) * threads;
            let has_none = |_: Thread, _| threads == 0;
            let goes_back = |_: Thread, turn| turn + 1 < threads;
            let count: [In<usize>; 4] = [&|_, turn| turn; 4];
            let pieces = vec![
                Piece { taken: Some(&others), ..once(&every_thread) },
                Piece { taken: Some(&has_none), ..once(&first) },
                once(&some),
                Piece { taken: Some(&goes_back), elements: &count, ..once(&turns) },
                Piece { elements: &[&|_, _| 0, &|_, _| 1], ..once(&first) },
                once(&every_thread),
            ];
            let model = Model { grid: (blocks as usize, 1), block: (block as usize, 1), pieces };
            assert_eq!(counted(&run), model.counters(kernel, false), "{threads}, {blocks} blocks of {block}");
            assert_eq!(device.read(counts).unwrap().sim, [2 * threads as i32; 2]);
        }
    }
}

/// The pieces are: the guard; the loads of both places; then in a loop a load and the `if`, a jump, one store for
/// expensive elements, one for simple ones, and the test whether there is another element, after which a lane may end;
/// the end.
#[test]
fn filling_diverges_where_neighbours_differ() {
    let kernel = &sorting::FILL_LISTS;
    builders(|n, block, blocks| {
        let threads = (block * blocks) as usize;
        let [simple, expensive] = lists(n, threads);
        // Where each element is placed in its list, and where each builder begins.
        let mut place = vec![0; n];
        let listed = [&simple, &expensive].map(|list| list.iter().enumerate());
        listed.into_iter().flatten().for_each(|(at, &i)| place[i] = at);
        let starts = [&simple, &expensive].map(|list| {
            (0..threads).map(|t| list.iter().filter(|&i| i % threads < t).count()).collect::<Vec<_>>()
        });
        let mut device = Device::open(Choice::Sim).unwrap();
        let x = device.upload("x", &values(n)).unwrap();
        let starts = starts.map(|starts| device.upload("places", &ints(&starts)).unwrap());
        let filled = ["simple", "expensive"].map(|name| device.zeroed::<i32>(name, n).unwrap());
        let launch = Launch::new(kernel, blocks, block).arg(x).arg(THRESHOLD).arg(starts[0]).arg(starts[1]);
        let run = device.launch(&launch.arg(filled[0]).arg(filled[1]).arg(n as i32)).unwrap();
        let outside = |t: Thread, _| t.x >= n;
        let turns = |t: Thread| elements_of(t, n, threads);
        let works = |t: Thread| turns(t).min(1);
        let element = |t: Thread, turn| t.x + turn * threads;
        let is_long = |t: Thread, turn| is_expensive(element(t, turn));
        let is_short = |t: Thread, turn| !is_expensive(element(t, turn));
        let listed: [In<usize>; 1] = [&|t, turn| place[element(t, turn)]];
        let looked_at: [In<usize>; 1] = [&element];
        let goes_back = |t: Thread, turn| turn + 1 < turns(t);
        let pieces = vec![
            Piece { taken: Some(&outside), ..once(&every_thread) },
            Piece { elements: &[&own, &own], ..once(&works) },
            Piece { taken: Some(&is_long), elements: &looked_at, ..once(&turns) },
            Piece { only: Some(&is_short), ..once(&turns) },
            Piece { only: Some(&is_long), elements: &listed, ..once(&turns) },
            Piece { only: Some(&is_short), elements: &listed, ..once(&turns) },
            Piece { taken: Some(&goes_back), ..once(&turns) },
            once(&every_thread),
        ];
        let expected = line(threads, block, pieces).counters(kernel, false);
        assert_eq!(counted(&run), expected, "{n} by {blocks} blocks of {block}");
        for (found, list) in filled.into_iter().zip([simple, expensive]) {
            assert_eq!(device.read(found).unwrap().sim[..list.len()], ints(&list));
        }
    });
}

/// The pieces are: the length of the list and the guard; for threads within the list the index of the element, and the
/// element; for expensive ones the test whether there is a loop, its counter and the loop; a store; the end.
#[test]
fn a_list_diverges_only_at_its_end() {
    for (kernel, which) in [(&sorting::PROCESS_SIMPLE, 0), (&sorting::PROCESS_EXPENSIVE, 1)] {
        shapes(|n, block| {
            let lists = lists(n, 64);
            let list = &lists[which];
            // As many threads as the list has entries, as in the chapter, and as many as there are elements.
            for covered in [list.len().max(1), n] {
                let mut device = Device::open(Choice::Sim).unwrap();
                let (x, z) = (device.upload("x", &values(n)).unwrap(), device.zeroed::<u32>("z", n).unwrap());
                let padded = [ints(list), vec![0; n - list.len()]].concat();
                let numbers = device.upload("list", &padded).unwrap();
                let counts = device.upload("counts", &ints(&[lists[0].len(), lists[1].len()])).unwrap();
                let launch = Launch::cover(kernel, covered, block).arg(x).arg(z).arg(numbers).arg(counts);
                let launch = if which == 1 { launch.arg(ROUNDS as i32) } else { launch };
                let run = device.launch(&launch).unwrap();
                let outside = |t: Thread, _| t.x >= list.len();
                let inside = |t: Thread| usize::from(t.x < list.len());
                let turns = |t: Thread| ROUNDS * inside(t);
                let goes_back = |_: Thread, turn| turn + 1 < ROUNDS;
                let there = |t: Thread, _| list[t.x];
                let length: [In<usize>; 1] = [&|_, _| which];
                let loads: [In<usize>; 3] = [&own, &there, &there];
                let mut pieces =
                    vec![Piece { taken: Some(&outside), elements: &length, ..once(&every_thread) }];
                if which == 0 {
                    pieces.push(Piece { elements: &loads, ..once(&inside) });
                } else {
                    pieces.push(Piece { taken: Some(&|_, _| false), elements: &loads[..2], ..once(&inside) });
                    pieces.push(once(&inside));
                    pieces.push(Piece { taken: Some(&goes_back), ..once(&turns) });
                    pieces.push(Piece { elements: &loads[2..], ..once(&inside) });
                }
                pieces.push(once(&every_thread));
                let model = Model {
                    grid: (blocks_for(covered, block) as usize, 1),
                    block: (block as usize, 1),
                    pieces,
                };
                assert_eq!(
                    counted(&run),
                    model.counters(kernel, false),
                    "{kernel}, {covered} of {n}, {block}"
                );
            }
        });
    }
}
