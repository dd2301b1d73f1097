//! What a player knows of a launch before it asks the emulator: what it shows first, and what is true at the end.
//!
//! `cargo xtask facts` and `lanes play` write it into a page, so that the first state is there at once. Tests compare
//! the end with what the module in the browser finds.

use serde_json::{Value, json};

use crate::Page;
use crate::request::MAX_MOMENTS_AT_ONCE;

/// So many moments are shown together, as `LanesTimeline.PAST` of the player.
const PAST: u64 = 8;

/// Runs a launch. `program` and `launch` are the requests `load` and `launch`, and `shown` is the moment that the player
/// shows first.
///
/// # Errors
/// One line that says why the program or the launch is refused.
pub fn record(program: &Value, launch: &Value, shown: u64) -> Result<Value, String> {
    let mut page = Page::default();
    let loaded = ask(&mut page, &json!({ "load": program }))?;
    let kernels = loaded["kernels"].as_array().into_iter().flatten();
    let kernel = kernels.into_iter().find(|kernel| kernel["name"] == launch["kernel"]);
    let shared = kernel.map(|kernel| kernel["shared_bytes"].clone());
    let report = ask(&mut page, &json!({ "launch": launch }))?;
    let count = report["moments"].as_u64().unwrap_or(0);
    if count == 0 {
        return Err("the launch executes nothing".to_owned());
    }
    if shown >= count {
        return Err(format!("the launch has {count} moments, so there is no moment {shown}"));
    }
    let from = shown.saturating_sub(PAST - 1);
    let first = json!({ "moments": { "from": from, "count": shown - from + 1 } });
    let first = ask(&mut page, &first)?["moments"].clone();
    let last = ask(&mut page, &json!({ "moments": { "from": count - 1 } }))?["moments"][0].clone();
    Ok(json!({
        "moments": count,
        "counters": report["counters"],
        "faults": report["faults"],
        "shared_bytes": shared,
        "first": first,
        "last": last,
    }))
}

/// Every moment of a launch.
///
/// # Errors
/// As for [`record`].
pub fn moments(program: &Value, launch: &Value) -> Result<Vec<Value>, String> {
    let mut page = Page::default();
    ask(&mut page, &json!({ "load": program }))?;
    ask(&mut page, &json!({ "launch": launch }))?;
    let mut all: Vec<Value> = Vec::new();
    loop {
        let next = json!({ "moments": { "from": all.len(), "count": MAX_MOMENTS_AT_ONCE } });
        match ask(&mut page, &next)?["moments"].take() {
            Value::Array(part) if !part.is_empty() => all.extend(part),
            _ => return Ok(all),
        }
    }
}

fn ask(page: &mut Page, request: &Value) -> Result<Value, String> {
    let answer: Value =
        serde_json::from_str(&page.answer(&request.to_string())).map_err(|error| error.to_string())?;
    match answer["error"]["message"].as_str() {
        Some(message) => Err(message.to_owned()),
        None => Ok(answer),
    }
}
