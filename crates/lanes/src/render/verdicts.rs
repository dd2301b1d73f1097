//! Results of tests as text, as JUnit's XML, as SARIF 2.1.0 and as JSON.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use serde_json::{Value, json};
use spec::layout::{counted, paragraph};

use crate::outcome::{Problem, Suite, Verdict};
use crate::request::Remark;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();

/// Results as `cargo test` prints them.
pub fn text(suites: &[Suite]) -> String {
    let mut out = String::new();
    let shown = suites.iter().filter(|suite| !suite.verdicts.is_empty() || suite.missing > 0);
    shown.for_each(|suite| suite_text(&mut out, suite));
    out.trim_start().to_owned()
}

fn suite_text(out: &mut String, suite: &Suite) {
    let _ = writeln!(out, "\nrunning {} of {}", counted(suite.verdicts.len() as u64, "test"), suite.file);
    for verdict in &suite.verdicts {
        let seeds = if verdict.ran > 1 { format!(" ({} seeds)", verdict.ran) } else { String::new() };
        let (style, word) = if verdict.problems.is_empty() { (GOOD, "ok") } else { (BAD, "FAILED") };
        let _ = writeln!(out, "test {} ... {style}{word}{style:#}{seeds}", verdict.name);
    }
    let failed: Vec<&Verdict> =
        suite.verdicts.iter().filter(|verdict| !verdict.problems.is_empty()).collect();
    for verdict in &failed {
        let _ = writeln!(out, "\n---- {} ----", verdict.name);
        for problem in &verdict.problems {
            let _ = write!(out, "{}", paragraph("", &sentence(problem)));
            for detail in &problem.details {
                *out += &paragraph("  ", detail);
            }
        }
    }
    let passed = suite.verdicts.len() - failed.len();
    let (style, word) = if failed.is_empty() { (GOOD, "ok") } else { (BAD, "FAILED") };
    let _ = writeln!(out, "\ntest result: {style}{word}{style:#}. {passed} passed; {} failed", failed.len());
    if suite.missing > 0 {
        let _ = writeln!(
            out,
            "{} did not run to the end, because of Ctrl-C",
            counted(suite.missing as u64, "test")
        );
    }
}

/// `seed 3: error: race: ...`.
fn sentence(problem: &Problem) -> String {
    let seed = problem.seed.map_or(String::new(), |seed| format!("seed {seed}: "));
    format!("{seed}{}: {}: {}", problem.level, problem.rule, problem.message)
}

/// Results as JUnit's XML, in the form that Jenkins reads.
pub fn junit(suites: &[Suite]) -> Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let declaration = Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None));
    let written = writer.write_event(declaration).and_then(|()| {
        let all = writer.create_element("testsuites").with_attribute(("name", "lanes test"));
        all.write_inner_content(|writer| suites.iter().try_for_each(|suite| junit_suite(writer, suite)))
            .map(drop)
    });
    written.context("cannot write XML")?;
    Ok(String::from_utf8(writer.into_inner())? + "\n")
}

fn junit_suite(writer: &mut Writer<Vec<u8>>, suite: &Suite) -> std::io::Result<()> {
    let failed = suite.verdicts.iter().filter(|verdict| !verdict.problems.is_empty()).count();
    let seconds: f64 = suite.verdicts.iter().map(|verdict| verdict.seconds).sum();
    let (tests, failed, time) =
        (suite.verdicts.len().to_string(), failed.to_string(), format!("{seconds:.3}"));
    let attributes = [
        ("name", suite.file.as_str()),
        ("tests", tests.as_str()),
        ("failures", failed.as_str()),
        ("errors", "0"),
        ("skipped", "0"),
        ("time", time.as_str()),
    ];
    let cases = |writer: &mut Writer<Vec<u8>>| {
        suite.verdicts.iter().try_for_each(|verdict| junit_case(writer, suite, verdict))
    };
    writer.create_element("testsuite").with_attributes(attributes).write_inner_content(cases).map(drop)
}

