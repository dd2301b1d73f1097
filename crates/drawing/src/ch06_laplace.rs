//! Figures of chapter 6: a grid of points, its border, and the shape of blocks.

mod shapes;

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

use anyhow::{Result, ensure};
use thirty_two_lanes::kernels::laplace::{
    JACOBI_BORDER_FIRST, JACOBI_FRAMED, JACOBI_GUARDED, JACOBI_SOLVE, JACOBI_TILE,
};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Buffer, Dim3, Launch, Random, Traced};

use crate::Figure;
use crate::chart::{Axis, Bar, Bars, Chart, LOOKS};
use crate::sheet::{Fill, Mark, Sheet, Stroke, Tone};
use crate::sources::{Record, Sources};

pub const FIGURES: &[Figure] = &[
    Figure { name: "stencil", title: "What a warp reads for the means of its points", draw: stencil },
    Figure {
        name: "guard_map_warps",
        title: "Points of a grid under its warps: on the border, waiting for it, free, or outside",
        draw: guard_map_warps,
    },
    Figure {
        name: "border_first_writes",
        title: "Where threads outside the grid write when they take their points for the border",
        draw: border_first_writes,
    },
    Figure {
        name: "shapes_sectors",
        title: "Sectors that a block requests, and how many of them are different, by its shape",
        draw: shapes::shapes_sectors,
    },
    Figure {
        name: "shapes_time",
        title: "Time of a step on an H200, by the shape of its blocks",
        draw: shapes::shapes_time,
    },
    Figure {
        name: "shapes_limits",
        title: "What keeps three kernels from being faster: how busy the parts of an H200 are, and what warps wait for",
        draw: shapes::shapes_limits,
    },
    Figure {
        name: "tile_halo",
        title: "What a block loads into its tile, and which threads load it",
        draw: tile_halo,
    },
    Figure {
        name: "convergence",
        title: "How the error of three grids falls with the steps",
        draw: convergence,
    },
    Figure {
        name: "rim_cost",
        title: "A border with work of its own: instructions with a branch and with a second kernel",
        draw: rim_cost,
    },
    Figure {
        name: "solid",
        title: "A thread for each line or for each point: warps, instructions, and time on an H200",
        draw: solid,
    },
];

/// Floats in a sector, and before and after each row of points in a grid with a frame.
const SECTOR: usize = 8;

/// The four neighbours of a point.
const SIDES: [(&str, [i64; 2]); 4] =
    [("left", [-1, 0]), ("right", [1, 0]), ("above", [0, -1]), ("below", [0, 1])];

