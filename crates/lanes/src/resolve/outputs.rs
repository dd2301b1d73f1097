//! Which buffers are printed, drawn and saved after a run.
//!
//! Whether a file can be written is tried here, before the run, which may take long.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, ensure};

use super::sequence::Sequence;
use super::source::{self, why};
use crate::request::{Picture, Print, RunOptions, Save};

/// The largest number of elements of a PNG file.
const MOST_PIXELS: u64 = 1 << 28;

/// What was asked of a buffer, and the buffer's name.
#[derive(Clone, Debug)]
pub struct Named<T> {
    pub name: String,
    pub asked: T,
}

/// The buffers to print, draw and save.
#[derive(Debug)]
pub struct Outputs {
    pub prints: Vec<Named<Print>>,
    pub pictures: Vec<Named<Picture>>,
    pub saves: Vec<Named<Save>>,
}

impl Outputs {
    /// Looks up the buffers.
    pub fn new(options: &RunOptions, sequence: &Sequence) -> Result<Outputs> {
        let asked = &options.output;
        let prints = asked.prints.iter().map(|asked| print(asked, sequence));
        let pictures = asked.pictures.iter().map(|asked| picture(asked, options, sequence));
        let saves = asked.saves.iter().map(|asked| save(asked, options, sequence));
        let (prints, pictures) = (prints.collect::<Result<_>>()?, pictures.collect::<Result<_>>()?);
        Ok(Outputs { prints, pictures, saves: saves.collect::<Result<_>>()? })
    }
}

/// The buffer of `--print`, if it has these elements.
fn print(asked: &Print, sequence: &Sequence) -> Result<Named<Print>> {
    let name = sequence.buffer_name(&asked.buffer).map_err(|error| anyhow!("`--print {asked}`: {error}"))?;
    let elements = sequence.spec(&name).count;
    let end = asked.which.as_ref().map_or(elements, |which| which.end);
    let whose = if asked.buffer == name { format!("`{name}`") } else { format!("argument {}", asked.buffer) };
    ensure!(end <= elements, "`--print {asked}`: {whose} has only {elements} elements");
    Ok(Named { name, asked: asked.clone() })
}

/// The buffer of `--picture`, if it has whole rows and the file can be written.
fn picture(asked: &Picture, options: &RunOptions, sequence: &Sequence) -> Result<Named<Picture>> {
    let Picture { text, buffer, width, file } = asked;
    let name = sequence.buffer_name(buffer).map_err(|error| anyhow!("`--picture {text}`: {error}"))?;
    let count = sequence.spec(&name).count;
    ensure!(
        count.is_multiple_of(*width as u64),
        "`--picture {text}`: its {count} elements are not whole rows of {width}"
    );
    if let Some(file) = file {
        ensure!(
            count <= MOST_PIXELS && *width as u64 <= MOST_PIXELS,
            "`--picture {text}`: a picture has at most {MOST_PIXELS} elements"
        );
        refuse_input(options, "--picture", file)?;
        try_out(file)?;
    }
    Ok(Named { name, asked: asked.clone() })
}

/// The buffer of `--save`, if the file can be written.
fn save(asked: &Save, options: &RunOptions, sequence: &Sequence) -> Result<Named<Save>> {
    let Save { buffer, file } = asked;
    let named = sequence.buffer_name(buffer);
    let name = named.map_err(|error| anyhow!("`--save {buffer}={}`: {error}", file.display()))?;
    refuse_input(options, "--save", file)?;
    try_out(file)?;
    Ok(Named { name, asked: asked.clone() })
}

/// Refuses to write over a file that is read.
pub fn refuse_input(options: &RunOptions, option: &str, file: &Path) -> Result<()> {
    let Ok(place) = file.canonicalize() else { return Ok(()) };
    let is_same = |input: PathBuf| input.canonicalize().is_ok_and(|input| input == place);
    let is_input = options.inputs().any(is_same);
    ensure!(
        !is_input,
        "`{option}` names the file `{}`, which is an input: give it another name",
        source::name(file)
    );
    Ok(())
}

/// Whether a file can be written. One that was not there is not there afterwards.
fn try_out(file: &Path) -> Result<()> {
    let is_new = !file.exists();
    let opened = OpenOptions::new().append(true).create(true).open(file);
    opened.map_err(|error| unwritable("", file, &error))?;
    if is_new {
        // What cannot be removed is written soon.
        let _ = fs::remove_file(file);
    }
    Ok(())
}

/// Why a file cannot be written. `what` it is stands before its name.
pub fn unwritable(what: &str, file: &Path, error: &std::io::Error) -> anyhow::Error {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder; check its name".to_owned(),
        _ => why(file, error),
    };
    anyhow!("cannot write {what}`{}`: {why}", source::name(file))
}
