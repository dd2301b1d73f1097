//! What is said of launches that were not checked for races because they repeat earlier ones.

use cuda_host::Unchecked;
use spec::layout::{counted, grouped};

/// So many kernels are named, those with the most such launches first.
const MOST_NAMED: usize = 3;

/// Which launches were not checked; nothing if all were.
pub fn sentence(unchecked: &[Unchecked]) -> Option<String> {
    let mut kernels: Vec<&Unchecked> = unchecked.iter().collect();
    kernels.sort_by_key(|of| std::cmp::Reverse(of.unchecked));
    let named = kernels.len().min(MOST_NAMED);
    let (named, others) = kernels.split_at(named);
    let one = |of: &&Unchecked| part(of.unchecked, of.launches, &format!("`{}`", of.kernel));
    let sum = |number: fn(&Unchecked) -> u64| others.iter().map(|of| number(of)).sum();
    let rest = (!others.is_empty()).then(|| {
        let whose = counted(others.len() as u64, "other kernel");
        part(sum(|of| of.unchecked), sum(|of| of.launches), &whose)
    });
    let parts: Vec<String> = named.iter().map(one).chain(rest).collect();
    let (last, first) = parts.split_last()?;
    let list = if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) };
    Some(format!("{list} were not checked for races, because they repeat earlier ones"))
}

/// What to do about it.
pub const HELP: &str = "`--check-launches all` checks every launch";

fn part(unchecked: u64, launches: u64, whose: &str) -> String {
    format!("{} of {} launches of {whose}", grouped(unchecked), grouped(launches))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kernel: &str, unchecked: u64, launches: u64) -> Unchecked {
        Unchecked { kernel: kernel.to_owned(), unchecked, launches }
    }

    #[test]
    fn kernels_with_most_launches_are_named_first_and_few_are_named() {
        assert_eq!(sentence(&[]), None);
        let one = sentence(&[of("k", 926, 1000)]).unwrap();
        assert!(one.starts_with("926 of 1,000 launches of `k` were not checked for races, "), "{one}");
        let many = [of("a", 1, 20), of("b", 9, 30), of("c", 5, 25), of("d", 2, 22), of("e", 3, 23)];
        let said = "9 of 30 launches of `b`, 5 of 25 launches of `c`, 3 of 23 launches of `e` and 3 of 42 launches of 2 other \
                    kernels were not";
        assert!(sentence(&many).unwrap().starts_with(said), "{:?}", sentence(&many));
        let two = sentence(&many[..2]).unwrap();
        assert!(two.starts_with("9 of 30 launches of `b` and 1 of 20 launches of `a` were"), "{two}");
    }
}
