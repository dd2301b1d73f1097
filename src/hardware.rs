//! Hardware counters of a chapter beside the emulator's: a record that was made on a GPU, and the table that compares
//! the two.
//!
//! The record, `output/h200_counters.csv`, is written by `cargo xtask record` from what Nsight Compute printed; CI,
//! which has no GPU, compares it with what the emulator counts now. Memory counters must be equal. Branches may differ,
//! because machine code is not PTX. Whenever either differs, `output/h200_why.txt` says why. If threads wait for each
//! other, the hardware's counts change from run to run; such variants are named there too, and shown without being
//! compared. A metric that an old record does not have is left out of its table. What it leaves out: times, which are
//! in the chapter's other records.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use record::{Counted, Named, Report, Row, Table};

use crate::program;
use spec::layout::grouped;

/// The name of the record in a chapter's `output` folder.
pub const RECORD: &str = "h200_counters.csv";
/// The name of the file with the explanations.
pub const WHY: &str = "h200_why.txt";
/// The name of the table.
pub const TABLE: &str = "counters.md";

/// Instructions that the hardware issued, counted once for each warp.
pub const INSTRUCTIONS: &str = "smsp__inst_executed.sum";
/// Those that are control flow in machine code, including `EXIT`.
pub const BRANCHES: &str = "smsp__inst_executed_op_branch.sum";
/// Branches at which the threads of a warp diverged.
pub const DIVERGENT: &str = "smsp__sass_branch_targets_threads_divergent.sum";
/// Sectors that loads requested from the second-level cache because the first level did not have them.
pub const L2_READS: &str = "lts__t_sectors_srcunit_tex_op_read.sum";

/// Counters of the emulator and metrics of Nsight Compute. The sum of the counters must equal the sum of the metrics.
pub type Equal = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Counters of global memory.
const GLOBAL: [Equal; 6] = [
    ("load requests", &["global_load_requests"], &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]),
    ("load sectors", &["global_load_sectors"], &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]),
    ("store requests", &["global_store_requests"], &["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"]),
    ("store sectors", &["global_store_sectors"], &["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]),
    // The assembler turns an atomic whose result is not used into a reduction.
    (
        "atomics",
        &["global_atomic_requests", "global_reduction_requests"],
        &[
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
        ],
    ),
    (
        "atomic sectors",
        &["global_atomic_sectors", "global_reduction_sectors"],
        &[
            "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
        ],
    ),
];

/// Counters of shared memory.
const SHARED: [Equal; 6] = [
    ("load requests", &["shared_load_requests"], &["smsp__inst_executed_op_shared_ld.sum"]),
    (
        "load conflicts",
        &["shared_load_bank_conflicts"],
        &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"],
    ),
    ("store requests", &["shared_store_requests"], &["smsp__inst_executed_op_shared_st.sum"]),
    (
        "store conflicts",
        &["shared_store_bank_conflicts"],
        &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"],
    ),
    ("atomics", &["shared_atomic_requests"], &["smsp__inst_executed_op_shared_atom.sum"]),
    (
        "atomic conflicts",
        &["shared_atomic_bank_conflicts"],
        &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"],
    ),
];

/// Counters of instructions, which are equal if the machine code has the same instructions as the PTX.
const CODE: [Equal; 3] = [
    ("instructions", &["ptx_instructions"], &[INSTRUCTIONS]),
    ("branches", &["ptx_branches"], &[BRANCHES]),
    ("divergent", &["ptx_divergent_branches"], &[DIVERGENT]),
];

const WARPS: Equal = ("warps", &["warps"], &["smsp__warps_launched.sum"]);

/// Every metric that a record holds, in the order of its columns.
pub fn metrics() -> Vec<&'static str> {
    let compared = [WARPS].into_iter().chain(GLOBAL).chain(SHARED).chain(CODE);
    compared.flat_map(|(_, _, metrics)| metrics.iter().copied()).chain([L2_READS]).collect()
}

/// Reads a record.
pub fn read(text: &str) -> Result<Table<Counted>> {
    Table::read(text, &format!("`{RECORD}`"))
}

