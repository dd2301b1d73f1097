//! Formats faults below a table: what is wrong, which threads did it, where, and one line of help.
//!
//! A kernel usually goes wrong in many lanes in the same way, so only the first faults are described and the others are
//! counted. Chapters print faults below a table, by variant. `lanes run` has one kernel, and begins each fault with its
//! severity. What it leaves out: the lines of PTX, which the trace shows.

use anstyle::{AnsiColor, Style};
use simt::{Fault, Severity};

use super::{Row, Verdict};
use spec::layout::{counted, grouped, paragraph};

/// How many faults of a row are described.
const DESCRIBED: usize = 2;

/// Everything to say about a row whose verdict is not simply `ok`.
pub(super) fn about(row: &Row) -> String {
    let mut out = list(&row.variant, &row.run.faults);
    if row.verdict == Verdict::Wrong {
        out += &wrong(row);
    }
    out += &disagreement(row);
    if let Some(bound) = row.check.as_ref().and_then(|check| check.bound.as_ref()) {
        out += &paragraph("  - ", &format!("{}: checked {bound}", row.variant));
    }
    for remark in row.remarks.iter().chain(&row.gpu_remarks).chain(&row.run.withheld) {
        out += &paragraph("  - ", &format!("{}: {remark}", row.variant));
    }
    out
}

/// The faults of one variant: the first ones described, the others counted.
fn list(variant: &str, faults: &[Fault]) -> String {
    let mut out: String = faults.iter().take(DESCRIBED).map(|fault| describe(variant, fault)).collect();
    if let Some(more @ 1..) = faults.len().checked_sub(DESCRIBED) {
        out += &paragraph("  ! ", &format!("{variant}: and {more} more"));
    }
    out
}

fn describe(variant: &str, fault: &Fault) -> String {
    // A reader expects an error after the mark, so only a warning or a note says what it is.
    let severity = match fault.severity {
        Severity::Error => String::new(),
        milder => format!("{}: ", milder.name()),
    };
    paragraph("  ! ", &format!("{variant}: {severity}{}: {}", fault.kind.name(), fault.message))
        + &details("      ", fault)
}

/// How many faults of a kernel that runs alone are described.
const DESCRIBED_ALONE: usize = 10;

/// How many of these may be notes, which are harmless and numerous.
const NOTES_ALONE: usize = 3;

/// The faults of a kernel that runs alone. Each begins with its severity. The last line is the command that repeats the
/// run; it is not broken, however long, so that it can be copied.
pub fn alone(faults: &[Fault], replay: &str) -> String {
    let mut notes = 0;
    let is_described = |fault: &&Fault| {
        notes += usize::from(fault.severity == Severity::Note);
        fault.severity != Severity::Note || notes <= NOTES_ALONE
    };
    let described: Vec<&Fault> = faults.iter().filter(is_described).take(DESCRIBED_ALONE).collect();
    let mut out: String = described.iter().map(|fault| describe_alone(fault, replay)).collect();
    if let Some(more @ 1..) = faults.len().checked_sub(described.len()) {
        out += &paragraph("", &format!("and {more} more, which `--json` lists"));
    }
    out
}

fn describe_alone(fault: &Fault, replay: &str) -> String {
    let (word, style) = (fault.severity.name(), style(fault.severity));
    let head = paragraph(&format!("{word}: "), &format!("{}: {}", fault.kind.name(), fault.message));
    let element = element(fault).map_or(String::new(), |text| paragraph("  ", &text));
    let details = details("  ", fault);
    format!("{style}{word}{style:#}{}{element}{details}  replay: {replay}\n", &head[word.len()..])
}

/// The element of an array that a fault is about, if an element has the size of the access: `total[33]`.
fn element(fault: &Fault) -> Option<String> {
    let location = fault.location.as_ref()?;
    let (name, element) = (&location.allocation.as_ref()?.name, location.element()?);
    let is_whole = location.offset()? % i64::try_from(location.bytes).ok()? == 0;
    let is_name = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    (is_whole && is_name && location.bytes <= 16).then(|| {
        format!("these are `{name}[{element}]`, if its elements have {}", counted(location.bytes, "byte"))
    })
}

