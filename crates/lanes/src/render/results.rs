//! How many different results the seeds of one kernel had, as text.
//!
//! What it leaves out: the contents of a result, which a run with its seed shows.

use std::fmt::Write as _;

use super::print::what;
use super::replay;
use crate::outcome::{Content, Contents, Search, contents};
use crate::resolve::Plan;
use spec::layout::{counted, grouped};

/// How many different contents of a buffer are listed.
const LISTED: usize = 4;

/// Says that the contents were always the same, or names the first seed of each.
fn text(contents: &Contents) -> String {
    let different = contents.different();
    let what = what(&contents.print);
    if different.len() < 2 {
        return format!("  {what} had the same contents every time\n");
    }
    let mut out = format!("  {what} had {} different contents\n", grouped(different.len() as u64));
    for Content { seed, times } in different.iter().take(LISTED) {
        let _ = writeln!(out, "    as with seed {seed}: {}", counted(*times, "time"));
    }
    if let Some(more @ 1..) = different.len().checked_sub(LISTED) {
        let _ = writeln!(out, "    and {} more", grouped(more as u64));
    }
    out
}

/// The results of all seeds, as text. If the search ended at a fault, later seeds are missing.
pub fn render(plan: &Plan, search: &Search) -> String {
    if search.ran < 2 || search.outcome.has_failed {
        return String::new();
    }
    let mut out: String = search.results.iter().map(text).collect();
    if contents::differ(&search.results) {
        let _ = writeln!(out, "  replay: {}", replay::command(plan.options, &search.outcome.last().launch));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::buffers::Print;
    use crate::resolve::outputs::Named;

    #[test]
    fn results_are_counted_and_the_first_seed_of_each_is_listed() {
        let print = Named { name: "arg2".to_owned(), asked: Print::parse("arg2").unwrap() };
        let mut contents = Contents::new(print);
        assert!(contents.add(5, &[1]) && !contents.add(6, &[1]));
        assert_eq!(text(&contents), "  arg2 had the same contents every time\n");
        assert!(contents.add(7, &[2]));
        let expected =
            "  arg2 had 2 different contents\n    as with seed 5: 2 times\n    as with seed 7: 1 time\n";
        assert_eq!(text(&contents), expected);
        (8..12).for_each(|seed| assert!(contents.add(seed, &[seed as u8])));
        assert!(
            text(&contents).ends_with("    as with seed 9: 1 time\n    and 2 more\n"),
            "{}",
            text(&contents)
        );
    }
}
