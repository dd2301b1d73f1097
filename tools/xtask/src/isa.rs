//! `cargo xtask isa`: writes the table of supported PTX, `crates/simt/SUPPORTED.md`, and checks it with the assembler.
//!
//! The table is made from the forms by which the emulator decodes; a test of `simt` fails if it is stale. Only NVIDIA's
//! assembler knows whether PTX really has these forms, and from which target and `.version` on. With `--ptxas`, it gets
//! every opcode of every form at the lowest target and version that the table claims, and must accept it; and again one
//! target lower and one version lower, and must refuse it. [`known`] lists the opcodes for which the assembler itself
//! is wrong.

mod assembler;
mod known;
mod operands;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use simt::isa::{FAMILIES, Form};

use crate::chore::Outcome;
use assembler::{Assembler, Header};
use thirty_two_lanes::files;

/// Write the table of supported PTX, `crates/simt/SUPPORTED.md`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write nothing; ask this assembler, `ptxas` of CUDA 12.9, whether the table is right, and exit with 1 if it is not.
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
}

/// The targets of `ptxas` 12.9 up to `sm_90`, each with the first version that has it.
const TARGETS: [Header; 14] = [
    Header { sm: 50, letter: "", version: (4, 0) },
    Header { sm: 52, letter: "", version: (4, 1) },
    Header { sm: 53, letter: "", version: (4, 2) },
    Header { sm: 60, letter: "", version: (5, 0) },
    Header { sm: 61, letter: "", version: (5, 0) },
    Header { sm: 62, letter: "", version: (5, 0) },
    Header { sm: 70, letter: "", version: (6, 0) },
    Header { sm: 72, letter: "", version: (6, 1) },
    Header { sm: 75, letter: "", version: (6, 3) },
    Header { sm: 80, letter: "", version: (7, 0) },
    Header { sm: 86, letter: "", version: (7, 1) },
    Header { sm: 87, letter: "", version: (7, 4) },
    Header { sm: 89, letter: "", version: (7, 8) },
    Header { sm: 90, letter: "", version: (7, 8) },
];

/// The latest version of PTX that the assembler reads, and those before it from 4.0 on.
const VERSIONS: [(u32, u32); 29] = [
    (4, 0),
    (4, 1),
    (4, 2),
    (4, 3),
    (5, 0),
    (6, 0),
    (6, 1),
    (6, 2),
    (6, 3),
    (6, 4),
    (6, 5),
    (7, 0),
    (7, 1),
    (7, 2),
    (7, 3),
    (7, 4),
    (7, 5),
    (7, 6),
    (7, 7),
    (7, 8),
    (8, 0),
    (8, 1),
    (8, 2),
    (8, 3),
    (8, 4),
    (8, 5),
    (8, 6),
    (8, 7),
    (8, 8),
];

/// Does the chore.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let Some(ptxas) = &arguments.ptxas else {
        let path = crate::chore::root().join("crates/simt/SUPPORTED.md");
        files::write(&path, simt::isa::table())
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        println!("wrote crates/simt/SUPPORTED.md");
        return Ok(Outcome::Done);
    };
    let assembler = Assembler::new(ptxas, &crate::chore::root().join("target"))?;
    let claims = claims()?;
    println!(
        "{} opcodes of {} forms",
        claims.len(),
        FAMILIES.iter().map(|family| family.forms.len()).sum::<usize>()
    );
    let mut wrong = Vec::new();
    for question in questions(&claims) {
        ask(&assembler, &question, &mut wrong)?;
    }
    let groups = by_form(&wrong);
    for (syntax, reasons) in &groups {
        println!("`{syntax}`");
        for (reason, statements) in reasons {
            println!("  {reason}: {} opcodes, the first `{}`", statements.len(), statements[0]);
        }
    }
    if groups.is_empty() {
        println!("the assembler agrees about each of them");
        return Ok(Outcome::Done);
    }
    Ok(Outcome::Stale)
}

/// An opcode, and what the table says about it.
struct Claim {
    form: &'static Form,
    statement: String,
    opcode: String,
    /// The lowest target and version that support it.
    lowest: Header,
}

