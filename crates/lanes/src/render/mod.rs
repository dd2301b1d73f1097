//! What came of a request, as text, as JSON and as pages and files. Only this part words what it prints.

use anstyle::Style;

mod cost;
pub mod exec;
pub mod explain;
pub mod files;
mod gpu;
pub mod json;
pub mod list;
pub mod page;
pub mod picture;
mod print;
pub mod program;
pub mod replay;
mod results;
pub mod show;
pub mod trace;
pub mod verdicts;

/// A line above a part of a report.
const TITLE: Style = Style::new().bold();