/// The expected text of `output/counters.md` of a chapter; `None` if the chapter has no record of hardware counters.
pub fn fresh(chapter: &Path, program: &Path) -> Result<Option<String>> {
    let folder = chapter.join("output");
    if !folder.join(RECORD).exists() {
        return Ok(None);
    }
    let record = read(&fs::read_to_string(folder.join(RECORD))?)?;
    let why = fs::read_to_string(folder.join(WHY)).unwrap_or_default().replace("\r\n", "\n");
    table(&record, &report(program)?, &why).map(Some)
}

/// What a chapter's program prints as JSON on the emulator.
pub fn report(program: &Path) -> Result<Report> {
    report_of(program, "")
}

/// The same for a run with further arguments.
pub fn report_of(program: &Path, arguments: &str) -> Result<Report> {
    let args: Vec<&str> =
        ["--device", "sim", "--json"].into_iter().chain(arguments.split_whitespace()).collect();
    let output = program::output(program, &args)?;
    record::read(&String::from_utf8(output.stdout)?, "what the chapter printed")
}

/// Fails unless the table follows from the record and from what the emulator counts now; for a chapter's tests.
pub fn check(chapter: &Path, program: &Path) -> Result<()> {
    let now = fresh(chapter, program)?.context("the chapter has no record of hardware counters")?;
    let kept = fs::read_to_string(chapter.join("output").join(TABLE)).unwrap_or_default();
    ensure!(kept.replace("\r\n", "\n") == now, "`output/{TABLE}` is stale: run `cargo xtask bless`");
    Ok(())
}

/// The rows of a report that a GPU runs to the end: kernels in which the emulator found nothing harmful.
pub fn launched(report: &Report) -> impl Iterator<Item = &Row> {
    rows(report).filter(|row| !row.harmful)
}

/// The rows of a report that launched a kernel; some concern only the host.
pub fn rows(report: &Report) -> impl Iterator<Item = &Row> {
    report.rows().filter(|row| !row.kernels.is_empty())
}

/// The emulator's counters of one variant, and the hardware's.
struct Pair<'a> {
    variant: &'a str,
    emulator: &'a Named<u64>,
    hardware: &'a Named<u64>,
}

impl Pair<'_> {
    fn emulated(&self, (_, counters, _): Equal) -> u64 {
        counters.iter().filter_map(|&counter| self.emulator.get(counter)).sum()
    }

    fn measured(&self, (_, _, metrics): Equal) -> u64 {
        metrics.iter().map(|&metric| self.metric(metric)).sum()
    }

    fn metric(&self, metric: &str) -> u64 {
        self.hardware.get(metric).copied().unwrap_or_default()
    }

    /// Whether the record has the metrics.
    fn has(&self, (_, _, metrics): Equal) -> bool {
        metrics.iter().all(|&metric| self.hardware.contains_key(metric))
    }

    fn differs(&self, what: Equal) -> bool {
        self.has(what) && self.emulated(what) != self.measured(what)
    }

    /// A different number of instructions needs no reason, because machine code always has its own.
    fn branches_differ(&self) -> bool {
        CODE[1..].iter().any(|&what| self.differs(what))
    }

    /// One number if both counted the same, otherwise both.
    fn cell(&self, what: Equal) -> String {
        let here = grouped(self.emulated(what));
        if self.differs(what) { format!("{here} / {}", grouped(self.measured(what))) } else { here }
    }

    fn line(&self, columns: &[Equal], last: Option<String>) -> String {
        let name = [format!("`{}`", self.variant)].into_iter();
        let cells: Vec<String> =
            name.chain(columns.iter().map(|&what| self.cell(what))).chain(last).collect();
        format!("| {} |\n", cells.join(" | "))
    }

    fn uses_shared_memory(&self) -> bool {
        SHARED.into_iter().any(|what| self.has(what) && self.emulated(what) + self.measured(what) > 0)
    }
}

