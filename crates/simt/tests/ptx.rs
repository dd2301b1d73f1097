//! Hand-written PTX, one behaviour in each file, with its expectations in the header; this test runs them.
//!
//! The files of `pass/` run without an error, and those of `fail/` with the one that their header names. Every file of
//! `fail/` has a twin of the same name in `pass/`, which differs in what makes it correct. Each line of the header is
//! one fact:
//!
//! ```text
//! // launch: grid 1 block 32 cluster 1 shared 0 resident 16 steps 1000000   (these are also the defaults)
//! // reconvergence: its                  (or stack; both if there is no such line)
//! // checks: initialisation              the checkers, or `none`; all if there is no such line
//! // out: 32                             a buffer of this many words, all zero, as the next argument
//! // in: 5*16 0..16                      a buffer that contains these words
//! // uninitialized: 32                   a buffer of this many uninitialised words
//! // map: 1 f32 sizes 16,8 box 8,4        a tensor map of buffer 1, also with `swizzle 128`, `steps 1,2` and `nan`
//! // arg: 7                              a 32-bit number
//! // expect: 0..32                       the contents of the first buffer at the end
//! // fault: deadlock "32 of 64 threads"  the kind, and words of the report
//! // warning: barrier-divergence "ended" the same for a warning
//! // note: race "the same value"         and for a note
//! // its warning: …                      a finding under one mechanism only
//! // counter: ptx_divergent_branches 1   a counter of the report
//! // apart: no                           the expectations assume that lanes run together, although nothing keeps them together
//! ```
//!
//! A run must have the findings that are named and no others. With `Hunt` and independent thread scheduling, lanes are
//! separated if nothing keeps them together. Such a run must have findings of the same kinds, but the lanes that they
//! name and the counters may differ. If lines of the text end in `// <-- here`, the actors of the findings must be at
//! exactly these lines.

use std::collections::BTreeSet;

use cases::{Case, cases, numbers};
use simt::{Checks, Emulator, Fault, Launch, Limits, Reconvergence, Report, Schedule, Severity};

mod cases;

/// The checkers for a file without such a line. Many of these files wait for volatile flags on purpose, which is a note
/// of its own (`wording.rs`).
const CHECKS: Checks = Checks { volatile_races: false, ..Checks::ALL };

/// The marker of lines at which the actors of a finding are.
const HERE: &str = "// <-- here";

impl Case {
    fn checks(&self) -> Checks {
        let Some(names) = self.all("checks").next() else { return CHECKS };
        let mut checks = Checks::NONE;
        for name in names.split(',').filter(|name| *name != "none") {
            match name {
                "all" => checks = CHECKS,
                "races" => checks.races = CHECKS.races,
                "initialisation" => checks.initialisation = true,
                "synchronisation" => checks.synchronisation = true,
                other => panic!("{}: no checker `{other}`", self.name),
            }
        }
        checks
    }

    /// The kind and the words of the findings of a severity. Races are left out if their checker is off.
    fn expected(&self, severity: Severity, mechanism: Reconvergence) -> Vec<(&str, Vec<&str>)> {
        let key = if severity == Severity::Error { "fault" } else { severity.name() };
        let own = format!("{} {key}", if mechanism == Reconvergence::Its { "its" } else { "stack" });
        let lines = self.header().filter(|(known, _)| *known == key || *known == own);
        let parts = lines.map(|(_, line)| {
            let mut parts = line.split('"');
            let kind = parts.next().unwrap_or_default().trim();
            (kind, parts.step_by(2).collect())
        });
        parts.filter(|(kind, _)| CHECKS.races || *kind != "race").collect()
    }

    /// The numbers of the lines of the text that are marked, counted from 1.
    fn marked(&self) -> BTreeSet<u32> {
        let lines = (1..).zip(self.text.lines());
        lines.filter(|(_, line)| line.ends_with(HERE)).map(|(number, _)| number).collect()
    }

    /// Runs the file's kernel with every mechanism and schedule.
    fn check_everywhere(&self) {
        for reconvergence in self.mechanisms() {
            self.check(reconvergence, Schedule::RoundRobin, 0);
            for seed in 1..=4 {
                self.check(reconvergence, Schedule::Random, seed);
                if reconvergence == Reconvergence::Stack || self.all("apart").next() != Some("no") {
                    self.check(reconvergence, Schedule::Hunt, seed);
                }
            }
        }
    }

