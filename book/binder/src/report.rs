//! What a chapter printed, cut into sections, tables, pictures and remarks.
//!
//! A report is text for a terminal, and the book shows it as such; this finds the parts that a page asks for. The names of
//! rows and pictures come from the same report as JSON.

use anyhow::{Context, Result, bail};

/// A record: what one command printed on one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<'a> {
    /// The command, without the prompt.
    pub command: &'a str,
    lines: Vec<&'a str>,
}

/// A section of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section<'a> {
    title: Vec<&'a str>,
    head: Vec<&'a str>,
    rows: Vec<Part<'a>>,
    pictures: Vec<Part<'a>>,
    items: Vec<Item<'a>>,
}

/// Lines under a name.
type Part<'a> = (&'a str, Vec<&'a str>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Item<'a> {
    mark: char,
    lines: Vec<&'a str>,
}

/// What of a section is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Head and table.
    Table,
    /// The head, and the rows of these names.
    Rows(Vec<String>),
    /// A picture.
    Picture(String),
    /// What to notice.
    Notes,
    /// Everything but the faults.
    All,
}

/// The reports in a file: each begins with a line `$ command`.
pub fn reports(text: &str) -> Vec<Report<'_>> {
    let mut reports: Vec<Report<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            let command = command.split("  # ").next().unwrap_or(command);
            reports.push(Report { command, lines: Vec::new() });
        } else if let Some(report) = reports.last_mut() {
            report.lines.push(line);
        }
    }
    reports
}

impl<'a> Report<'a> {
    /// A section by name, with the names of its rows and pictures.
    pub fn section(&self, name: &str, rows: &[&'a str], pictures: &[&'a str]) -> Result<Section<'a>> {
        let start = self.lines.iter().position(|line| line.starts_with(&format!("{name}: ")));
        let start = start.with_context(|| format!("`{}` printed no section `{name}`", self.command))?;
        let lines = self.lines[start..].iter().take_while(|line| !line.is_empty());
        let mut section = Section::default();
        for &line in lines {
            section.take(line, rows, pictures);
        }
        Ok(section)
    }
}

impl<'a> Section<'a> {
    fn take(&mut self, line: &'a str, rows: &[&'a str], pictures: &[&'a str]) {
        let first = line.split_whitespace().next().unwrap_or_default();
        if let Some(mark) = mark(line) {
            self.items.push(Item { mark, lines: vec![line] });
        } else if let Some(item) = self.items.last_mut() {
            item.lines.push(line);
        } else if pictures.contains(&line) {
            self.pictures.push((line, Vec::new()));
        } else if let Some((_, picture)) = self.pictures.last_mut() {
            picture.push(line);
        } else if !line.starts_with(' ')
            && let Some(row) = rows.iter().find(|row| **row == first)
        {
            self.rows.push((row, vec![line]));
        } else if let Some((_, row)) = self.rows.last_mut() {
            row.push(line);
        } else if line.starts_with(' ') {
            self.head.push(line);
        } else {
            self.title.push(line);
        }
    }

    /// The lines that are wanted.
    pub fn text(&self, wanted: &Wanted) -> Result<String> {
        let mut lines: Vec<&str> = Vec::new();
        match wanted {
            Wanted::Table => self.table(&mut lines, |_| true),
            Wanted::Rows(names) => {
                if let Some(name) = names.iter().find(|name| self.rows.iter().all(|(row, _)| row != name)) {
                    bail!("the section has no row `{name}`; it has {}", list(&self.rows));
                }
                self.table(&mut lines, |row| names.iter().any(|name| name == row));
            }
            Wanted::Picture(name) => lines.extend(self.picture(name)?),
            Wanted::Notes => lines.extend(self.items('*')),
            Wanted::All => {
                self.table(&mut lines, |_| true);
                lines.extend(
                    self.pictures.iter().flat_map(|(name, picture)| [name].into_iter().chain(picture)),
                );
                lines.extend(self.items('-'));
                lines.extend(self.items('*'));
            }
        }
        if lines.is_empty() {
            bail!("the section has nothing of that kind");
        }
        Ok(lines.join("\n"))
    }

    fn table(&self, lines: &mut Vec<&'a str>, is_wanted: impl Fn(&str) -> bool) {
        lines.extend(self.title.iter().chain(&self.head));
        lines.extend(self.rows.iter().filter(|(row, _)| is_wanted(row)).flat_map(|(_, row)| row));
    }

    fn picture(&self, name: &str) -> Result<&[&'a str]> {
        let found = self.pictures.iter().find(|(picture, _)| *picture == name);
        let (_, lines) = found.with_context(|| {
            format!("the section has no picture `{name}`; it has {}", list(&self.pictures))
        })?;
        Ok(lines)
    }

    fn items(&self, mark: char) -> impl Iterator<Item = &'a str> {
        self.items.iter().filter(move |item| item.mark == mark).flat_map(|item| item.lines.iter().copied())
    }
}

/// The mark of a fault (`!`), a remark about a row (`-`) or something to notice (`*`).
fn mark(line: &str) -> Option<char> {
    let mut chars = line.strip_prefix("  ")?.chars();
    let mark = chars.next().filter(|mark| "!-*".contains(*mark))?;
    (chars.next() == Some(' ')).then_some(mark)
}

fn list(parts: &[Part<'_>]) -> String {
    match parts.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>() {
        names if names.is_empty() => "none".to_owned(),
        names => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a machine\n$ run it  # kept by somebody\nTitle\non: emulator\nwith: size 4\n\nfirst: what is\nit?\n       head\na  ok  1\nlong-name\n   ok  2\npic\n  ##\n  ! a: race: bad\n      more\n  - a: remark\n  * Notice\n    this.\n\nsecond: no\n";

    fn section() -> Section<'static> {
        reports(TEXT)[0].section("first", &["a", "long-name"], &["pic"]).unwrap()
    }

    #[track_caller]
    fn check(wanted: &Wanted, text: &str) {
        assert_eq!(section().text(wanted).unwrap(), text);
    }

    #[test]
    fn a_report_says_what_was_typed() {
        assert_eq!(reports(TEXT)[0].command, "run it");
    }

    #[test]
    fn parts_are_found() {
        check(
            &Wanted::Rows(vec!["long-name".into()]),
            "first: what is\nit?\n       head\nlong-name\n   ok  2",
        );
        check(&Wanted::Picture("pic".into()), "  ##");
        check(&Wanted::Notes, "  * Notice\n    this.");
        let all = section().text(&Wanted::All).unwrap();
        assert!(all.contains("remark") && all.contains("##") && !all.contains("race"));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let error = section().text(&Wanted::Rows(vec!["b".into()])).unwrap_err().to_string();
        assert_eq!(error, "the section has no row `b`; it has `a`, `long-name`");
        assert!(reports(TEXT)[0].section("third", &[], &[]).is_err());
    }
}
