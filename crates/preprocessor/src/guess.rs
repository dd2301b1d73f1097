//! Questions that a reader answers in the page, by clicking lanes or by writing a number, before the answer is shown.
//!
//! ```text
//! {{#guess lanes mixed_work "x = sqrtf(x)" | Which lanes of warp 0 take a root?}}
//! {{#guess lanes hidden_race fault | Which lanes race?}}
//! {{#guess number ch04.modulo_8x8.wrong | In how many threads is it wrong?}}
//! ```
//!
//! No answer is written by hand. Lanes come from a launch of `book/live.toml`, which the emulator runs when the book is built:
//! those of warp 0 of the first block (`warp=1`: of another warp) that execute the only line with this text, or those that take
//! part in the first fault. A number is an expression as in `{{= …}}`. If the page plays the launch, its player shows the
//! moment in question after the reader has answered. Without JavaScript the question is a paragraph like any other.

use anyhow::{Context, Result, anyhow, bail, ensure};
use page::Page;
use serde_json::{Value, json};

use crate::html::{escape, sentence};
use crate::live;
use crate::repository::Repository;
use crate::value;

/// An answer, and where the player shows it.
#[derive(Debug, PartialEq)]
struct Answer {
    lanes: u32,
    moment: u64,
}

/// `{{#guess … | …}}`.
pub fn question(words: &str, repository: &Repository) -> Result<String> {
    let (what, ask) = words.split_once(" | ").context("write the question after ` | `")?;
    let (kind, rest) = what.split_once(' ').context("write `lanes LAUNCH …` or `number EXPRESSION`")?;
    let data = match kind {
        "lanes" => {
            let (name, which) =
                rest.split_once(' ').context("name a launch, and then a line's text or `fault`")?;
            let Answer { lanes, moment } = lanes_of(name, which.trim(), repository)?;
            format!(
                "data-of=\"lane\" data-is=\"{}\" data-plays=\"{}\" data-moment=\"{moment}\"",
                written(lanes),
                escape(name)
            )
        }
        "number" => {
            let number = value::evaluate(rest, repository)?.text.replace(',', "");
            ensure!(
                number.parse::<u64>().is_ok(),
                "`{rest}` is {number}, and a reader is asked for whole numbers"
            );
            format!("data-of=\"number\" data-is=\"{number}\"")
        }
        _ => bail!("`{kind}` cannot be guessed: write `lanes LAUNCH …` or `number EXPRESSION`"),
    };
    Ok(format!("<div class=\"guess\" {data}>\n<p>{}</p>\n</div>\n", sentence(ask)))
}

/// The lanes that a launch answers with.
fn lanes_of(name: &str, which: &str, repository: &Repository) -> Result<Answer> {
    let all = repository.launches(live::FILE)?;
    let entry = all.get(name).with_context(|| format!("`{}` has no `{name}`", live::FILE))?;
    let (program, launch, record) = entry.checked(0, repository)?;
    let moments = moments(&program, &launch)?;
    let (which, warp) = match which.rsplit_once(" warp=") {
        Some((which, warp)) => (which, warp.parse().with_context(|| format!("`{warp}` is no warp"))?),
        None => (which, 0),
    };
    if which == "fault" {
        return in_fault(&record["faults"][0], &moments, warp).context("no such lanes take part in a fault");
    }
    let text = which.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let text = text.context("write the line's text in quotes, or `fault`")?;
    let (file, _) = entry.ptx.split_once('.').unwrap_or((&entry.ptx, ""));
    let source = repository.read(&format!("kernels/{file}.cu"))?;
    at_line(text, &source, &moments, warp)
}

/// Every moment of a launch.
fn moments(program: &Value, launch: &Value) -> Result<Vec<Value>> {
    let mut page = Page::default();
    let mut ask = |request: Value| -> Result<Value> {
        let answer: Value = serde_json::from_str(&page.answer(&request.to_string()))?;
        match answer["error"]["message"].as_str() {
            Some(message) => Err(anyhow!("{message}")),
            None => Ok(answer),
        }
    };
    ask(json!({ "load": program }))?;
    ask(json!({ "launch": launch }))?;
    let mut all: Vec<Value> = Vec::new();
    loop {
        let count = page::request::MAX_MOMENTS_AT_ONCE;
        let part = ask(json!({ "moments": { "from": all.len(), "count": count } }))?["moments"].take();
        let Value::Array(part) = part else { bail!("the launch has no moments") };
        if part.is_empty() {
            return Ok(all);
        }
        all.extend(part);
    }
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
