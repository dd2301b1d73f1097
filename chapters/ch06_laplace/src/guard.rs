//! A guard in the wrong place, which lets threads outside the grid pass for points of its border.
//!
//! The emulator stops the wrong kernel where it leaves its arrays. In arrays that are longer than the grid
//! nothing stops it, and what remains is a race. Its result on a GPU depends on chance, and is shown if there
//! is a GPU.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::laplace::{JACOBI_BORDER_FIRST, JACOBI_GUARDED, JACOBI_WHOLE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{DIVERGENT_WARPS, INSTRUCTIONS_PER_WARP, STORE_SECTORS};
use thirty_two_lanes::{Buffer, Device, Dim3, Lab, Launch, Row, Schedule, Tolerance, Verdict};

use crate::grid::{Grid, shape};
use crate::maps;

pub const BLOCK: Dim3 = Dim3::new(16, 4, 1);
/// Whole blocks.
const WHOLE: Grid = Grid { width: 48, height: 12 };
/// A grid that blocks overhang below.
const LOW: Grid = Grid { width: 48, height: 10 };
/// A grid that blocks overhang on the right.
const NARROW: Grid = Grid { width: 42, height: 12 };
/// A grid that blocks overhang on the right and below.
pub const RAGGED: Grid = Grid { width: 42, height: 10 };
/// The number of orders of the warps that are tried.
const SEEDS: u64 = 40;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!(
        "what do threads outside the grid do? Blocks of {}; 48 or 42 columns, 12 or 10 rows",
        shape(BLOCK)
    );
    lab.section("guard", &title, &[DIVERGENT_WARPS, INSTRUCTIONS_PER_WARP, STORE_SECTORS]);
    let wrong = &JACOBI_BORDER_FIRST;
    lab.variant("border_first_whole", |device| exact(device, wrong, WHOLE, seed))?;
    lab.variant("border_first_low", |device| Ok(exact(device, wrong, LOW, seed)?.expect(Verdict::Fault)))?;
    lab.variant("border_first_narrow", |device| {
        Ok(exact(device, wrong, NARROW, seed)?.expect(Verdict::Fault))
    })?;
    lab.variant("border_first_room", |device| Ok(with_room(device, wrong, seed)?.expect(Verdict::Fault)))?;
    lab.variant("whole_low", |device| Ok(exact(device, &JACOBI_WHOLE, LOW, seed)?.expect(Verdict::Fault)))?;
    lab.variant("guarded_low", |device| exact(device, &JACOBI_GUARDED, LOW, seed))?;
    lab.variant("guarded_narrow", |device| exact(device, &JACOBI_GUARDED, NARROW, seed))?;
    lab.variant("guarded_room", |device| with_room(device, &JACOBI_GUARDED, seed))?;
    lab.picture("map_of_warps", |device| maps::warps(device, seed))?;
    lab.picture("map_of_writes", |device| maps::writes(device, seed))?;
    lab.notice(overhang);
    lab.notice(room);
    Ok(())
}

pub fn launch(kernel: &'static Kernel, grid: Grid, u: Buffer<f32>, next: Buffer<f32>) -> Launch {
    let launch = Launch::new(kernel, grid.blocks(BLOCK), BLOCK);
    launch.arg(grid.width as i32).arg(grid.height as i32).arg(u).arg(next)
}

/// The new array is exactly as long as the grid has points. The old one is longer, so that reading past the
/// grid is no fault, and the write is reported.
fn exact(device: &mut Device, kernel: &'static Kernel, grid: Grid, seed: u64) -> Result<Row> {
    let values = crate::grid::values(grid.width * (grid.height + BLOCK.y as usize), seed);
    let (u, next) = (device.upload("u", &values)?, device.zeroed::<f32>("next", grid.points())?);
    let run = device.launch(&launch(kernel, grid, u, next).seed(seed))?;
    let expected = grid.step(&values[..grid.points()], |value| value);
    device.check(run, next, &expected, &Tolerance::Exact)
}

/// The value of floats that no thread should write.
pub const UNTOUCHED: f32 = -1.0;

