//! The words for how a launch is run: scheduling policies, reconvergence mechanisms and checkers.
//!
//! Each is declared here once, with what is said of it. The command line's help and errors, the files and the requests of a
//! page follow from these declarations. To add a scheduling policy, add it to `simt::Schedule` and add a line here, without
//! which this file does not compile. A page offers those that its menus name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use simt::{Checks, Reconvergence, Schedule};

/// A value that has a name, and what is said of it.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Its name: `round-robin`.
    pub name: &'static str,
    /// What the help says in parentheses after the name, if the name is not enough.
    pub help: &'static str,
    /// What a report says of a run with it.
    pub report: &'static str,
}

/// A type of which each value has a name.
pub trait Words: Copy + PartialEq + fmt::Debug + 'static {
    /// All values.
    const ALL: &'static [Self];

    /// What is said of this one.
    fn told(self) -> Told;

    /// The names with what the help says of them: `round-robin, random, or hunt (...)`.
    fn help() -> String {
        let one = |Told { name, help, .. }| match help {
            "" => name.to_owned(),
            help => format!("{name} ({help})"),
        };
        let all: Vec<String> = Self::ALL.iter().map(|value| one(value.told())).collect();
        listed(&all, ", or")
    }
}

/// Declares the words of a type, and compiles only if none is missing.
macro_rules! words {
    ($type:ident: $($variant:ident => $name:literal, $help:literal, $report:literal;)+) => {
        impl Words for $type {
            const ALL: &'static [$type] = &[$($type::$variant),+];

            fn told(self) -> Told {
                match self {
                    $($type::$variant => Told { name: $name, help: $help, report: $report },)+
                }
            }
        }
    };
}

words! { Schedule:
    RoundRobin => "round-robin", "", "warps in turn";
    Random => "random", "", "warps at random";
    Hunt => "hunt", "random, switches after accesses and separates lanes that nothing keeps together",
        "warps at random, switching after accesses";
}

words! { Reconvergence:
    Auto => "auto", "as the target does", "";
    Stack => "stack", "before Volta", "reconvergence stack";
    Its => "its", "independent thread scheduling, since Volta", "independent thread scheduling";
}

/// Names in a sentence: `a, b or c`.
fn listed<S: AsRef<str>>(names: &[S], or: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, rest @ [_, ..])) => format!("{}{or} {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// A value that is written as its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<T>(pub T);

impl<T: Words> FromStr for Word<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Word<T>, String> {
        let known = T::ALL.iter().find(|value| value.told().name == text);
        known.map(|value| Word(*value)).ok_or_else(|| {
            let names: Vec<String> = T::ALL.iter().map(|value| format!("`{}`", value.told().name)).collect();
            format!("choose {}", listed(&names, " or"))
        })
    }
}

impl<T: Words> fmt::Display for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.told().name)
    }
}

impl<'de, T: Words> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word<T>, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl<T: Words> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Which checkers are on. Accesses outside of memory are always reported, so for a GPU it makes a difference whether
/// the user asked for that check only, or for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkers {
    checks: Checks,
    memory: bool,
}

/// A checker: its names, the first of which is written, whether it is on, and how it is switched on.
type Checker = (&'static [&'static str], fn(&Checks) -> bool, fn(&mut Checks));

const CHECKERS: [Checker; 3] = [
    (
        &["races", "race"],
        |checks| checks.races,
        |checks| (checks.races, checks.volatile_races) = (true, true),
    ),
    (
        &["initialisation", "initialization", "init"],
        |checks| checks.initialisation,
        |checks| checks.initialisation = true,
    ),
    (
        &["synchronisation", "synchronization", "sync"],
        |checks| checks.synchronisation,
        |checks| checks.synchronisation = true,
    ),
];

/// The checker that is always on.
const MEMORY: &str = "memory";

impl Checkers {
    /// All checkers.
    pub const ALL: Checkers = Checkers { checks: Checks::ALL, memory: true };
    /// No checker. The emulator still checks memory if it runs at all.
    pub const NONE: Checkers = Checkers { checks: Checks::NONE, memory: false };