/// One warp of points in a row with a frame around it. To find out which point reads what, a single 1 is placed among
/// zeros: it changes the means of its readers only.
fn stencil(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const POINTS: usize = 32;
    let pitch = POINTS + 2 * SECTOR;
    let mut reads: BTreeMap<i64, BTreeSet<usize>> = BTreeMap::new();
    let (u, next) = (sources.zeroed::<f32>("u", 3 * pitch)?, sources.zeroed::<f32>("next", 3 * pitch)?);
    let launch = Launch::new(&JACOBI_FRAMED, 1, POINTS as u32).arg(pitch as i32).arg(u).arg(next);
    for one in 0..3 * pitch {
        let values: Vec<f32> = (0..3 * pitch).map(|at| if at == one { 1.0 } else { 0.0 }).collect();
        sources.write(u, &values)?;
        let (_, means) = sources.trial(&launch.clone().unchecked(), next)?;
        for reader in (0..means.len()).filter(|&at| means[at] > 0.0) {
            reads.entry(one as i64 - reader as i64).or_default().insert(one);
        }
    }
    let sectors = |read: &BTreeSet<usize>| read.iter().map(|at| at / SECTOR).collect::<BTreeSet<_>>();
    let asked: usize = reads.values().map(|read| sectors(read).len()).sum();
    let all: BTreeSet<usize> = reads.values().flatten().copied().collect();
    let counters = sources.launch(&launch)?.counters;
    ensure!(
        counters.global_load_sectors == asked as u64,
        "the counter says {}",
        counters.global_load_sectors
    );

    let x = |at: usize| 46.0 + 7.25 * (at % pitch) as f64;
    let y = |at: usize| 12.0 + 44.0 * (at / pitch) as f64;
    for (name, row) in [("above", 0), ("points", 1), ("below", 2)] {
        sheet.left(2.0, y(row * pitch) + 11.0, Tone::Dim, name);
    }
    let touched = sectors(&all);
    let corner =
        |sector: &usize| [x(sector * SECTOR) - 1.6, y(sector * SECTOR) - 2.6, 7.25 * 8.0 - 0.4, 19.2];
    sheet.frames(Stroke::Line, touched.iter().map(corner));
    sheet.boxes((5.8, 14.0), Fill::On, all.iter().map(|&at| (x(at), y(at))));
    let rest = (0..3 * pitch).filter(|at| !all.contains(at));
    sheet.boxes((2.0, 2.0), Fill::Off, rest.map(|at| (x(at) + 1.9, y(at) + 6.0)));
    let point = pitch + SECTOR + 12;
    let neighbours = [point - 1, point + 1, point - pitch, point + pitch];
    sheet.boxes((5.8, 14.0), Fill::C, neighbours.map(|at| (x(at), y(at))));
    sheet.rect([x(point), y(point), 5.8, 14.0], Fill::B);
    let middle = x(point) + 2.9;
    sheet.arrow(&[(middle, y(0) + 18.0), (middle, y(point) - 4.0)], Stroke::Arrow);
    sheet.arrow(&[(middle, y(2 * pitch) - 4.0), (middle, y(point) + 18.0)], Stroke::Arrow);
    let mut described = Vec::new();
    for (name, [dx, dy]) in SIDES {
        let read = reads.get(&(dx + dy * pitch as i64));
        described.push(format!("{} {name}", read.map_or(0, |read| sectors(read).len())));
    }
    let sum = described.join(" + ");
    let y = y(2 * pitch) + 40.0;
    sheet.left(46.0, y, Tone::Text, &sum);
    let what = format!("= {asked} sectors requested, {} different ones", touched.len());
    sheet.left(46.0, y + 17.0, Tone::Text, &what);
    Ok(format!(
        "Three rows of memory in sectors of {SECTOR} floats: the {POINTS} points of a warp, the row above and the row below. A \
         point takes the mean of its four neighbours. For all lanes that is {} requests of {sum} = {asked} sectors, of which \
         {} are different.",
        counters.global_load_requests,
        touched.len(),
    ))
}

/// The ragged grid of the chapter and its blocks.
const WIDTH: usize = 42;
const HEIGHT: usize = 10;
const BLOCK: Dim3 = Dim3::new(16, 4, 1);
/// Threads per row, and rows of threads.
const THREADS: [usize; 2] = [48, 12];
/// Elements that no thread should write keep this value.
const UNTOUCHED: f32 = -1.0;

/// A launch over that grid, with extra space after it for rows of whole blocks; the new values and the old ones.
fn ragged(
    sources: &mut Sources,
    kernel: &'static thirty_two_lanes::kernel::Kernel,
) -> Result<(Launch, Buffer<f32>, Vec<f32>)> {
    let values = Random::new(0).floats(WIDTH * THREADS[1], 0.0, 1.0);
    let u = sources.upload("u", &values)?;
    let next = sources.upload("next", &vec![UNTOUCHED; values.len()])?;
    let blocks = Dim3::new(THREADS[0] as u32 / BLOCK.x, THREADS[1] as u32 / BLOCK.y, 1);
    let launch = Launch::new(kernel, blocks, BLOCK).arg(WIDTH as i32).arg(HEIGHT as i32).arg(u).arg(next);
    Ok((launch, next, values))
}

/// The threads of the lanes in a mask, by row and column.
fn threads(step: &Traced, lanes: u32) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (block, warp) = (step.block, step.warp);
    (0..32).filter(move |lane| lanes >> lane & 1 == 1).map(move |lane| {
        let at = 32 * warp + lane;
        ((block.y * BLOCK.y + at / BLOCK.x) as usize, (block.x * BLOCK.x + at % BLOCK.x) as usize)
    })
}

