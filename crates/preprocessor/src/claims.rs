//! The verdicts on the claims of the notes and on the book's own questions, from the chapters' ledgers,
//! `output/sim_claims.txt`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

use crate::html::{anchor, escape, sentence};
use crate::repository::Repository;
use crate::source::{self, Source};

/// The notes: their names, and how many claims each makes.
const NOTES: [(&str, usize); 5] = [
    ("Warp divergence", 14),
    ("Reduction", 18),
    ("Control flow", 29),
    ("Boundaries", 8),
    ("Warp functions", 24),
];

/// The chapters without a note. They answer questions of their own.
const OWN: [(usize, &str); 5] = [
    (7, "Scan and compaction"),
    (8, "Hiding latency"),
    (9, "The modern vocabulary"),
    (10, "Moving tiles"),
    (11, "A warp as a matrix unit"),
];

/// The verdicts in the order of the table, each with its class in the page's style sheet.
const VERDICTS: [(&str, &str); 5] = [
    ("holds", "holds"),
    ("holds with a condition", "condition"),
    ("outdated", "outdated"),
    ("wrong", "wrong"),
    ("not decided", "undecided"),
];

/// Whose statement a claim is: the note's, its code's, a conclusion that a reader may draw, or a question of the book's.
const VOICES: [&str; 4] = ["the note says", "the note's code", "a reader may conclude", QUESTION];
/// The words before a question of the book's own, which end with its mark.
const QUESTION: &str = "is it true that";

/// What a test can find about the rows or the twins.
const FINDINGS: [&str; 4] = ["true", "false", "not refuted", "refuted"];

/// A claim and its verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// `N1.11` for a claim of a note, or `S7.1` for one of a chapter without a note.
    pub id: String,
    /// `wrong`, `holds with a condition`.
    pub verdict: String,
    /// One of [`VOICES`].
    voice: String,
    says: String,
    /// What was found, for example `true here`, and the numbers that show it.
    evidence: Vec<(String, String)>,
    why: String,
    /// The command that repeats the test.
    pub command: String,
}

/// All claims, those of the notes first and then those of the other chapters.
#[derive(Clone, Debug)]
pub struct Ledger(BTreeMap<Place, Claim>);

/// The letter, the number and the index of a claim, by which claims are sorted: `N1.11` comes before `S7.1`.
type Place = (char, usize, usize);

/// The claims that share a heading.
struct Group<'l> {
    /// `N1: Reduction`.
    heading: String,
    claims: Vec<&'l Claim>,
}

impl Ledger {
    /// Reads the ledgers of all chapters.
    pub fn read(repository: &Repository) -> Result<Self> {
        let mut claims = BTreeMap::new();
        for chapter in source::chapters(repository) {
            let file = format!("chapters/{chapter}/output/sim_claims.txt");
            for entry in repository.read(&file)?.split("\n\n") {
                if let Some(claim) = parse(entry) {
                    let place =
                        place(&claim.id).with_context(|| format!("`{file}` has a claim `{}`", claim.id))?;
                    claims.insert(place, claim);
                }
            }
        }
        Ok(Self(claims))
    }

    /// The claim of that name.
    pub fn get(&self, id: &str) -> Result<&Claim> {
        let claim = place(id).and_then(|place| self.0.get(&place));
        claim.with_context(|| format!("no chapter decides a claim `{id}`; `cargo xtask claims` lists them"))
    }

    /// The names of all claims.
    pub fn ids(&self) -> Vec<String> {
        self.0.values().map(|claim| claim.id.clone()).collect()
    }

    /// All claims, by note and by chapter; `mentions` returns links to the pages that mention a claim.
    pub fn render(&self, repository: &Repository, mentions: &dyn Fn(&str) -> String) -> Result<String> {
        let groups = self.groups()?;
        let mut text = self.summary() + &index(&groups);
        for group in &groups {
            text.extend(["\n## ", &group.heading, "\n\n"]);
            for claim in &group.claims {
                claim.check_fresh(repository)?;
                let id = &claim.id;
                text += &claim.render("h3", &format!(" id=\"{id}\""), &mentions(id));
                text.push('\n');
            }
        }
        Ok(text)
    }

    /// The notes, each with all of its claims, and then the chapters without a note.
    fn groups(&self) -> Result<Vec<Group<'_>>> {
        let notes = NOTES.into_iter().enumerate().map(|(number, (name, count))| {
            let claims = (1..=count).map(|index| self.get(&format!("N{number}.{index}")));
            Ok(Group { heading: format!("N{number}: {name}"), claims: claims.collect::<Result<_>>()? })
        });
        let own = OWN.into_iter().map(|(number, name)| {
            let claims = self.0.range(('S', number, 0)..('S', number + 1, 0)).map(|(_, claim)| claim);
            Ok(Group { heading: format!("S{number}: {name}"), claims: claims.collect() })
        });
        Ok(notes
            .chain(own)
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .filter(|group| !group.claims.is_empty())
            .collect())
    }

    fn summary(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for claim in self.0.values() {
            *counts.entry(&claim.verdict).or_default() += 1;
        }
        let count = |verdict: &str| counts.get(verdict).copied().unwrap_or_default();
        let row = |claim: &Claim| {
            let (class, verdict) = (claim.class(), &claim.verdict);
            format!("| <span class=\"sign {class}\">{verdict}</span> | {} |", count(verdict))
        };
        let rows =
            VERDICTS.map(|(verdict, _)| row(&Claim { verdict: verdict.to_owned(), ..Claim::default() }));
        format!(
            "| verdict | claims |\n| --- | ---: |\n{}\n| together | {} |\n",
            rows.join("\n"),
            self.0.len()
        )
    }
}

