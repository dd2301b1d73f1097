//! Live figures: launches that a reader can play in the page, beside the drawing of the same warp.
//!
//! `book/live.toml` has one entry for each launch, with arguments as for `lanes run`. The emulator runs each of them when the
//! book is built: a kernel that is missing, a launch that is refused, or a fault that the entry does not name is an error
//! with the page's line. The page gets the program, the launch, the first moment, and a record of the end, with which
//! `crates/book-tests` compares what the browser shows. Of the committed PTX only the kernel is included, at its own lines, and of
//! the CUDA source only the functions that the kernel's instructions come from.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::html::{escape, sentence};
use crate::repository::Repository;

/// The entries.
pub const FILE: &str = "book/live.toml";

/// A launch.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Live {
    /// What the page calls it.
    pub title: String,
    /// The committed PTX, without folder and ending: `branch.sm_70`.
    pub ptx: String,
    pub kernel: String,
    grid: Vec<u32>,
    block: Vec<u32>,
    #[serde(default)]
    shared_bytes: u32,
    /// A name and an argument for each parameter: `n i32:32`.
    pub arguments: Vec<String>,
    #[serde(default)]
    seed: u64,
    schedule: Option<String>,
    reconvergence: Option<String>,
    #[serde(default)]
    weak_memory: bool,
    max_steps: Option<u64>,
    resident_blocks: Option<u32>,
    checks: Option<Vec<String>>,
    /// The kinds of the faults that the emulator finds.
    #[serde(default)]
    faults: Vec<String>,
    /// What differs in a second run that is played beside it.
    beside: Option<Beside>,
    /// Anchors of listings that show no kernel, and are run by this launch.
    #[serde(default)]
    pub shows: Vec<String>,
}

/// What differs in a second run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Beside {
    /// Another kernel of the same PTX, with the same parameters.
    kernel: Option<String>,
    seed: Option<u64>,
    schedule: Option<String>,
    reconvergence: Option<String>,
    weak_memory: Option<bool>,
}

/// The entries of a file, by their names.
pub type Launches = BTreeMap<String, Live>;

/// Reads the text of a file with entries.
pub fn parse(file: &str, text: &str) -> Result<Launches> {
    toml::from_str(text).with_context(|| format!("`{file}` cannot be read"))
}

/// The names of the entries, or none if the file cannot be read: the directive says so.
pub fn names(repository: &Repository) -> Vec<String> {
    repository.launches(FILE).map(|all| all.keys().cloned().collect()).unwrap_or_default()
}

/// `{{#live NAME}}`, or `{{#live NAME opens=17}}` if this moment is shown in the place of the drawing, without a press of the
/// button.
pub fn figure(words: &[&str], repository: &Repository) -> Result<String> {
    let (name, opens) = match *words {
        [name] => (name, None),
        [name, option] => {
            let number = option.strip_prefix("opens=").and_then(|number| number.parse().ok());
            (name, Some(number.with_context(|| format!("`{option}`: write `opens=17`"))?))
        }
        _ => bail!("name a launch of `{FILE}`"),
    };
    let all = repository.launches(FILE)?;
    let live = all.get(name).with_context(|| {
        let known: Vec<&str> = all.keys().map(String::as_str).collect();
        format!("`{FILE}` has no `{name}`; it has {}", known.join(", "))
    })?;
    let data = data(name, live, opens, repository).with_context(|| format!("`{name}` in `{FILE}`"))?;
    Ok(format!(
        "<div class=\"live\" data-live=\"{}\" data-title=\"{}\"{} hidden>\n<p>{}</p>\n<!--{}-->\n</div>\n",
        escape(name),
        escape(&live.title),
        if opens.is_some() { " data-opens" } else { "" },
        sentence(&live.title),
        inert(&data.to_string())
    ))
}

/// What the player needs.
fn data(name: &str, live: &Live, opens: Option<u64>, repository: &Repository) -> Result<Value> {
    let (program, launch, record) = live.checked(opens.unwrap_or(0), repository)?;
    let (file, _) = live.file()?;
    let text = program["text"].as_str().unwrap_or_default();
    let lines = functions(&repository.read(&format!("kernels/{file}.cu"))?, &lines_of(text));
    Ok(json!({
        "name": name,
        "title": live.title,
        "program": program,
        "source": { "name": format!("{file}.cu"), "lines": lines },
        "launch": launch,
        "beside": beside(live),
        "record": record,
    }))
}

/// Refuses a second run that the emulator refuses.
fn check_second(program: &Value, launch: &Value, changes: &Value) -> Result<()> {
    let Some(changes) = changes.as_object() else { return Ok(()) };
    let mut second = launch.clone();
    for (key, value) in changes {
        second[key] = value.clone();
    }
    let record = page::figure::record(program, &second, 0);
    record.map(drop).map_err(|error| anyhow!("the second run: {error}"))
}

