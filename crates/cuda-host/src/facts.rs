//! What the text of a module says of its kernels: which variables they use, and whether they may wait for other blocks.

use std::collections::{BTreeMap, BTreeSet};

/// What is known of one kernel, or of all functions together.
#[derive(Debug, Default)]
struct Facts {
    may_wait: bool,
    variables: BTreeSet<String>,
}

/// The kernels of a module.
#[derive(Debug, Default)]
pub(crate) struct Kernels {
    /// By their names in PTX.
    kernels: BTreeMap<String, Facts>,
    /// Of the functions, which any kernel may call.
    functions: Facts,
}

impl Kernels {
    /// Reads a module that has some variables.
    pub fn new(ptx: &str, variables: &BTreeSet<&str>) -> Kernels {
        let mut found = Kernels::default();
        let mut kernel: Option<String> = None;
        for line in ptx.lines() {
            if let Some((_, rest)) = line.split_once(".entry ") {
                kernel = words(rest).next().map(str::to_owned);
            } else if line.contains(".func ") {
                kernel = None;
            }
            let facts = match &kernel {
                Some(name) => found.kernels.entry(name.clone()).or_default(),
                None => &mut found.functions,
            };
            facts.may_wait |= sees_others(line);
            // A line that declares variables is in no kernel and no function.
            let is_code = line.trim_start().starts_with(|c: char| c.is_ascii_lowercase() || c == '@');
            let named = words(line).filter(|word| is_code && variables.contains(word));
            facts.variables.extend(named.map(str::to_owned));
        }
        found
    }

    /// Whether a kernel reads memory in a way which sees what other blocks write.
    pub fn may_wait(&self, kernel: &str) -> bool {
        self.functions.may_wait || self.kernels.get(kernel).is_some_and(|facts| facts.may_wait)
    }

    /// The variables that a kernel may use.
    pub fn variables(&self, kernel: &str) -> impl Iterator<Item = &str> {
        let own = self.kernels.get(kernel).into_iter().flat_map(|facts| &facts.variables);
        own.chain(&self.functions.variables).map(String::as_str)
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').filter(|word| !word.is_empty())
}

/// Whether an instruction is an atomic or a load that is not a plain one. A loop around a plain load does not end: the compiler
/// may load once.
fn sees_others(line: &str) -> bool {
    let opcode = line.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
    let is_plain =
        !["volatile", "relaxed", "acquire", "mmio", "cv", "cg"].iter().any(|word| opcode.contains(word));
    let is_load = opcode.starts_with("atom.") || opcode.starts_with("ld.") && !is_plain;
    is_load && !opcode.contains(".shared")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_may_wait_for_others_are_known() {
        let kernel =
            |name: &str, line: &str| format!(".visible .entry {name}(\n.param .u64 p\n)\n{{\n\t{line}\n}}\n");
        let ptx = [
            kernel("a", "ld.global.u32 %r1, [table+4];"),
            kernel("b", "@%p1 ld.volatile.global.u32 %r1, [%rd1];"),
            kernel("c", "atom.shared.add.u32 %r1, [%rd1], 1;"),
            kernel("d", "atom.global.add.u32 %r1, [%rd1], 1;"),
        ];
        let variables = BTreeSet::from(["table", "other"]);
        let known = Kernels::new(&ptx.concat(), &variables);
        assert_eq!(["a", "b", "c", "d"].map(|name| known.may_wait(name)), [false, true, false, true]);
        assert_eq!(known.variables("a").collect::<Vec<_>>(), ["table"]);
        assert_eq!(known.variables("b").count(), 0);
        let function =
            ".global .u32 table;\n.func f(\n)\n{\n\tld.acquire.gpu.u32 %r1, [other];\n}\n".to_owned();
        let known = Kernels::new(&[ptx[0].clone(), function].concat(), &variables);
        assert!(known.may_wait("a"));
        assert_eq!(known.variables("a").collect::<Vec<_>>(), ["table", "other"]);
    }
}
