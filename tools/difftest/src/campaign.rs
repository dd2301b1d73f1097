//! Runs many kernels on another machine, in several processes.
//!
//! A kernel may kill its process, make the driver refuse all further work, or never end. Therefore kernels run in child
//! processes ([`crate::batch`]). Each gets some seeds, writes a line for each of them, and is killed if a line takes
//! too long. If a child is lost, only the kernel that it was running is lost with it; another child continues with the
//! next one.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// What a campaign runs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program to start for each batch, which is this one.
    pub program: PathBuf,
    /// The device, by its name.
    pub device: String,
    /// Further arguments of every child.
    pub arguments: Vec<String>,
    /// Other ways to compile a kernel whose process was lost.
    pub retries: Vec<Retry>,
    /// Whether all of them are tried, or only until one of them gives a result.
    pub tries_all: bool,
    /// The first seed.
    pub first: u64,
    /// The number of kernels.
    pub count: u64,
    /// The number of kernels for each child.
    pub batch: u64,
    /// The number of children that run at the same time.
    pub processes: usize,
    /// How long a kernel may take, including the start of its process.
    pub patience: Duration,
    /// How long the campaign may take; after that no further result is awaited.
    pub end: Duration,
}

/// Another way to compile a kernel.
#[derive(Clone, Debug)]
pub struct Retry {
    /// Its name in the record: `driver -O0`.
    pub name: String,
    /// The arguments that it adds to a child's.
    pub arguments: Vec<String>,
}

/// The result of a campaign: a line for each kernel that was run, in the order of seeds.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The lines.
    pub lines: Vec<Value>,
    /// Whether it ended before all kernels had been run.
    pub cut_short: bool,
}

/// Runs a campaign.
///
/// # Errors
/// If the program cannot be started.
pub fn run(plan: &Plan) -> Result<Outcome> {
    let end = Instant::now() + plan.end;
    let next = Mutex::new(plan.first);
    let lines = Mutex::new(Vec::new());
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..plan.processes {
            scope.spawn(|| {
                while let Some((first, count)) = take(plan, &next) {
                    if Instant::now() >= end {
                        break;
                    }
                    match batch(plan, first, count, end) {
                        Ok(found) => lines.lock().expect("nobody panics").extend(found),
                        Err(error) => {
                            failed.lock().expect("nobody panics").get_or_insert(error);
                            break;
                        }
                    }
                }
            });
        }
    });
    if let Some(error) = failed.into_inner().expect("nobody panics") {
        return Err(error);
    }
    let mut lines: Vec<Value> = lines.into_inner().expect("nobody panics");
    lines.sort_by_key(|line| line["seed"].as_u64());
    let cut_short = (lines.len() as u64) < plan.count;
    Ok(Outcome { lines, cut_short })
}

/// The next seeds that no child has taken.
fn take(plan: &Plan, next: &Mutex<u64>) -> Option<(u64, u64)> {
    let mut next = next.lock().expect("nobody panics");
    let left = plan.first + plan.count - *next;
    let count = left.min(plan.batch);
    let first = *next;
    *next += count;
    (count > 0).then_some((first, count))
}

/// The lines of a batch. If a child ends before it has written a line for each of its kernels, the kernel that it was
/// running is recorded as lost, and another child continues.
fn batch(plan: &Plan, first: u64, count: u64, end: Instant) -> Result<Vec<Value>> {
    let mut lines: Vec<Value> = Vec::new();
    let last = first + count;
    let mut next = first;
    while next < last && Instant::now() < end {
        let mut child = start(plan, next, last - next)?;
        let answers = listen(&mut child);
        let why = follow(plan, &answers, end, &mut lines);
        let _ = child.kill();
        let status = child.wait()?;
        let answered = lines.last().and_then(|line| line["seed"].as_u64()).map_or(first, |seed| seed + 1);
        next = answered.max(next);
        match why {
            End::Late => break,
            End::Silent if next < last => {
                let trouble = format!("no answer after {} s", plan.patience.as_secs());
                lines.push(json!({ "seed": next, "trouble": trouble }));
                lost(plan, &mut lines, end)?;
                next += 1;
            }
            End::Closed if next < last && !says_why(&lines, next) => {
                lines.push(json!({ "seed": next, "trouble": format!("the process died: {status}") }));
                lost(plan, &mut lines, end)?;
                next += 1;
            }
            End::Closed if next > first && says_why(&lines, next) => lost(plan, &mut lines, end)?,
            _ => {}
        }
    }
    Ok(lines)
}

