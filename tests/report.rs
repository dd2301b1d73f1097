//! A report with everything that a report can contain: expected and unexpected faults, times, and machines that
//! disagree.
//!
//! The counters, faults and times are invented, each with a number of its own, so that a test can see which of them is
//! shown.

use simt::{Actor, Counters, Dim3, Fault, FaultKind, Severity, SourceLine};
use thirty_two_lanes::check::{Tolerance, agree, compare};
use thirty_two_lanes::machine::{About, Run, Timing};
use thirty_two_lanes::report::columns::{ACTIVE_LANES, DIVERGENT_BRANCHES, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::report::{Report, Row, Section, Verdict, json, text};

fn counters() -> Counters {
    Counters {
        warps: 320,
        ptx_instructions: 5120,
        ptx_lanes: 153_600,
        ptx_branches: 1920,
        ptx_divergent_branches: 320,
        ..Counters::default()
    }
}

fn fault() -> Fault {
    let source = Some(SourceLine { file: "divergence.cu".to_owned(), line: 114 });
    let mut actor = Actor::new(Dim3::new(7, 0, 0), Dim3::new(40, 0, 0), 1, 8);
    (actor.site.ptx_line, actor.site.source) = (270, source);
    "st.global.f32 [%rd4], %f1;".clone_into(&mut actor.site.ptx);
    "wrote 4 bytes".clone_into(&mut actor.doing);
    let message = "just past the end of `c`, which has 40 bytes";
    let mut fault = Fault::new(FaultKind::OutOfBounds, Severity::Error, message);
    fault.actors.push(actor);
    "compare the index with the length of the array before the access".clone_into(&mut fault.help);
    fault
}

fn report() -> Report {
    let timing = Timing::of(vec![7.25]);
    let clean = Run { counters: counters(), timing, on_gpu: 1, ..Run::default() };
    let stopped =
        Run { faults: vec![fault()], withheld: Some("not launched on the GPU".to_owned()), ..Run::default() };
    let named = |variant: &str, row: Row| Row { variant: variant.to_owned(), ..row };
    let agreement = |gpu: i32| Some(agree(&[1], &[gpu], &Tolerance::Exact));
    let right = Row { agreement: agreement(1), ..Row::new(clean.clone(), Verdict::Ok) };
    let wrong = compare(&[100.0, 200.0], &[200.0_f32, 200.0], &Tolerance::Exact);
    let found = Row { check: Some(wrong), ..Row::new(clean.clone(), Verdict::Wrong).expect(Verdict::Wrong) };
    let differing = Row { agreement: agreement(2), ..Row::new(clean, Verdict::Ok) };
    let section = Section {
        name: "section".to_owned(),
        title: "what happens?".to_owned(),
        settings: vec![("size", 10)],
        columns: vec![DIVERGENT_BRANCHES, ACTIVE_LANES, INSTRUCTIONS_PER_WARP],
        rows: vec![
            named("right", right),
            named("found", found),
            named("a_kernel_with_a_name_that_is_so_long_that_it_needs_a_line_of_its_own", differing),
            named("stopped", Row::new(stopped, Verdict::Fault).expect(Verdict::Fault)),
        ],
        pictures: [("drawn".to_owned(), "####....\n####....".to_owned())].into(),
        gpu_notes: Vec::new(),
        notes: vec!["Notice this.".to_owned()],
    };
    let details = [("compute capability".to_owned(), "9.0".to_owned())].into();
    let machines = vec![
        About { name: "emulator".to_owned(), ..About::default() },
        About { name: "NVIDIA H200".to_owned(), details },
    ];
    Report {
        chapter: "ch00_test".to_owned(),
        title: "A test".to_owned(),
        machines,
        missing: None,
        settings: vec![("size", 10)],
        unwatched: Some("none".to_owned()),
        sections: vec![section],
    }
}

/// The report as text, without colours.
fn rendered() -> String {
    anstream::adapter::strip_str(&text::render(&report())).to_string()
}

#[test]
fn the_report_fits_into_80_columns() {
    let expected = "\
A test
on: emulator; NVIDIA H200 (compute capability 9.0)
with: size 10
checkers: none

section: what happens?
                                           divergent  active  PTX per  GPU
                                            branches   lanes     warp   µs  agree
right";
    let text = rendered();
    for (line, expected) in text.lines().zip(expected.lines()).take(6) {
        assert_eq!(line, expected);
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    for line in [
        "  ! found: 1 of 2 elements are wrong; element 0 is 200 but should be 100",
        "  ! stopped: out-of-bounds: just past the end of `c`, which has 40 bytes",
        "      help: compare the index with the length of the array before the access",
        "  - stopped: not launched on the GPU",
        "drawn",
        "####....",
        "  * Notice this.",
    ] {
        assert!(text.lines().any(|shown| shown == line), "`{line}` is not in\n{text}");
    }
}

#[test]
fn unexpected_results_are_printed_last() {
    let text = rendered();
    let last = text.lines().rev().take_while(|line| !line.is_empty()).collect::<Vec<_>>();
    assert_eq!(last.len(), 2, "{text}");
    assert!(last[1].starts_with("failed: a_kernel_with_a_name"), "{text}");
    assert!(report().is_failure());
}

#[test]
fn json_contains_numbers() {
    let json: serde_json::Value = serde_json::from_str(&record::text(&json::render(&report()))).unwrap();
    assert_eq!((&json["version"], &json["passed"]), (&record::VERSION.into(), &false.into()));
    assert_eq!(json["settings"]["size"], 10);
    assert_eq!(json["machines"][1]["details"]["compute capability"], "9.0");
    let rows = &json["sections"][0]["rows"];
    assert_eq!(rows[0]["counters"]["ptx_divergent_branches"], 320);
    assert_eq!(rows[0]["gpu"]["timing"]["median_us"], 7.25);
    assert_eq!(rows[1]["check"]["wrong"], 1);
    assert_eq!(rows[2]["failure"], true);
    assert_eq!(rows[3]["faults"][0]["actors"][0]["source"]["line"], 114);
}
