//! Which buffers are printed, drawn and saved after a run.
//!
//! Whether a file can be written is tried here, before the run, which may take long.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail, ensure};

use super::sequence::Sequence;
use super::source;
use crate::request::{Picture, Print, RunOptions, Save};
use thirty_two_lanes::files::{self, why};

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
        let pictures = asked.pictures.iter().map(|asked| picture(asked, sequence));
        let saves = asked.saves.iter().map(|asked| save(asked, sequence));
        let (prints, pictures) = (prints.collect::<Result<_>>()?, pictures.collect::<Result<_>>()?);
        let outputs = Outputs { prints, pictures, saves: saves.collect::<Result<_>>()? };
        check_files(options).map(|()| outputs)
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

/// The buffer of `--picture`, if it has whole rows.
fn picture(asked: &Picture, sequence: &Sequence) -> Result<Named<Picture>> {
    let Picture { text, buffer, width, file } = asked;
    let name = sequence.buffer_name(buffer).map_err(|error| anyhow!("`--picture {text}`: {error}"))?;
    let count = sequence.spec(&name).count;
    ensure!(
        count.is_multiple_of(*width as u64),
        "`--picture {text}`: its {count} elements are not whole rows of {width}"
    );
    if file.is_some() {
        ensure!(
            count <= MOST_PIXELS && *width as u64 <= MOST_PIXELS,
            "`--picture {text}`: a picture has at most {MOST_PIXELS} elements"
        );
    }
    Ok(Named { name, asked: asked.clone() })
}

/// The buffer of `--save`.
fn save(asked: &Save, sequence: &Sequence) -> Result<Named<Save>> {
    let Save { buffer, file } = asked;
    let named = sequence.buffer_name(buffer);
    let name = named.map_err(|error| anyhow!("`--save {buffer}={}`: {error}", file.display()))?;
    Ok(Named { name, asked: asked.clone() })
}

/// Refuses files to write that are read too, or written twice, or that cannot be written.
fn check_files(options: &RunOptions) -> Result<()> {
    let saves = options.output.saves.iter().map(|save| ("--save", &save.file));
    let pictures =
        options.output.pictures.iter().filter_map(|picture| Some(("--picture", picture.file.as_ref()?)));
    let trace = options.output.trace.iter().map(|file| ("--trace", file));
    let inputs: Vec<PathBuf> = options.inputs().map(|file| files::place(&file)).collect();
    let mut known: Vec<(&str, PathBuf)> = Vec::new();
    for (option, file) in saves.chain(pictures).chain(trace) {
        let (place, name) = (files::place(file), source::name(file));
        ensure!(
            !inputs.contains(&place),
            "`{option}` names the file `{name}`, which is an input: give it another name"
        );
        if let Some((other, _)) = known.iter().find(|(_, known)| *known == place) {
            bail!("`{other}` and `{option}` both write `{name}`: give them different files");
        }
        let what = if option == "--trace" { "the trace " } else { "" };
        files::try_out(file).map_err(|error| unwritable(what, file, &error))?;
        known.push((option, place));
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
