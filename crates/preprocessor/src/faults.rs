//! What the emulator found, as a box: the kind, the lanes involved with what they did and where, and the help.

use anyhow::{Result, ensure};
use record::{Actor, Fault, Row};

use crate::html::{escape, sentence};

/// The faults of a row, one box each.
pub fn boxes(row: &Row) -> Result<String> {
    ensure!(!row.faults.is_empty(), "the emulator found nothing in `{}`", row.variant);
    Ok(row.faults.iter().map(one).collect::<Vec<_>>().join("\n"))
}

fn one(fault: &Fault) -> String {
    let actors: String = fault.actors.iter().map(actor).collect();
    let actors = if actors.is_empty() { actors } else { format!("<ul class=\"actors\">\n{actors}</ul>\n") };
    let more = match fault.count {
        0 | 1 => String::new(),
        2 => "<p class=\"fault-more\">and once more</p>\n".to_owned(),
        count => format!("<p class=\"fault-more\">and {} more times</p>\n", count - 1),
    };
    let help = match fault.help.as_str() {
        "" => String::new(),
        help => format!("<p class=\"fault-help\"><strong>help:</strong> {}</p>\n", sentence(help)),
    };
    format!(
        "<aside role=\"note\" class=\"fault {severity}\" aria-label=\"{kind}\">\n\
         <p class=\"fault-kind\"><strong>{kind}</strong>: {message}</p>\n{actors}{more}{help}</aside>\n",
        severity = escape(&fault.severity),
        kind = escape(&fault.kind),
        message = sentence(&fault.message),
    )
}

fn actor(actor: &Actor) -> String {
    let place = actor.source.as_ref().map_or_else(String::new, |source| {
        format!(" at <code>{}:{}</code>", escape(&source.file), source.line)
    });
    let doing = if actor.doing.is_empty() { String::new() } else { format!(": {}", sentence(&actor.doing)) };
    format!("<li><span class=\"actor\">{}</span>{place}{doing}</li>\n", lane(actor))
}

/// The name of a lane, as in reports.
fn lane(actor: &Actor) -> String {
    let triple = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    let Actor { warp, lane, .. } = actor;
    format!("block {}, warp {warp}, lane {lane} (thread {})", triple(actor.block), triple(actor.thread))
}