impl Claim {
    /// The class of the verdict in the page's style sheet.
    pub fn class(&self) -> &'static str {
        let known = VERDICTS.iter().find(|(verdict, _)| *verdict == self.verdict);
        known.map_or("unknown", |(_, class)| class)
    }

    /// Fails if a kernel has changed since the records of the claim's chapter were made.
    pub fn check_fresh(&self, repository: &Repository) -> Result<()> {
        let chapter = self.command.split_whitespace().nth(3).unwrap_or_default();
        Source::parse(chapter, repository)?.read(repository).map(drop)
    }

    /// The entry of the claim in the index.
    fn entry(&self) -> String {
        let (class, id, verdict) = (self.class(), &self.id, escape(&self.verdict));
        let (voice, says) = (escape(&self.voice), escape(&self.says.replace('`', "")));
        format!(
            "<li><a class=\"claim-ref {class}\" href=\"#{id}\" title=\"{verdict}; {voice}: {says}\">{id}\
             <span class=\"verdict\">, {verdict}</span></a></li>\n"
        )
    }

    /// The claim as a box with this `heading`.
    pub fn render(&self, heading: &str, id: &str, mentions: &str) -> String {
        let line = |(found, what): &(String, String)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(found), sentence(what))
        };
        let evidence: Vec<String> = self.evidence.iter().map(line).collect();
        let (colon, end) = if self.voice == QUESTION { ("", "?") } else { (":", ".") };
        let voice = escape(&capital(&self.voice)) + colon;
        format!(
            "<section class=\"claim {class}\" aria-label=\"claim {name}\">\n\
             <{heading}{id} class=\"claim-head\"><span class=\"claim-id\">{name}</span> <span class=\"verdict\">{verdict}</span></{heading}>\n\
             <p class=\"claim-says\"><span class=\"claim-voice\">{voice}</span> {says}</p>\n\
             <dl class=\"claim-evidence\">\n{evidence}\n</dl>\n\
             <p class=\"claim-why\">{why}</p>\n{mentions}\
             <div class=\"command\"><code>{command}</code></div>\n</section>\n",
            evidence = evidence.join("\n"),
            class = self.class(),
            name = self.id,
            verdict = escape(&self.verdict),
            says = sentence(self.says.trim_end_matches('.')) + end,
            why = sentence(&self.why),
            command = escape(&self.command),
        )
    }
}

/// Every claim by its number, in the colour and with the sign of its verdict, as a link to the claim.
fn index(groups: &[Group<'_>]) -> String {
    let list = |group: &Group<'_>| {
        let (heading, entries) = (&group.heading, group.claims.iter().map(|claim| claim.entry()));
        let entries: String = entries.collect();
        let at = anchor(&heading.replace(':', ""));
        format!("<p><a href=\"#{at}\">{heading}</a></p>\n<ul>\n{entries}</ul>\n")
    };
    let lists: String = groups.iter().map(list).collect();
    format!("\n<nav class=\"claim-index\" aria-label=\"all claims\">\n{lists}</nav>\n")
}

/// The words with a capital letter at the beginning.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `N1.11` as a letter and numbers.
fn place(id: &str) -> Option<Place> {
    let letter = id.chars().next().filter(|letter| "NS".contains(*letter))?;
    let (number, index) = id[1..].split_once('.')?;
    Some((letter, number.parse().ok()?, index.parse().ok()?))
}

/// An entry of a ledger; `None` if it is something else.
fn parse(entry: &str) -> Option<Claim> {
    let mut lines = entry.lines().skip_while(|line| line.starts_with('$') || line.is_empty());
    let (id, verdict) = lines.next()?.split_once(' ')?;
    place(id)?;
    let mut claim = Claim { id: id.to_owned(), verdict: verdict.trim().to_owned(), ..Claim::default() };
    let mut parts: Vec<(Option<&str>, String)> = Vec::new();
    let mut is_cut = false;
    for line in lines {
        let text = line.trim();
        let goes_on = std::mem::replace(&mut is_cut, is_cut_off(line));
        let is_deeper = line.starts_with("        ");
        match parts.last_mut() {
            Some((label, part))
                if is_deeper || (label.is_none() && label_of(text).is_none() && !text.starts_with("$ ")) =>
            {
                part.push_str(if goes_on { "" } else { " " });
                part.push_str(text);
            }
            _ if text.starts_with("$ ") => text[2..].clone_into(&mut claim.command),
            _ => match label_of(text) {
                Some(label) => parts.push((Some(label), text[label.len() + 2..].to_owned())),
                None => parts.push((None, text.to_owned())),
            },
        }
    }
    for (label, text) in parts {
        match label {
            Some(label) if VOICES.contains(&label) => {
                claim.voice = label.to_owned();
                claim.says = text;
            }
            Some(label) => claim.evidence.push((label.to_owned(), text)),
            None => claim.why = text,
        }
    }
    Some(claim)
}