fn guard_map_warps(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (launch, _, _) = ragged(sources, &JACOBI_GUARDED)?;
    let trace = sources.trace(&launch)?;
    let warp = |step: &Traced| (step.block.y, step.block.x, step.warp);
    let diverging: BTreeSet<_> = trace.iter().filter(|step| step.mask != u32::MAX).map(warp).collect();
    let (mut stores, mut means, mut waits) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for step in &trace {
        if step.ptx.starts_with("st.global") {
            stores.extend(threads(step, step.active));
        }
        if step.ptx.contains("add.f32") {
            means.extend(threads(step, step.active));
            if diverging.contains(&warp(step)) {
                waits.extend(threads(step, step.active));
            }
        }
    }
    let x = |column: usize| 6.0 + 7.9 * column as f64 + 3.0 * (column / BLOCK.x as usize) as f64;
    let y =
        |row: usize| 4.0 + 11.0 * row as f64 + 2.0 * (row / 2) as f64 + 2.0 * (row / BLOCK.y as usize) as f64;
    let cell = (6.5, 9.4);
    let at = |&(row, column): &(usize, usize)| (x(column), y(row));
    let border: Vec<_> = stores.difference(&means).copied().collect();
    let free: Vec<_> = means.difference(&waits).copied().collect();
    let all = (0..THREADS[1]).flat_map(|row| (0..THREADS[0]).map(move |column| (row, column)));
    let outside: Vec<_> = all.filter(|thread| !stores.contains(thread)).collect();
    sheet.boxes(cell, Fill::B, border.iter().map(at));
    sheet.boxes(cell, Fill::On, free.iter().map(at));
    sheet.boxes((3.0, 3.0), Fill::Off, waits.iter().map(|thread| (at(thread).0 + 1.7, at(thread).1 + 3.2)));
    sheet.frames(Stroke::Line, outside.iter().map(|thread| [at(thread).0, at(thread).1, cell.0, cell.1]));
    let y = sheet.bottom() + 22.0;
    sheet.rect([6.0, y - 9.0, 6.5, 9.4], Fill::B);
    sheet.left(18.0, y, Tone::Text, &format!("{} points on the border", border.len()));
    sheet.rect([207.7, y - 6.0, 3.0, 3.0], Fill::Off);
    sheet.left(218.0, y, Tone::Text, &format!("{} wait for such a point", waits.len()));
    sheet.rect([6.0, y + 9.0, 6.5, 9.4], Fill::On);
    sheet.left(18.0, y + 18.0, Tone::Text, &format!("{} need not wait", free.len()));
    sheet.frames(Stroke::Line, [[206.0, y + 9.0, 6.5, 9.4]]);
    sheet.left(218.0, y + 18.0, Tone::Text, &format!("{} threads outside", outside.len()));
    let warps = launch.simt.grid.count() * launch.simt.block.count() / 32;
    Ok(format!(
        "{WIDTH} x {HEIGHT} points under {warps} warps of two rows of 16 threads. {} points are on the border; {} others are in \
         warps that have such a point, and wait for it; {} are in warps that do not diverge; {} threads are outside the grid.",
        border.len(),
        waits.len(),
        free.len(),
        outside.len(),
    ))
}

