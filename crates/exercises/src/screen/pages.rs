//! Pages to read: the welcome, the keys, and a solution.

use thirty_two_lanes::report::layout::counted;

use crate::COMMAND;
use crate::app::App;
use crate::wrap::{Said, Tone};

use super::page::{Page, plain};

pub(super) fn welcome(app: &App, width: usize) -> Page {
    let minutes: u32 = app.course.exercises.iter().map(|exercise| exercise.minutes).sum();
    let all = counted(app.course.exercises.len() as u64, "exercise");
    let text = |text: &str| Said::prose(Tone::Plain, "", text);
    let said = vec![
        Said::prose(Tone::Strong, "", "Welcome."),
        Said::gap(),
        text(&format!(
            "These are {all} about warps, one idea each, about {} in all. Some ask you to fix a kernel, some to \
             write a few lines or to make it cheaper, and some to predict what a kernel will do.",
            counted(((minutes + 30) / 60).max(1).into(), "hour")
        )),
        Said::gap(),
        text(
            "You get a file for each. Open it with your editor in another window, change it and save it: this screen \
             notices, runs your kernel on an emulator that sees every lane, and shows the result at once.",
        ),
        Said::gap(),
        Said::labelled(Tone::Plain, "Your first file: ", &app.file),
        Said::gap(),
        text(
            "A result that is right by luck does not pass: races, wrong masks and reads of memory that was never written are found, too.",
        ),
        text("`h` gives a hint, `?` lists the keys, and what you have passed is remembered."),
    ];
    plain(&said, width)
}

pub(super) fn help(width: usize) -> Page {
    let keys = [
        ("h", "the next hint"),
        ("n", "the next open exercise, once this one is passed"),
        ("p", "the previous exercise"),
        ("l", "the list of exercises; arrows choose, enter opens"),
        ("r", "run again; if the file is missing, start again with the starter"),
        ("s", "the solution, once you have passed"),
        ("q", "quit; what you have passed is remembered"),
        ("arrows", "scroll, as do PageUp, PageDown, Home and End"),
    ];
    let mut said = vec![Said::prose(Tone::Strong, "", "Saving your file runs it. The keys:"), Said::gap()];
    said.extend(keys.iter().map(|(key, does)| Said::prose(Tone::Plain, &format!("  {key:<8}"), does)));
    let commands = [
        ("list", "all exercises, and which you have passed"),
        ("watch NAME", "show this screen with another exercise"),
        ("reset NAME", "start one again; your text is kept beside it"),
        ("solution NAME --spoil", "its solution, whether you passed or not"),
        ("verify", "grade all your files again"),
        ("setup", "get NVIDIA's CUDA compiler"),
    ];
    said.extend([Said::gap(), Said::prose(Tone::Strong, "", "In a shell:"), Said::gap()]);
    said.push(Said::prose(Tone::Plain, "  ", COMMAND));
    said.extend(
        commands.iter().map(|(command, does)| Said::prose(Tone::Plain, &format!("    {command:<23}"), does)),
    );
    plain(&said, width)
}

pub(super) fn solution(text: &str, place: &str, width: usize) -> Page {
    let mut said = vec![Said::labelled(Tone::Strong, "A solution: ", &format!("{place}.")), Said::gap()];
    said.extend(text.lines().map(|line| Said::line(Tone::Plain, "", line)));
    plain(&said, width)
}
