//! What a launch of the book has to leave in memory, so that a page can say whether what a reader has made of it is right.
//!
//! It is what the kernel leaves there itself, unless the entry names a `right` one: another kernel of the same PTX with the same
//! parameters, or the values themselves. `result` names the buffers that count, if the kernel changes others too, for example
//! the elements that it adds up. A launch whose result depends on the schedule has `right = "none"`.
//!
//! What it checks: the kernel that is right has no error, and leaves the same under every seed of a few. What it can't check,
//! whether a kernel without a fault is right, the chapters' records say: a test asks them.

use std::fmt::Write as _;

use anyhow::{Context, Result, anyhow, bail, ensure};
use page::Page;
use serde::Deserialize;
use serde_json::{Value, json};
use simt::{Emulator, Limits};
use thirty_two_lanes::spec;
use thirty_two_lanes::spec::Spec;
use thirty_two_lanes::spec::launch::Passed;

/// The seeds under which a result has to be the same; the first is that of the launch.
const SEEDS: std::ops::Range<u64> = 1..9;

/// Whose result is right.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Right {
    /// That of this kernel; nobody's, if the word is `none`.
    Kernel(String),
    /// Buffers with these elements, and the rest of each does not count.
    Values(Vec<Passed>),
}

/// The contents of a buffer: `{name, type, hex, any_order}`.
struct Held {
    name: String,
    ty: String,
    hex: String,
    /// Whether the order of its elements depends on the schedule.
    is_any_order: bool,
}

impl Held {
    /// What has to be the same under every seed.
    fn fixed(&self, hex: &str) -> Vec<String> {
        let bits = self.ty.trim_start_matches(char::is_alphabetic).parse().unwrap_or(8);
        let digits: Vec<char> = hex.chars().collect();
        let mut elements: Vec<String> =
            digits.chunks(bits / 4).map(|digits| digits.iter().collect()).collect();
        if self.is_any_order {
            elements.sort_unstable();
        }
        elements
    }

    fn json(self) -> Value {
        let Held { name, ty, hex, is_any_order } = self;
        json!({ "name": name, "type": ty, "hex": hex, "any_order": is_any_order })
    }
}

/// What has to be in memory at the end of a launch, or null if nothing has to.
pub(super) fn result(
    program: &Value,
    launch: &Value,
    right: Option<&Right>,
    named: Option<&str>,
) -> Result<Value> {
    let held = match right {
        Some(Right::Kernel(word)) if word == "none" => return Ok(Value::Null),
        Some(Right::Values(values)) => values.iter().map(filled).collect::<Result<Vec<_>>>()?,
        Some(Right::Kernel(kernel)) => {
            let mut launch = launch.clone();
            launch["kernel"] = json!(kernel);
            left_by(program, &launch, named)?
        }
        None => left_by(program, launch, named)?,
    };
    Ok(held.into_iter().map(Held::json).collect())
}

