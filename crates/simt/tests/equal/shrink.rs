//! Makes a failing kernel smaller as long as it fails: fewer lines, fewer blocks, fewer threads, fewer choices.

use simt::{Checks, Dim3, Schedule};

use crate::kernel::Kernel;

/// The smallest kernel that was found and still fails.
pub fn shrink(kernel: &Kernel, fails: impl Fn(&Kernel) -> bool) -> Kernel {
    let mut best = kernel.clone();
    loop {
        let before = best.lines.len();
        simplify(&mut best, &fails);
        let mut chunk = best.lines.len().next_power_of_two();
        while chunk > 0 {
            remove(&mut best, chunk, &fails);
            chunk /= 2;
        }
        if best.lines.len() == before {
            return best;
        }
    }
}

/// Removes `chunk` consecutive lines at a time. Labels and lists are kept as long as another line may name them.
fn remove(best: &mut Kernel, chunk: usize, fails: &impl Fn(&Kernel) -> bool) {
    let mut start = 0;
    while start < best.lines.len() {
        let end = (start + chunk).min(best.lines.len());
        let mut smaller = best.clone();
        let kept = best.lines.iter().enumerate().filter(|(place, line)| {
            let is_label = line.starts_with('$');
            !(start..end).contains(place) || is_label && is_named(best, line)
        });
        smaller.lines = kept.map(|(_, line)| line.clone()).collect();
        if smaller.lines.len() < best.lines.len() && fails(&smaller) {
            *best = smaller;
        } else {
            start = end;
        }
    }
}

/// Whether another line names the label that this line places.
fn is_named(kernel: &Kernel, line: &str) -> bool {
    let label = line.split(':').next().unwrap_or(line);
    let mut words = kernel.lines.iter().filter(|other| *other != line).flat_map(|other| {
        other.split(|letter: char| !(letter.is_alphanumeric() || letter == '$')).filter(|word| *word == label)
    });
    words.next().is_some()
}

/// A launch with fewer choices, as long as it still fails.
fn simplify(best: &mut Kernel, fails: &impl Fn(&Kernel) -> bool) {
    let changes: [&dyn Fn(&mut Kernel); 9] = [
        &|kernel| kernel.times = 1,
        &|kernel| kernel.launch.checks = Checks::NONE,
        &|kernel| kernel.launch.weak_memory = false,
        &|kernel| kernel.launch.schedule = Schedule::RoundRobin,
        &|kernel| kernel.launch.resident_blocks = 16,
        &|kernel| kernel.launch.shared_bytes = 0,
        &|kernel| kernel.launch.grid = Dim3::new(1, 1, 1),
        &|kernel| kernel.launch.grid = Dim3::new(2, 1, 1),
        &|kernel| kernel.launch.block = Dim3::new(kernel.launch.block.x.min(32), 1, 1),
    ];
    for change in changes {
        let mut simpler = best.clone();
        change(&mut simpler);
        if simpler.launch.grid.count() <= best.launch.grid.count() && fails(&simpler) {
            *best = simpler;
        }
    }
}
