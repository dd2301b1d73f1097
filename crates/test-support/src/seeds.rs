//! Which seeds a test takes: a few under `cargo test`, and many fresh ones under `cargo xtask thorough`.
//!
//! Some tests have as many cases as there are seeds. `cargo test` takes the same few of them every time, so it is quick
//! and its result can be repeated. The variable [`SEEDS`] asks for other seeds: either how many, as in `SEEDS=1000`, or
//! from which one up to but not including which other one, as in `SEEDS=17..18`. No other variable makes a test take
//! more or fewer cases. A test that is long but not random is ignored, with a reason that begins with `thorough:`. [`side_by_side`] tries
//! cases on two threads.

use std::env;
use std::ops::Range;
use std::thread;

/// The variable that asks for other seeds.
pub const SEEDS: &str = "SEEDS";

/// The seeds that a test takes: the first `usual` ones, from 0 on, or those that [`SEEDS`] asks for.
///
/// The test prints them, so that the output of a test that failed shows that it tried a sample only.
///
/// # Panics
/// If the variable has neither of the two forms.
pub fn seeds(usual: u64) -> Range<u64> {
    let asked = env::var(SEEDS).ok();
    let seeds = match &asked {
        None => 0..usual,
        Some(text) => read(text).unwrap_or_else(|| {
            panic!("`{SEEDS}={text}` must be a number or a range of numbers, as in `5..9`")
        }),
    };
    println!(
        "a sample: seeds {seeds:?}; `{SEEDS}={}..{}` takes the next ones",
        seeds.end,
        2 * seeds.end - seeds.start
    );
    seeds
}

/// Returns N, where a test takes one case in N: `usual`, or 1 if [`SEEDS`] asks for seeds.
///
/// For tests whose cases are finite, but too many for `cargo test` under several seeds each.
pub fn one_in(usual: usize) -> usize {
    let is_asked = env::var_os(SEEDS).is_some();
    if !is_asked {
        println!("a sample: one case in {usual}; all of them with `{SEEDS}`, as in `{SEEDS}=0..10`");
    }
    if is_asked { 1 } else { usual }
}

/// The results of a function for all cases, in their order. Two threads take the cases in turn, because a long test is often
/// the only one of its program.
///
/// # Panics
/// If the function does.
pub fn side_by_side<C: Sync, T: Send>(cases: &[C], work: impl Fn(&C) -> T + Sync) -> Vec<T> {
    let half = |first: usize| cases.iter().skip(first).step_by(2).map(&work).collect::<Vec<T>>();
    thread::scope(|scope| {
        let odd = scope.spawn(|| half(1));
        let even = half(0);
        let mut odd = odd.join().expect("the cases with odd numbers are tried").into_iter();
        even.into_iter().flat_map(|result| std::iter::once(result).chain(odd.next())).collect()
    })
}

/// Reads a number, which means that many seeds from 0 on, or a range that is not empty.
fn read(text: &str) -> Option<Range<u64>> {
    let seeds = match text.split_once("..") {
        Some((first, end)) => first.parse().ok()?..end.parse().ok()?,
        None => 0..text.parse().ok()?,
    };
    (!seeds.is_empty()).then_some(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_cases() {
        for count in 0..6 {
            let cases: Vec<u32> = (0..count).collect();
            assert_eq!(
                side_by_side(&cases, |case| 10 * case),
                cases.iter().map(|case| 10 * case).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn a_number_or_a_range_is_read_and_nothing_else() {
        assert_eq!(read("1000"), Some(0..1000));
        assert_eq!(read("17..18"), Some(17..18));
        for text in ["", "all", "0", "5..5", "9..5", "-1", "1..", "..4", "1..2..3", "1.5"] {
            assert_eq!(read(text), None, "`{text}`");
        }
    }
}
