//! Finds clang, and compiles both sides of a program with it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_host::of_source;
use tempfile::TempDir;

use crate::headers::{self, PRELUDE, RUNTIME_SOURCE};

/// The versions that are looked for, the newest first: `clang++-19` is Debian's name. Others are found as `clang++`.
const VERSIONS: std::ops::RangeInclusive<u32> = 16..=24;

/// A clang that compiles CUDA.
#[derive(Clone, Debug)]
pub struct Clang {
    program: PathBuf,
    /// Its version: 19.
    pub version: u32,
}

/// What to compile.
#[derive(Clone, Copy, Debug)]
pub struct Project<'p> {
    /// The folder of the first source, in which clang works.
    pub folder: &'p Path,
    /// The sources, as paths from there.
    pub sources: &'p [PathBuf],
    /// The files that are read, as paths from there, and their texts: sources, and headers that are known already.
    pub texts: &'p [(PathBuf, String)],
    /// What is read after the first text.
    pub end: &'p str,
    /// Whole paths of folders with headers.
    pub include: &'p [PathBuf],
    /// The folder that whole paths are shortened by in messages and lines.
    pub shown_from: &'p Path,
    /// Macros: names and values.
    pub defines: &'p [(String, String)],
    /// The architecture, 70 for `sm_70`.
    pub arch: u32,
    /// Whether it is the one with instructions of its own, as `sm_90a`.
    pub is_specific: bool,
    /// The version of C++, 17 for C++17.
    pub std: u32,
}

/// A program that clang has compiled.
#[derive(Debug)]
pub struct Compiled {
    /// The kernels.
    pub(crate) ptx: String,
    /// Where the program is; the folder is removed when this is dropped.
    pub(crate) folder: TempDir,
    /// The files that it was made of, the first source first, as they were found.
    pub files: Vec<String>,
}

/// Why there is no program.
#[derive(Debug)]
pub enum Error {
    /// What clang writes about it.
    Rejected(String),
    /// Clang or a file cannot be used.
    Failed(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rejected(log) => write!(f, "{}", log.trim_end()),
            Error::Failed(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Failed(error)
    }
}

impl Clang {
    /// The newest clang in the folders of `PATH`, if it is at least version 16.
    pub fn find() -> Option<Clang> {
        let path = std::env::var_os("PATH")?;
        // A relative folder would be the reader's, and what is in it was not asked for.
        let folders: Vec<PathBuf> =
            std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        let names = VERSIONS.rev().map(|version| format!("clang++-{version}")).chain(["clang++".to_owned()]);
        let found = names.flat_map(|name| folders.iter().map(move |folder| folder.join(&name)));
        found.filter(|program| program.is_file()).find_map(Clang::at)
    }

    fn at(program: PathBuf) -> Option<Clang> {
        let output = Command::new(&program).arg("-dumpversion").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let version =
            text.split('.').next()?.trim().parse().ok().filter(|version| *version >= *VERSIONS.start())?;
        Some(Clang { program, version })
    }

    /// Compiles kernels alone; their PTX.
    ///
    /// # Errors
    ///
    /// Clang refuses a source, or a file cannot be written.
    pub fn compile_kernels(&self, project: &Project<'_>) -> Result<String, Error> {
        let folder = tempfile::Builder::new().prefix("lanes").tempdir()?;
        let include = folder.path().join("include");
        headers::write(&include, project.arch)?;
        let overlay = overlay(project, folder.path())?;
        Build { clang: self, project, folder: folder.path(), include: &include, overlay }.device()
    }

    /// Compiles kernels and host code.
    ///
    /// # Errors
    ///
    /// Clang refuses a source, or a file cannot be written.
    pub fn compile(&self, project: &Project<'_>) -> Result<Compiled, Error> {
        let folder = tempfile::Builder::new().prefix("lanes").tempdir()?;
        let include = folder.path().join("include");
        headers::write(&include, project.arch)?;
        let overlay = overlay(project, folder.path())?;
        let build = Build { clang: self, project, folder: folder.path(), include: &include, overlay };
        let (ptx, objects) = std::thread::scope(|scope| {
            let device = scope.spawn(|| build.device());
            let objects = build.objects();
            (device.join().unwrap_or_else(|_| Err(io::Error::other("a thread failed").into())), objects)
        });
        // Both sides find the same mistakes, so one list is enough.
        let ptx = ptx?;
        build.link(&objects?)?;
        let files = build.files();
        Ok(Compiled { ptx, folder, files })
    }
}

/// A compilation.
struct Build<'b> {
    clang: &'b Clang,
    project: &'b Project<'b>,
    folder: &'b Path,
    include: &'b Path,
    /// The file that says which files have other texts.
    overlay: Option<PathBuf>,
}

