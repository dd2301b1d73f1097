//! The words and pictures of advice, in 80 columns.

use std::fmt::Write as _;

use simt::{Access, AccessKind};
use spec::layout::{counted, decimal, grouped, paragraph};

use super::case::Case;
use super::kinds::{
    About, Advice, Banks, Idle, Remedy, Reuse, SameWord, Scope, Sectors, Shape, Unneeded, Why,
};
use super::observe::{LANES, SECTOR_BYTES, lanes};

/// Bytes of a word of a bank, and how many banks there are.
const WORD_BYTES: u64 = 4;
const BANKS: u64 = 32;

/// All advice about a launch, in the order given.
pub fn render(advice: &[Advice], case: &Case<'_>) -> String {
    let mut out = String::new();
    let (mut last, mut said) = (None, None);
    for advice in advice {
        let place = match &advice.site.source {
            Some(source) => source.to_string(),
            None => format!("PTX line {}", advice.site.ptx_line),
        };
        if last.as_ref() != Some(&place) {
            let text = case.line(&advice.site).unwrap_or(&advice.site.ptx);
            let _ = writeln!(out, "\n{}", clipped(&format!("{place}  {}", text.trim())));
            last = Some(place.clone());
        }
        let (kind, Item { text, picture, help }) = (advice.about.kind().name(), about(&advice.about));
        // Several lines in a row often have the same.
        let is_again = said.as_ref().filter(|(_, before)| *before == (kind, text.clone(), help.clone()));
        if let Some((first, _)) = is_again {
            out += &paragraph("  - ", &format!("{kind}: the same as at {first}"));
            continue;
        }
        out += &(paragraph("  - ", &format!("{kind}: {text}")) + &picture);
        if !help.is_empty() {
            out += &paragraph("    help: ", &help);
        }
        said = Some((place, (kind, text, help)));
    }
    if let Some(first) = advice.first() {
        let kind = first.about.kind().name();
        out.push('\n');
        out += &paragraph("", &format!("`lanes explain {kind}` explains what that means."));
    }
    out
}

fn clipped(line: &str) -> String {
    if line.chars().count() <= spec::layout::WIDTH {
        return line.to_owned();
    }
    line.chars().take(spec::layout::WIDTH - 1).collect::<String>() + "…"
}

fn about(about: &About) -> Item {
    match about {
        About::Sectors(found) => sectors(found),
        About::Banks(found) => banks(found),
        About::SameWord(found) => same_word(found),
        About::Reuse(found) => reuse(found),
        About::Idle(found) => idle(found),
        About::Order(found) => order(found),
    }
}

/// What is said: the finding, a picture of lanes, and what to do.
struct Item {
    text: String,
    picture: String,
    help: String,
}

fn item(text: &str, picture: &str, help: &str) -> Item {
    Item { text: text.to_owned(), picture: picture.to_owned(), help: help.to_owned() }
}

fn done(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "loads of",
        AccessKind::Write => "stores to",
        _ => "updates of",
    }
}

fn each(total: u64, requests: u64) -> String {
    number(total as f64 / requests as f64)
}

/// Without decimals if there are none.
fn number(value: f64) -> String {
    if value.fract() == 0.0 { grouped(value as u64) } else { decimal(value) }
}

fn apart(step: Option<i64>) -> String {
    match step.map(i64::unsigned_abs) {
        Some(step) => format!("active lanes are mostly {} apart", counted(step, "byte")),
        None => "the distance between active lanes is not fixed".to_owned(),
    }
}

fn sectors(found: &Sectors) -> Item {
    let Sectors { name, kind, requests, touched, needed, step, worst } = found;
    let text = format!(
        "{} `{name}`: {} sectors per request where {} would do, in {}; {}",
        done(*kind),
        each(*touched, *requests),
        each(*needed, *requests),
        counted(*requests, "request"),
        apart(*step),
    );
    let first = lanes(worst).map(|(_, address)| address).min().unwrap_or(0);
    let now = strip(worst, |address| address / SECTOR_BYTES - first / SECTOR_BYTES);
    let packed = packed(worst);
    let help = match step {
        Some(_) => {
            "let neighbouring lanes access neighbouring elements: exchange the roles of rows and columns, keep a \
             structure of arrays in place of an array of structures, or move a tile through shared memory"
        }
        None => {
            "if the lanes can be arranged so that neighbours access neighbouring elements, fewer sectors do"
        }
    };
    item(&text, &picture(&[("sector", now), ("packed", packed)]), help)
}