fn claims() -> Result<Vec<Claim>> {
    let mut claims = Vec::new();
    for form in FAMILIES.iter().flat_map(|family| family.forms) {
        for opcode in form.opcodes() {
            let needs = form.needs(&opcode);
            let target = TARGETS.iter().find(|target| target.sm >= needs.sm);
            let target =
                target.with_context(|| format!("`{opcode}` needs an unknown target, sm_{}", needs.sm))?;
            let letter = if is_specific(&opcode) { "a" } else { "" };
            let lowest = Header { letter, version: target.version.max(needs.version), ..*target };
            claims.push(Claim { form, statement: operands::statement(&opcode)?, opcode, lowest });
        }
    }
    Ok(claims)
}

/// Whether only `sm_90a` has an opcode, and not `sm_90`.
fn is_specific(opcode: &str) -> bool {
    ["wgmma.", "setmaxnreg.", "tensormap.replace."].iter().any(|name| opcode.starts_with(name))
}

/// Opcodes that the assembler gets together.
struct Question<'c> {
    header: Header,
    claims: Vec<&'c Claim>,
    /// Whether the assembler must accept them.
    is_taken: bool,
}

/// Every opcode at its lowest target and version, one target lower, one version lower, and after the last target that
/// has it.
fn questions(claims: &[Claim]) -> Vec<Question<'_>> {
    let mut questions: BTreeMap<(Header, bool), Vec<&Claim>> = BTreeMap::new();
    let last = VERSIONS[VERSIONS.len() - 1];
    for claim in claims {
        let Header { sm, letter, version } = claim.lowest;
        let mut ask_for = |sm, letter, version, is_taken| {
            questions.entry((Header { sm, letter, version }, is_taken)).or_default().push(claim);
        };
        ask_for(sm, letter, version, true);
        if !letter.is_empty() {
            ask_for(sm, "", version, false);
        }
        let mut ask = |sm, version, is_taken| {
            let letter = if sm == claim.lowest.sm { letter } else { "" };
            ask_for(sm, letter, version, is_taken);
        };
        if let Some(before) = TARGETS.iter().rev().find(|target| target.sm < sm) {
            ask(before.sm, last, false);
        }
        if let Some(before) = VERSIONS.iter().rev().find(|&&before| before < version)
            && TARGETS.iter().any(|target| target.sm == sm && target.version <= *before)
        {
            ask(sm, *before, false);
        }
        if let Some(after) = TARGETS.iter().find(|target| target.sm > claim.form.max_sm) {
            ask(after.sm, last, false);
        }
    }
    let question = |((header, is_taken), claims)| Question { header, claims, is_taken };
    questions.into_iter().map(question).collect()
}

/// A claim that the assembler contradicts, and the assembler's message.
type Mistake<'c> = (&'c Claim, String);

/// Statements by form and by the assembler's message.
type ByForm<'w> = BTreeMap<String, BTreeMap<&'w str, Vec<&'w str>>>;

fn ask<'c>(assembler: &Assembler, question: &Question<'c>, wrong: &mut Vec<Mistake<'c>>) -> Result<()> {
    let Header { sm, letter, version: (major, minor) } = question.header;
    let statements: Vec<&str> = question.claims.iter().map(|claim| claim.statement.as_str()).collect();
    let answers = assembler.ask(question.header, &statements)?;
    let place = format!("sm_{sm}{letter} and .version {major}.{minor}");
    for (claim, refusal) in question.claims.iter().copied().zip(answers) {
        let why = match (refusal, question.is_taken) {
            (None, true) | (Some(_), false) => continue,
            (Some(why), true) => format!("refused at {place}: {why}"),
            (None, false) => format!("accepted at {place} too"),
        };
        if known::reason(&claim.opcode, question.header, question.is_taken).is_none() {
            wrong.push((claim, why));
        }
    }
    Ok(())
}

fn by_form<'w>(wrong: &'w [Mistake<'_>]) -> ByForm<'w> {
    let mut groups = ByForm::new();
    for (claim, why) in wrong {
        let reasons = groups.entry(claim.form.written_out()).or_default();
        reasons.entry(why).or_default().push(&claim.statement);
    }
    groups
}