/// The threads at their places, with those outside the grid on the right of it and below it, and the elements that
/// these write.
fn border_first_writes(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (launch, next, _) = ragged(sources, &JACOBI_BORDER_FIRST)?;
    // A thread writes the element that the kernel computes: row times width, plus column.
    let mut writers: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for step in sources.trace(&launch)?.iter().filter(|step| step.ptx.starts_with("st.global")) {
        for (row, column) in threads(step, step.active) {
            writers.entry(row * WIDTH + column).or_default().push((row, column));
        }
    }
    let (_, after) = sources.trial(&launch.clone().unchecked(), next)?;
    let is_written = |at: usize| after[at].to_bits() != UNTOUCHED.to_bits();
    ensure!((0..after.len()).all(|at| is_written(at) == writers.contains_key(&at)), "others were written");
    let points = WIDTH * HEIGHT;
    let is_outside = |&(row, column): &(usize, usize)| row >= HEIGHT || column >= WIDTH;
    let strays: Vec<(usize, usize)> = writers.values().flatten().copied().filter(is_outside).collect();
    let after_grid: Vec<usize> = writers.keys().copied().filter(|&at| at >= points).collect();
    let twice: Vec<usize> =
        writers.iter().filter(|(at, by)| **at < points && by.len() > 1).map(|(&at, _)| at).collect();

    let x = |column: usize| 6.0 + 8.05 * column as f64 + if column >= WIDTH { 4.0 } else { 0.0 };
    let gaps = |row: usize| if row >= 10 { 2.0 } else { f64::from(u8::from(row >= 1)) };
    let y = |row: usize| 22.0 + 11.4 * row as f64 + 16.0 * gaps(row);
    let place = |at: usize| (x(at % WIDTH), y(at / WIDTH));
    let once = (0..points).filter(|at| !twice.contains(at));
    sheet.boxes((3.0, 3.0), Fill::Off, once.map(|at| (place(at).0 + 1.8, place(at).1 + 3.2)));
    sheet.boxes((6.6, 9.4), Fill::Bad, twice.iter().map(|&at| place(at)));
    for &at in &after_grid {
        sheet.mark((place(at).0 + 3.3, place(at).1 + 4.7), 3.4, Mark::Cross, Fill::Bad);
    }
    let untouched = (points..after.len()).filter(|&at| !is_written(at));
    sheet.frames(Stroke::Line, untouched.map(|at| [place(at).0, place(at).1, 6.6, 9.4]));
    let right: Vec<_> = strays.iter().filter(|thread| thread.1 >= WIDTH).collect();
    sheet.frames(Stroke::Line, right.iter().map(|thread| [x(thread.1), y(thread.0), 6.6, 9.4]));
    let rows: BTreeSet<usize> = right.iter().map(|thread| thread.0).collect();
    for &row in &rows {
        let (from, to) = ((x(WIDTH) + 3.3, y(row) + 11.0), (x(0) + 3.3, y(row + 1) - 2.0));
        let lane = y(row) + 17.5;
        sheet.arrow(&[from, (from.0, lane), (to.0, lane), to], Stroke::ArrowBad);
    }
    sheet.left(6.0, 13.0, Tone::Dim, &format!("row 0, {WIDTH} points"));
    sheet.right(396.0, 13.0, Tone::Dim, "threads outside");
    let base = y(HEIGHT + 1) + 32.0;
    sheet.rect([6.0, base - 9.0, 6.6, 9.4], Fill::Bad);
    sheet.left(19.0, base, Tone::Text, &format!("{} points written twice", twice.len()));
    sheet.mark((205.0, base - 4.3), 3.4, Mark::Cross, Fill::Bad);
    sheet.left(214.0, base, Tone::Text, &format!("{} floats after the grid", after_grid.len()));
    Ok(format!(
        "The array in rows of {WIDTH}, and to the right of it threads that are outside the grid. {} threads outside write. Those \
         to the right of row 0 write the first {} points of row 1, which are thus written twice; the others write {} floats \
         after the end of the grid.",
        strays.len(),
        twice.len(),
        after_grid.len(),
    ))
}

/// The block of the chapter's section about tiles, and its tile, which is one point larger on every side.
const TILE_BLOCK: Dim3 = Dim3::new(32, 8, 1);

