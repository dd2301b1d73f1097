//! A running chapter: the machines, the reader's options, and the report so far.
//!
//! A chapter names sections and variants, and says how each is run and judged. This module decides which of them are
//! run, at which size, and how all of it is shown, in the same way for every chapter. What it leaves out: knowledge of
//! any kernel.

use anyhow::{Result, bail};

use crate::cli::Options;
use crate::device::Device;
use crate::progress::Progress;
use crate::report::columns::Column;
use crate::report::{Report, Row, Section};
use spec::layout::{bytes, grouped};

/// What a chapter works with.
pub struct Lab {
    options: Options,
    device: Device,
    progress: Progress,
    report: Report,
    /// All variants, run or not.
    names: Vec<String>,
    /// Whether this pass only collects names and sizes, and runs nothing.
    is_rehearsal: bool,
    /// The sections of which something will be run.
    planned: Vec<String>,
    /// Whether the last section has reached its variants. Settings that are requested from then on belong to the next
    /// section.
    is_under_way: bool,
    /// The settings that have been requested since.
    asked: Vec<(&'static str, u64)>,
}

/// Kernels number their threads with an `int`, and the last block may extend past the last element.
const MOST_ELEMENTS: u64 = i32::MAX as u64 - 1023;

impl Lab {
    pub(crate) fn new(options: Options, name: &str, title: &str) -> Result<Lab> {
        let mut device = Device::open(options.device)?;
        device.set_timed_runs(options.runs);
        device.set_watch(options.check);
        device.set_plain(options.plain);
        if let Some(cores) = options.cores {
            device.set_cores(cores);
        }
        let report = Report {
            chapter: name.to_owned(),
            title: title.to_owned(),
            machines: device.about(),
            missing: device.missing().map(str::to_owned),
            ..Report::default()
        };
        Ok(Lab {
            options,
            device,
            progress: Progress::start(),
            report,
            names: Vec::new(),
            is_rehearsal: false,
            planned: Vec::new(),
            is_under_way: true,
            asked: Vec::new(),
        })
    }

    /// How many elements to work on: what the reader asked for, or `default`. All arrays together take `element_bytes`
    /// of memory for each element.
    pub fn size(&mut self, default: usize, element_bytes: u64) -> Result<usize> {
        let size = self.options.size.unwrap_or(default);
        let (memory, machine) = self.device.memory();
        let most = MOST_ELEMENTS.min(memory / element_bytes);
        if size as u64 > most {
            let wanted = bytes((size as u64).saturating_mul(element_bytes));
            let (there, most) = (bytes(memory), grouped(most));
            bail!(
                "`--size {size}` needs {wanted}, but the {machine} has only {there} for it: ask for at most {most} elements"
            );
        }
        self.setting("size", size as u64);
        Ok(size)
    }

    /// How many threads a block has: what the reader asked for, or `default`.
    pub fn block(&mut self, default: u32) -> u32 {
        let block = self.options.block.unwrap_or(default);
        self.setting("block", block.into());
        block
    }

    /// How many elements a section works on that has a size of its own. The chapter's settings name it only if the reader
    /// asked for it.
    pub fn own_size(&mut self, default: usize, element_bytes: u64) -> Result<usize> {
        if self.options.size.is_some() { self.size(default, element_bytes) } else { Ok(default) }
    }

    /// The same for the threads of a block.
    pub fn own_block(&mut self, default: u32) -> u32 {
        if self.options.block.is_some() { self.block(default) } else { default }
    }

    /// The seed of everything random: inputs and schedules.
    pub fn seed(&mut self) -> u64 {
        self.setting("seed", self.options.seed);
        self.options.seed
    }

    fn setting(&mut self, name: &'static str, value: u64) {
        let settings = if self.is_under_way { &mut self.asked } else { &mut self.last_section().settings };
        if settings.iter().all(|(known, _)| *known != name) {
            settings.push((name, value));
        }
    }

    /// Starts a section: a question, and the counters that answer it.
    pub fn section(&mut self, name: &str, title: &str, columns: &[Column]) {
        self.report.sections.push(Section {
            name: name.to_owned(),
            title: title.to_owned(),
            settings: std::mem::take(&mut self.asked),
            columns: columns.to_vec(),
            ..Section::default()
        });
        self.is_under_way = false;
    }

    /// Runs a variant, unless the reader asked for others. Its buffers are freed at the end.
    pub fn variant(&mut self, name: &str, work: impl FnOnce(&mut Device) -> Result<Row>) -> Result<()> {
        if let Some(row) = self.selected(name, work)? {
            self.last_section().rows.push(Row { variant: name.to_owned(), ..row });
        }
        Ok(())
    }

