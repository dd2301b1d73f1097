//! The options that describe a launch: the fields of [`spec::launch`], so that they mean the same as in files.
//!
//! What it leaves out: whether the names exist, which is looked up when the program is known.

use std::ops::Deref;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use spec::launch::{FIELDS, Field, Group, Launch};
use spec::{BufferSpec, Spec, is_name};

/// The launch that the options describe.
#[derive(Clone, Debug, Default)]
pub struct LaunchOptions(Launch);

impl Deref for LaunchOptions {
    type Target = Launch;

    fn deref(&self) -> &Launch {
        &self.0
    }
}

impl LaunchOptions {
    /// The buffers that are arguments without a name, and which arguments they are.
    pub fn unnamed(&self) -> impl Iterator<Item = (usize, BufferSpec)> {
        let buffer = |text: &str| BufferSpec::parse(text.strip_prefix("buf:")?).ok();
        self.arguments
            .iter()
            .enumerate()
            .filter_map(move |(index, argument)| Some((index, buffer(&argument.is)?)))
    }
}

impl Args for LaunchOptions {
    fn augment_args(command: Command) -> Command {
        command.args(FIELDS.iter().map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        LaunchOptions::augment_args(command)
    }
}

impl FromArgMatches for LaunchOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<LaunchOptions, Error> {
        let mut options = LaunchOptions::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        set(&mut self.0, FIELDS.iter(), matches)
    }
}

/// How launches are carried out that a program makes by itself: the options that choose nothing of the launch, and no seeds.
#[derive(Clone, Debug, Default)]
pub struct Chances(Launch);

impl Chances {
    /// The launch that the options describe, in JSON.
    pub fn launch(&self) -> &Launch {
        &self.0
    }

    fn fields() -> impl Iterator<Item = &'static Field> {
        let is_one =
            |field: &&Field| matches!(field.group, Group::Chance | Group::Checks) && field.name() != "seeds";
        FIELDS.iter().filter(is_one)
    }
}

impl Args for Chances {
    fn augment_args(command: Command) -> Command {
        command.args(Chances::fields().map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Chances::augment_args(command)
    }
}

impl FromArgMatches for Chances {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Chances, Error> {
        let mut options = Chances::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        set(&mut self.0, Chances::fields(), matches)
    }
}

/// Sets the fields of a launch that the command line says.
fn set(
    launch: &mut Launch,
    fields: impl Iterator<Item = &'static Field>,
    matches: &ArgMatches,
) -> Result<(), Error> {
    for field in fields {
        for text in matches.get_many::<String>(field.name()).into_iter().flatten() {
            launch.set(field, text).map_err(|error| Error::raw(ErrorKind::ValueValidation, error))?;
        }
    }
    Ok(())
}

/// The option that says a field.
fn option(field: &'static Field) -> Arg {
    let heading = match field.group {
        Group::Launch | Group::Memory => "Launch",
        Group::Chance => "Scheduling",
        Group::Checks => "Checks",
    };
    let more = match field.name() {
        "arguments" => " (see below)",
        "seeds" => "; the buffers that --print shows are compared",
        "max_steps" => {
            " [default: 50 million, and 1000 for each warp; 1000 million for each launch of a program]"
        }
        _ => "",
    };
    let arg = Arg::new(field.name()).long(field.option()).help(field.help() + more).help_heading(heading);
    let arg = arg.action(if field.is_list { ArgAction::Append } else { ArgAction::Set });
    if field.value.is_empty() {
        return arg.num_args(0).default_missing_value("true");
    }
    arg.value_name(field.value)
        .value_parser(|text: &str| checked(field, text))
        .allow_negative_numbers(true)
        .allow_hyphen_values(field.name() == "seeds")
}

/// The text of a field, if it can be read. An argument has no name beside it, because messages call it by its number.
fn checked(field: &Field, text: &str) -> Result<String, String> {
    Launch::default().set(field, text)?;
    match (field.name(), text.split_once('=')) {
        ("arguments", _) if !is_name(text) => _ = Spec::parse(text)?,
        ("buffers", Some((_, text))) => {
            BufferSpec::parse(text).map_err(|why| why.replace("buf:", "NAME="))?;
        }
        _ => {}
    }
    Ok(text.to_owned())
}
