//! The facts about a run that questions ask for.

use anyhow::{Context, Error, Result, ensure};
use simt::{Actor, Counters, Fault, Severity};

use crate::catalogue::Exercise;
use crate::gates;
use crate::question::{From, Question};
use crate::run::{Bytes, How, Kernel, Ran};
use crate::sets;
use crate::source::Version;

/// The right answer, from a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Truth {
    /// A set of lanes, warps or elements.
    Lanes(u64),
    /// A count or an average.
    Number(f64),
    /// Numbers, one for each lane.
    Values(Vec<String>),
    /// A word.
    Word(String),
}

impl Truth {
    /// The answer as a learner would write it.
    pub fn text(&self) -> String {
        match self {
            Truth::Lanes(mask) => sets::show(*mask),
            Truth::Number(number) => format!("{number}"),
            Truth::Values(values) => values.join(", "),
            Truth::Word(word) => word.clone(),
        }
    }

    /// How to write an answer of this kind.
    pub fn how_to_answer(&self, choices: &[String]) -> String {
        match self {
            Truth::Lanes(_) => "numbers as in \"0-15, 20\", or \"none\"".to_owned(),
            Truth::Number(_) => "a number".to_owned(),
            Truth::Values(values) => format!("{} numbers, with commas between them", values.len()),
            Truth::Word(_) => format!("one of {}", choices.join(", ")),
        }
    }

    /// Lines that show it; lanes as a picture, unless the numbers are those of warps.
    pub fn picture(&self, Question { name, from, .. }: &Question) -> Vec<String> {
        match self {
            Truth::Lanes(mask) if mask >> 32 == 0 && *from != From::Warps => {
                vec![format!("{name}: {}", self.text()), sets::RULER.to_owned(), sets::picture(*mask)]
            }
            Truth::Values(values) => {
                let rows = values.chunks(8).zip((0..).step_by(8)).map(|(row, first)| {
                    let cells: Vec<String> = row.iter().map(|value| format!("{value:>6}")).collect();
                    format!("{first:>4}: {}", cells.join(" "))
                });
                let by = if values.len() == 32 { "by lane" } else { "by element" };
                std::iter::once(format!("{name}, {by}:")).chain(rows).collect()
            }
            _ => vec![format!("{name}: {}", self.text())],
        }
    }
}

/// Lanes of a warp that executed an instruction of a line.
#[derive(Clone, Copy, Debug)]
struct Seen {
    block: u64,
    warp: u32,
    line: u32,
    active: u32,
}

/// A run of an exercise's kernel, with its one case, seed 0 and all checkers.
#[derive(Debug)]
pub(crate) struct Observed<'e> {
    exercise: &'e Exercise,
    /// The kernel's text as learners see it.
    text: String,
    ran: Ran,
    seen: Vec<Seen>,
}

