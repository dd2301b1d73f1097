//! Signs of life of a long run: progress on the terminal, and Ctrl-C, which ends the run with what is known so far.
//!
//! Both look at the run's pulse only. What it leaves out: a run that ends within a second, which needs neither.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use cudac::Line;
use simt::Pulse;

use crate::resolve::{Step, signature};
use spec::layout::{counted, grouped};
use thirty_two_lanes::progress::Progress;

/// The status after Ctrl-C, if nothing was found until then: 128 and the number of the signal, as shells count.
pub const INTERRUPTED: u8 = 130;

/// What stands after the progress of a run that [`listen`]s.
pub const HINT: &str = "; Ctrl-C ends it";

/// Shows how far launches have come, until it is dropped. They run once for each of so many seeds. `hint` stands at the end.
pub fn progress(steps: &[Step], seeds: u64, pulse: &Arc<Pulse>, hint: &'static str) -> Progress {
    let blocks = steps.iter().map(|step| step.launch.grid.count()).fold(0, u64::saturating_add);
    let total = blocks.saturating_mul(seeds);
    let what = match steps {
        [only] => signature::short(&only.kernel.name),
        several => counted(several.len() as u64, "launch").replace("launchs", "launches"),
    };
    let what = if seeds > 1 { format!("{what}, {} seeds", grouped(seeds)) } else { what };
    let pulse = Arc::clone(pulse);
    Progress::watching(move |elapsed| line(&what, &pulse, total, elapsed) + hint)
}

/// Lets Ctrl-C, or a request to end, end the launches of these pulses; a second one ends the program at once.
pub fn listen(pulses: Vec<Arc<Pulse>>) -> Result<()> {
    let stop = move || {
        // One of two has stopped if a program that the interpreter would take long with has been handed to clang.
        if pulses.iter().all(|pulse| pulse.is_stopping()) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        for pulse in &pulses {
            pulse.stop();
        }
    };
    ctrlc::set_handler(stop).context("cannot listen for Ctrl-C")
}

/// Shows what a whole program does, until it is dropped.
pub fn of_program(files: &[String], signs: &Arc<Signs>, pulse: &Arc<Pulse>) -> Progress {
    let (files, signs, pulse) = (files.to_owned(), Arc::clone(signs), Arc::clone(pulse));
    Progress::watching(move |_| signs.line(&files, &pulse) + HINT)
}

/// What a whole program has done so far: its turns of loops and its launches, and the line where it is.
#[derive(Debug, Default)]
pub struct Signs(Mutex<(u64, u64, Line)>);

impl Signs {
    pub fn set(&self, turns: u64, launches: u64, line: Line) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (turns, launches, line);
    }

    /// `sum.cu, line 12: 4,000,000 turns of loops and calls, 20 launches of 38.2 M steps`.
    fn line(&self, files: &[String], pulse: &Pulse) -> String {
        let name = |file: usize| files.get(file).map_or("", String::as_str);
        if pulse.is_stopping() {
            return format!("{}: stopping, because of Ctrl-C", name(0));
        }
        let (turns, launches, line) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = match launches {
            0 => String::new(),
            _ => format!(" of {:.1} M steps", pulse.steps() as f64 / 1e6),
        };
        let launches = counted(launches, "launch").replace("launchs", "launches");
        let (name, line, turns) = (name(line.file()), line.number(), grouped(turns));
        format!("{name}, line {line}: {turns} turns of loops and calls, {launches}{steps}")
    }
}

/// `sum: 12 % of 4,096 blocks, 38.2 M steps/s, about 12 s left`.
fn line(what: &str, pulse: &Pulse, total: u64, elapsed: Duration) -> String {
    let (steps, blocks) = (pulse.steps() as f64, pulse.blocks());
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let rate = match steps / seconds {
        rate if rate >= 1e6 => format!("{:.1} M steps/s", rate / 1e6),
        rate => format!("{:.0} k steps/s", rate / 1e3),
    };
    if pulse.is_stopping() {
        return format!("{what}: stopping, because of Ctrl-C");
    }
    let part = blocks as f64 / total as f64;
    let left = if blocks > 0 {
        format!(", about {} left", span(seconds * (1.0 / part - 1.0)))
    } else {
        String::new()
    };
    let of = counted(total, "block");
    format!("{what}: {:.0} % of {of}, {rate}{left}", (100.0 * part).floor())
}

/// `12 s`, `5 min`, `3 h` or `40 days`.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{} days", grouped((s / 86_400.0) as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_told_in_the_unit_that_fits() {
        assert_eq!(
            [0.4, 12.0, 300.0, 7200.0, 864_000.0].map(span),
            ["0 s", "12 s", "5 min", "2 h", "10 days"]
        );
    }

    #[test]
    fn a_program_shows_its_line_its_turns_and_its_launches() {
        let (signs, pulse) = (Signs::default(), Pulse::default());
        let files = ["a.cu".to_owned(), "b.h".to_owned()];
        signs.set(5000, 0, Line::NONE);
        assert_eq!(signs.line(&files, &pulse), "a.cu, line 0: 5,000 turns of loops and calls, 0 launches");
        signs.set(5000, 1, Line::new(1, 7));
        let line = signs.line(&files, &pulse);
        assert_eq!(line, "b.h, line 7: 5,000 turns of loops and calls, 1 launch of 0.0 M steps");
    }

    #[test]
    fn a_run_that_has_not_ended_a_block_has_no_estimate() {
        let text = line("sum", &Pulse::default(), 1, Duration::from_secs(2));
        assert_eq!(text, "sum: 0 % of 1 block, 0 k steps/s");
        let pulse = Pulse::default();
        pulse.stop();
        assert!(line("sum", &pulse, 1, Duration::from_secs(2)).ends_with("because of Ctrl-C"));
    }
}