fn table(record: &Table<Counted>, report: &Report, why: &str) -> Result<String> {
    let pairs = pairs(record, report)?;
    let mut text = format!(
        "<!-- Generated by `cargo xtask bless` from {RECORD}, {WHY} and a run of the emulator; do not edit. -->\n\n\
         # Counters: the emulator and the hardware\n\n{}\n\n\
         If both machines counted the same, there is one number; otherwise there are two, *emulator / hardware*, and a reason below.\n\n\
         ## Global memory\n\nL2 reads are sectors that loads requested from the second-level cache. The emulator has no such cache.\n\n",
        record.origin
    );
    let recorded = |columns: &[Equal]| -> Vec<Equal> {
        columns.iter().copied().filter(|&column| pairs.iter().all(|pair| pair.has(column))).collect()
    };
    let (global, shared) = (recorded(&GLOBAL), recorded(&SHARED));
    text += &head(&global, Some("L2 reads"));
    for pair in &pairs {
        text += &pair.line(&global, Some(grouped(pair.metric(L2_READS))));
    }
    if pairs.iter().any(Pair::uses_shared_memory) {
        text += "\n## Shared memory\n\n";
        text += &head(&shared, None);
        let users = pairs.iter().filter(|pair| pair.uses_shared_memory());
        users.for_each(|pair| text += &pair.line(&shared, None));
    }
    text += "\n## Instructions\n\nThe emulator counts PTX. The hardware counts machine code, which has other instructions for the same\n\
             work, and it counts `EXIT` as a branch.\n\n";
    text += &head(&CODE, None);
    for pair in &pairs {
        text += &pair.line(&CODE, None);
    }
    Ok(text + &reasons(&pairs, why)?.concat())
}

fn head(columns: &[Equal], last: Option<&str>) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _, _)| *name).chain(last).collect();
    format!("| variant | {} |\n| --- |{}\n", names.join(" | "), " ---: |".repeat(names.len()))
}

fn pairs<'a>(record: &'a Table<Counted>, report: &'a Report) -> Result<Vec<Pair<'a>>> {
    let rows: Vec<&Row> = launched(report).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.variant.as_str()).collect();
    let recorded: Vec<&str> = record.rows.iter().map(|row| row.variant.as_str()).collect();
    let not_in = |these: &[&str], those: &[&str]| {
        let lacking: Vec<String> =
            these.iter().filter(|name| !those.contains(name)).map(|name| format!("`{name}`")).collect();
        lacking.join(", ")
    };
    ensure!(
        names == recorded,
        "the chapter's variants are not those of `{RECORD}` (new: {}; gone: {}): record them again on a GPU",
        not_in(&names, &recorded),
        not_in(&recorded, &names)
    );
    let pairs = rows.iter().zip(&record.rows).map(|(row, counted)| Pair {
        variant: &row.variant,
        emulator: &row.counters,
        hardware: &counted.metrics,
    });
    let pairs: Vec<Pair> = pairs.collect();
    for pair in &pairs {
        ensure!(!pair.differs(WARPS), "`{}` was recorded in another shape: record it again", pair.variant);
    }
    Ok(pairs)
}

/// A part of the explanations: what differs, how the part begins, and its heading in the table. If there is nothing to
/// compare, any variant may have a reason.
struct Part {
    mark: &'static str,
    title: &'static str,
    differs: Option<fn(&Pair) -> Option<String>>,
}

const PARTS: [Part; 3] = [
    Part { mark: "# memory", title: "Why the memory counters differ", differs: Some(memory_difference) },
    Part { mark: "# L2 reads", title: "What the L2 reads show", differs: None },
    Part {
        mark: "# branches",
        title: "Why the branches differ",
        differs: Some(|pair| pair.branches_differ().then(|| "its branches differ".to_owned())),
    },
];

/// Which memory counters differ, in words.
fn memory_difference(pair: &Pair) -> Option<String> {
    let what = GLOBAL.into_iter().chain(SHARED).find(|&what| pair.differs(what))?;
    let (here, there) = (pair.emulated(what), pair.measured(what));
    Some(format!("{} are {here} here and {there} on hardware", what.0))
}

/// The start of the part about variants that are not compared, and its heading in the table.
const VARIES: &str = "# varies";
const VARIES_TITLE: &str = "What changes from run to run";
const VARIES_NOTE: &str = "The counters of these variants are not compared. The profiler runs a kernel once for each group of counters,\n\
     so the counters of such a row do not even belong to the same run.";

