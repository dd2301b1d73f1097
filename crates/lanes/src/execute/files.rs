//! Files of whole programs: what they may read, and what of theirs is really written.
//!
//! A program may read what is below the current folder, wherever links lead. What it writes is in memory until its end, and
//! reaches the disk only below the folders of `--write`. Left out: devices but `/dev/null`, pipes, and folders.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cuda_host::{Files, Outcome, Refusal};
use thirty_two_lanes::files::{self, why};

/// The longest standard input, in bytes.
const MOST_INPUT: u64 = 64 << 20;

/// The standard input, and the files of the current folder.
#[derive(Debug)]
pub struct Disk {
    /// Without links; none if there is no such folder any more.
    folder: Option<PathBuf>,
    /// Read once, although a program runs with many seeds.
    input: OnceLock<Result<Vec<u8>, String>>,
}

impl Disk {
    /// That of this process.
    pub fn new() -> Disk {
        let folder = std::env::current_dir().and_then(|folder| folder.canonicalize());
        Disk { folder: folder.ok(), input: OnceLock::new() }
    }

    /// Whether the standard input has been read.
    pub fn has_read_input(&self) -> bool {
        self.input.get().is_some()
    }
}

impl Files for Disk {
    fn input(&self) -> Result<Vec<u8>, String> {
        self.input.get_or_init(input).clone()
    }

    fn place(&self, path: &str) -> Result<String, Refusal> {
        let is_folder = path.ends_with(std::path::is_separator);
        let path = Path::new(path);
        let place = match fs::metadata(path) {
            Ok(known) if known.is_dir() => return Err(Refusal::Folder),
            Ok(known) if !known.is_file() => return Err(Refusal::Denied),
            Ok(_) => path.canonicalize().map_err(|_| Refusal::Denied)?,
            Err(error) if error.kind() == ErrorKind::NotFound && !is_folder => {
                let folder = path.parent().filter(|folder| *folder != Path::new(""));
                let folder = folder.unwrap_or(Path::new(".")).canonicalize().map_err(|_| Refusal::Missing)?;
                folder.join(path.file_name().ok_or(Refusal::Missing)?)
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return Err(Refusal::Denied),
            Err(_) => return Err(Refusal::Missing),
        };
        place.into_os_string().into_string().map_err(|_| Refusal::Denied)
    }

    fn read(&self, place: &str, most: u64) -> Result<Vec<u8>, Refusal> {
        let place = Path::new(place);
        if !self.folder.as_ref().is_some_and(|folder| place.starts_with(folder)) {
            return Err(Refusal::Outside);
        }
        let known = fs::metadata(place).map_err(|_| Refusal::Missing)?;
        if known.len() > most {
            return Err(Refusal::TooLarge);
        }
        files::read(place, most).map_err(|_| Refusal::Denied)
    }
}

fn input() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let all = std::io::stdin().take(MOST_INPUT + 1).read_to_end(&mut bytes);
    all.map_err(|error| format!("the standard input cannot be read: {error}"))?;
    if bytes.len() as u64 > MOST_INPUT {
        return Err(format!("the standard input has more than {MOST_INPUT} bytes: give it fewer"));
    }
    Ok(bytes)
}

/// A file that a program has written.
#[derive(Debug)]
pub struct Made {
    /// What the program calls it.
    pub path: String,
    /// Where it is.
    pub place: PathBuf,
    pub bytes: usize,
    pub is_kept: bool,
    /// Why it is not, although it is below a folder of `--write`.
    pub why: Option<String>,
}

/// Writes the files of a program that are below these folders. One that was stopped has perhaps written a part of a file, so
/// what is on disk stays.
pub fn keep(outcome: &Outcome, folders: &[PathBuf]) -> Vec<Made> {
    let folders: Vec<_> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let written = outcome.files.written.iter();
    let made = written.map(|file| {
        let place = PathBuf::from(&file.place);
        // Where a link leads that has been made since counts, too.
        let is_below = folders.iter().any(|folder| files::place(&place).starts_with(folder));
        let kept = match is_below {
            false => None,
            true if outcome.was_stopped || outcome.was_interrupted => {
                Some(Err("the program was stopped".to_owned()))
            }
            true => Some(files::write(&place, &file.bytes).map_err(|error| why(&place, &error))),
        };
        let is_kept = matches!(kept, Some(Ok(())));
        Made {
            path: file.path.clone(),
            place,
            bytes: file.bytes.len(),
            is_kept,
            why: kept.and_then(Result::err),
        }
    });
    made.collect()
}