/// The options with which LLVM leaves loads where they are.
const KEPT_IN_PLACE: [&str; 4] = [
    "-phi-node-folding-threshold=0",
    "-two-entry-phi-node-folding-threshold=0",
    "-instcombine-code-sinking=0",
    "-disable-machine-sink",
];

impl Build<'_> {
    fn run(&self, arguments: &[OsString]) -> Result<(), Error> {
        let mut command = Command::new(&self.clang.program);
        let output = command.args(arguments).current_dir(self.project.folder).env_remove("CPATH").output()?;
        if output.status.success() {
            return Ok(());
        }
        let log =
            String::from_utf8_lossy(&output.stderr).replace(&format!("{}/", self.include.display()), "");
        Err(Error::Rejected(self.shown(&log)))
    }

    /// A text with paths that are as short as the reader's.
    fn shown(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.project.shown_from.display()), "")
    }

    /// What both sides have in common, for a source in a language.
    fn common(&self, source: &Path) -> Vec<OsString> {
        let language = language(source);
        let mut words: Vec<OsString> =
            ["-x", language, "-w", "-fno-caret-diagnostics", "-fno-color-diagnostics"].map(Into::into).into();
        let shown_from = self.project.shown_from.display();
        words.push(format!("-ffile-prefix-map={shown_from}/=").into());
        if language != "c" {
            words.push(format!("-std=c++{}", self.project.std).into());
            words.extend(["-include".into(), self.include.join(PRELUDE).into_os_string()]);
        }
        for folder in self.project.include {
            words.extend(["-I".into(), folder.clone().into_os_string()]);
        }
        if let Some(overlay) = &self.overlay {
            words.extend(["-ivfsoverlay".into(), overlay.clone().into_os_string()]);
        }
        words.extend(["-isystem".into(), self.include.as_os_str().to_owned()]);
        words.extend(self.project.defines.iter().map(|(name, value)| format!("-D{name}={value}").into()));
        words
    }

    /// What CUDA needs besides, without any part of NVIDIA's toolkit.
    fn cuda(&self) -> Vec<OsString> {
        let letter = if self.project.is_specific { "a" } else { "" };
        let arch = format!("--cuda-gpu-arch=sm_{}{letter}", self.project.arch);
        let none = "--cuda-path=/nonexistent";
        // The oldest version that has the target.
        let version = match self.project.arch {
            _ if self.project.is_specific => "+ptx80",
            ..89 => "+ptx75",
            _ => "+ptx78",
        };
        [
            "-nocudainc",
            "-nocudalib",
            none,
            "-Xclang",
            "-target-sdk-version=11.8",
            "-Wno-unknown-cuda-version",
            "-Xclang",
            "-target-feature",
            "-Xclang",
            version,
        ]
        .map(Into::into)
        .into_iter()
        .chain([arch.into()])
        .collect()
    }

    /// The PTX of all sources.
    fn device(&self) -> Result<String, Error> {
        let sources = self.project.sources.iter().enumerate();
        let sources: Vec<(usize, &PathBuf)> =
            sources.filter(|(_, source)| language(source) == "cuda").collect();
        let ptx = self.folder.join("program.ptx");
        match sources[..] {
            [] => return Ok(String::new()),
            [(_, source)] => self.side(source, "-S", &ptx, &[])?,
            _ => self.linked(&sources, &ptx)?,
        }
        // The line table has whole paths, those of included files from the folder of the source.
        let mut text = std::fs::read_to_string(ptx)?.replace("/./", "/");
        if self.project.arch >= 90 {
            // The oldest version that has the target knows little of what is in `asm`.
            text = text.replacen(".version 7.8", ".version 8.8", 1);
        }
        let text = without_foreign_lines(&text, |file| {
            let project = self.project;
            let own = [project.folder, project.shown_from].into_iter();
            own.chain(project.include.iter().map(PathBuf::as_path)).any(|folder| file.starts_with(folder))
        });
        Ok(with_plain_names(&self.shown(&text.replace(&format!("{}/", self.project.folder.display()), ""))))
    }

    /// The PTX of several sources, which are linked with an empty one.
    fn linked(&self, sources: &[(usize, &PathBuf)], ptx: &Path) -> Result<(), Error> {
        let mut linked = vec!["-fgpu-rdc".into()];
        for (number, source) in sources {
            let (text, code) =
                (self.folder.join(format!("{number}.ll")), self.folder.join(format!("{number}.bc")));
            self.side(source, "-emit-llvm", &text, &["-S".into(), "-fgpu-rdc".into()])?;
            std::fs::write(&text, with_names_of_source(&std::fs::read_to_string(&text)?, *number))?;
            let words = ["-x", "ir", "--target=nvptx64-nvidia-cuda", "-c", "-emit-llvm", "-Xclang"];
            let mut words: Vec<OsString> = words.map(Into::into).into();
            words.extend(["-disable-llvm-passes".into(), text.into_os_string(), "-o".into()]);
            words.push(code.clone().into_os_string());
            self.run(&words)?;
            let options = ["-Xclang", "-mlink-bitcode-file", "-Xclang"].map(Into::into);
            linked.extend(options.into_iter().chain([code.into_os_string()]));
        }
        let empty = self.folder.join("empty.cu");
        std::fs::write(&empty, "")?;
        self.side(&empty, "-S", ptx, &linked)
    }

    /// The device's side of a source. Loads are not moved in front of the conditions that they depend on, because a load that the
    /// text does not ask for could be a race that it does not have; nor behind conditions, because fewer threads would load then,
    /// and a race of the text could be lost.
    fn side(&self, source: &Path, how: &str, to: &Path, more: &[OsString]) -> Result<(), Error> {
        let mut words = self.common(source);
        words.extend(self.cuda());
        words.extend(["--cuda-device-only", "-O2", "-gline-tables-only", how].map(Into::into));
        for option in KEPT_IN_PLACE {
            words.extend(["-mllvm".into(), option.into()]);
        }
        words.extend(more.iter().cloned());
        words.extend([source.as_os_str().to_owned(), "-o".into(), to.as_os_str().to_owned()]);
        self.run(&words)
    }

    /// The objects of the host's side.
    fn objects(&self) -> Result<Vec<PathBuf>, Error> {
        let mut objects = Vec::new();
        for (number, source) in self.project.sources.iter().enumerate() {
            let object = self.folder.join(format!("{number}.o"));
            let mut words = self.common(source);
            if language(source) == "cuda" {
                words.extend(self.cuda());
                words.extend(
                    ["--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang"].map(Into::into),
                );
                // Clang registers kernels only if it gets a file with them. This one says of which source they are.
                let binary = self.folder.join(format!("{number}.number"));
                std::fs::write(&binary, format!("{number}\n"))?;
                words.push(binary.into_os_string());
            }
            let list = self.folder.join(format!("{number}.d"));
            words.extend(["-MMD".into(), "-MF".into(), list.into_os_string()]);
            words.extend(["-O1", "-c"].map(Into::into));
            words.extend([source.as_os_str().to_owned(), "-o".into(), object.as_os_str().to_owned()]);
            self.run(&words)?;
            objects.push(object);
        }
        let object = self.folder.join("runtime.o");
        let source = self.include.join(RUNTIME_SOURCE.0);
        let words = ["-x", "c++", "-w", "-O1", "-c"].map(OsString::from).into_iter();
        let words: Vec<OsString> =
            words.chain([source.into_os_string(), "-o".into(), object.clone().into_os_string()]).collect();
        self.run(&words)?;
        objects.push(object);
        Ok(objects)
    }

    fn link(&self, objects: &[PathBuf]) -> Result<(), Error> {
        let mut words: Vec<OsString> = objects.iter().map(|object| object.clone().into_os_string()).collect();
        words.extend(["-lm", "-lpthread", "-o"].map(Into::into));
        words.push(self.folder.join("program").into_os_string());
        self.run(&words)
    }

    /// The files of the reader that the sources are made of: clang lists those that are not in folders of the system.
    fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for number in 0..self.project.sources.len() {
            let list = std::fs::read_to_string(self.folder.join(format!("{number}.d"))).unwrap_or_default();
            let named = list.split_once(": ").map_or("", |(_, files)| files);
            // A blank in a name is written with `\`, and so is the end of a line.
            let named = named.replace("\\\n", "\n").replace("\\ ", "\u{1}");
            for file in named.split_whitespace().map(|name| name.replace('\u{1}', " ")) {
                let shown = self.shown(&file);
                if !Path::new(&file).starts_with(self.include) && !files.contains(&shown) {
                    files.push(shown);
                }
            }
        }
        files
    }
}