    /// The checkers of a launch.
    pub fn checks(self) -> Checks {
        self.checks
    }

    /// The names of those that can be switched off.
    fn chosen(self) -> Vec<&'static str> {
        CHECKERS.iter().filter(|(_, is_on, _)| is_on(&self.checks)).map(|(names, ..)| names[0]).collect()
    }

    /// The names of the checkers.
    pub fn names(self) -> Vec<&'static str> {
        self.chosen().into_iter().chain([MEMORY]).collect()
    }

    fn of<S: AsRef<str>>(names: &[S]) -> Result<Checkers, String> {
        let mut all = Checkers { memory: true, ..Checkers::NONE };
        for name in names.iter().map(|name| name.as_ref().trim()).filter(|name| *name != MEMORY) {
            match CHECKERS.iter().find(|(names, ..)| names.contains(&name)) {
                Some((_, _, switch_on)) => switch_on(&mut all.checks),
                None => return Err(unknown(name)),
            }
        }
        Ok(all)
    }
}

fn unknown(name: &str) -> String {
    let known = CHECKERS.iter().map(|(names, ..)| names[0]).chain([MEMORY]);
    let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
    let known = listed(&known, " and");
    match name {
        "all" | "none" => format!("`{name}` cannot be combined with other names: choose from {known}"),
        _ => format!("there is no checker `{name}`: choose from {known}, or `all` or `none`"),
    }
}

impl FromStr for Checkers {
    type Err = String;

    /// Reads `all`, `none`, or names with commas between them.
    fn from_str(text: &str) -> Result<Checkers, String> {
        match text {
            "all" => Ok(Checkers::ALL),
            "none" => Ok(Checkers::NONE),
            _ => Checkers::of(&text.split(',').collect::<Vec<_>>()),
        }
    }
}

impl fmt::Display for Checkers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Checkers::ALL => f.write_str("all"),
            Checkers::NONE => f.write_str("none"),
            some => f.write_str(&some.names().join(",")),
        }
    }
}

impl<'de> Deserialize<'de> for Checkers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Checkers, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "checkers are written as in `[\"races\"]` or `\"races,memory\"`")]
        enum Written {
            Text(String),
            Names(Vec<String>),
        }
        let read = match Written::deserialize(deserializer)? {
            Written::Text(text) => text.parse(),
            Written::Names(names) => Checkers::of(&names),
        };
        read.map_err(de::Error::custom)
    }
}

impl Serialize for Checkers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.chosen())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for text in ["round-robin", "random", "hunt"] {
            assert_eq!(text.parse::<Word<Schedule>>().unwrap().to_string(), text);
        }
        assert_eq!("its".parse(), Ok(Word(Reconvergence::Its)));
        let refused = |text: &str| text.parse::<Word<Schedule>>().unwrap_err();
        assert_eq!(refused("fair"), "choose `round-robin`, `random` or `hunt`");
        assert_eq!(Word::<Schedule>(Schedule::default()).to_string(), "round-robin");
    }

    #[test]
    fn the_help_has_every_word() {
        assert!(Schedule::help().starts_with("round-robin, random, or hunt (random, switches"));
        assert!(
            Reconvergence::help().starts_with("auto (as the target does), stack (before Volta), or its (")
        );
    }

    #[test]
    fn checkers_have_long_and_short_names() {
        let checks = |text: &str| text.parse::<Checkers>();
        assert_eq!(checks("race,sync,init"), Ok(Checkers::ALL));
        assert_eq!(checks("races, memory").unwrap().to_string(), "races,memory");
        for text in ["all", "none", "memory", "races,memory", "initialisation,synchronisation,memory"] {
            assert_eq!(checks(text).unwrap().to_string(), text);
        }
        for wrong in ["", "rice", "all,races", "races,", "none,none"] {
            assert!(checks(wrong).is_err(), "{wrong}");
        }
    }
}