impl Live {
    fn file(&self) -> Result<(&str, &str)> {
        self.ptx.split_once('.').context("write `ptx` as in `branch.sm_70`")
    }

    /// The program, the launch, and what the emulator records of it, of which the faults are those that the entry names.
    pub fn checked(&self, shown: u64, repository: &Repository) -> Result<(Value, Value, Value)> {
        let (file, _) = self.file()?;
        repository.check_ptx(&format!("kernels/{file}.cu"))?;
        let whole = repository.read(&format!("kernels/ptx/{}.ptx", self.ptx))?;
        let beside_it = self.beside.as_ref().and_then(|beside| beside.kernel.as_deref());
        let kernels: Vec<&str> = [self.kernel.as_str()].into_iter().chain(beside_it).collect();
        let text = only(&whole, &kernels)?;
        let program = json!({ "name": format!("{}.ptx", self.ptx), "text": text });
        let launch = launch(self)?;
        let record = page::figure::record(&program, &launch, shown).map_err(|error| anyhow!("{error}"))?;
        check_second(&program, &launch, &beside(self))?;
        let found: Vec<&str> = record["faults"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|fault| fault["kind"].as_str())
            .collect();
        ensure!(
            found == self.faults,
            "the emulator finds the faults {found:?}, and the entry names {:?}",
            self.faults
        );
        Ok((program, launch, record))
    }
}

fn launch(live: &Live) -> Result<Value> {
    let argument = |text: &String| {
        let (name, is) = text.split_once(' ').with_context(|| format!("`{text}`: write `NAME ARGUMENT`"))?;
        Ok(json!({ "name": name, "is": is.trim() }))
    };
    let arguments = live.arguments.iter().map(argument).collect::<Result<Vec<_>>>()?;
    let mut launch = json!({
        "kernel": live.kernel, "grid": live.grid, "block": live.block, "shared_bytes": live.shared_bytes,
        "arguments": arguments, "seed": live.seed, "weak_memory": live.weak_memory,
    });
    let given = [
        ("schedule", live.schedule.as_ref().map(|name| json!(name))),
        ("reconvergence", live.reconvergence.as_ref().map(|name| json!(name))),
        ("checks", live.checks.as_ref().map(|names| json!(names))),
        ("max_steps", live.max_steps.map(Value::from)),
        ("resident_blocks", live.resident_blocks.map(Value::from)),
    ];
    for (key, value) in given {
        if let Some(value) = value {
            launch[key] = value;
        }
    }
    Ok(launch)
}

fn beside(live: &Live) -> Value {
    let Some(beside) = &live.beside else { return Value::Null };
    let mut changes = json!({});
    let given = [
        ("kernel", beside.kernel.as_ref().map(|name| json!(name))),
        ("seed", beside.seed.map(Value::from)),
        ("schedule", beside.schedule.as_ref().map(|name| json!(name))),
        ("reconvergence", beside.reconvergence.as_ref().map(|name| json!(name))),
        ("weak_memory", beside.weak_memory.map(Value::from)),
    ];
    for (key, value) in given {
        if let Some(value) = value {
            changes[key] = value;
        }
    }
    changes
}

/// The text without the bodies of kernels that have other names, without variables that nothing uses, and without
/// comments. Every line keeps its number.
fn only(text: &str, kernels: &[&str]) -> Result<String> {
    let (mut kept, mut is_other, mut missing) = (Vec::new(), false, kernels.to_vec());
    for line in text.lines() {
        if let Some((_, entry)) = line.split_once(".entry ") {
            let name = entry.trim_end().trim_end_matches(['(', ')']);
            missing.retain(|kernel| *kernel != name);
            is_other = !kernels.contains(&name);
        }
        kept.push(if is_other || line.starts_with("//") { "" } else { line });
        is_other &= line != "}";
    }
    if let Some(kernel) = missing.first() {
        bail!("the PTX has no kernel `{kernel}`");
    }
    let last = last_lines(&kept);
    for (index, line) in kept.iter_mut().enumerate() {
        if variable(line).is_some_and(|name| last.get(name) == Some(&index)) {
            *line = "";
        }
    }
    Ok(kept.join("\n").trim_end().to_owned() + "\n")
}

/// The last line in which each name occurs.
fn last_lines<'t>(lines: &[&'t str]) -> HashMap<&'t str, usize> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let names =
        |(index, line): (usize, &&'t str)| line.split(move |c| !is_of_name(c)).map(move |name| (name, index));
    lines.iter().enumerate().flat_map(names).collect()
}