/// What a kernel leaves in the buffers that count.
fn left_by(program: &Value, launch: &Value, named: Option<&str>) -> Result<Vec<Held>> {
    let buffers = buffers(launch);
    let mut before = buffers.iter().map(filled).collect::<Result<Vec<_>>>()?;
    let after = run(program, launch, &before)?;
    let counts = match named {
        Some(names) => names.split(", ").map(str::to_owned).collect(),
        None => changed(&before, &after)?,
    };
    for name in &counts {
        let (name, is_any_order) = match name.strip_suffix(" in any order") {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        let held = before.iter_mut().find(|held| held.name == name);
        held.with_context(|| format!("there is no buffer `{name}`"))?.is_any_order = is_any_order;
    }
    let counts = |held: &Held| counts.iter().any(|name| name.split(' ').next() == Some(&held.name));
    for seed in SEEDS {
        let mut other = launch.clone();
        (other["seed"], other["schedule"]) = (json!(seed), json!("random"));
        let other = run(program, &other, &before)?;
        for ((held, hex), other) in
            before.iter().zip(&after).zip(&other).filter(|((held, _), _)| counts(held))
        {
            ensure!(
                held.fixed(hex) == held.fixed(other),
                "`{}` is another one under seed {seed}: say in `result` which buffers count, or what is `right`",
                held.name
            );
        }
    }
    let held = before.into_iter().zip(after).filter(|(held, _)| counts(held));
    Ok(held.map(|(held, hex)| Held { hex, ..held }).collect())
}

/// The only buffer that a kernel has changed.
fn changed(before: &[Held], after: &[String]) -> Result<Vec<String>> {
    let changed = before.iter().zip(after).filter(|(held, after)| held.hex != **after);
    let names: Vec<String> = changed.map(|(held, _)| held.name.clone()).collect();
    ensure!(names.len() == 1, "the kernel changes {names:?}: say which count, as in `result = \"sums\"`");
    Ok(names)
}

/// The arguments of a launch that are buffers.
fn buffers(launch: &Value) -> Vec<Passed> {
    let all: Vec<Passed> = serde_json::from_value(launch["arguments"].clone()).unwrap_or_default();
    all.into_iter().filter(|argument| argument.is.starts_with("buf:")).collect()
}

/// A buffer as it is before a launch, or as the entry says that it should be after it.
fn filled(argument: &Passed) -> Result<Held> {
    let Passed { name, is } = argument;
    let specs = [Spec::parse(is).map_err(|error| anyhow!("`{name}`: {error}"))?];
    let mut emulator = Emulator::new(Limits::default());
    let given = spec::place(&mut emulator, &specs, |_| name.clone())?;
    let [spec::Given::Buffer(buffer)] = given[..] else { bail!("`{name}` is no buffer") };
    let bytes = emulator.read(buffer)?;
    let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let ty = is.split(':').nth(1).context("a buffer has a type")?.to_owned();
    Ok(Held { name: name.clone(), ty, hex, is_any_order: false })
}

/// The contents of the buffers after a launch, which has no error.
fn run(program: &Value, launch: &Value, buffers: &[Held]) -> Result<Vec<String>> {
    let windows: Vec<Value> =
        buffers.iter().map(|held| json!({ "name": held.name, "bytes": held.hex.len() / 2 })).collect();
    let mut launch = launch.clone();
    launch["see"] = json!({ "memory": windows });
    let mut page = Page::default();
    ask(&mut page, &json!({ "load": program }))?;
    let report = ask(&mut page, &json!({ "launch": launch }))?;
    let errors: Vec<&Value> = report["faults"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|fault| fault["severity"] == "error")
        .collect();
    if let Some(fault) = errors.first() {
        bail!("{}: {}: say which kernel is `right`", launch["kernel"], fault["message"]);
    }
    let parts = report["memory"].as_array().context("memory was asked for")?;
    Ok(parts.iter().map(|part| part["hex"].as_str().unwrap_or_default().to_owned()).collect())
}

fn ask(page: &mut Page, request: &Value) -> Result<Value> {
    let answer: Value = serde_json::from_str(&page.answer(&request.to_string()))?;
    match answer["error"]["message"].as_str() {
        Some(message) => bail!("{message}"),
        None => Ok(answer),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;

    use super::*;
    use crate::sources::root;

    const TEXT: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
        .visible .entry count(.param .u64 c) {\n .reg .b64 %rd<2>;\n ld.param.u64 %rd1, [c];\n red.global.add.u32 [%rd1], 1;\n ret;\n}\n\
        .visible .entry race(.param .u64 c) {\n .reg .b64 %rd<2>;\n .reg .b32 %r<2>;\n ld.param.u64 %rd1, [c];\n mov.u32 %r1, %tid.x;\n st.global.u32 [%rd1], %r1;\n ret;\n}\n\
        .visible .entry draw(.param .u64 c) {\n .reg .b64 %rd<4>;\n .reg .b32 %r<3>;\n ld.param.u64 %rd1, [c];\n atom.global.add.u32 %r1, [%rd1], 1;\n\
         mov.u32 %r2, %tid.x;\n mul.wide.u32 %rd2, %r1, 4;\n add.s64 %rd3, %rd1, %rd2;\n st.global.u32 [%rd3+4], %r2;\n ret;\n}\n";

    fn of(kernel: &str, right: Option<&Right>, named: Option<&str>) -> Result<Value> {
        let program = json!({ "name": "a.ptx", "text": TEXT });
        let argument = json!({ "name": "c", "is": "buf:u32:65:zeros" });
        let launch = json!({ "kernel": kernel, "grid": [1], "block": [64], "arguments": [argument] });
        result(&program, &launch, right, named)
    }

    #[test]
    fn a_result_is_that_of_the_kernel_or_of_the_right_one_or_said() {
        let [count, none] = ["count", "none"].map(|kernel| Right::Kernel(kernel.to_owned()));
        let own = of("count", None, None).unwrap();
        assert!(own[0]["hex"].as_str().unwrap().starts_with("4000000000"), "{own}");
        assert_eq!(of("race", Some(&count), None).unwrap(), own);
        assert_eq!(of("race", Some(&none), None).unwrap(), Value::Null);
        let values: Right = serde_json::from_value(json!(["c buf:u32:2:list=64,0"])).unwrap();
        assert_eq!(of("race", Some(&values), None).unwrap()[0]["hex"], "4000000000000000");
    }

    #[test]
    fn what_cannot_be_expected_is_refused() {
        let refuses = |kernel: &str, named: Option<&str>, what: &str| {
            let error = of(kernel, None, named).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        };
        refuses("race", None, "say which kernel is `right`");
        refuses("draw", None, "is another one under seed");
        refuses("count", Some("d"), "there is no buffer `d`");
        assert!(of("draw", None, Some("c in any order")).unwrap()[0]["any_order"].as_bool().unwrap());
    }

    /// The kernels of which a chapter's record says that a row is not right.
    fn wrong_somewhere() -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for chapter in fs::read_dir(root().join("chapters")).unwrap() {
            let path = chapter.unwrap().path().join("output/sim.json");
            let Ok(text) = fs::read_to_string(path) else { continue };
            let record: Value = serde_json::from_str(&text).unwrap();
            let lists = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
            let runs = lists(&record, "runs");
            let sections = runs.iter().flat_map(|run| lists(&run["report"], "sections"));
            let rows = sections.flat_map(|section| lists(&section, "rows"));
            let wrong = rows.filter(|row| row["verdict"] != "ok");
            found.extend(wrong.flat_map(|row| lists(&row, "kernels")).filter_map(|kernel| {
                kernel.as_str().and_then(|name| name.split([' ', '<']).next()).map(str::to_owned)
            }));
        }
        found
    }

    /// Without this, a kernel that is wrong without a fault would be the measure of what is right.
    #[test]
    fn a_kernel_that_a_chapter_does_not_call_right_says_whose_result_is() {
        let wrong = wrong_somewhere();
        assert!(wrong.contains("scan_warp_no_test") && wrong.len() > 50, "{wrong:?}");
        let mut silent = Vec::new();
        for file in ["book/live.toml", "book/listings.toml"] {
            let text = fs::read_to_string(root().join(file)).unwrap();
            let entries: BTreeMap<String, toml::Table> = toml::from_str(&text).unwrap();
            let is_silent = |(_, entry): &(String, toml::Table)| {
                wrong.contains(entry["kernel"].as_str().unwrap()) && !entry.contains_key("right")
            };
            silent.extend(entries.into_iter().filter(is_silent).map(|(name, _)| name));
        }
        assert_eq!(
            silent,
            Vec::<String>::new(),
            "say whose result is `right`, if only that of the kernel itself"
        );
    }
}
