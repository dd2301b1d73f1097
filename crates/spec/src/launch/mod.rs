//! One description of a launch, for everybody who describes one.
//!
//! The command line, scenario files, exercises, the files of the book and the requests of a page are spellings of
//! [`Launch`]. A field is declared once, in the table below: its names, its type, its documentation, and how its text is
//! read. The help of the command line, the tables in `docs/scenarios.md`, the errors and the readers follow from the table.
//! So a field is added here and where `Launch::emulated`, or whoever else, uses it. The words that a field may have are in
//! `words.rs`.
//!
//! Where a description stands among other fields, as in a test of a scenario file, [`Described`] reads both. What it leaves
//! out: looking up names, which needs the program.

mod described;
mod values;
mod words;

use std::fmt::Display;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use simt::{DEFAULT_RESIDENT_BLOCKS, Dim3, Reconvergence, Schedule};

pub use described::{Described, More};
pub use values::{Named, Passed, Seeds, Shape, Table, steps};
pub use words::{Checkers, Told, Word, Words};

/// What a field says something about. Not every description of a launch has all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What is launched.
    Launch,
    /// What is in memory before.
    Memory,
    /// How warps take turns, and the other choices of a run.
    Chance,
    /// What is checked.
    Checks,
}

/// A field of a launch: how it is written, and what it means.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its names. The first is that of [`Launch`] and of requests; the last, with `-` for `_`, is that of the option.
    pub names: &'static [&'static str],
    /// What its value is called in the help, `STEPS`; nothing if it is a flag.
    pub value: &'static str,
    /// What it says something about.
    pub group: Group,
    /// What it is if it is left out; empty if that depends on who asks.
    pub default: &'static str,
    /// Whether it may be said several times, each time for the next element of a list.
    pub is_list: bool,
    about: &'static str,
    words: fn() -> String,
    set: fn(&mut Launch, &str) -> Result<(), String>,
    texts: fn(&Launch) -> Vec<String>,
}

impl Field {
    /// The field with this name.
    pub fn named(name: &str) -> Option<&'static Field> {
        FIELDS.iter().find(|field| field.names.contains(&name))
    }

    /// Its name in requests.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// Its name on the command line, without the dashes.
    pub fn option(&self) -> String {
        self.names[self.names.len() - 1].replace('_', "-")
    }

    /// What it means.
    pub fn about(&self) -> &'static str {
        self.about.trim()
    }

    /// What it means, with the words that it may have and its default.
    pub fn help(&self) -> String {
        self.told(" [default: ", "]")
    }

    /// A row of a table in Markdown.
    pub fn row(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
        format!("| {} | {} |", names.join(", "), self.told("; if left out, ", ""))
    }

    fn told(&self, before: &str, after: &str) -> String {
        let words = (self.words)();
        let words = if words.is_empty() { words } else { format!(": {words}") };
        let default = match self.default {
            "" => String::new(),
            default => format!("{before}{default}{after}"),
        };
        format!("{}{words}{default}", self.about())
    }
}

/// What a field of a launch holds: nothing, one value, or several.
trait Slot: Sized {
    type Item: Display;
    const IS_LIST: bool = true;

    fn put(&mut self, item: Self::Item);
    fn items(&self) -> &[Self::Item];
}

impl<T: Display> Slot for Option<T> {
    type Item = T;
    const IS_LIST: bool = false;

    fn put(&mut self, item: T) {
        *self = Some(item);
    }

    fn items(&self) -> &[T] {
        self.as_slice()
    }
}

impl Slot for Vec<Passed> {
    type Item = Passed;

    fn put(&mut self, item: Passed) {
        self.push(item);
    }

    fn items(&self) -> &[Passed] {
        self
    }
}

impl Slot for Table {
    type Item = Named;

    fn put(&mut self, item: Named) {
        self.0.push(item);
    }

    fn items(&self) -> &[Named] {
        &self.0
    }
}

