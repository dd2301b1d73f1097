//! Does the iteration reach the solution of the equation?
//!
//! On the unit square, u = sin(πx) · sinh(πy) / sinh(π) solves Laplace's equation and is zero on three sides.
//! On a grid of spacing h the iteration ends at values that differ from it by a multiple of h², and on the
//! way each step removes the same share of the remaining error. The results are compared with two exact
//! solutions: that of the equation, and that of the grid. It leaves out methods that need fewer steps.

use std::f64::consts::PI;

use anyhow::Result;
use thirty_two_lanes::kernels::laplace::JACOBI_SOLVE;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, INSTRUCTIONS};
use thirty_two_lanes::report::layout::counted;
use thirty_two_lanes::{Device, Dim3, Lab, Launch, Row, Run, Tolerance};

/// Points on a side, those of the border included.
const SIDES: [usize; 3] = [5, 9, 17];
/// The error of the iteration that may be left, over all points of a grid.
const LEFT: f64 = 1e-6;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    lab.section(
        "solve",
        "does the iteration reach sin(πx) sinh(πy) / sinh(π)? Grids of 5, 9 and 17 points per side",
        &[BARRIERS_PER_WARP, INSTRUCTIONS],
    );
    for side in SIDES {
        lab.variant(&format!("solve_{side}"), |device| solve(device, Square { side }, seed))?;
    }
    lab.notice(order);
    lab.notice(rate);
    Ok(())
}

/// The unit square under a grid.
#[derive(Clone, Copy)]
struct Square {
    side: usize,
}

impl Square {
    fn h(self) -> f64 {
        1.0 / (self.side - 1) as f64
    }

    /// The share of the slowest wave of the error that a step leaves: the eigenvalue of sin(πx) sin(πy).
    fn rate(self) -> f64 {
        (PI * self.h()).cos()
    }

    /// Enough steps that no point is further than [`LEFT`] from its final value. The error of one point is at
    /// most the root of the sum of all squares, which is at most `side` at the beginning and shrinks by the
    /// rate.
    fn steps(self) -> i32 {
        ((LEFT / self.side as f64).ln() / self.rate().ln()).ceil() as i32
    }

    fn points(self, u: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let place = |at: usize| at as f64 * self.h();
        (0..self.side * self.side).map(|at| u(place(at % self.side), place(at / self.side))).collect()
    }

    /// The solution of the equation.
    fn exact(self) -> Vec<f64> {
        self.points(|x, y| (PI * x).sin() * (PI * y).sinh() / PI.sinh())
    }

    /// The solution on the grid: the same function with a little less than π along y, so that each inner
    /// point is the mean of its neighbours.
    fn exact_on_grid(self) -> Vec<f64> {
        let k = (2.0 - self.rate()).acosh() / self.h();
        self.points(|x, y| (PI * x).sin() * (k * y).sinh() / k.sinh())
    }

    /// The border of the solution, and zeros inside.
    fn start(self) -> Vec<f32> {
        let is_inside = |at: usize| (1..self.side - 1).contains(&at);
        let exact = self.exact().into_iter().enumerate();
        exact
            .map(
                |(at, u)| if is_inside(at % self.side) && is_inside(at / self.side) { 0.0 } else { u as f32 },
            )
            .collect()
    }

    /// The fourth derivatives are π⁴ at most, so each mean of the exact solution is off by h⁴ π⁴ / 24 at
    /// most. An error that every step adds to every mean grows to at most 1 / (2 h²) times its size. The same
    /// holds for rounding: three sums of values up to 1 are off by 9 · 2⁻²⁴ at most, and the mean by a
    /// quarter of that. Half of it would be enough, and the rest more than covers the rounding of the border.
    fn bound(self) -> Tolerance {
        let h = self.h();
        let grid = PI.powi(4) / 48.0 * h * h;
        let rounding = 2.25 / (1 << 24) as f64 / (2.0 * h * h);
        Tolerance::Bound {
            relative: 0.0,
            absolute: grid + rounding + LEFT,
            why: "π⁴ h² / 48 for the grid, 2.25 · 2⁻²⁴ / (2 h²) for rounding, 10⁻⁶ for stopping early",
        }
    }
}

fn solve(device: &mut Device, square: Square, seed: u64) -> Result<Row> {
    let steps = square.steps();
    let (start, exact, on_grid) = (square.start(), square.exact(), square.exact_on_grid());
    let u = device.upload("u", &start)?;
    // Late enough that only the slowest wave is left, and long before rounding matters.
    let early = steps / 4;
    let early = [early, early + 10];
    let mut left = [0.0; 2];
    for (left, steps) in left.iter_mut().zip(early) {
        let (_, values) = device.trial(&launch(square, u, steps, seed).unchecked(), u)?;
        *left = widest(&on_grid, &values);
    }
    let run: Run = device.launch(&launch(square, u, steps, seed))?;
    let row = device.check(run, u, &exact, &square.bound())?;
    let values = device.read(u)?.sim;
    let row = row.fact("steps", steps.into()).fact("off_exact", widest(&exact, &values));
    let row = row.fact("off_grid", widest(&on_grid, &values));
    Ok(row.fact("rate", (left[1] / left[0]).powf(0.1)).fact("rate_expected", square.rate()))
}

fn launch(square: Square, u: thirty_two_lanes::Buffer<f32>, steps: i32, seed: u64) -> Launch {
    let inside = square.side as u32 - 2;
    let launch = Launch::new(&JACOBI_SOLVE, 1, Dim3::new(inside, inside, 1)).seed(seed);
    launch.shared_bytes((square.side * square.side * 4) as u32).arg(steps).arg(u)
}

fn widest(expected: &[f64], got: &[f32]) -> f64 {
    expected.iter().zip(got).map(|(&expected, &got)| (expected - f64::from(got)).abs()).fold(0.0, f64::max)
}

fn facts(section: &Section, name: &str) -> Option<Vec<f64>> {
    SIDES.iter().map(|side| section.row(&format!("solve_{side}"))?.fact_value(name)).collect()
}

fn order(section: &Section) -> Option<String> {
    let off = facts(section, "off_exact")?;
    let steps = facts(section, "steps")?;
    Some(format!(
        "The largest errors are {:.2e}, {:.2e} and {:.2e}. Each time the spacing is halved they shrink, by \
         factors of {:.2} and {:.2}. The last halving takes {} instead of {}.",
        off[0],
        off[1],
        off[2],
        off[0] / off[1],
        off[1] / off[2],
        counted(steps[2] as u64, "step"),
        steps[1],
    ))
}

fn rate(section: &Section) -> Option<String> {
    let (rate, expected) = (facts(section, "rate")?, facts(section, "rate_expected")?);
    let list =
        |values: &[f64]| values.iter().map(|value| format!("{value:.4}")).collect::<Vec<_>>().join(", ");
    Some(format!(
        "Along the way each step leaves {} of the error. Theory predicts cos(πh): {}.",
        list(&rate),
        list(&expected)
    ))
}