fn style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Note => AnsiColor::Cyan,
    };
    color.on_default().bold()
}

/// The threads, how often it happened, and what to do.
fn details(indent: &str, fault: &Fault) -> String {
    let mut out: String = fault.actors.iter().map(|actor| paragraph(indent, &actor.to_string())).collect();
    if fault.count > 1 {
        out += &paragraph(indent, &format!("and {}", counted(fault.count - 1, "more time")));
    }
    out + &paragraph(&format!("{indent}help: "), &fault.help)
}

fn wrong(row: &Row) -> String {
    let Some(check) = row.wrong_check() else { return String::new() };
    let (wrong, all) = (grouped(check.wrong as u64), grouped(check.elements as u64));
    let first = check.first.as_ref().map_or(String::new(), |first| {
        format!("; element {} is {} but should be {}", first.index, first.got, first.expected)
    });
    paragraph("  ! ", &format!("{}: {wrong} of {all} elements are wrong{first}", row.variant))
}

fn disagreement(row: &Row) -> String {
    let Some(check) = row.agreement.as_ref().filter(|check| !check.is_right()) else { return String::new() };
    let wrong = grouped(check.wrong as u64);
    let first = check.first.as_ref().map_or(String::new(), |first| {
        format!(
            "; element {} is {} on the emulator and {} on the GPU",
            first.index, first.expected, first.got
        )
    });
    paragraph(
        "  ! ",
        &format!("{}: emulator and GPU differ in at least {wrong} elements{first}", row.variant),
    )
}

#[cfg(test)]
mod tests {
    use simt::{Actor, Dim3, FaultKind};

    use super::*;

    fn fault(severity: Severity, count: u64) -> Fault {
        let mut actor = Actor::new(Dim3::new(0, 0, 0), Dim3::new(3, 0, 0), 0, 3);
        "stored 4 bytes at `x`+0".clone_into(&mut actor.doing);
        let mut fault = Fault::new(FaultKind::Race, severity, "4 bytes of `x`");
        (fault.actors, fault.count, fault.help) = (vec![actor], count, "put a barrier between".to_owned());
        fault
    }

    /// Text without colours.
    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_kernel_alone_is_described_by_severity_count_and_replay() {
        let text = alone(&[fault(Severity::Warning, 32)], "lanes run x.cu --seed 7");
        assert_eq!(
            plain(&text),
            "warning: race: 4 bytes of `x`\n  block (0,0,0), warp 0, lane 3 (thread (3,0,0)) at PTX line 0: stored 4 bytes\n  \
             at `x`+0\n  and 31 more times\n  help: put a barrier between\n  replay: lanes run x.cu --seed 7\n"
        );
        assert_ne!(plain(&text), text, "the first word has a colour");
    }

    #[test]
    fn errors_of_a_variant_do_not_say_so_and_what_is_milder_does() {
        let text = |severity, count| describe("sum", &fault(severity, count));
        assert!(text(Severity::Error, 1).starts_with("  ! sum: race: 4 bytes of `x`\n"));
        assert!(!text(Severity::Error, 1).contains("more time"));
        assert!(text(Severity::Note, 2).starts_with("  ! sum: note: race: 4 bytes of `x`\n"));
        assert!(text(Severity::Note, 2).contains("\n      and 1 more time\n      help: "));
    }

    #[test]
    fn of_many_faults_the_first_are_described_and_the_others_counted() {
        let text = plain(&alone(&vec![fault(Severity::Error, 1); 12], "again"));
        assert_eq!(text.matches("replay: again").count(), DESCRIBED_ALONE);
        assert!(text.ends_with("and 2 more, which `--json` lists\n"));
        let mut notes = vec![fault(Severity::Note, 1); 5];
        notes.push(fault(Severity::Error, 1));
        let text = plain(&alone(&notes, "again"));
        assert_eq!(
            (text.matches("\nerror: ").count(), text.matches("replay: ").count()),
            (1, NOTES_ALONE + 1)
        );
        assert!(text.ends_with("and 2 more, which `--json` lists\n"));
    }
}
