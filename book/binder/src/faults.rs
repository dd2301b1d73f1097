//! What the emulator found, as a box: the kind, who did what and where, and what helps.

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::html::{escape, sentence};

/// The faults of a row, one box each.
pub fn boxes(row: &Value) -> Result<String> {
    let faults = row["faults"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let variant = row["variant"].as_str().unwrap_or_default();
    ensure!(!faults.is_empty(), "the emulator found nothing in `{variant}`");
    Ok(faults.iter().map(one).collect::<Vec<_>>().join("\n"))
}

fn one(fault: &Value) -> String {
    let text = |key: &str| fault[key].as_str().unwrap_or_default();
    let actors: String = fault["actors"].as_array().into_iter().flatten().map(actor).collect();
    let actors = if actors.is_empty() { actors } else { format!("<ul class=\"actors\">\n{actors}</ul>\n") };
    let more = match fault["count"].as_u64().unwrap_or(1) {
        0 | 1 => String::new(),
        2 => "<p class=\"fault-more\">and once more</p>\n".to_owned(),
        count => format!("<p class=\"fault-more\">and {} more times</p>\n", count - 1),
    };
    let help = match text("help") {
        "" => String::new(),
        help => format!("<p class=\"fault-help\"><strong>help:</strong> {}</p>\n", sentence(help)),
    };
    format!(
        "<aside class=\"fault {severity}\" aria-label=\"{kind}\">\n\
         <p class=\"fault-kind\"><strong>{kind}</strong>: {message}</p>\n{actors}{more}{help}</aside>\n",
        severity = escape(text("severity")),
        kind = escape(text("kind")),
        message = sentence(text("message")),
    )
}

fn actor(actor: &Value) -> String {
    let place = match (actor["source"]["file"].as_str(), actor["source"]["line"].as_u64()) {
        (Some(file), Some(line)) => format!(" at <code>{}:{line}</code>", escape(file)),
        _ => String::new(),
    };
    let doing = match actor["doing"].as_str() {
        Some(doing) if !doing.is_empty() => format!(": {}", sentence(doing)),
        _ => String::new(),
    };
    format!("<li><span class=\"actor\">{}</span>{place}{doing}</li>\n", who(actor))
}

/// The lane, as reports name it.
fn who(actor: &Value) -> String {
    let triple = |key: &str| {
        let numbers = actor[key].as_array().into_iter().flatten().filter_map(Value::as_u64);
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(",")
    };
    let mut words = vec![format!("block ({})", triple("block"))];
    words.extend(actor["warp"].as_u64().map(|warp| format!("warp {warp}")));
    words.extend(actor["lane"].as_u64().map(|lane| format!("lane {lane} (thread ({}))", triple("thread"))));
    words.join(", ")
}
