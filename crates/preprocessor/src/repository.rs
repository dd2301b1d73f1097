//! The repository around the book: its files, each read once, and checks for stale ones.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use nvrtc::{CudaFile, Header};
use serde_json::Value;

use crate::source::Records;

/// The repository.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
    files: RefCell<HashMap<String, Rc<str>>>,
    reports: RefCell<HashMap<String, Rc<Value>>>,
    /// The records of chapters, or why they cannot be used.
    records: RefCell<HashMap<String, Result<Rc<Records>, String>>>,
    /// The names of launches that a listing has.
    runnable: RefCell<HashSet<String>>,
    /// The results of the checks of files against their sources; `None` if they match.
    checked: RefCell<HashMap<String, Option<String>>>,
}

impl Repository {
    /// The repository with this root.
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            files: RefCell::default(),
            reports: RefCell::default(),
            records: RefCell::default(),
            runnable: RefCell::default(),
            checked: RefCell::default(),
        }
    }

    /// The path of something in the repository.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The text of a file, with line ends as on Unix.
    pub fn read(&self, name: &str) -> Result<Rc<str>> {
        if let Some(text) = self.files.borrow().get(name) {
            return Ok(Rc::clone(text));
        }
        let text = fs::read_to_string(self.path(name)).map_err(|_| missing(&self.root, name))?;
        let text: Rc<str> = text.replace("\r\n", "\n").into();
        self.files.borrow_mut().insert(name.to_owned(), Rc::clone(&text));
        Ok(text)
    }

    /// A file as JSON.
    pub fn json(&self, name: &str) -> Result<Rc<Value>> {
        if let Some(value) = self.reports.borrow().get(name) {
            return Ok(Rc::clone(value));
        }
        let value = serde_json::from_str(&self.read(name)?)
            .with_context(|| format!("`{name}` is not JSON; record it again"))?;
        let value = Rc::new(value);
        self.reports.borrow_mut().insert(name.to_owned(), Rc::clone(&value));
        Ok(value)
    }

    /// The records of a chapter, by its full name.
    pub fn records(&self, chapter: &str) -> Result<Rc<Records>> {
        let known = self.records.borrow().get(chapter).cloned();
        let records = known.unwrap_or_else(|| {
            let read = Records::read(chapter, self).map(Rc::new).map_err(|error| format!("{error:#}"));
            self.records.borrow_mut().insert(chapter.to_owned(), read.clone());
            read
        });
        records.map_err(|error| anyhow::anyhow!(error))
    }

    /// Notes that a listing has a launch.
    pub fn note_launch(&self, name: &str) {
        self.runnable.borrow_mut().insert(name.to_owned());
    }

    /// Whether a listing has a launch.
    pub fn has_launch(&self, name: &str) -> bool {
        self.runnable.borrow().contains(name)
    }

    /// Carries out a check only once, even if several pages ask for it.
    pub fn once(&self, what: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
        let known = self.checked.borrow().get(what).cloned();
        let problem = known.unwrap_or_else(|| {
            let problem = check().err().map(|error| format!("{error:#}"));
            self.checked.borrow_mut().insert(what.to_owned(), problem.clone());
            problem
        });
        problem.map_or(Ok(()), |problem| bail!(problem))
    }

    /// Whether this file or folder exists.
    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The SHA-256 of a file's text, in hexadecimal.
    pub fn sha256(&self, name: &str) -> Result<String> {
        Ok(nvrtc::sha256(&self.read(name)?))
    }

    /// Fails if a kernel file changed since its PTX was made.
    pub fn check_ptx(&self, kernel_file: &str) -> Result<()> {
        self.once(kernel_file, || self.compare_ptx(kernel_file))
    }

    fn compare_ptx(&self, kernel_file: &str) -> Result<()> {
        let file = CudaFile::read(&self.path(kernel_file))?;
        for &build in &file.builds {
            let name = format!("kernels/ptx/{}", file.ptx_name(build));
            let header = self.read(&name).ok().and_then(|ptx| Header::parse(&ptx));
            if header.is_none_or(|header| header.sha256 != file.sha256()) {
                bail!("`{kernel_file}` has changed since `{name}` was made; run `cargo xtask ptx`");
            }
        }
        Ok(())
    }

    /// Fails unless every file in a list of `sha256  name` still has that checksum; `what` is what was made from the
    /// files.
    pub fn check_sums<'a>(
        &self,
        what: &str,
        sums: impl Iterator<Item = (&'a str, &'a str)>,
        remedy: &str,
    ) -> Result<()> {
        for (sum, name) in sums {
            if self.sha256(name)? != sum {
                bail!("{what} is stale: `{name}` has changed since; run {remedy}");
            }
        }
        Ok(())
    }
}

fn missing(root: &Path, name: &str) -> anyhow::Error {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let there = fs::read_dir(root.join(folder)).context("no folder").map(|entries| {
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    });
    match there {
        Ok(names) if names.len() <= 40 => {
            anyhow::anyhow!("there is no `{name}`; `{}` has {}", folder.display(), names.join(", "))
        }
        Ok(_) => anyhow::anyhow!("there is no `{name}`"),
        Err(_) => anyhow::anyhow!("there is no `{name}`, and no folder `{}`", folder.display()),
    }
}
