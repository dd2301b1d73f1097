//! A mask as a strip of 32 cells.

use anyhow::{Context, Result, bail};

/// `{{#mask 0x0000ffff}}`; with `lanes` after the number, lane 0 comes first.
pub fn strip(words: &[&str]) -> Result<String> {
    let (mask, lanes_first) = match words {
        [mask] => (mask, false),
        [mask, "lanes"] => (mask, true),
        _ => bail!(
            "write `{{{{#mask 0x0000ffff}}}}`, or `{{{{#mask 0x0000ffff lanes}}}}` for lane 0 at the left"
        ),
    };
    let bits = mask.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let bits = bits.with_context(|| format!("`{mask}` is no mask of 32 bits: write `0x0000ffff`"))?;
    let cell = |lane: u32| if bits >> lane & 1 == 1 { "<i class=\"on\"></i>" } else { "<i></i>" };
    let cells: String =
        if lanes_first { (0..32).map(cell).collect() } else { (0..32).rev().map(cell).collect() };
    Ok(format!(
        "<span class=\"lanes\" role=\"img\" aria-label=\"mask {mask}: {}\">{cells}</span>",
        spoken(bits)
    ))
}

/// The lanes in words: `lanes 0 to 15 and 31`.
fn spoken(bits: u32) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in (0..32).filter(|lane| bits >> lane & 1 == 1) {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == lane => *end = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let run = |&(start, end): &(u32, u32)| {
        if start == end { start.to_string() } else { format!("{start} to {end}") }
    };
    match runs.as_slice() {
        [] => "no lane".to_owned(),
        [(start, end)] if start == end => format!("lane {start}"),
        runs => format!("lanes {}", runs.iter().map(run).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_described_as_runs_of_lanes() {
        assert_eq!(spoken(0xffff), "lanes 0 to 15");
        assert_eq!(spoken(0x8000_0005), "lanes 0, 2, 31");
        assert_eq!((spoken(0), spoken(8)), ("no lane".into(), "lane 3".into()));
    }

    #[test]
    fn the_strip_begins_with_the_highest_bit_of_the_number() {
        assert!(strip(&["0x80000000"]).unwrap().contains("\"><i class=\"on\"></i><i></i>"));
        assert!(strip(&["0x00000001", "lanes"]).unwrap().contains("\"><i class=\"on\"></i><i></i>"));
        assert!(strip(&["12"]).is_err());
    }
}