/// Adds to the last line, of a lost kernel, its results when it is compiled in other ways. Usually a compiler has
/// crashed, or has compiled the kernel to code that does not end.
fn lost(plan: &Plan, lines: &mut [Value], end: Instant) -> Result<()> {
    let Some(line) = lines.last_mut() else { return Ok(()) };
    let seed = line["seed"].as_u64().unwrap_or_default();
    for retry in &plan.retries {
        let result = retried(plan, seed, retry, end)?;
        let is_back = result == EQUAL;
        line["retries"][&retry.name] = result;
        if is_back && !plan.tries_all {
            break;
        }
    }
    Ok(())
}

/// The word that is recorded if a retry has the right result.
pub const EQUAL: &str = "equal";

/// The result of a kernel that is compiled in another way: a word, or the contents of a text's buffers.
fn retried(plan: &Plan, seed: u64, retry: &Retry, end: Instant) -> Result<Value> {
    let arguments = plan.arguments.iter().chain(&retry.arguments).cloned().collect();
    let plan = Plan { arguments, ..plan.clone() };
    let mut child = start(&plan, seed, 1)?;
    let mut lines = Vec::new();
    follow(&plan, &listen(&mut child), end, &mut lines);
    let _ = child.kill();
    child.wait()?;
    Ok(match lines.first() {
        None => json!("lost"),
        Some(line) if line["result"] != Value::Null => line["result"].clone(),
        Some(line) if line["difference"].is_object() => line["difference"].clone(),
        Some(line) if line["trouble"].is_string() => json!("stopped"),
        Some(_) => json!(EQUAL),
    })
}

/// Whether the last line says why its child ended, namely because the driver failed.
fn says_why(lines: &[Value], next: u64) -> bool {
    lines
        .last()
        .is_some_and(|line| line["seed"].as_u64() == Some(next.wrapping_sub(1)) && !line["trouble"].is_null())
}

fn start(plan: &Plan, first: u64, count: u64) -> Result<Child> {
    let mut command = Command::new(&plan.program);
    command.arg("batch").args(["--device", &plan.device]);
    command.args(["--first", &first.to_string(), "--count", &count.to_string()]).args(&plan.arguments);
    // Every kernel is compiled in this process, by the compiler that the record names.
    command.env("CUDA_CACHE_DISABLE", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().with_context(|| format!("`{}` does not start", plan.program.display()))
}

/// The lines of a child as they are written; the channel closes when the child ends.
fn listen(child: &mut Child) -> Receiver<Value> {
    let (send, receive) = channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let Ok(line) = serde_json::from_str(&line) else { continue };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
    }
    receive
}

/// Why no further line comes from a child.
enum End {
    /// It has ended.
    Closed,
    /// It has not written a line in time.
    Silent,
    /// The campaign is over.
    Late,
}

fn follow(plan: &Plan, answers: &Receiver<Value>, end: Instant, lines: &mut Vec<Value>) -> End {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match answers.recv_timeout(plan.patience.min(left)) {
            Ok(line) => lines.push(line),
            Err(RecvTimeoutError::Disconnected) => return End::Closed,
            Err(RecvTimeoutError::Timeout) if Instant::now() >= end => return End::Late,
            Err(RecvTimeoutError::Timeout) => return End::Silent,
        }
    }
}
