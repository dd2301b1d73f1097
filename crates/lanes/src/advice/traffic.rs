//! What requests to memory cost: sectors of global memory, bank conflicts of shared memory, updates of one word, and sectors
//! that a block reads more than once.

use simt::{AccessKind, Site, Space};

use super::case::Case;
use super::kinds::{About, Advice, Banks, LEAST_SHARE, Remedy, Reuse, SameWord, Sectors};
use super::observe::{Key, Observed, ReadByBlock, Requests, SECTOR_BYTES, opcode};
use super::padding::{self, Padding};

/// Requests that cost less than this many times what they could are not worth a word.
const LEAST_RATIO: u64 = 2;
/// Shared memory that any kernel can have without asking for more.
const SHARED_BYTES: u64 = 48 << 10;

/// Finds what is worth a word.
pub(crate) fn advice(observed: &Observed, case: &Case<'_>) -> Vec<Advice> {
    let of = |space: Space, cost: fn(&Requests) -> u64| -> u64 {
        observed.requests.iter().filter(|(key, _)| key.space == space).map(|(_, seen)| cost(seen)).sum()
    };
    let sectors = of(Space::Global, |seen| seen.sectors);
    let passes = of(Space::Shared, |seen| seen.count + seen.bank_conflicts);
    let mut found = Vec::new();
    for (key, seen) in
        observed.requests.iter().filter(|(key, _)| key.space == Space::Shared || key.target.is_some())
    {
        let is_update = key.kind == AccessKind::Update;
        if is_update && seen.lanes >= LEAST_RATIO * seen.addresses {
            // Which sector or bank the word is in does not matter. Inside of something else, such as a barrier, nobody can
            // change it.
            if is_written_out(case, &seen.site) && is_large(seen.lanes - seen.addresses, seen.lanes) {
                let about = About::SameWord(same_word(observed, key, seen));
                found.push(Advice { site: seen.site.clone(), about });
            }
        } else if key.space == Space::Global
            && seen.sectors >= LEAST_RATIO * seen.needed
            && is_large(seen.sectors - seen.needed, sectors)
        {
            found.push(Advice { site: seen.site.clone(), about: About::Sectors(wide(observed, key, seen)) });
        } else if key.space == Space::Shared
            && seen.bank_conflicts >= seen.count
            && is_large(seen.bank_conflicts, passes)
        {
            let padding = padding::find(observed, key, seen, case.cuda);
            found.push(Advice {
                site: seen.site.clone(),
                about: About::Banks(banks(observed, key, seen, padding)),
            });
        }
    }
    found.extend(observed.read.iter().filter_map(|(buffer, read)| reuse(observed, *buffer, read)));
    found
}

/// Whether an atomic is in the text, and not inside of something else, such as a barrier.
fn is_written_out(case: &Case<'_>, site: &Site) -> bool {
    case.line(site)
        .is_none_or(|line| ["atomic", "fetch_", "atom.", "red."].iter().any(|word| line.contains(word)))
}

fn is_large(part: u64, whole: u64) -> bool {
    part as f64 >= LEAST_SHARE * whole as f64
}

fn wide(observed: &Observed, key: &Key, seen: &Requests) -> Sectors {
    Sectors {
        name: observed.name(key),
        kind: key.kind,
        requests: seen.count,
        touched: seen.sectors,
        needed: seen.needed,
        step: seen.usual_step(),
        worst: seen.worst.clone(),
    }
}

fn banks(observed: &Observed, key: &Key, seen: &Requests, padding: Option<Padding>) -> Banks {
    Banks {
        name: observed.name(key),
        kind: key.kind,
        requests: seen.count,
        conflicts: seen.bank_conflicts,
        step: seen.usual_step(),
        padding,
        worst: seen.worst.clone(),
    }
}

fn same_word(observed: &Observed, key: &Key, seen: &Requests) -> SameWord {
    SameWord {
        name: observed.name(key),
        requests: seen.count,
        lanes: seen.lanes,
        words: seen.addresses,
        remedy: remedy(&seen.site.ptx),
        is_shared: key.space == Space::Shared,
        worst: seen.worst.clone(),
    }
}

fn remedy(ptx: &str) -> Remedy {
    let combining = ["add", "min", "max", "and", "or", "xor", "inc"];
    let has = |names: &[&str]| opcode(ptx).split('.').any(|part| names.contains(&part));
    let adds_nothing = has(&["add", "or", "xor"]) && ptx.trim_end_matches(';').ends_with(", 0");
    match () {
        () if adds_nothing => Remedy::Look,
        () if has(&combining) => Remedy::Combine,
        () if has(&["cas"]) => Remedy::NoLoop,
        () => Remedy::None,
    }
}

/// Only buffers that the launch does not change: what others write has to be read again.
fn reuse(observed: &Observed, buffer: usize, read: &ReadByBlock) -> Option<Advice> {
    let is_written = observed.requests.keys().any(|key| {
        key.space == Space::Global
            && key.kind != AccessKind::Read
            && key.target.is_none_or(|target| target == buffer)
    });
    let (requested, different) = (read.sectors.values().sum::<u64>(), read.sectors.len() as u64);
    let fits = different * SECTOR_BYTES <= SHARED_BYTES;
    // A sector of which each request takes another part is a matter of its distances, and not of reading anything again.
    let again = read.elements.values().sum::<u64>() >= LEAST_RATIO * read.elements.len() as u64;
    if is_written
        || !fits
        || !again
        || requested < LEAST_RATIO * different
        || requested - different < SECTOR_BYTES
    {
        return None;
    }
    let (site, _) = read.lines.values().max_by_key(|(_, sectors)| *sectors)?;
    let (name, _) = &observed.buffers[buffer];
    let about = Reuse { name: name.clone(), block: observed.sample, requested, different };
    Some(Advice { site: site.clone(), about: About::Reuse(about) })
}