/// Declares the fields: their documentation, names and types, how a text is read, and what the help says.
macro_rules! launch {
    ($($(#[doc = $about:literal])+ $name:ident $(/ $also:ident)*: $slot:ty, read by $read:expr,
        in $group:ident, called $value:literal, default $default:literal $(, words $words:expr)?;)+) => {
        /// A launch as it is described. What is not said is as whoever carries it out has it.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Launch {
            $($(#[doc = $about])+ pub $name: $slot,)+
        }

        /// The fields of a launch.
        pub const FIELDS: &[Field] = &[$(Field {
            names: &[stringify!($name) $(, stringify!($also))*],
            value: $value,
            group: Group::$group,
            default: $default,
            is_list: <$slot>::IS_LIST,
            about: concat!($($about),+),
            words: [$($words,)? String::new][0],
            set: |launch, text| $read(text).map(|item| launch.$name.put(item)),
            texts: |launch| launch.$name.items().iter().map(ToString::to_string).collect(),
        }),+];

        impl Launch {
            /// Reads the value of a field from a file or a request.
            fn read<'de, D: Deserializer<'de>>(&mut self, field: &Field, value: D) -> Result<(), D::Error> {
                match field.name() {
                    $(stringify!($name) => self.$name = Deserialize::deserialize(value)?,)+
                    _ => unreachable!("a field is in the table"),
                }
                Ok(())
            }

            /// The launch that says what this one says, and otherwise what the other says.
            #[must_use]
            pub fn over(self, base: Launch) -> Launch {
                Launch { $($name: if self.$name.items().is_empty() { base.$name } else { self.$name }),+ }
            }
        }

        impl Serialize for Launch {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                $(if !self.$name.items().is_empty() {
                    map.serialize_entry(stringify!($name), &self.$name)?;
                })+
                map.end()
            }
        }
    };
}

/// Reads a value that has no rules of its own.
fn plain<T: std::str::FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn grid(text: &str) -> Result<Shape, String> {
    let shape: Shape = text.parse().unwrap_or_default();
    shape.grid().map(|_| shape)
}

fn block(text: &str) -> Result<Shape, String> {
    let shape: Shape = text.parse().unwrap_or_default();
    shape.block().map(|_| shape)
}

fn cluster(text: &str) -> Result<Shape, String> {
    let shape: Shape = text.parse().unwrap_or_default();
    shape.cluster().map(|_| shape)
}

launch! {
    /// The kernel, one of a template with its arguments as in `scale<float, 4>`
    kernel: Option<String>, read by plain, in Launch, called "NAME", default "the only one in the file";
    /// Blocks in the grid
    grid: Option<Shape>, read by grid, in Launch, called "X[,Y[,Z]]", default "1";
    /// Threads in a block
    block: Option<Shape>, read by block, in Launch, called "X[,Y[,Z]]", default "32";
    /// Blocks in a cluster, of which the grid consists
    cluster: Option<Shape>, read by cluster, in Launch, called "X[,Y[,Z]]", default "what the kernel says, otherwise 1";
    /// Dynamic shared memory per block
    shared_bytes: Option<u32>, read by plain, in Launch, called "BYTES", default "0";
    /// The arguments of the kernel in order: numbers as in `i32:5`, structures as in `{f32:2, i32:5}`, and buffers or their names
    arguments / args / arg: Vec<Passed>, read by plain, in Launch, called "SPEC", default "";
    /// Buffers with names, for arguments
    buffers / buffer: Table, read by plain, in Memory, called "NAME=TYPE:COUNT:FILL", default "";
    /// What `__constant__` and `__device__` variables contain at first: numbers as in a buffer, one number, or a structure
    symbols / symbol: Table, read by plain, in Memory, called "NAME=SPEC", default "";
    /// How warps take turns
    schedule: Option<Word<Schedule>>, read by plain, in Chance, called "POLICY", default "round-robin, or random with many seeds", words Schedule::help;
    /// Seed of the random choices: what the specification leaves open, and the order of warps
    seed: Option<u64>, read by plain, in Chance, called "SEED", default "0";
    /// Run seeds A to B-1 until one finds an error; warps run in random order, unless a schedule is given
    seeds: Option<Seeds>, read by plain, in Chance, called "A..B", default "";
    /// How lanes reconverge
    reconvergence: Option<Word<Reconvergence>>, read by plain, in Chance, called "MECHANISM", default "auto", words Reconvergence::help;
    /// How many blocks are resident at the same time
    resident_blocks: Option<u32>, read by values::residents, in Chance, called "BLOCKS", default "16";
    /// Let loads return older values and stores take effect late where the memory model of PTX allows it, and report where this happened
    weak_memory: Option<bool>, read by plain, in Chance, called "", default "";
    /// Which checkers are on: all, none, or a list of races, initialisation, synchronisation, memory
    checks / check: Option<Checkers>, read by plain, in Checks, called "LIST", default "all";
    /// After how many warp instructions to stop the kernel; lanes that wait to reconverge continue without the others after an eighth of them at the latest
    max_steps: Option<u64>, read by steps, in Checks, called "STEPS", default "";
}

impl Launch {
    /// Reads the text of a field, as an option has it. Of a list, it is the next element.
    ///
    /// # Errors
    /// One line that says how to write it.
    pub fn set(&mut self, field: &Field, text: &str) -> Result<(), String> {
        (field.set)(self, text)
    }

    /// The fields that are said, with their texts as options have them: one, or one for each element of a list.
    pub fn said(&self) -> impl Iterator<Item = (&'static Field, Vec<String>)> {
        FIELDS.iter().map(|field| (field, (field.texts)(self))).filter(|(_, texts)| !texts.is_empty())
    }

    /// Whether everything that was read from a file is what an option could say.
    ///
    /// # Errors
    /// One line that names the field and says how to write it.
    pub fn check(&self) -> Result<(), String> {
        let mut again = Launch::default();
        for (field, texts) in self.said() {
            for text in texts {
                again.set(field, &text).map_err(|error| format!("`{}`: {error}", field.name()))?;
            }
        }
        Ok(())
    }

    /// Blocks in the grid, and threads in a block.
    ///
    /// # Errors
    /// One line that says how to write them.
    pub fn shape(&self) -> Result<(Dim3, Dim3), String> {
        let grid = self.grid.as_ref().map_or(Ok(1.into()), Shape::grid)?;
        Ok((grid, self.block.as_ref().map_or(Ok(32.into()), Shape::block)?))
    }

    /// The schedule: that which was asked for. Otherwise many seeds run with random turns, because in order they differ little.
    pub fn schedule(&self) -> Schedule {
        let usual = if self.seeds.is_some() { Schedule::Random } else { Schedule::RoundRobin };
        self.schedule.map_or(usual, |Word(schedule)| schedule)
    }

    /// The launch of the emulator, with the first seed and still without arguments, and stopped after so many steps unless
    /// it says otherwise.
    pub fn emulated(&self, grid: Dim3, block: Dim3, steps: u64) -> simt::Launch {
        simt::Launch {
            // The emulator refuses what is no cluster.
            cluster: self.cluster.as_ref().map(Shape::as_written),
            shared_bytes: self.shared_bytes.unwrap_or(0),
            seed: self.seeds.map_or(self.seed.unwrap_or(0), |seeds| seeds.start),
            schedule: self.schedule(),
            reconvergence: self.reconvergence.map_or(Reconvergence::Auto, |Word(mechanism)| mechanism),
            checks: self.checks.unwrap_or(Checkers::ALL).checks(),
            weak_memory: self.weak_memory.unwrap_or(false),
            resident_blocks: self.resident_blocks.unwrap_or(DEFAULT_RESIDENT_BLOCKS),
            max_steps: self.max_steps.unwrap_or(steps),
            ..simt::Launch::new(grid, block)
        }
    }

    /// The options that describe this launch, as words of a command line.
    pub fn options(&self) -> Vec<String> {
        let option = |(field, texts): (&Field, Vec<String>)| {
            let name = format!("--{}", field.option());
            let words = |text: String| match (field.value, text.as_str()) {
                ("", "true") => vec![name.clone()],
                ("", _) => Vec::new(),
                _ => vec![name.clone(), text],
            };
            texts.into_iter().flat_map(words).collect::<Vec<_>>()
        };
        self.said().flat_map(option).collect()
    }
}

impl<'de> Deserialize<'de> for Launch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Launch, D::Error> {
        Described::<described::Nothing>::deserialize(deserializer).map(|described| described.launch)
    }
}

/// A command line from its words, quoted for a POSIX shell.
pub fn command_line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+.,:/@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