/// The sectors of the request if each lane had the place of its number.
fn packed(worst: &Access) -> String {
    let mut out = vec!['.'; LANES];
    for (lane, _) in lanes(worst) {
        out[lane] =
            char::from_digit((lane as u64 * worst.bytes / SECTOR_BYTES % 36) as u32, 36).unwrap_or('?');
    }
    out.into_iter().collect()
}

fn banks(found: &Banks) -> Item {
    let Banks { name, kind, requests, conflicts, step, padding, worst } = found;
    let text = format!(
        "{} `{name}`: {} passes per request where 1 would do, in {}; {}",
        done(*kind),
        each(requests + conflicts, *requests),
        counted(*requests, "request"),
        apart(*step),
    );
    let now = strip(worst, |address| address / WORD_BYTES % BANKS);
    let help = match padding {
        Some(padding) => {
            let row = padding.row_bytes / padding.more_bytes;
            let change = if padding.has_rows {
                let (bytes, more) = (counted(padding.row_bytes, "byte"), counted(row + 1, "element"));
                format!("make each row of {bytes} longer by one element, {more} in place of {}", grouped(row))
            } else {
                let row = grouped(row);
                format!("leave one element free after every {row}, so that index `i` becomes `i + i / {row}`")
            };
            format!(
                "{change}: then all accesses to `{name}` have {} in this launch, and now they have {}",
                counted(padding.after, "bank conflict"),
                grouped(padding.before),
            )
        }
        None => "let the lanes of a warp access words whose numbers differ modulo 32".to_owned(),
    };
    item(&text, &picture(&[("bank", now)]), &help)
}

fn same_word(found: &SameWord) -> Item {
    let SameWord { name, requests, lanes, words, remedy, is_shared, worst } = found;
    let text = format!(
        "updates of `{name}`: {} lanes per request update {}, one after another, in {}",
        each(*lanes, *requests),
        if words == requests { "one word".to_owned() } else { format!("{} words", each(*words, *requests)) },
        counted(*requests, "request"),
    );
    let mut known: Vec<u64> = Vec::new();
    let now = strip(worst, |address| {
        known.iter().position(|&word| word == address).unwrap_or_else(|| {
            known.push(address);
            known.len() - 1
        }) as u64
    });
    let help = match remedy {
        Remedy::Combine if *is_shared => {
            "combine the values of lanes that update the same word first, by shuffles or a warp reduction, and let one lane \
             update it"
        }
        Remedy::Combine => {
            "combine the values of lanes that update the same word first, by shuffles or a warp reduction, and let one lane \
             update it; or give each block a word of its own in shared memory"
        }
        Remedy::Look => "let one lane look at the word for all of them",
        Remedy::NoLoop => {
            "let one lane do it for all of them, with their values combined; if this is a loop, look for an atomic operation that \
             needs none"
        }
        Remedy::None => "",
    };
    item(&text, &picture(&[("word", now)]), help)
}

fn reuse(found: &Reuse) -> Item {
    let Reuse { name, block, requested, different } = found;
    let text = format!(
        "loads of `{name}`: the requests of block {block} touch {}, of which {} are different",
        counted(*requested, "sector"),
        grouped(*different),
    );
    item(&text, "", "what a block reads more than once can stay in registers or in shared memory")
}