/// Arrays with extra room after the points of the grid, enough for whole blocks of rows.
pub struct Room {
    pub u: Buffer<f32>,
    pub next: Buffer<f32>,
    /// What the points must become, and after them the floats that no thread should touch.
    pub expected: Vec<f64>,
}

impl Room {
    pub fn new(device: &mut Device, seed: u64) -> Result<Room> {
        let floats = RAGGED.width * RAGGED.whole(BLOCK).height;
        let values = crate::grid::values(floats, seed);
        let u = device.upload("u", &values)?;
        let next = device.upload("next", &vec![UNTOUCHED; floats])?;
        let mut expected = RAGGED.step(&values[..RAGGED.points()], |value| value);
        expected.resize(floats, UNTOUCHED.into());
        Ok(Room { u, next, expected })
    }

    /// How many points are wrong, and how many floats after them were overwritten.
    fn damage(&self, got: &[f32]) -> (usize, usize) {
        let wrong = |range: std::ops::Range<usize>| {
            range.filter(|&at| f64::from(got[at]).to_bits() != self.expected[at].to_bits()).count()
        };
        (wrong(0..RAGGED.points()), wrong(RAGGED.points()..got.len()))
    }
}

fn with_room(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let room = Room::new(device, seed)?;
    let launch = launch(kernel, RAGGED, room.u, room.next);
    let mut other = launch.clone().unchecked();
    other.simt.schedule = Schedule::Random;
    let orders: Vec<Launch> = (0..SEEDS).map(|order| other.clone().seed(seed.wrapping_add(order))).collect();
    let (mut fewest, mut most) = (usize::MAX, 0);
    for (_, next) in device.trials(&orders, room.next)? {
        let (wrong, _) = room.damage(&next);
        (fewest, most) = (fewest.min(wrong), most.max(wrong));
    }
    let run = device.launch(&launch.seed(seed))?;
    let mut row = device.check(run, room.next, &room.expected, &Tolerance::Exact)?;
    let contents = device.read(room.next)?;
    let (_, behind) = room.damage(&contents.sim);
    if let Some((wrong, behind)) = contents.gpu.map(|gpu| room.damage(&gpu)) {
        let text = format!(
            "on the GPU {wrong} points are wrong, and {behind} floats after the grid are overwritten"
        );
        row = row.gpu_remark(text);
    }
    let row = row.fact("written_past_end", behind as f64);
    Ok(row.fact("fewest_wrong", fewest as f64).fact("most_wrong", most as f64).fact("orders", SEEDS as f64))
}

fn overhang(section: &Section) -> Option<String> {
    let verdict = |name: &str| section.row(name).map(|row| row.verdict.name());
    let per_warp = |name: &str| section.row(name).map(|row| row.run.counters.ptx_instructions_per_warp());
    Some(format!(
        "A thread below a grid of 48 columns passes for its border in columns 0 and {}, and a thread to the \
         right of a grid does so in the first and the last row. So the kernel with the wrong guard is {} on \
         whole blocks, but {} if blocks overhang below and {} if they overhang on the right. With the two \
         tests in the other order it is {} and {}, and takes {:.2} PTX instructions per warp instead of \
         {:.2}.",
        LOW.width - 1,
        verdict("border_first_whole")?,
        verdict("border_first_low")?,
        verdict("border_first_narrow")?,
        verdict("guarded_low")?,
        verdict("guarded_narrow")?,
        per_warp("guarded_room")?,
        per_warp("border_first_room")?,
    ))
}

fn room(section: &Section) -> Option<String> {
    let row = section.row("border_first_room")?;
    let fact = |name| row.fact_value(name);
    Some(format!(
        "Longer arrays hide the error: {} floats after the end of the grid are overwritten, and nothing \
         stops the kernel. What remains is a race in row 1, with {} to {} wrong points over {} orders of the \
         warps, so a test may pass.",
        fact("written_past_end")?,
        fact("fewest_wrong")?,
        fact("most_wrong")?,
        fact("orders")?,
    ))
}
