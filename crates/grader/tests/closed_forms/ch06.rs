//! The exercises of chapter 6.
//!
//! The kernels work in rounds. Here the result is computed without rounds: after `k` rounds, a point depends on the
//! points that are at most `k` steps away, so its value follows from distances.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("down_the_rows", down_the_rows),
    ("next_row", next_row),
    ("past_the_rim", past_the_rim),
    ("fire_in_rounds", fire_in_rounds),
    ("walk_the_rows", walk_the_rows),
    ("nine_points", nine_points),
    ("stop_together", stop_together),
    ("steps_on_a_ring", steps_on_a_ring),
];

/// All points of a picture, row after row.
fn points(width: usize, height: usize) -> Vec<(usize, usize)> {
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).collect()
}

/// Steps from one point to another, along rows and columns.
fn steps(from: (usize, usize), to: (usize, usize)) -> usize {
    from.0.abs_diff(to.0) + from.1.abs_diff(to.1)
}

/// Each point minus the one above it, 0 in the first row.
fn down_the_rows(form: &mut Form<'_>) {
    let (width, u) = (form.number("width"), form.f32s("u"));
    let above = std::iter::repeat_n(None, width).chain(u.iter().map(Some));
    let steep: Vec<f32> =
        u.iter().zip(above).map(|(own, above)| above.map_or(0.0, |above| own - above)).collect();
    form.expect_f32s("steep", &steep);
}

/// The sum of a row and the row two below it, minus the row between them.
fn next_row(form: &mut Form<'_>) {
    let (width, u) = (form.number("width"), form.i32s("u"));
    let (own, below) = (&u[width..], &u[2 * width..]);
    let bend: Vec<i32> =
        below.iter().zip(own).zip(&u).map(|((below, own), above)| (above - own) + (below - own)).collect();
    form.expect_i32s("bend", &bend);
}

/// The sum of the differences between each neighbour and the point itself; outside the picture everything is 0.
fn past_the_rim(form: &mut Form<'_>) {
    let (width, height, u) = (form.number("width"), form.number("height"), form.f32s("u"));
    let rows: Vec<&[f32]> = u.chunks(width).collect();
    let value = |x: Option<usize>, y: Option<usize>| -> f32 {
        x.zip(y).and_then(|(x, y)| rows.get(y)?.get(x)).copied().unwrap_or_default()
    };
    let away = |(x, y): (usize, usize)| -> f32 {
        let beside = [(x.checked_sub(1), Some(y)), (Some(x + 1), Some(y))];
        let across = [(Some(x), y.checked_sub(1)), (Some(x), Some(y + 1))];
        beside.into_iter().chain(across).map(|(p, q)| value(p, q) - rows[y][x]).sum()
    };
    let away: Vec<f32> = points(width, height).into_iter().map(away).collect();
    form.expect_f32s("away", &away);
}

/// A place burns if the fire began at most as many steps away as there were rounds.
fn fire_in_rounds(form: &mut Form<'_>) {
    let (width, height, rounds) = (form.number("width"), form.number("height"), form.number("rounds"));
    let places = points(width, height);
    let before = form.i32s("wood");
    let burns = |place: &(usize, usize)| -> bool {
        places.iter().zip(&before).any(|(from, burns)| *burns == 1 && steps(*from, *place) <= rounds)
    };
    let wood: Vec<i32> = places.iter().map(|place| i32::from(burns(place))).collect();
    form.expect_i32s("wood", &wood);
}

/// Running sums of rows of 32.
fn walk_the_rows(form: &mut Form<'_>) {
    let running = |row: &[f32]| -> Vec<f32> { (1..=row.len()).map(|end| row[..end].iter().sum()).collect() };
    let out: Vec<f32> = form.f32s("in").chunks(32).flat_map(running).collect();
    form.expect_f32s("out", &out);
}

/// Each point is added to the nine points around it, if they are in the picture.
fn nine_points(form: &mut Form<'_>) {
    let (width, height) = (form.number("width"), form.number("down") * 8);
    let mut next = vec![0.0; width * height];
    for ((x, y), value) in points(width + 2, height + 2).into_iter().zip(form.f32s("u")) {
        // In the coordinates of the frame, the picture has the points from (1, 1) on.
        for (p, q) in points(width, height) {
            if x.abs_diff(p + 1) <= 1 && y.abs_diff(q + 1) <= 1 {
                next[q * width + p] += value;
            }
        }
    }
    form.expect_f32s("next", &next);
}

/// A point reaches the minimum of all heights, each increased by one for every step of distance. It has reached that
/// when it has information from the nearest point that gives this height, and one more round is needed to notice it.
fn stop_together(form: &mut Form<'_>) {
    let (places, heights) = (points(16, 8), form.i32s("land"));
    let settled = |place: &(usize, usize)| -> (i32, usize) {
        let from = places.iter().zip(&heights).map(|(from, height)| (steps(*from, *place), *height));
        from.map(|(steps, height)| (height + steps as i32, steps)).min().unwrap_or_default()
    };
    let settled: Vec<(i32, usize)> = places.iter().map(settled).collect();
    let land: Vec<i32> = settled.iter().map(|(height, _)| *height).collect();
    let rounds = 1 + settled.iter().map(|(_, steps)| *steps).max().unwrap_or_default();
    form.expect_i32s("land", &land);
    form.expect_i32s("rounds", &[rounds as i32]);
}

/// A step consists of two half steps, each the mean of two neighbours. So after `s` steps, the weights of the points
/// around are the numbers in row `2 s` of Pascal's triangle.
fn steps_on_a_ring(form: &mut Form<'_>) {
    let (u, steps) = (form.f32s("u"), form.number("steps"));
    let mut weights = vec![1.0];
    for _ in 0..2 * steps {
        let above = [&[0.0], &weights[..], &[0.0]].concat();
        weights = above.windows(2).map(|pair| f32::midpoint(pair[0], pair[1])).collect();
    }
    let around = |point: usize| u.iter().cycle().skip(point + steps * (u.len() - 1));
    let next = |point: usize| around(point).zip(&weights).map(|(value, weight)| value * weight).sum();
    let next: Vec<f32> = (0..u.len()).map(next).collect();
    form.expect_f32s("next", &next);
}