/// The name of the variable that a line of a module declares: `.global .align 4 .u32 count = 1;`.
fn variable(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(".global ").or_else(|| line.strip_prefix(".const "))?;
    let name = rest.split([';', '=', '[']).next()?.split_whitespace().last()?;
    (!name.starts_with('.')).then_some(name)
}

/// The lines of the CUDA source that the instructions name: `.loc 1 42 5`.
fn lines_of(ptx: &str) -> Vec<usize> {
    let line = |text: &str| {
        let mut words = text.trim().strip_prefix(".loc")?.split_whitespace();
        (words.next() == Some("1")).then(|| words.next()?.parse().ok())?
    };
    ptx.lines().filter_map(line).collect()
}

/// The functions around these lines, as pairs of a number and a text. A function begins with the last line before that
/// begins at the margin with a word, and ends with the next closing brace at the margin.
fn functions(source: &str, wanted: &[usize]) -> Vec<(usize, String)> {
    let lines: Vec<&str> = source.lines().collect();
    let mut is_kept = vec![false; lines.len() + 1];
    for &line in wanted.iter().filter(|&&line| line >= 1 && line <= lines.len()) {
        if is_kept[line] {
            continue;
        }
        let begins = |number: &usize| lines[number - 1].starts_with(|c: char| c.is_alphabetic());
        let from = (1..=line).rev().find(begins).unwrap_or(line);
        let to = (line..=lines.len()).find(|number| lines[number - 1].starts_with('}')).unwrap_or(line);
        // A template's line is above its function's.
        let from = from - usize::from(from > 1 && lines[from - 2].starts_with("template"));
        is_kept[from..=to].fill(true);
    }
    let kept = |(index, text): (usize, &&str)| is_kept[index + 1].then(|| (index + 1, (*text).to_owned()));
    lines.iter().enumerate().filter_map(kept).collect()
}

/// The data is in a comment, because mdBook's search would find the words of a script.
///
/// JSON in which neither HTML, Markdown nor another preprocessor finds anything: what could be theirs is only in texts, where
/// an escape means the same.
pub fn inert(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut characters = json.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('\\') => text += "\\u005c",
                Some(escaped) => text.extend(['\\', escaped]),
                None => {}
            },
            '<' | '>' | '&' | '$' | '`' | '*' | '_' | '~' => {
                let _ = write!(text, "\\u{:04x}", c as u32);
            }
            _ => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "// c\n.version 7.0\n.visible .entry other(\n)\n{\n ret;\n}\n\n.visible .entry one(\n)\n{\n .loc 1 4 2\n ret;\n}\n.file 1 \"a\"\n";

    #[test]
    fn other_kernels_are_left_out_and_lines_keep_their_numbers() {
        let text = only(PTX, &["one"]).unwrap();
        let kept: Vec<(usize, &str)> =
            text.lines().enumerate().filter(|(_, line)| !line.is_empty()).collect();
        assert_eq!(kept[0], (1, ".version 7.0"));
        assert_eq!(kept[1], (8, ".visible .entry one("));
        assert_eq!(kept.last(), Some(&(14, ".file 1 \"a\"")));
        assert!(!text.contains("other"));
        assert!(only(PTX, &["on"]).is_err());
        assert!(only(PTX, &["one", "other"]).unwrap().contains("other"));
        assert!(only(PTX, &["one", "others"]).is_err());
    }

    #[test]
    fn variables_that_nothing_uses_are_left_out() {
        let text = ".global .align 4 .u32 wanted[2];\n.global .u32 want = 1;\n.visible .entry one(\n)\n{\n ld.global.u32 %r1, [wanted];\n}\n";
        let text = only(text, &["one"]).unwrap();
        assert!(text.starts_with(".global .align 4 .u32 wanted[2];\n\n.visible"), "{text}");
    }

    #[test]
    fn functions_are_found_from_their_lines() {
        let source =
            "// a\ntemplate <int n>\n__device__ int f() {\n    return n;\n}\n\nint g() {\n    return 1;\n}\n";
        let numbers = |wanted: &[usize]| {
            functions(source, wanted).into_iter().map(|(number, _)| number).collect::<Vec<_>>()
        };
        assert_eq!(lines_of(PTX), [4]);
        assert_eq!(numbers(&[4]), [2, 3, 4, 5]);
        assert_eq!(numbers(&[8, 4, 99]), [2, 3, 4, 5, 7, 8, 9]);
    }

    #[test]
    fn json_keeps_its_meaning_and_has_nothing_to_expand() {
        let value = json!({ "a": "x\\$L < `*_~` \"q\" \n{{#x}}" });
        let text = inert(&value.to_string());
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert!(!text.contains(['$', '<', '*', '_', '`', '~']));
    }
}