/// PTX whose instructions have lines of files that `is_own`: one of a function of clang's headers gets the line before it, which is
/// where that was called.
fn without_foreign_lines(ptx: &str, is_own: impl Fn(&Path) -> bool) -> String {
    let foreign = ptx.lines().filter_map(|line| {
        let (number, name) = line.trim().strip_prefix(".file")?.trim().split_once(' ')?;
        let name = Path::new(name.trim_matches('"'));
        (name.is_absolute() && !is_own(name)).then(|| format!(".loc\t{number} "))
    });
    let foreign: Vec<String> = foreign.collect();
    let is_kept = |line: &&str| !foreign.iter().any(|start| line.trim_start().starts_with(start));
    ptx.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect()
}

/// PTX in which variables of functions have their names: clang adds `_$_0` to one that it has cut into parts. If only one part is
/// left, it gets the name of the whole.
fn with_plain_names(ptx: &str) -> String {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "_$".contains(letter);
    let names: BTreeSet<&str> =
        ptx.split(|letter| !is_of_name(letter)).filter(|name| name.starts_with("_ZZ")).collect();
    let mut text = ptx.to_owned();
    for part in names.iter().filter(|name| name.contains("_$_")) {
        let whole = part.split("_$_").next().unwrap_or_default();
        let others = names.iter().filter(|name| name.starts_with(whole)).count();
        if others == 1 {
            text = text.replace(part, whole);
        }
    }
    text
}

