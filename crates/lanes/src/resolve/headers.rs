//! Finds the files that a CUDA text includes, in the order of nvcc: beside the file that includes it if the name is in
//! quotes, then in the folders of `-I`.
//!
//! A folder that holds the headers of the CUDA toolkit or of the system is left out, because the compilers have these
//! headers of their own. A file is read once, so all passes over a text see the same.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cudac::{Header, Headers};
use thirty_two_lanes::files;

use super::source;

/// Files that show that a folder is the toolkit's or the system's.
const OF_SYSTEMS: [&str; 2] = ["cuda_runtime_api.h", "stdio.h"];

/// The endings of sources and headers.
const ENDINGS: [&str; 15] =
    ["h", "hh", "hpp", "hxx", "cuh", "inl", "ipp", "tpp", "inc", "def", "cu", "cpp", "cc", "cxx", "c"];

/// What is wrong with a file that may not be read.
const OUTSIDE: &str =
    "is no source by its name, and lies outside of the text's folder: name its folder with `-I`";

/// The longest file, in bytes: one more than the compiler accepts, so that it can say that there are too many.
const MOST_BYTES: u64 = (4 << 20) + 1;

/// Where the files are that a text includes.
#[derive(Debug)]
pub struct Folders {
    /// The folder of the text to compile.
    beside: PathBuf,
    /// Those of `-I`, in their order.
    include: Vec<PathBuf>,
    /// What has been read, by the paths.
    read: Mutex<HashMap<PathBuf, Header>>,
}

impl Folders {
    /// The folders for a file.
    pub fn new(file: &Path, include: &[PathBuf]) -> Arc<Folders> {
        let is_system = |folder: &&PathBuf| OF_SYSTEMS.iter().any(|name| folder.join(name).is_file());
        let include = include.iter().filter(|folder| !is_system(folder)).cloned().collect();
        Arc::new(Folders { beside: folder_of(file), include, read: Mutex::default() })
    }

    /// All folders, for a compiler that looks itself.
    pub fn all(&self) -> Vec<PathBuf> {
        std::iter::once(&self.beside).chain(&self.include).cloned().collect()
    }

    /// What has been read, in the order of the names.
    pub fn files(&self) -> Vec<Header> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files: Vec<_> = read.values().cloned().collect();
        files.sort_by(|a, b| a.name.cmp(&b.name));
        files
    }

    /// What a source is called in messages.
    pub fn shown(&self, path: &Path) -> String {
        shown(path, &self.beside)
    }

    fn read(&self, path: &Path) -> Result<Header, String> {
        let key = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&key) {
            return Ok(known.clone());
        }
        if !self.may_read(&key) {
            return Err(OUTSIDE.to_owned());
        }
        let bytes = files::read(path, MOST_BYTES).map_err(|why| format!("cannot be read: {why}"))?;
        let text = source::text(bytes).map_err(|what| format!("is {what}"))?;
        let name = shown(path, &self.beside);
        let header = Header { key: key.to_string_lossy().into_owned(), name, text: text.into() };
        read.insert(key, header.clone());
        Ok(header)
    }
}

impl Folders {
    /// Whether a file may be included, by its whole path. Errors show lines of what a text includes, and the text may come
    /// from another author: outside of the folders that the user has named, only what is a source by its ending is read.
    fn may_read(&self, whole: &Path) -> bool {
        let folders = std::iter::once(&self.beside).chain(&self.include);
        let is_inside =
            |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| whole.starts_with(folder));
        let ending = whole.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        ENDINGS.contains(&ending) || folders.into_iter().any(is_inside)
    }
}

impl Headers for Folders {
    fn find(&self, name: &str, is_quoted: bool, from: &str) -> Result<Option<Header>, String> {
        // The key of a source is its name, which begins at the first one's folder; that of a header is a whole path.
        let beside = folder_of(&self.beside.join(from));
        let folders = is_quoted.then_some(&beside).into_iter().chain(&self.include);
        let mut paths = folders.map(|folder| folder.join(name));
        paths.find(|path| path.is_file()).map(|path| self.read(&path)).transpose()
    }

    fn places(&self) -> String {
        match &self.include[..] {
            [] => "a folder of `-I`: name the folder that has it, as in `-I include`".to_owned(),
            folders => {
                let folders: Vec<_> =
                    folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
                format!("{}: name the folder that has it with `-I`", folders.join(", "))
            }
        }
    }
}

/// A path from a folder on, without the `..` that can be left out: messages and reports name it.
pub fn beside(folder: &Path, file: &Path) -> PathBuf {
    let mut all = PathBuf::new();
    for part in folder.join(file).components() {
        let is_up = part == Component::ParentDir;
        let is_in_folder = matches!(all.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            _ if is_up && is_in_folder => _ = all.pop(),
            _ => all.push(part),
        }
    }
    if all.as_os_str().is_empty() { PathBuf::from(".") } else { all }
}

/// The folder of a file. A name without a folder is in the current one.
fn folder_of(file: &Path) -> PathBuf {
    file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")).to_owned()
}

/// What a file is called in messages: from the folder of the text on, without detours.
fn shown(path: &Path, folder: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    beside(Path::new(""), path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_at_the_folder_of_the_text() {
        let shown = |path: &str, beside: &str| shown(Path::new(path), Path::new(beside));
        assert_eq!(shown("code/a.h", "code"), "a.h");
        assert_eq!(shown("code/../common/./x/../b.h", "code"), "../common/b.h");
        assert_eq!(shown("include/c.h", "code"), "include/c.h");
        assert_eq!(shown("./d.h", "."), "d.h");
        assert_eq!(shown("/usr/e.h", "code"), "/usr/e.h");
    }

    #[test]
    fn a_path_is_as_short_as_its_parts_allow() {
        let path = |folder, file| {
            beside(Path::new(folder), Path::new(file)).display().to_string().replace('\\', "/")
        };
        assert_eq!(path("kernels/scenarios", "../saxpy.cu"), "kernels/saxpy.cu");
        assert_eq!(path("", "./saxpy.cu"), "saxpy.cu");
        assert_eq!(path("a", "../../b.cu"), "../b.cu");
    }
}