/// Whether the line ends inside a word. The terminal cuts a word that is longer than a line, so a part of it is alone
/// on its line and fills it.
fn is_cut_off(line: &str) -> bool {
    const WIDTH: usize = 80;
    line.chars().count() == WIDTH && !line.trim().contains(char::is_whitespace)
}

/// The label at the beginning of a line, if it has one: `the note says: …`, `true here: …`.
fn label_of(line: &str) -> Option<&str> {
    let (label, _) = line.split_once(": ")?;
    let is_place = |place: &str| ["here", "for the twin"].contains(&place) || place.starts_with("on ");
    let is_finding = |finding: &&str| {
        label.strip_prefix(finding).and_then(|place| place.strip_prefix(' ')).is_some_and(is_place)
    };
    let is_one = VOICES.contains(&label) || label == "not run" || FINDINGS.iter().any(is_finding);
    is_one.then_some(label)
}

/// Reads the words of a directive that must name exactly one claim.
pub fn one<'a>(words: &[&'a str]) -> Result<&'a str> {
    match words {
        [id] => Ok(id),
        _ => bail!("name one claim, `N1.11`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "N1.12  holds with a condition\n       the note says: the first launch takes longer, so\n                      warm up\n       true on NVIDIA H200, driver 5: block: 18.5 µs in the\n                                      first run\n       false for the twin: none\n       It takes: some microseconds\n       longer.\n       $ cargo run --bin ch02_reduction -- --claim N1.12";

    #[test]
    fn an_entry_is_read() {
        let claim = parse(ENTRY).unwrap();
        assert_eq!((claim.id.as_str(), claim.class()), ("N1.12", "condition"));
        assert_eq!(claim.voice, "the note says");
        assert_eq!(claim.says, "the first launch takes longer, so warm up");
        assert_eq!(claim.evidence[0].0, "true on NVIDIA H200, driver 5");
        assert_eq!(claim.evidence[0].1, "block: 18.5 µs in the first run");
        assert_eq!(claim.why, "It takes: some microseconds longer.");
        assert!(claim.command.ends_with("N1.12"));
    }

    #[test]
    fn a_word_that_the_terminal_cut_is_joined_again() {
        let entry = ENTRY.replace(
            "       true on NVIDIA H200, driver 5: block: 18.5 µs in the\n                                      first run\n",
            "       true on NVIDIA H200, driver 580.159.04: with `--only\n\
             \x20                                              locks,additions,waiting,handshake\n\
             \x20                                              s,sums --size 1048576`, 7.3 µs\n",
        );
        assert_ne!(entry, ENTRY);
        let claim = parse(&entry).unwrap();
        assert_eq!(
            claim.evidence[0].1,
            "with `--only locks,additions,waiting,handshakes,sums --size 1048576`, 7.3 µs"
        );
    }

    #[test]
    fn a_claim_says_whose_it_is_and_that_no_run_decides_it() {
        let entry = ENTRY
            .replace("holds with a condition", "not decided")
            .replace("the note says", "a reader may conclude")
            .replace("true on", "not refuted on")
            .replace("false for", "refuted for");
        let claim = parse(&entry).unwrap();
        assert_eq!((claim.voice.as_str(), claim.class()), ("a reader may conclude", "undecided"));
        let found: Vec<&str> = claim.evidence.iter().map(|(found, _)| found.as_str()).collect();
        assert_eq!(found, ["not refuted on NVIDIA H200, driver 5", "refuted for the twin"]);
        let page = claim.render("h3", "", "");
        assert!(page.contains("A reader may conclude:</span> the first launch"), "{page}");
        assert!(page.contains("<section class=\"claim undecided\""), "{page}");
    }

    #[test]
    fn every_claim_of_the_ledger_has_a_voice_and_a_known_verdict() {
        let repository = Repository::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into());
        let ledger = Ledger::read(&repository).unwrap();
        for claim in ledger.0.values() {
            assert!(VOICES.contains(&claim.voice.as_str()), "{}: {}", claim.id, claim.voice);
            assert!(claim.class() != "unknown", "{}: {}", claim.id, claim.verdict);
            assert!(
                !claim.says.is_empty() && !claim.why.is_empty() && !claim.evidence.is_empty(),
                "{}",
                claim.id
            );
        }
    }

    #[test]
    fn the_head_of_a_ledger_is_not_a_claim() {
        assert_eq!(parse("$ cargo run"), None);
    }
}