/// LLVM's text of a source whose own kernels and variables (`static` ones, those of namespaces without a name, kernels that are made
/// for a lambda) have the number of the source behind their names. Clang writes a hash there, which only the device's side has, and
/// uses some of the variables without it.
fn with_names_of_source(text: &str, number: usize) -> String {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "_$.".contains(letter);
    let names: BTreeSet<&str> = text.split(|letter| !is_of_name(letter)).collect();
    let own = names.iter().filter_map(|name| {
        let (plain, hash) = ["__static__", "__intern__"].iter().find_map(|mark| name.rsplit_once(mark))?;
        let is_hash = !hash.is_empty() && hash.chars().all(|digit| digit.is_ascii_hexdigit());
        is_hash.then(|| (*name, plain, of_source(plain, number as u64)))
    });
    let own: Vec<(&str, &str, String)> = own.collect();
    let mut renamed: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, plain, new) in &own {
        renamed.insert(name, new);
        if text.contains(&format!("@{plain} = external ")) {
            renamed.insert(plain, new);
        }
    }
    let kept = text.lines().filter(|line| {
        let declared = line.strip_prefix('@').and_then(|line| line.split_once(" = external "));
        declared.is_none_or(|(name, _)| !renamed.contains_key(name))
    });
    let mut made = String::with_capacity(text.len());
    for line in kept {
        let mut rest = line;
        while let Some(at) = rest.find(is_of_name) {
            let length = rest[at..].find(|letter| !is_of_name(letter)).unwrap_or(rest.len() - at);
            let (before, word) = (&rest[..at], &rest[at..at + length]);
            made.push_str(before);
            made.push_str(renamed.get(word).copied().unwrap_or(word));
            rest = &rest[at + length..];
        }
        made.push_str(rest);
        made.push('\n');
    }
    made
}

/// Files whose launches have blanks in `<<<` and `>>>`, which nvcc takes and clang does not, get texts without: clang reads the
/// others in their place, under the same names.
fn overlay(project: &Project<'_>, folder: &Path) -> io::Result<Option<PathBuf>> {
    let mut roots = Vec::new();
    for (number, (path, text)) in project.texts.iter().enumerate() {
        let mut joined = joined(text);
        if number == 0 {
            joined.push_str(project.end);
        }
        if joined == *text {
            continue;
        }
        let file = folder.join(format!("{number}.text"));
        std::fs::write(&file, joined)?;
        let quoted = |path: &Path| format!("{:?}", path.display().to_string());
        let (name, contents) = (quoted(&project.folder.join(path)), quoted(&file));
        roots.push(format!("{{ 'type': 'file', 'name': {name}, 'external-contents': {contents} }}"));
    }
    if roots.is_empty() {
        return Ok(None);
    }
    let overlay = folder.join("overlay.yaml");
    let roots = roots.join(",\n");
    std::fs::write(
        &overlay,
        format!("{{ 'version': 0, 'use-external-names': false, 'roots': [\n{roots}\n] }}\n"),
    )?;
    Ok(Some(overlay))
}

/// A text in which no `<<<` or `>>>` has blanks, and `alignas` is where clang takes it; what comes after it stays where it is.
fn joined(text: &str) -> String {
    let text =
        text.replace("<< <", "<<< ").replace("< <<", "<<< ").replace(">> >", ">>> ").replace("> >>", ">>> ");
    aligned_first(&text)
}

/// A text in which `alignas` comes before `__shared__`: clang wants it at the beginning of a declaration.
fn aligned_first(text: &str) -> String {
    const BOTH: &str = "__shared__ alignas(";
    let mut rest = text;
    let mut made = String::with_capacity(text.len());
    while let Some(at) = rest.find(BOTH) {
        let (before, from) = rest.split_at(at);
        let inside = &from[BOTH.len()..];
        let mut depth = 1;
        let end = inside.find(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0
        });
        let Some(end) = end else { break };
        let kept = before.strip_suffix("extern ").unwrap_or(before);
        made.push_str(kept);
        made.extend(["alignas(", &inside[..=end], " ", &before[kept.len()..], "__shared__"]);
        rest = &inside[end + 1..];
    }
    made.push_str(rest);
    made
}

/// What clang calls the language of a file.
fn language(source: &Path) -> &'static str {
    match source.extension().and_then(|extension| extension.to_str()) {
        Some("cu") => "cuda",
        Some("c") => "c",
        _ => "c++",
    }
}