fn junit_case(writer: &mut Writer<Vec<u8>>, suite: &Suite, verdict: &Verdict) -> std::io::Result<()> {
    let time = format!("{:.3}", verdict.seconds);
    let attributes =
        [("name", verdict.name.as_str()), ("classname", suite.file.as_str()), ("time", time.as_str())];
    let case = writer.create_element("testcase").with_attributes(attributes);
    if verdict.problems.is_empty() && verdict.notes.is_empty() {
        return case.write_empty().map(drop);
    }
    let failures = |writer: &mut Writer<Vec<u8>>| {
        if !verdict.notes.is_empty() {
            let notes = verdict.notes.iter().map(|note| sentence(note) + "\n").collect::<String>();
            let output = writer.create_element("system-out");
            output.write_text_content(BytesText::new(&printable(&notes)))?;
        }
        verdict.problems.iter().try_for_each(|problem| {
            let message = printable(&sentence(problem));
            let failure = writer
                .create_element("failure")
                .with_attributes([("type", problem.rule), ("message", message.as_str())]);
            failure.write_text_content(BytesText::new(&printable(&problem.details.join("\n")))).map(drop)
        })
    };
    case.write_inner_content(failures).map(drop)
}

/// The text without the characters that XML cannot have.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// What the problems that are not findings are called in SARIF.
const OWN_RULES: [(Remark, &str); 3] = [
    (Remark::MissingFinding, "A test expects a finding that no launch had"),
    (Remark::Counter, "A launch costs more or less than its test allows"),
    (Remark::Contents, "A buffer does not contain what its test expects"),
];

/// Results as SARIF 2.1.0: each problem at its CUDA line, or in the scenario file if it has none.
pub fn sarif(suites: &[Suite]) -> Value {
    let problems = || {
        suites.iter().flat_map(|suite| {
            suite.verdicts.iter().flat_map(move |verdict| {
                let told = verdict.problems.iter().chain(&verdict.notes);
                told.map(move |problem| (suite, verdict, problem))
            })
        })
    };
    let used: BTreeSet<&str> = problems().map(|(.., problem)| problem.rule).collect();
    let rules: Vec<Value> = used.iter().map(|&rule| {
        let own = OWN_RULES.iter().find(|(remark, _)| remark.name() == rule).map(|(_, words)| (*words).to_owned());
        json!({ "id": rule, "shortDescription": { "text": own.unwrap_or_else(|| format!("{rule} in a kernel")) } })
    }).collect();
    let results: Vec<Value> = problems()
        .map(|(suite, verdict, problem)| {
            let details: String =
                problem.details.iter().fold(String::new(), |all, detail| all + "\n" + detail);
            json!({
                "ruleId": problem.rule,
                "level": problem.level,
                "message": { "text": format!("{}: {}{details}", verdict.name, sentence(problem)) },
                "locations": [{ "physicalLocation": place(suite, problem) }],
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "lanes",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "results": results,
        }],
    })
}

fn place(suite: &Suite, problem: &Problem) -> Value {
    let uri = |file: &str| json!({ "uri": file.replace('\\', "/").replace(' ', "%20") });
    match &problem.line {
        Some((file, line)) => {
            let is_source = suite.source == *file || suite.source.ends_with(&format!("/{file}"));
            let file = if is_source { &suite.source } else { file };
            json!({ "artifactLocation": uri(file), "region": { "startLine": line } })
        }
        None => json!({ "artifactLocation": uri(&suite.file) }),
    }
}

/// Results as JSON.
pub fn json(suites: &[Suite]) -> Value {
    let test = |verdict: &Verdict| {
        json!({
            "name": verdict.name,
            "passed": verdict.problems.is_empty(),
            "seeds": verdict.ran,
            "problems": verdict.problems.iter().map(problem).collect::<Vec<_>>(),
        })
    };
    let suite = |suite: &Suite| {
        json!({
            "file": suite.file,
            "source": suite.source,
            "missing": suite.missing,
            "tests": suite.verdicts.iter().map(test).collect::<Vec<_>>(),
        })
    };
    Value::Array(suites.iter().map(suite).collect())
}

/// One problem in JSON.
pub fn problem(problem: &Problem) -> Value {
    json!({
        "rule": problem.rule,
        "level": problem.level,
        "message": problem.message,
        "details": problem.details,
        "file": problem.line.as_ref().map(|(file, _)| file),
        "line": problem.line.as_ref().map(|(_, line)| line),
        "seed": problem.seed,
    })
}
