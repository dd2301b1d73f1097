//! Barriers and fences that order nothing in a launch.
//!
//! The program is run without the barrier, or with a narrower fence, under several orders of the warps, with all checkers on
//! and with the weak memory. If no checker reports anything, and every order leaves the same bytes as the program that was
//! given, the launch does not need what was left out. Another launch of the same kernel may need it.

use anyhow::Result;
use simt::{Checks, Launch, Schedule, Site};

use super::case::{Case, Outcome};
use super::kinds::{About, Advice, Scope, Unneeded};
use super::observe::{Observed, opcode};

/// Orders of the warps that are tried.
const ORDERS: u64 = 12;

/// Tries to do without each of the barriers and fences that were executed.
pub(crate) fn advice(case: &Case<'_>, observed: &Observed, given: &Outcome) -> Result<Vec<Advice>> {
    // A program with findings of its own, or one whose result depends on the order, cannot show what an order is good for.
    if given.findings > 0 || !is_same(case, case.ptx, given)? {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for sites in observed.ordering.values() {
        let Some(is_of_an_atomic) = origin(case, &sites[0]) else { continue };
        for instead in changes(&sites[0].ptx) {
            let ptx = sites
                .iter()
                .try_fold(case.ptx.to_owned(), |ptx, site| changed(&ptx, site.ptx_line, &site.ptx, instead));
            let Some(ptx) = ptx else { continue };
            if is_same(case, &ptx, given)? {
                let about = Unneeded { ptx: sites[0].ptx.clone(), instead, orders: ORDERS, is_of_an_atomic };
                found.push(Advice { site: sites[0].clone(), about: About::Order(about) });
                break;
            }
        }
    }
    Ok(found)
}

/// Whether an instruction comes from the order of an atomic operation. `None` if it is a barrier inside something else, which
/// nobody can leave out.
fn origin(case: &Case<'_>, site: &Site) -> Option<bool> {
    let Some(line) = case.line(site) else { return Some(false) };
    match opcode(&site.ptx).split('.').next() {
        Some("membar" | "fence") => Some(!["fence", "membar"].iter().any(|word| line.contains(word))),
        _ if ["sync", "bar."].iter().any(|word| line.contains(word)) => Some(false),
        _ => None,
    }
}

/// What can take the place of an instruction: nothing, or the same with a smaller scope.
fn changes(instruction: &str) -> Vec<Option<Scope>> {
    let parts: Vec<&str> = opcode(instruction).split('.').collect();
    let mut changes = vec![None];
    if matches!(parts[0], "membar" | "fence") {
        if parts.iter().any(|part| ["gl", "gpu", "sys"].contains(part)) {
            changes.push(Some(Scope::Block));
        }
        if parts.contains(&"sys") {
            changes.push(Some(Scope::Device));
        }
    }
    changes
}

/// The text with an instruction changed. `None` if it is not where its line says, as in an unusual layout.
fn changed(ptx: &str, ptx_line: u32, instruction: &str, instead: Option<Scope>) -> Option<String> {
    let mut lines: Vec<String> = ptx.lines().map(str::to_owned).collect();
    let line = lines.get_mut(ptx_line.checked_sub(1)? as usize)?;
    let op = opcode(instruction);
    let start = line.find(op)?;
    let end = start + line[start..].find(';')? + 1;
    let guard = line[..start].rfind(['@', ';', ':']).filter(|&at| line[at..].starts_with('@'));
    let new = match instead {
        None => String::new(),
        Some(scope) => format!("{}{}", narrowed(op, scope), &line[start + op.len()..end]),
    };
    let from = if instead.is_none() { guard.unwrap_or(start) } else { start };
    line.replace_range(from..end, &new);
    Some(lines.join("\n") + "\n")
}

fn narrowed(op: &str, scope: Scope) -> String {
    let parts = op.split('.').map(|part| match (part, scope) {
        ("gl" | "gpu" | "sys", Scope::Block) => "cta",
        ("sys", Scope::Device) if op.starts_with("membar") => "gl",
        ("sys", Scope::Device) => "gpu",
        (part, _) => part,
    });
    parts.collect::<Vec<_>>().join(".")
}

/// Whether a program has no finding and leaves the same bytes under all orders.
fn is_same(case: &Case<'_>, ptx: &str, given: &Outcome) -> Result<bool> {
    for order in 0..ORDERS {
        let launch = Launch {
            checks: Checks::ALL,
            seed: case.launch.seed.wrapping_add(order),
            schedule: if order % 2 == 0 { Schedule::Random } else { Schedule::Hunt },
            weak_memory: order % 4 > 1,
            ..case.launch.clone()
        };
        let outcome = case.run(&mut case.ready(ptx)?, &launch, None)?;
        if outcome.findings > 0 || outcome.contents != given.contents {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_left_out_with_its_guard() {
        let text = "a;\n  mov.u32 %r1, 1; @%p1 bar.sync 0; ret;\nb;\n";
        let without = changed(text, 2, "@%p1 bar.sync 0;", None).unwrap();
        assert_eq!(without, "a;\n  mov.u32 %r1, 1;  ret;\nb;\n");
        assert_eq!(changed(text, 3, "bar.sync 0;", None), None);
        assert_eq!(changed(text, 9, "bar.sync 0;", None), None);
    }

    #[test]
    fn a_fence_gets_a_smaller_scope() {
        for (op, scope, expected) in [
            ("membar.gl", Scope::Block, "membar.cta"),
            ("membar.sys", Scope::Device, "membar.gl"),
            ("fence.acq_rel.gpu", Scope::Block, "fence.acq_rel.cta"),
            ("fence.sc.sys", Scope::Device, "fence.sc.gpu"),
        ] {
            let text = format!("{op};\n");
            assert_eq!(changed(&text, 1, text.trim(), Some(scope)), Some(format!("{expected};\n")));
            assert!(changes(&text).contains(&Some(scope)), "{op}");
        }
        assert_eq!(changes("membar.cta;"), [None]);
        assert_eq!(changes("bar.sync 0;"), [None]);
    }
}