/// The tile's floats by the threads that load them. The first store is that of each thread's own point. The four sides
/// follow in the order of the kernel, because the first warp has all of them except the last.
fn tile_halo(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (columns, rows) = (TILE_BLOCK.x as usize, TILE_BLOCK.y as usize);
    let pitch = columns + 2 * SECTOR;
    let values = Random::new(0).floats(pitch * (rows + 2), 0.0, 1.0);
    let (u, next) = (sources.upload("u", &values)?, sources.zeroed::<f32>("next", values.len())?);
    let launch = Launch::new(&JACOBI_TILE, 1, TILE_BLOCK).arg(pitch as i32).arg(u).arg(next);
    let launch = launch.shared_bytes(4 * ((columns + 2) * (rows + 2)) as u32);
    let trace = sources.trace(&launch)?;
    let mut stores: Vec<&str> = Vec::new();
    for step in trace.iter().filter(|step| step.ptx.starts_with("st.shared")) {
        if !stores.contains(&step.ptx.as_str()) {
            stores.push(&step.ptx);
        }
    }
    ensure!(stores.len() == 5, "a thread's own point and four sides are {} stores", stores.len());
    let sides = [[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]];
    let (mut own, mut edge) = (BTreeSet::new(), BTreeSet::new());
    for step in trace.iter().filter(|step| step.ptx.starts_with("st.shared")) {
        let part = stores.iter().position(|ptx| *ptx == step.ptx).unwrap_or(0);
        let [dx, dy] = sides[part];
        for lane in (0..32).filter(|lane| step.active >> lane & 1 == 1) {
            let (column, row) = (1 + i64::from(lane) + dx, 1 + i64::from(step.warp) + dy);
            if part == 0 {
                own.insert((column, row))
            } else {
                edge.insert((column, row))
            };
        }
    }
    let at = |(column, row): (i64, i64)| (6.0 + 11.45 * column as f64, 6.0 + 14.0 * row as f64);
    sheet.boxes((9.6, 12.0), Fill::On, own.iter().map(|&spot| at(spot)));
    sheet.boxes((9.6, 6.0), Fill::B, edge.iter().map(|&spot| (at(spot).0, at(spot).1 + 3.0)));
    let all = (0..rows as i64 + 2).flat_map(|row| (0..columns as i64 + 2).map(move |column| (column, row)));
    let empty: Vec<_> = all.filter(|spot| !own.contains(spot) && !edge.contains(spot)).collect();
    sheet.frames(Stroke::Line, empty.iter().map(|&spot| [at(spot).0, at(spot).1, 9.6, 12.0]));
    let sectors = sources.launch(&launch)?.counters.global_load_sectors;
    let y = sheet.bottom() + 24.0;
    sheet.rect([6.0, y - 10.0, 9.6, 12.0], Fill::On);
    sheet.left(22.0, y, Tone::Text, &format!("{} by their own threads", own.len()));
    sheet.rect([214.0, y - 7.0, 9.6, 6.0], Fill::B);
    sheet.left(230.0, y, Tone::Text, &format!("{} by threads at an edge", edge.len()));
    sheet.frames(Stroke::Line, [[6.0, y + 10.0, 9.6, 12.0]]);
    sheet.left(22.0, y + 20.0, Tone::Text, &format!("{} corners, not loaded", empty.len()));
    sheet.left(230.0, y + 20.0, Tone::Text, &format!("{sectors} sectors in all"));
    Ok(format!(
        "A tile of {} x {} floats for a block of {columns} x {rows} threads. Every thread loads its own point, {} in all; threads \
         at the edges load {} floats around them; the {} corners are not loaded. The loads request {sectors} sectors.",
        columns + 2,
        rows + 2,
        own.len(),
        edge.len(),
        empty.len(),
    ))
}

/// The exact solution on a grid of `side` points, row after row; it is zero on three sides.
fn exact(side: usize) -> Vec<f64> {
    let h = 1.0 / (side - 1) as f64;
    let u = |x: f64, y: f64| (PI * x).sin() * (PI * y).sinh() / PI.sinh();
    (0..side * side).map(|at| u((at % side) as f64 * h, (at / side) as f64 * h)).collect()
}

/// The largest error of a grid after some steps, starting with zeros inside.
fn off(sources: &mut Sources, side: usize, steps: i32) -> Result<f64> {
    let exact = exact(side);
    let is_inside = |at: usize| (1..side - 1).contains(&(at % side)) && (1..side - 1).contains(&(at / side));
    let start: Vec<f32> =
        exact.iter().enumerate().map(|(at, &u)| if is_inside(at) { 0.0 } else { u as f32 }).collect();
    let u = sources.upload("u", &start)?;
    let inside = side as u32 - 2;
    let launch =
        Launch::new(&JACOBI_SOLVE, 1, Dim3::new(inside, inside, 1)).shared_bytes((4 * side * side) as u32);
    let (_, values) = sources.trial(&launch.arg(steps).arg(u).unchecked(), u)?;
    Ok(exact.iter().zip(&values).map(|(&exact, &got)| (exact - f64::from(got)).abs()).fold(0.0, f64::max))
}

