//! Records in CSV: what NVIDIA's profiler and race checker counted. Comments before the table say how it was made.

use anyhow::{Context, Result, ensure};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};

use crate::Named;

/// A table whose rows have the type `R`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table<R> {
    /// Where, when and how it was made: the first comment.
    pub origin: String,
    /// The other comments, each a name and a value: the checksums of the instructions that were run, by PTX file.
    pub code: Named<String>,
    /// The rows.
    pub rows: Vec<R>,
}

/// A row of `h200_counters.csv`, `h200_note_size_counters.csv` or `h200_racecheck.csv`: what a tool counted in a variant.
/// Sums are whole; averages are not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
pub struct Counted<T = u64> {
    /// The variant, as the chapter's report calls it; a product in the tables of `tools/benchmarks/gpu/products`.
    #[serde(alias = "product")]
    pub variant: String,
    /// The counts by the tool's names for them, in the order of the columns.
    #[serde(flatten)]
    pub metrics: Named<T>,
}

/// A row of `h200_profile.csv`: a metric of the profiler's full report on a variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// The variant.
    pub row: String,
    /// The report's section.
    pub section: String,
    /// The metric's name in the section.
    pub metric: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// A number, with the profiler's digits.
    #[serde(deserialize_with = "number")]
    pub value: String,
}

fn number<'de, D: Deserializer<'de>>(cell: D) -> Result<String, D::Error> {
    let cell = String::deserialize(cell)?;
    cell.parse::<f64>().map_err(D::Error::custom)?;
    Ok(cell)
}

/// A row of `tools/benchmarks/gpu/atomics/h200.csv`: what the profiler counted in a launch of a single atomic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Atomic {
    /// The operation, as `cases.txt` beside the record names it.
    pub operation: String,
    /// The pattern of the lanes' addresses, from the same file.
    pub pattern: String,
    /// The counts by metric.
    #[serde(flatten)]
    pub metrics: Named<u64>,
}

impl<R: DeserializeOwned> Table<R> {
    /// Reads a table. An error calls it `what`.
    ///
    /// # Errors
    /// If it does not say how it was made, or a row is not as `R` has it.
    pub fn read(text: &str, what: &str) -> Result<Self> {
        let mut comments = text.lines().map_while(|line| line.strip_prefix("# "));
        let origin =
            comments.next().with_context(|| format!("{what} does not say how it was made"))?.to_owned();
        let code = comments.filter_map(|comment| comment.split_once(' '));
        let code = code.map(|(file, sum)| (file.to_owned(), sum.to_owned())).collect();
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let rows = reader.deserialize().collect::<csv::Result<_>>();
        Ok(Self { origin, code, rows: rows.with_context(|| format!("{what} is no table of this kind"))? })
    }
}

impl<R> Table<R> {
    fn write(&self, rows: impl FnOnce(&mut csv::Writer<Vec<u8>>) -> csv::Result<()>) -> String {
        let mut text = format!("# {}\n", self.origin);
        text.extend(self.code.iter().map(|(file, sum)| format!("# {file} {sum}\n")));
        let mut writer = csv::Writer::from_writer(text.into_bytes());
        rows(&mut writer).expect("all rows have the same columns");
        String::from_utf8(writer.into_inner().expect("memory can be written")).expect("all cells are text")
    }
}

impl<T: Copy + ToString> Table<Counted<T>> {
    /// The counts of a variant.
    ///
    /// # Errors
    /// If it has no row.
    pub fn row(&self, variant: &str) -> Result<&Named<T>> {
        let found = self.rows.iter().find(|row| row.variant == variant);
        Ok(&found.with_context(|| format!("there is no row `{variant}`"))?.metrics)
    }

    /// A count of a variant.
    ///
    /// # Errors
    /// If there is none.
    pub fn metric(&self, variant: &str, metric: &str) -> Result<T> {
        let found = self.row(variant)?.get(metric);
        found.copied().with_context(|| format!("row `{variant}` has no metric `{metric}`"))
    }

