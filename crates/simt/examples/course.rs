//! For the author of a course: runs the kernels of students, explains what is wrong with them, and compares their cost
//! with that of the teacher's kernel. `cargo run --example course`

use std::error::Error;

use simt::{Actor, Checks, Emulator, Fault, Launch, Limits, Report};

const N: u32 = 64;

/// The feedback that a student gets.
pub fn feedback(kernel: &str) -> Result<String, Box<dyn Error>> {
    let (wanted, best) = run("teacher")?;
    let (got, report) = run(kernel)?;
    if !report.faults.is_empty() {
        let told: Vec<String> = report.faults.iter().map(|fault| explain(kernel, fault)).collect();
        return Ok(told.concat());
    }
    if let Some(at) = (0..wanted.len()).find(|&at| wanted[at] != got[at]) {
        return Ok(format!("{kernel}: element {at} is {} but should be {}\n", got[at], wanted[at]));
    }
    let sectors = |report: &Report| report.counters.global_load_sectors;
    let (own, best) = (sectors(&report), sectors(&best));
    let cost = format!("its loads touch {own} sectors of global memory, and {best} are enough");
    Ok(format!("{kernel}: right; {}\n", if own > best { &cost } else { "and as cheap as can be" }))
}

/// A fault in the words of this course.
fn explain(kernel: &str, fault: &Fault) -> String {
    let location = fault.location.as_ref();
    let element = location.and_then(|at| Some((at.element()?, &at.allocation.as_ref()?.name)));
    let place = element.map_or(String::new(), |(element, name)| format!(" at element {element} of `{name}`"));
    let did = |actor: &Actor| {
        let did = actor.access.map_or("was there", |access| access.past());
        format!("  thread {} {did}: `{}`\n", actor.thread.x, actor.site.ptx)
    };
    let did: Vec<String> = fault.actors.iter().map(did).collect();
    format!("{kernel}: {}{place}\n{}  hint: {}\n", fault.kind.name(), did.concat(), fault.help)
}

/// The result of a kernel, and the report.
fn run(kernel: &str) -> Result<(Vec<u32>, Report), Box<dyn Error>> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("reverse.ptx", include_str!("reverse.ptx"))?;
    let [x, y] = [emulator.alloc("x", u64::from(4 * N))?, emulator.alloc("y", u64::from(4 * N))?];
    let numbers: Vec<u8> = (0..N).flat_map(u32::to_le_bytes).collect();
    emulator.write(x)?.copy_from_slice(&numbers);
    let launch = Launch { checks: Checks::ALL, ..Launch::new(1, N).arg(x.address()).arg(y.address()) };
    let report = emulator.launch(&module, kernel, &launch)?;
    let words = emulator.read(y)?.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word));
    Ok((words.collect(), report))
}

fn main() -> Result<(), Box<dyn Error>> {
    for kernel in ["ada", "grace", "teacher"] {
        print!("{}", feedback(kernel)?);
    }
    Ok(())
}