fn idle(found: &Idle) -> Item {
    let Idle { instructions, lines, average, share, why, usual_mask, shape } = found;
    let reason = match why {
        Why::Absent => "the block has no such threads",
        Why::Ended => "their threads have ended",
        Why::Elsewhere => "they took another way at a branch",
        Why::Guarded => "the condition is false for them",
    };
    let help = match (why, shape) {
        (Why::Absent, _) if usual_mask.is_power_of_two() => {
            "if the work can be divided, launch blocks of 32 threads, and give each of them a part"
        }
        (Why::Absent, _) => "launch blocks of a multiple of 32 threads",
        (_, Shape::Turns) => "these lanes take turns: let whole warps take the same way",
        (_, Shape::FewerWarps) => {
            "give the work to threads with neighbouring numbers, so that whole warps take the same way or end"
        }
        (_, Shape::Single) => "if the work can be divided, give each lane of the warp a part of it",
        (Why::Elsewhere, _) if *average <= 16.0 => {
            "let whole warps take the same way; or, if both ways are short, compute both in all lanes and select one result"
        }
        (Why::Elsewhere, Shape::First) => {
            "the active lanes are neighbours already: let each thread do more of the work before, or finish the last 32 \
             values with shuffles"
        }
        (Why::Ended, _) => {
            "choose a block and a grid that fit the work, so that fewer threads end without any"
        }
        _ => "let the condition hold for whole warps",
    };
    let text = format!(
        "{} of 32 lanes are idle on average, in {}{} ({:.0} % of the lanes of all instructions); mostly {reason}",
        number(*average),
        counted(*instructions, "instruction"),
        of_lines(lines),
        100.0 * share,
    );
    let lanes: String = (0..LANES).map(|lane| if usual_mask >> lane & 1 != 0 { '#' } else { '.' }).collect();
    item(&text, &picture(&[("active", lanes)]), help)
}

/// ` of the lines 12, 13 and 20`, unless there is only one.
fn of_lines(lines: &[u32]) -> String {
    let Some((last, before)) = lines.split_last().filter(|(_, before)| !before.is_empty()) else {
        return String::new();
    };
    let before: Vec<String> = before.iter().map(u32::to_string).collect();
    format!(" of the lines {} and {last}", before.join(", "))
}

fn order(found: &Unneeded) -> Item {
    let Unneeded { ptx, instead, orders, is_of_an_atomic } = found;
    let what = if ptx.contains("bar") && !ptx.contains("membar") { "barrier" } else { "fence" };
    let ptx = ptx.trim_end_matches(';');
    let (text, help) = match instead {
        None if *is_of_an_atomic => (
            format!(
                "`{ptx}`, which comes from the order of this operation, orders nothing in this launch: without it, \
                     {orders} orders of the warps left the same results, and no checker found anything"
            ),
            "use `cuda::memory_order_relaxed` if no other launch needs the order",
        ),
        None => (
            format!(
                "the {what} `{ptx}` orders nothing in this launch: without it, {orders} orders of the warps left the same \
                     results, and no checker found anything"
            ),
            "leave it out if no other launch needs it",
        ),
        Some(scope) => {
            let (name, does) = match scope {
                Scope::Block => ("__threadfence_block()", "a fence for the block"),
                Scope::Device => ("__threadfence()", "a fence for the device"),
            };
            (
                format!(
                    "the fence `{ptx}` is wider than this launch needs: with {does} (`{name}`), {orders} orders of the warps \
                         left the same results, and no checker found anything"
                ),
                "use the narrower fence if no other launch needs this one",
            )
        }
    };
    item(&text, "", help)
}

/// A character for each lane: the number of its sector, bank or word, and a dot where it takes no part.
fn strip(access: &Access, mut number: impl FnMut(u64) -> u64) -> String {
    let mut out = vec!['.'; LANES];
    for (lane, address) in lanes(access) {
        out[lane] = char::from_digit((number(address) % 36) as u32, 36).unwrap_or('?');
    }
    out.into_iter().collect()
}

fn picture(strips: &[(&str, String)]) -> String {
    let mut out = format!("    {:<9}{:<8}{:<8}{:<7}{}\n", "lane", "0", "8", "16", "24     31");
    for (name, strip) in strips {
        let _ = writeln!(out, "    {name:<9}{strip}");
    }
    out
}
