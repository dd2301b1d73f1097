//! The answers to questions about lanes: `{{#guess lanes LAUNCH "TEXT OF A LINE" warp=1 | …}}`.
//!
//! They are the lanes of warp 0 of the first block (`warp=1`: of another warp) that execute the only line with this text, or
//! those that take part in the first fault. With them goes the moment at which a player shows it.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::files::{Facts, Files, LIVE};
use super::launches::read;

/// An answer, and where the player shows it.
#[derive(Debug, PartialEq)]
struct Answer {
    lanes: u32,
    moment: u64,
}

/// The answers, by what stands between `lanes` and the question.
pub(super) fn answers(files: &mut Files) -> Result<Facts> {
    let asked = files.directives("guess")?;
    let asked = asked.iter().filter_map(|words| words.split_once(" | ")?.0.strip_prefix("lanes "));
    let answer = |words: &str| {
        let Answer { lanes, moment } = answer(words, files).with_context(|| format!("`{words}`"))?;
        Ok((words.to_owned(), json!({ "lanes": written(lanes), "moment": moment })))
    };
    asked.map(answer).collect()
}

fn answer(words: &str, files: &mut Files) -> Result<Answer> {
    let (name, which) = words.split_once(' ').context("name a launch, and then a line's text or `fault`")?;
    let all = read(LIVE, files)?;
    let launch = all.get(name).with_context(|| format!("`{LIVE}` has no `{name}`"))?;
    let run = launch.prepare(files)?;
    let (record, moments) = (launch.record(&run, 0)?, run.moments()?);
    let (which, warp) = match which.trim().rsplit_once(" warp=") {
        Some((which, warp)) => (which, warp.parse().with_context(|| format!("`{warp}` is no warp"))?),
        None => (which.trim(), 0),
    };
    if which == "fault" {
        return in_fault(&record["faults"][0], &moments, warp).context("no such lanes take part in a fault");
    }
    let text = which.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let text = text.context("write the line's text in quotes, or `fault`")?;
    at_line(text, &files.read(&launch.source())?, &moments, warp)
}

fn mask(value: &Value) -> u32 {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x"));
    digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

/// The lanes that execute the only line with this text, and the first moment at which some do.
fn at_line(text: &str, source: &str, moments: &[Value], warp: u64) -> Result<Answer> {
    let is_of_warp =
        |moment: &&Value| moment["block"] == json!([0, 0, 0]) && moment["warp"].as_u64() == Some(warp);
    let of_warp: Vec<&Value> = moments.iter().filter(is_of_warp).collect();
    ensure!(!of_warp.is_empty(), "there is no warp {warp} in the first block");
    let line_of = |moment: &Value| moment["source"]["line"].as_u64().unwrap_or(0);
    let executed = |number: u64| moments.iter().any(|moment| line_of(moment) == number);
    let lines: Vec<u64> =
        (1..).zip(source.lines()).filter(|(_, line)| line.contains(text)).map(|(number, _)| number).collect();
    let lines: Vec<u64> = lines.into_iter().filter(|&number| executed(number)).collect();
    let [line] = lines[..] else {
        bail!("`{text}` is on {} lines that the launch executes, not on one", lines.len());
    };
    let here: Vec<&&Value> = of_warp.iter().filter(|moment| line_of(moment) == line).collect();
    let lanes = here.iter().fold(0, |lanes, moment| lanes | mask(&moment["active"]));
    let moment = here.first().copied().or(of_warp.last());
    Ok(Answer { lanes, moment: moment.and_then(|moment| moment["number"].as_u64()).unwrap_or(0) })
}

/// The lanes of a warp that take part in a fault, and the moment at which it was found.
fn in_fault(fault: &Value, moments: &[Value], warp: u64) -> Option<Answer> {
    let actors = fault["actors"].as_array()?;
    let of_warp = actors.iter().filter(|actor| actor["warp"].as_u64() == Some(warp));
    let lanes = of_warp.filter_map(|actor| actor["lane"].as_u64()).fold(0, |lanes, lane| lanes | 1 << lane);
    let step = fault["step"].as_u64()?;
    let found = moments.iter().find(|moment| moment["step"].as_u64() >= Some(step)).or(moments.last())?;
    (lanes != 0).then_some(Answer { lanes, moment: found["number"].as_u64()? })
}

/// Lanes as the page writes them: `0-15, 20`.
fn written(lanes: u32) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let run = |(first, last): &(usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    match runs.len() {
        0 => "none".to_owned(),
        _ => runs.iter().map(run).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "kernel {\n    if (odd) x *= 2;\n    x += 1;\n    x += 1;\n}\n";

    fn moment(number: u64, warp: u64, line: u64, active: u32) -> Value {
        json!({ "number": number, "step": number, "block": [0, 0, 0], "warp": warp, "active": format!("{active:#x}"), "source": { "line": line } })
    }

    #[test]
    fn lanes_are_those_that_execute_the_line() {
        let run = [moment(0, 0, 1, 0xffff_ffff), moment(1, 1, 2, 3), moment(2, 0, 2, 2), moment(3, 0, 2, 8)];
        assert_eq!(at_line("x *= 2", SOURCE, &run, 0).unwrap(), Answer { lanes: 0xa, moment: 2 });
        assert_eq!(at_line("x *= 2", SOURCE, &run, 1).unwrap(), Answer { lanes: 3, moment: 1 });
        assert!(at_line("x *= 2", SOURCE, &run, 2).unwrap_err().to_string().contains("no warp 2"));
    }

    #[test]
    fn a_text_has_to_name_one_line_that_is_executed() {
        let run = [moment(0, 0, 3, 1), moment(1, 0, 4, 1)];
        for (text, count) in [("x += 1", "2 lines"), ("x *= 2", "0 lines"), ("y", "0 lines")] {
            assert!(at_line(text, SOURCE, &run, 0).unwrap_err().to_string().contains(count), "{text}");
        }
    }

    #[test]
    fn lanes_of_a_fault_are_its_actors() {
        let actor = |warp: u64, lane: u64| json!({ "warp": warp, "lane": lane });
        let fault = json!({ "step": 1, "actors": [actor(0, 3), actor(0, 4), actor(1, 5)] });
        let run = [moment(0, 0, 1, 1), moment(1, 0, 2, 1)];
        assert_eq!(in_fault(&fault, &run, 0), Some(Answer { lanes: 0x18, moment: 1 }));
        assert_eq!(in_fault(&fault, &run, 2), None);
        assert_eq!(in_fault(&Value::Null, &run, 0), None);
    }

    #[test]
    fn lanes_are_written_as_the_page_writes_them() {
        for (lanes, text) in [(0, "none"), (1, "0"), (0x0000_ffff, "0-15"), (0x8010_00f1, "0, 4-7, 20, 31")] {
            assert_eq!(written(lanes), text);
        }
    }
}