/// A paragraph of the explanations: `variant, variant: why`.
struct Reason<'a> {
    variants: Vec<&'a str>,
    why: String,
}

fn reasons(pairs: &[Pair], why: &str) -> Result<Vec<String>> {
    let varying = paragraphs(part_of(why, VARIES))?;
    named_once(pairs, VARIES, &varying)?;
    let varies = |pair: &Pair| varying.iter().any(|reason| reason.variants.contains(&pair.variant));
    let mut sections = vec![section(VARIES_TITLE, Some(VARIES_NOTE), &varying)];
    for part in &PARTS {
        let reasons = paragraphs(part_of(why, part.mark))?;
        named_once(pairs, part.mark, &reasons)?;
        if let Some(differs) = part.differs {
            let differs = |pair: &Pair| if varies(pair) { None } else { differs(pair) };
            explained(pairs, part.mark, &reasons, differs)?;
        }
        sections.push(section(part.title, None, &reasons));
    }
    Ok(sections)
}

fn section(title: &str, note: Option<&str>, reasons: &[Reason]) -> String {
    if reasons.is_empty() {
        return String::new();
    }
    let mut text = format!("\n## {title}\n\n");
    text.extend(note.map(|note| format!("{note}\n\n")));
    for Reason { variants, why } in reasons {
        let _ = writeln!(text, "- `{}`: {why}", variants.join("`, `"));
    }
    text
}

/// The paragraphs from a mark to the next.
fn part_of<'a>(why: &'a str, mark: &str) -> &'a str {
    let Some((_, rest)) = why.split_once(mark) else { return "" };
    rest.split("\n# ").next().unwrap_or_default()
}

fn paragraphs<'a>(part: &'a str) -> Result<Vec<Reason<'a>>> {
    let paragraphs = part.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    let reason = |paragraph: &'a str| {
        let (variants, why) = paragraph.split_once(':').context("an explanation begins with its variants")?;
        let why: Vec<&str> = why.split_whitespace().collect();
        Ok(Reason { variants: variants.split(',').map(str::trim).collect(), why: why.join(" ") })
    };
    paragraphs.map(reason).collect()
}

/// Checks that no part explains a variant twice, or one that is not in the record.
fn named_once(pairs: &[Pair], mark: &str, reasons: &[Reason]) -> Result<()> {
    let mut left: Vec<&str> = pairs.iter().map(|pair| pair.variant).collect();
    for variant in reasons.iter().flat_map(|reason| &reason.variants) {
        let at = left.iter().position(|left| left == variant);
        let at = at.with_context(|| {
            format!("`{mark}` in `{WHY}` names `{variant}` twice, or `{RECORD}` has no such variant")
        })?;
        left.remove(at);
    }
    Ok(())
}

