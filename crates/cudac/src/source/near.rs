//! Which known name a misspelt one may have meant.
//!
//! The measure is the distance of Damerau and Levenshtein in its restricted form (no part is edited twice), over bytes,
//! because identifiers are ASCII. Exchanged neighbours count as one mistake, as they are one when typing.

/// Names longer than this are not compared. The rows of the table are arrays of that length, so nothing is allocated,
/// although an unknown name is compared with hundreds.
const LONGEST: usize = 64;

/// The name that differs least, if it differs in a third of its letters at most. Of several that are equally near, the
/// first in the alphabet wins, so that the message does not depend on an order of insertion.
pub(crate) fn nearest<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // A letter or two are like too many names.
    if !(3..=LONGEST).contains(&wrong.len()) {
        return None;
    }
    let allowed = (wrong.len() / 3).max(1);
    // A length that differs too much cannot be near enough, which spares most comparisons.
    let close = known.filter(|name| name.len() <= LONGEST && name.len().abs_diff(wrong.len()) <= allowed);
    close
        .take(MOST)
        .take_while(|_| super::budget::work(64))
        .map(|name| (distance(wrong, name), name))
        .filter(|(far, name)| *far <= allowed && *name != wrong)
        .min()
        .map(|(_, name)| name)
}

/// A name is compared with so many others.
const MOST: usize = 2000;

/// Of two names that are not too long: how many letters have to be inserted, removed, replaced or exchanged with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // Row `i` of the table is `rows[2]` while it is filled, with the two rows above it: an exchange of neighbours looks
    // back two.
    let mut rows = [[0; LONGEST + 1]; 3];
    rows[1].iter_mut().enumerate().for_each(|(j, far)| *far = j);
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..=b.len() {
            let replaced = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[1][j] + 1).min(rows[2][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = best;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let known = ["threadIdx", "blockIdx", "blockDim"];
        assert_eq!(nearest("threadIDx", known.into_iter()), Some("threadIdx"));
        assert_eq!(nearest("blockDmi", known.into_iter()), Some("blockDim"));
        assert_eq!(nearest("value", known.into_iter()), None);
    }

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "acb"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
