//! What a process did, as lines of JSON: written by the process while it runs, and read by `lanes exec` when it has ended.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use cuda_host::{Event, Finding, Unchecked};
use serde_json::{Value, json};

use crate::settings;

/// Where a process tells what was found.
#[derive(Debug)]
pub(crate) struct Told(Option<Mutex<File>>);

impl Told {
    /// A file in the folder that the environment names; without one, the standard error.
    pub fn open() -> Told {
        let folder = std::env::var_os(settings::FOLDER).map(PathBuf::from);
        let file = folder.and_then(|folder| {
            let path = folder.join(format!("{}.jsonl", std::process::id()));
            OpenOptions::new().create(true).append(true).open(path).ok()
        });
        let told = Told(file.map(Mutex::new));
        let words: Vec<String> =
            std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        told.write(&json!({ "command": words }));
        told
    }

    /// What happens while the process runs.
    pub fn tell(&self, event: Event<'_>) {
        match event {
            Event::Finding(finding) => self.finding(finding),
            Event::Refused(error) if self.0.is_some() => {
                self.write(&json!({ "refused": { "place": error.place, "message": error.message } }));
            }
            Event::Refused(error) => eprintln!("lanes: {error}"),
            Event::Output(_) | Event::Alive { .. } => {}
        }
    }

    fn finding(&self, finding: &Finding) {
        let [file, function] = &finding.place;
        if self.0.is_none() {
            let at = if file.is_empty() {
                format!("`{function}`")
            } else {
                format!("{file}:{}", finding.line.number())
            };
            eprintln!("lanes: {} at {at}: {}", finding.kind.name(), finding.message);
            return;
        }
        self.write(&json!({
            "finding": {
                "kind": finding.kind.name(),
                "severity": finding.severity.name(),
                "file": file,
                "line": if file.is_empty() { 0 } else { finding.line.number() },
                "function": function,
                "call": if function.is_empty() { 0 } else { finding.line.number() },
                "message": finding.message,
                "actors": finding.actors,
                "help": finding.help,
            }
        }));
    }

    /// The thread that carries calls out has panicked, which is our mistake.
    pub fn defect(&self, why: &(dyn std::any::Any + Send)) {
        let text = why.downcast_ref::<String>().map(String::as_str);
        let text = text.or(why.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        let message = format!(
            "the emulator has a mistake of its own, and nothing was checked after it: please report it with this text: {text}"
        );
        self.tell(Event::Refused(&cuda_host::Error { place: None, message }));
    }

    /// The process is the child of one that has called the driver.
    pub fn forked(&self) {
        let message = "a process that was forked after its parent had called the driver cannot use it: as on a GPU, its calls return \
                       `CUDA_ERROR_NOT_INITIALIZED`";
        let help = "call CUDA only in the child, or start the child anew: in Python with `multiprocessing.set_start_method(\"spawn\")`";
        if self.0.is_none() {
            eprintln!("lanes: {message}\n  help: {help}");
        }
        let (kind, severity) = ("failed-call", "note");
        self.write(
            &json!({ "finding": { "kind": kind, "severity": severity, "message": message, "help": help } }),
        );
        self.end(0, &[]);
    }

    /// The process has ended in order, with so many launches, not all of which were checked.
    pub fn end(&self, launches: u64, unchecked: &[Unchecked]) {
        for of in unchecked {
            self.write(
                &json!({ "unchecked": { "kernel": of.kernel, "unchecked": of.unchecked, "launches": of.launches } }),
            );
        }
        self.write(&json!({ "launches": launches }));
    }

    fn write(&self, line: &Value) {
        if let Some(file) = &self.0 {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody is there who could be told that the disk is full; the missing end says it.
            let _ = file.write_all(format!("{line}\n").as_bytes());
        }
    }
}

/// The report of one process.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Its command line.
    pub command: Vec<String>,
    /// What was found, as the fields of `Told::finding` have it.
    pub findings: Vec<Value>,
    /// What could not be emulated: the place and the message.
    pub refused: Vec<(String, String)>,
    /// Kernels of which not all launches were checked for races.
    pub unchecked: Vec<Unchecked>,
    /// How many kernels it launched; nothing if it did not end in order.
    pub launches: Option<u64>,
}

/// Reads the reports of all processes that wrote one into a folder, in the order of their numbers.
///
/// # Errors
///
/// The folder or a file cannot be read.
pub fn read(folder: &Path) -> std::io::Result<Vec<Report>> {
    let mut files = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    files.sort();
    let is_report =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl") && path.is_file();
    files
        .iter()
        .filter(|path| is_report(path))
        .map(|path| std::fs::read(path).map(|text| parsed(&String::from_utf8_lossy(&text))))
        .collect()
}

fn parsed(text: &str) -> Report {
    let mut report = Report::default();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if let Some(words) = line["command"].as_array() {
            report.command = words.iter().map(word).collect();
        }
        if line["finding"].is_object() {
            report.findings.push(line["finding"].clone());
        }
        if line["refused"].is_object() {
            report.refused.push((word(&line["refused"]["place"]), word(&line["refused"]["message"])));
        }
        let of = &line["unchecked"];
        if of.is_object() {
            let number = |name: &str| of[name].as_u64().unwrap_or_default();
            let (unchecked, launches) = (number("unchecked"), number("launches"));
            report.unchecked.push(Unchecked { kernel: word(&of["kernel"]), unchecked, launches });
        }
        report.launches = line["launches"].as_u64().or(report.launches);
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_far_as_they_were_written() {
        let report = parsed(
            "{\"command\":[\"a\",\"b\"]}\n{\"finding\":{\"kind\":\"race\"}}\n{\"refused\":{\"place\":\"p\",\"message\":\"m\"}}\n{\"fin",
        );
        assert_eq!(
            (report.command, report.findings.len(), report.launches),
            (vec!["a".into(), "b".into()], 1, None)
        );
        assert_eq!(report.refused, [("p".to_owned(), "m".to_owned())]);
        let report =
            parsed("{\"unchecked\":{\"kernel\":\"k\",\"unchecked\":2,\"launches\":3}}\n{\"launches\":3}\n");
        let unchecked = Unchecked { kernel: "k".to_owned(), unchecked: 2, launches: 3 };
        assert_eq!((report.launches, report.unchecked), (Some(3), vec![unchecked]));
    }
}