fn convergence(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let tick = |value: f64| (value, grouped(value as u64));
    let chart = Chart {
        area: [48.0, 30.0, 240.0, 180.0],
        x: Axis::log(1.0, 1000.0, [1.0, 10.0, 100.0, 1000.0].map(tick)),
        y: Axis::log(0.0007, 1.0, [0.001, 0.01, 0.1, 1.0].map(|value| (value, value.to_string()))),
    };
    chart.axes(sheet);
    chart.names(sheet, "steps", "largest error of a point");
    let mut described = Vec::new();
    for (side, look) in [5, 9, 17].into_iter().zip(LOOKS) {
        let mut points = Vec::new();
        for steps in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000] {
            points.push((f64::from(steps), sources.scope(|sources| off(sources, side, steps))?));
        }
        chart.series(sheet, &points, look);
        chart.label(sheet, &points, 4.0, &format!("{side} x {side} points"));
        let last = points.last().map_or(0.0, |point| point.1);
        let end = points.iter().find(|point| point.1 < 1.05 * last).map_or(0.0, |point| point.0);
        described
            .push(format!("{side} x {side} points: {last:.5} in the end, and nearly that after {end} steps"));
    }
    Ok(format!(
        "The largest error of a point against the exact solution, over the steps, both axes logarithmic. Each line falls, \
         and then stays at the error that its grid allows. {}.",
        described.join(". ")
    ))
}

fn rim_cost(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record: Record = sources.emulated("ch06_laplace", 0)?;
    let rounds = [0, 10, 100, 1000];
    let places = rounds.into_iter().zip(0..).map(|(rounds, at)| (f64::from(at), grouped(rounds)));
    let chart = Chart {
        area: [74.0, 30.0, 212.0, 170.0],
        x: Axis::linear(-0.2, 3.2, places),
        y: Axis::log(
            3_000.0,
            1_500_000.0,
            [10_000.0, 100_000.0, 1_000_000.0].map(|value| (value, grouped(value as u64))),
        ),
    };
    chart.axes(sheet);
    chart.names(sheet, "rounds of work for a point on the border", "PTX instructions");
    let mut described = Vec::new();
    for ((prefix, name), look) in
        [("branch", "one kernel"), ("two_kernels", "two kernels")].into_iter().zip(LOOKS)
    {
        let mut points = Vec::new();
        for (rounds, at) in rounds.into_iter().zip(0..) {
            points.push((f64::from(at), record.counter(&format!("{prefix}_{rounds}"), "ptx_instructions")?));
        }
        chart.series(sheet, &points, look);
        chart.label(sheet, &points, 4.0, name);
        let counts: Vec<String> = points.iter().map(|point| grouped(point.1 as u64)).collect();
        described.push(format!("{name}: {}", counts.join(", ")));
    }
    Ok(format!(
        "PTX instructions of one kernel that branches and of two kernels, for 0, 10, 100 and 1,000 rounds of work on the border, \
         on a logarithmic axis. {}.",
        described.join(". ")
    ))
}

fn solid(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.measured("ch06_laplace", 0)?;
    let counter = |row: &str, name: &str| record.counter(row, name);
    let (mut y, mut described) = (30.0, Vec::new());
    for shape in ["cube", "slab"] {
        let mut values = Vec::new();
        for by in ["lines", "points"] {
            let row = format!("{shape}_by_{by}");
            let counts = [counter(&row, "warps")?, counter(&row, "ptx_instructions")?];
            values.push([counts[0], counts[1], record.time_us(&row)?]);
        }
        sheet.left(4.0, y - 12.0, Tone::Strong, &format!("a {shape}"));
        for (part, name) in ["warps", "PTX instructions", "time"].into_iter().enumerate() {
            let label = |value: f64| match part {
                2 => format!("{value:.1} µs"),
                _ => grouped(value as u64),
            };
            let [lines, points] = [values[0][part], values[1][part]];
            let bar = |value: f64, by: &str, fill| Bar {
                name: String::new(),
                value,
                label: format!("{} by {by}", label(value)),
                fill,
            };
            let bars =
                Bars { x: 124.0, width: 116.0, most: lines.max(points), pitch: 15.0, tone: Tone::Text };
            bars.draw(sheet, y, &[bar(lines, "lines", Fill::A), bar(points, "points", Fill::B)]);
            sheet.right(118.0, y + 17.0, Tone::Text, name);
            described.push(format!(
                "{shape}, {name}: {} by lines, {} by points",
                label(lines),
                label(points)
            ));
            y += 40.0;
        }
        y += 26.0;
    }
    Ok(format!(
        "For a cube of 64 points a side and a slab of four planes, in two ways: the warps and PTX instructions of the emulator and \
         the time on an H200, each pair on a scale of its own. {}.",
        described.join("; ")
    ))
}