impl Observed<'_> {
    /// Runs it.
    pub fn of(exercise: &Exercise) -> Result<Observed<'_>> {
        let text = exercise.source().text(&Version::Solution);
        let kernel = Kernel { exercise, ptx: &exercise.ptx() };
        let case = exercise.cases.first().context("there is no case")?;
        let how = How::watched(0, MAX_STEPS);
        let (grid, _) = exercise.launch(case, 0)?.shape().map_err(Error::msg)?;
        let mut seen = Vec::new();
        let ran = kernel.run_traced(
            case,
            &how,
            Some(&mut |step, module| {
                let line = match (exercise.is_ptx(), module.site(step.instruction)) {
                    (true, site) => site.ptx_line,
                    (false, site) => site.source.map_or(0, |source| source.line),
                };
                let at = step.block;
                let block = u64::from(at.x)
                    + u64::from(grid.x) * (u64::from(at.y) + u64::from(grid.y) * u64::from(at.z));
                seen.push(Seen { block, warp: step.warp, line, active: step.active });
            }),
        )?;
        Ok(Observed { exercise, text, ran, seen })
    }

    /// The right answer to a question.
    pub fn truth(&self, question: &Question) -> Result<Truth> {
        Ok(match &question.from {
            From::Lanes { at, block, warp } => {
                let line = self.line(at)?;
                let here = |seen: &&Seen| (seen.block, seen.warp, seen.line) == (*block, *warp, line);
                Truth::Lanes(
                    self.seen.iter().filter(here).fold(0, |mask, seen| mask | u64::from(seen.active)),
                )
            }
            From::Counter { name, at } => {
                Truth::Number(gates::counter(name, &self.counters(at.as_deref())?)?.1)
            }
            From::Value { of, index } => self.value(of, *index)?,
            From::Values { of, count } => {
                let values = (0..*count).map(|index| Ok(self.value(of, index)?.text()));
                Truth::Values(values.collect::<Result<_>>()?)
            }
            From::Marked { of } => {
                let all = self.elements(of)?;
                ensure!(all.len() <= 64, "`{of}` has more than 64 elements");
                let is_set = |element: &[u8]| element.iter().any(|&byte| byte != 0);
                let set = all.iter().enumerate().filter(|(_, element)| is_set(element));
                Truth::Lanes(set.fold(0, |mask, (index, _)| mask | 1 << index))
            }
            From::Fault => Truth::Word(self.fault().map_or("none", |fault| fault.kind.name()).to_owned()),
            From::Warps => self.actors(|actor| actor.warp),
            From::FaultLanes => self.actors(|actor| actor.lane),
        })
    }

    /// The number of the line that ends with a mark.
    fn line(&self, mark: &str) -> Result<u32> {
        let mut lines = self.text.lines().zip(1..).filter(|(line, _)| line.trim_end().ends_with(mark));
        let (_, number) = lines.next().with_context(|| format!("no line ends in `{mark}`"))?;
        ensure!(lines.next().is_none(), "several lines end in `{mark}`");
        Ok(number)
    }

    fn counters(&self, at: Option<&str>) -> Result<Counters> {
        let Some(mark) = at else { return Ok(self.ran.report.counters) };
        let line = self.line(mark)?;
        let found = self.ran.report.lines.iter().find(|counted| counted.source.line == line);
        Ok(found.with_context(|| format!("no instruction is of the line with `{mark}`"))?.counters)
    }

    fn bytes(&self, name: &str) -> Result<&Bytes> {
        let index = self.exercise.arguments.iter().position(|argument| argument.name == name);
        let bytes = index.and_then(|index| self.ran.buffers[index].as_ref());
        bytes.with_context(|| format!("there is no buffer `{name}`"))
    }

    /// The elements of a buffer after the run.
    fn elements(&self, name: &str) -> Result<Vec<&[u8]>> {
        let bytes = self.bytes(name)?;
        Ok(bytes.after.chunks_exact(bytes.ty.bytes).collect())
    }

    fn value(&self, name: &str, index: u64) -> Result<Truth> {
        let ty = self.bytes(name)?.ty;
        let elements = self.elements(name)?;
        let element =
            elements.get(index as usize).with_context(|| format!("`{name}` has no element {index}"))?;
        let text = ty.show(element);
        let number =
            text.parse().with_context(|| format!("{name}[{index}] is {text}, which is not a number"))?;
        Ok(Truth::Number(number))
    }

    /// The first fault that is more than a note.
    fn fault(&self) -> Option<&Fault> {
        self.ran.report.faults.iter().find(|fault| fault.severity != Severity::Note)
    }

    fn actors(&self, number: impl Fn(&Actor) -> u32) -> Truth {
        let actors = self.fault().map_or(&[][..], |fault| &fault.actors);
        Truth::Lanes(actors.iter().fold(0, |mask, actor| mask | 1 << number(actor)))
    }
}

/// The number of steps after which a kernel to predict is stopped: such kernels are small.
const MAX_STEPS: u64 = 10_000_000;