    /// Runs the file's kernel, and checks what its header expects.
    fn check(&self, reconvergence: Reconvergence, schedule: Schedule, seed: u64) {
        let label = format!("{} ({reconvergence:?}, {schedule:?}, seed {seed})", self.name);
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load(&self.name, &self.text).unwrap_or_else(|error| panic!("{label}: {error}"));
        let mut launch = Launch { reconvergence, schedule, seed, checks: self.checks(), ..self.launch() };
        let buffers = self.arguments(&mut emulator, &mut launch);
        let report = emulator.launch(&module, &module.kernels()[0].name.clone(), &launch);
        let report = report.unwrap_or_else(|error| panic!("{label}: {error}"));
        let is_together = schedule != Schedule::Hunt || reconvergence == Reconvergence::Stack;
        if is_together {
            self.check_findings(&label, reconvergence, &report);
        } else {
            self.check_kinds(&label, &report);
        }
        for expected in self.all("expect") {
            let found = emulator.read(buffers[0]).unwrap().chunks(4).map(|word| word.try_into().unwrap());
            let found: Vec<u32> = found.map(u32::from_le_bytes).collect();
            assert_eq!(found, numbers(expected), "{label}");
        }
        for counter in self.all("counter").filter(|_| is_together) {
            let (name, value) = counter.split_once(' ').unwrap();
            let found = report.counters.all().into_iter().find(|known| known.0 == name);
            let found = found.unwrap_or_else(|| panic!("{label}: no counter `{name}`")).3;
            assert_eq!(found, value.parse().unwrap(), "{label}: {name}");
        }
    }

    /// Checks only the severities and kinds of the findings under independent thread scheduling.
    fn check_kinds(&self, label: &str, report: &Report) {
        let found = report.faults.iter().map(|fault| (fault.severity, fault.kind.name()));
        let found: BTreeSet<(Severity, &str)> = found.collect();
        let all = [Severity::Error, Severity::Warning, Severity::Note];
        let named = |severity| {
            self.expected(severity, Reconvergence::Its).into_iter().map(move |it| (severity, it.0))
        };
        let expected: BTreeSet<(Severity, &str)> = all.into_iter().flat_map(named).collect();
        let text = report.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert_eq!(found, expected, "{label}\n{text}");
    }

    fn check_findings(&self, label: &str, mechanism: Reconvergence, report: &Report) {
        let text = report.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            let mut found: Vec<&Fault> =
                report.faults.iter().filter(|fault| fault.severity == severity).collect();
            for (kind, words) in self.expected(severity, mechanism) {
                let is_it = |fault: &&Fault| {
                    let text = fault.to_string();
                    fault.kind.name() == kind && words.iter().all(|word| text.contains(word))
                };
                let Some(index) = found.iter().position(is_it) else {
                    panic!("{label}: no {kind} with {words:?} is in\n{text}");
                };
                found.remove(index);
            }
            assert!(found.is_empty(), "{label}: an unexpected {} is in\n{text}", severity.name());
        }
        let lines = |fault: &Fault| fault.actors.iter().map(|actor| actor.site.ptx_line).collect::<Vec<_>>();
        let found: BTreeSet<u32> = report.faults.iter().flat_map(lines).collect();
        let marked = self.marked();
        let is_checked = CHECKS.races || !self.header().any(|(_, value)| value.starts_with("race"));
        assert!(
            !is_checked || marked.is_empty() || marked == found,
            "{label}: lines {marked:?}, not\n{text}"
        );
    }
}

fn check_all(folder: &str) {
    let cases = cases(folder);
    assert!(cases.len() > 20, "{folder}: {} files", cases.len());
    let wrong = test_support::side_by_side(&cases, |case| {
        let has_faults = case.all("fault").count() == usize::from(folder == "fail");
        let is_wrong = !has_faults || std::panic::catch_unwind(|| case.check_everywhere()).is_err();
        is_wrong.then(|| case.name.clone())
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "not as their headers say: {wrong:#?}");
}

#[test]
fn passing_kernels_pass() {
    check_all("pass");
}

#[test]
fn wrong_kernels_fail_and_say_why() {
    check_all("fail");
}

#[test]
fn every_failing_kernel_has_a_passing_twin() {
    let passing: Vec<String> = cases("pass").into_iter().map(|case| case.name).collect();
    for case in cases("fail") {
        let twin = case.name.replacen("fail", "pass", 1);
        assert!(passing.contains(&twin), "`{}` has no twin", case.name);
    }
}