    /// Draws a picture of a run on the emulator, in lines of text, unless the reader asked for something else.
    pub fn picture(&mut self, name: &str, draw: impl FnOnce(&mut Device) -> Result<String>) -> Result<()> {
        if let Some(lines) = self.selected(name, |device| device.without_gpu(draw))? {
            self.last_section().pictures.insert(name.to_owned(), lines);
        }
        Ok(())
    }

    fn selected<R>(&mut self, name: &str, work: impl FnOnce(&mut Device) -> Result<R>) -> Result<Option<R>> {
        debug_assert!(!self.names.iter().any(|known| known == name), "two variants are called `{name}`");
        self.names.push(name.to_owned());
        self.is_under_way = true;
        let section = self.last_section().name.clone();
        let is_wanted = |only: &Vec<String>| only.iter().any(|only| only == name || *only == section);
        if !self.options.only.as_ref().is_none_or(is_wanted) {
            return Ok(None);
        }
        if self.is_rehearsal {
            self.planned.push(section);
            return Ok(None);
        }
        self.progress.set(name);
        self.device.scope(work).map(Some)
    }

    fn last_section(&mut self) -> &mut Section {
        self.report.sections.last_mut().expect("a section comes before what is in it")
    }

    /// Adds a remark about what the emulator found in the section, if the rows that it concerns were run.
    pub fn notice(&mut self, say: impl FnOnce(&Section) -> Option<String>) {
        let section = self.last_section();
        section.notes.extend(say(section));
    }

    /// Adds a remark about what the GPU did, if the rows that it concerns were run on one.
    pub fn gpu_notice(&mut self, say: impl FnOnce(&Section) -> Option<String>) {
        let section = self.last_section();
        section.gpu_notes.extend(say(section));
    }

    /// Goes through a chapter without running anything. So requests that cannot be met are refused before a line is
    /// printed, and the head of the report is known.
    pub(crate) fn rehearse(&mut self, run: impl FnOnce(&mut Lab) -> Result<()>) -> Result<()> {
        self.is_rehearsal = true;
        run(self)?;
        self.check_names()?;
        // In the order in which sections request them, each section would have an order of its own.
        for section in std::mem::take(&mut self.report.sections) {
            for setting in section.settings.into_iter().filter(|_| self.planned.contains(&section.name)) {
                if !self.report.settings.contains(&setting) {
                    self.report.settings.push(setting);
                }
            }
        }
        put_in_order(&mut self.report.settings);
        (self.is_rehearsal, self.is_under_way) = (false, true);
        self.names.clear();
        self.asked.clear();
        Ok(())
    }

    /// Refuses names that the reader asked for and that do not exist.
    fn check_names(&self) -> Result<()> {
        let sections: Vec<&str> = self.report.sections.iter().map(|section| section.name.as_str()).collect();
        let is_known = |only: &&String| self.names.contains(only) || sections.contains(&only.as_str());
        let Some(unknown) = self.options.only.iter().flatten().find(|only| !is_known(only)) else {
            return Ok(());
        };
        let near = self.names.iter().map(String::as_str).chain(sections.iter().copied());
        let near: Vec<String> =
            near.filter(|name| is_near(name, unknown)).map(|name| format!("`{name}`")).collect();
        let hint =
            if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(" or ")) };
        let sections = sections.join(", ");
        bail!(
            "there is no variant or section `{unknown}`: {hint}the sections are {sections}; run one to see its variants"
        );
    }

    /// The report so far.
    pub(crate) fn report(&self) -> &Report {
        &self.report
    }

    /// The report, once everything was run.
    pub(crate) fn finish(mut self) -> Report {
        self.report.unwatched = self.device.unwatched();
        self.report.sections.iter_mut().for_each(|section| put_in_order(&mut section.settings));
        self.report
    }
}

/// Sorts settings into the order in which they are shown.
fn put_in_order(settings: &mut [(&str, u64)]) {
    settings.sort_by_key(|(name, _)| ["size", "block", "seed"].iter().position(|known| known == name));
}

/// Whether a reader who typed `typed` may have meant `name`: it is a part of the name, or similar to it.
fn is_near(name: &str, typed: &str) -> bool {
    !typed.is_empty() && (name.contains(typed) || strsim::jaro_winkler(name, typed) > 0.9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_or_a_slip_of_the_finger_is_near() {
        assert!(
            is_near("shapes", "shape") && is_near("sum_tile", "sum_tilr") && is_near("direct_8x32", "8x32")
        );
        assert!(!is_near("shapes", "nonsense") && !is_near("sum", ""));
    }
}