    /// The text that [`Table::read`] reads.
    pub fn text(&self) -> String {
        self.write(|writer| {
            let metrics = self.rows.iter().take(1).flat_map(|row| row.metrics.keys().map(String::as_str));
            writer.write_record(["variant"].into_iter().chain(metrics))?;
            self.rows.iter().try_for_each(|Counted { variant, metrics }| {
                writer.write_record([variant.clone()].into_iter().chain(metrics.values().map(T::to_string)))
            })
        })
    }
}

impl Table<Metric> {
    /// The text that [`Table::read`] reads.
    pub fn text(&self) -> String {
        self.write(|writer| self.rows.iter().try_for_each(|row| writer.serialize(row)))
    }
}

/// The launches in what the profiler prints with `--csv --page raw`, in order: their cells by column.
///
/// # Errors
/// If there is no table.
pub fn launches(printed: &str) -> Result<Vec<Named<String>>> {
    // Lines that do not begin with a quotation mark are from the program.
    let table: Vec<&str> = printed.lines().filter(|line| line.starts_with('"')).collect();
    let mut rows: Vec<Named<String>> =
        csv::Reader::from_reader(table.join("\n").as_bytes()).deserialize().collect::<csv::Result<_>>()?;
    // The first line below the names contains units.
    rows.retain(|cells| cells.get("ID").is_some_and(|id| !id.is_empty()));
    ensure!(!rows.is_empty(), "the profiler's output has no table: run `ncu --csv --page raw`");
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn tables(ending: &str) -> Vec<(PathBuf, String)> {
        let chapters = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../chapters")).unwrap();
        let files =
            chapters.flat_map(|chapter| fs::read_dir(chapter.unwrap().path().join("output")).unwrap());
        let paths = files.map(|file| file.unwrap().path());
        let paths = paths.filter(|path| path.to_string_lossy().ends_with(ending));
        paths.map(|path| (path.clone(), fs::read_to_string(path).unwrap().replace("\r\n", "\n"))).collect()
    }

    /// The records can be read, and writing them again changes nothing.
    #[test]
    fn committed_tables_survive_being_read_and_written() {
        for (path, text) in [tables("h200_counters.csv"), tables("_racecheck.csv")].concat() {
            let table: Table<Counted> = Table::read(&text, "it").unwrap();
            assert!(!table.rows.is_empty() && table.text() == text, "{}", path.display());
        }
        for (path, text) in tables("h200_profile.csv") {
            let table: Table<Metric> = Table::read(&text, "it").unwrap();
            assert!(!table.code.is_empty() && table.text() == text, "{}", path.display());
        }
        assert_eq!([tables("_counters.csv").len(), tables("_profile.csv").len()], [13, 2]);
    }

    #[test]
    fn a_count_is_found_or_named() {
        let table: Table<Counted<f64>> = Table::read("# here\nvariant,a,b\none,1,2.5\n", "it").unwrap();
        assert_eq!(table.metric("one", "b").unwrap().to_string(), "2.5");
        assert!(table.metric("two", "b").unwrap_err().to_string().contains("no row `two`"));
        assert!(table.metric("one", "c").unwrap_err().to_string().contains("no metric `c`"));
    }

    #[test]
    fn a_cell_that_is_no_number_is_refused() {
        let read = |text: &str| Table::<Counted>::read(text, "it").map_err(|error| format!("{error:#}"));
        assert!(read("# here\nvariant,a\none,x\n").unwrap_err().contains("it is no table of this kind"));
        assert!(read("# here\nvariant,a,b\none,1\n").unwrap_err().contains("line: 3"));
        assert!(read("variant,a\none,1\n").unwrap_err().contains("does not say how"));
    }

    #[test]
    fn a_line_of_a_profile_has_five_cells_and_a_number() {
        let read = |line: &str| {
            Table::<Metric>::read(&format!("# here\nrow,section,metric,unit,value\n{line}"), "it")
        };
        let table = read("a,Memory Workload Analysis,L1/TEX Hit Rate,%,50.06").unwrap();
        assert_eq!(
            (table.rows[0].metric.as_str(), table.rows[0].value.as_str()),
            ("L1/TEX Hit Rate", "50.06")
        );
        assert!(read("a,b,c,50").is_err() && read("a,b,c,d,Spread").is_err());
    }
}
