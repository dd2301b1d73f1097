//! Sets of lanes in text form, `0-15, 20`, and as pictures.

use anyhow::{Result, bail};

/// Reads `0-15, 20`, `0-15 20`, `0x0000ffff` or `none`. Numbers are below 64, because they may also be warps.
pub(crate) fn parse(text: &str) -> Result<u64> {
    let text = text.trim();
    if text == "none" {
        return Ok(0);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).or_else(|_| unreadable(text));
    }
    // Blanks separate numbers too, but not the ends of a range.
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined = words.join(" ").replace(" -", "-").replace("- ", "-");
    let parts = joined.split([',', ' ']).map(str::trim).filter(|part| !part.is_empty());
    let ranges = parts.map(range).collect::<Result<Vec<u64>>>().or_else(|_| unreadable(text))?;
    if ranges.is_empty() { unreadable(text) } else { Ok(ranges.into_iter().fold(0, |all, mask| all | mask)) }
}

fn range(text: &str) -> Result<u64> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= last && last < 64 => {
            Ok((first..=last).fold(0, |mask, lane| mask | 1 << lane))
        }
        _ => unreadable(text),
    }
}

fn unreadable<T>(text: &str) -> Result<T> {
    bail!("`{text}` is not a set of lanes: write it as in `0-15, 20`, or `none`")
}

/// Writes a set in the same way.
pub(crate) fn show(mask: u64) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut lane = 0;
    while lane < 64 {
        let run = (mask >> lane).trailing_ones();
        match run {
            0 => lane += 1,
            1 => parts.push(lane.to_string()),
            _ => parts.push(format!("{lane}-{}", lane + run - 1)),
        }
        lane += run;
    }
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// The ruler above a picture of 32 lanes.
pub(crate) const RULER: &str = "0      7 8     15 16    23 24    31";

/// 32 lanes, in groups of eight.
pub(crate) fn picture(mask: u64) -> String {
    let lane = |lane: u32| if mask >> lane & 1 == 1 { '■' } else { '·' };
    let group = |first: u32| (first..first + 8).map(lane).collect::<String>();
    [0, 8, 16, 24].map(group).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_come_back_as_they_were_written() {
        for text in ["none", "0", "0-31", "0-15, 20", "3, 5, 7-9", "60-63"] {
            assert_eq!(show(parse(text).unwrap()), text);
        }
        assert_eq!(parse("0x8000000f").unwrap(), parse("0-3,31").unwrap());
        assert_eq!(parse(" 2 - 4 ,4").unwrap(), 0b11100);
        assert_eq!(parse("0 2- 3  5").unwrap(), 0b10_1101);
    }

    #[test]
    fn what_is_no_set_is_named() {
        for text in ["", ",", "5-2", "64", "-1", "all", "0x", "1;2"] {
            assert!(parse(text).unwrap_err().to_string().contains("is not a set of lanes"), "{text}");
        }
    }

    #[test]
    fn a_picture_is_as_wide_as_its_ruler() {
        assert_eq!(picture(0x8000_00ff), "■■■■■■■■ ········ ········ ·······■");
        assert_eq!(picture(0).chars().count(), RULER.len());
    }
}