/// Checks that every variant that differs has a reason, and no other has one.
fn explained(
    pairs: &[Pair],
    mark: &str,
    reasons: &[Reason],
    differs: impl Fn(&Pair) -> Option<String>,
) -> Result<()> {
    let mut off = Vec::new();
    for pair in pairs {
        let has_reason = reasons.iter().any(|reason| reason.variants.contains(&pair.variant));
        match differs(pair) {
            Some(how) if !has_reason => off.push(format!("`{}` has none, and {how}", pair.variant)),
            None if has_reason => off.push(format!("`{}` has one, and nothing differs", pair.variant)),
            _ => {}
        }
    }
    if let Some(first) = off.first() {
        bail!(
            "explanations under `{mark}` in `{WHY}`, one where something differs always: {first}; {} more",
            off.len() - 1
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(branches: u64) -> Table<Counted> {
        let values = metrics()
            .into_iter()
            .map(|metric| (metric.to_owned(), 4))
            .chain([(BRANCHES.to_owned(), branches), (DIVERGENT.to_owned(), 0)]);
        let shared = SHARED.iter().flat_map(|(_, _, metrics)| metrics.iter());
        let values = values.chain(shared.map(|&metric| (metric.to_owned(), 0)));
        let row = Counted { variant: "one".to_owned(), metrics: values.collect() };
        Table { origin: "somewhere".to_owned(), rows: vec![row], ..Table::default() }
    }

    fn report(sectors: u64) -> Report {
        let counters = [
            ("warps", 4),
            ("global_load_requests", 4),
            ("global_load_sectors", sectors),
            ("global_store_requests", 4),
            ("global_store_sectors", 4),
            ("global_atomic_requests", 8),
            ("global_atomic_sectors", 8),
            ("ptx_instructions", 9),
            ("ptx_branches", 2),
            ("ptx_divergent_branches", 0),
        ];
        let counters = counters.map(|(name, value)| (name.to_owned(), value)).into();
        let row = Row { variant: "one".into(), kernels: vec!["one".into()], counters, ..Row::default() };
        let section = record::Section { rows: vec![row], ..record::Section::default() };
        Report { sections: vec![section], ..Report::default() }
    }

    #[test]
    fn what_a_record_is_too_old_to_have_is_no_column_and_no_difference() {
        let sectors =
            |record: &Table<Counted>| table(record, &report(4), "").unwrap().contains("| atomic sectors |");
        let mut old = record(2);
        assert!(sectors(&old));
        old.rows[0].metrics.shift_remove("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum");
        assert!(!sectors(&old));
    }

    #[test]
    fn a_row_of_the_host_alone_has_nothing_to_compare() {
        let mut report = report(4);
        report.sections[0].rows.push(Row { variant: "host".into(), ..Row::default() });
        assert_eq!(rows(&report).count(), 1);
        assert!(table(&record(2), &report, "").is_ok());
    }

    #[test]
    fn a_difference_in_memory_needs_a_reason() {
        assert!(table(&record(2), &report(4), "").is_ok());
        let error = table(&record(2), &report(5), "").unwrap_err().to_string();
        assert!(error.contains("`one` has none, and load sectors are 5 here and 4 on hardware"), "{error}");
        let text = table(&record(2), &report(5), "# memory\n\none: why\n").unwrap();
        assert!(text.contains("| 5 / 4 |") && text.contains("counters differ\n\n- `one`: why\n"), "{text}");
    }

    #[test]
    fn l2_reads_may_be_explained_of_any_variant() {
        let text = table(&record(2), &report(4), "# L2 reads\n\none: it\n is so\n").unwrap();
        assert!(text.ends_with("\n## What the L2 reads show\n\n- `one`: it is so\n"), "{text}");
        let error = table(&record(2), &report(4), "# L2 reads\n\none, two: why\n").unwrap_err().to_string();
        assert!(error.starts_with("`# L2 reads` in"), "{error}");
    }

    #[test]
    fn a_difference_is_explained_and_nothing_else_is() {
        assert!(table(&record(3), &report(4), "").unwrap_err().to_string().contains("has none"));
        let why = "# branches\n\none: it is\n so\n\n# other\n";
        assert!(table(&record(2), &report(4), why).unwrap_err().to_string().contains("has one"));
        assert!(table(&record(3), &report(4), why).unwrap().ends_with("- `one`: it is so\n"));
    }

    #[test]
    fn what_varies_needs_no_difference_and_has_one_explanation() {
        let why = "# varies\n\none: it waits\n";
        for (branches, sectors) in [(2, 4), (3, 4), (2, 5)] {
            let text = table(&record(branches), &report(sectors), why).unwrap();
            assert!(
                text.contains("## What changes from run to run") && text.ends_with("- `one`: it waits\n"),
                "{text}"
            );
        }
        let both = format!("{why}\n# branches\n\none: it is so\n");
        let error = table(&record(3), &report(4), &both).unwrap_err().to_string();
        assert!(error.contains("`one` has one, and nothing differs"), "{error}");
    }

    #[test]
    fn an_explanation_of_no_variant_is_refused() {
        for why in ["# varies\n\ntwo: it waits\n", "# branches\n\none: so\n\none: and so\n"] {
            let error = table(&record(3), &report(4), why).unwrap_err().to_string();
            assert!(error.contains("twice, or"), "{error}");
        }
    }
}
