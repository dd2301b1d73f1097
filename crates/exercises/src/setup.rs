//! `exercises setup`: installs a CUDA compiler on a machine that has none.
//!
//! NVIDIA publishes NVRTC as a Python wheel, so Python or uv can install it: without a GPU, without a toolkit, and
//! without administrator rights. Nothing is downloaded without consent. The wheels go into a folder of this project's
//! own, where the crate `nvrtc` looks, so no environment of the reader changes. They are unpacked beside that folder
//! and moved when all of them are there, so a download that is interrupted leaves nothing that looks like a compiler.
//!
//! What it leaves out: macOS, for which there is no compiler, and processors for which there is no wheel of the pinned
//! release.

use std::env::consts;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use nvrtc::{Compiler, Environment, Error, SETUP, Source};

/// Options of `exercises setup`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Install the compiler without asking
    #[arg(long)]
    pub yes: bool,
}

/// Installs a compiler, or says why that is not needed or not possible.
///
/// # Errors
/// If there is no wheel for this machine, no program that could install it, no terminal on which to ask, or the
/// installation failed.
pub fn run(options: &Options) -> Result<ExitCode> {
    let environment = Environment::of_this_process();
    match Compiler::find_in(&environment) {
        Ok(compiler) => {
            println!("There is nothing to do: {}", found(&compiler));
            return Ok(ExitCode::SUCCESS);
        }
        // If a compiler is named explicitly, no other one is used, so installing another would not help.
        Err(error @ Error::Named { .. }) => bail!(error),
        Err(Error::NotFound { unusable }) => unusable.iter().for_each(|why| println!("Not usable: {why}")),
        Err(_) => {}
    }
    match platform(consts::OS, consts::ARCH) {
        Platform::Wheels => install_if_wanted(&environment, options),
        Platform::MacOs => {
            println!("{MACOS}");
            Ok(ExitCode::SUCCESS)
        }
        Platform::Other => bail!(
            "NVIDIA has no wheel of the compiler for {} on {}; install the CUDA toolkit, or name a library with \
             `NVRTC_PATH`",
            consts::OS,
            consts::ARCH
        ),
    }
}

const MACOS: &str = "\
NVIDIA has no CUDA compiler for macOS, so there is nothing to install.
The exercises do not need one: without it, cudac compiles them, which is part of
this project.";

/// What can be installed on a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Platform {
    /// The pinned wheels.
    Wheels,
    /// There is no compiler for it at all.
    MacOs,
    /// Perhaps a toolkit.
    Other,
}

fn platform(os: &str, arch: &str) -> Platform {
    match (os, arch) {
        ("macos", _) => Platform::MacOs,
        ("linux" | "windows", "x86_64") => Platform::Wheels,
        _ => Platform::Other,
    }
}

fn install_if_wanted(environment: &Environment, options: &Options) -> Result<ExitCode> {
    let folder = environment.own_folder().context("there is no folder for a cache; set `HOME`")?;
    let installer = Installer::find(environment).context(NO_INSTALLER)?;
    println!("{}", offer(&folder));
    if !options.yes && !ask()? {
        println!("Nothing was installed.");
        return Ok(ExitCode::SUCCESS);
    }
    installer.install(&folder)?;
    let compiler = check(environment).inspect_err(|_| drop(fs::remove_dir_all(&folder)))?;
    println!("Done: {}", found(&compiler));
    println!("Continue with `cargo run --bin exercises`; if it is open already, start it again.");
    Ok(ExitCode::SUCCESS)
}

const NO_INSTALLER: &str =
    "neither a Python with pip nor uv is on `PATH`, and NVRTC is a Python wheel; install one of them";

/// What would be done; printed before the question.
fn offer(folder: &Path) -> String {
    format!(
        "NVIDIA's compiler is not installed, so cudac compiles, which is part of this
project. NVIDIA publishes NVRTC as a Python wheel: it needs neither a GPU nor a
CUDA toolkit. {DOWNLOAD_MB} MB would be downloaded, and unpacked to {DISK_MB} MB in a folder that
only this project uses:
  {}",
        folder.display()
    )
}

/// The size of the three wheels for Linux; those for Windows are smaller.
const DOWNLOAD_MB: u32 = 26;
/// Their size after unpacking.
const DISK_MB: u32 = 79;

/// A description of a compiler for a reader.
fn found(compiler: &Compiler) -> String {
    format!("this machine has CUDA {}'s compiler, `{}`.", compiler.version(), compiler.path().display())
}

/// Asks for consent, if there is a terminal.
fn ask() -> Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("nothing was installed, because nobody can answer here; consent with `{SETUP} --yes`");
    }
    print!("Install it? [y/N] ");
    io::stdout().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(is_yes(&answer))
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// A program that installs wheels.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Installer {
    /// A Python that has pip.
    Pip(PathBuf),
    Uv(PathBuf),
}

impl Installer {
    /// The first program on `PATH` that works. A program with the name `python3` may be a Python without pip, or a stub
    /// that only opens a shop.
    fn find(environment: &Environment) -> Option<Installer> {
        let first = |names: &[&str], question: &[&str]| {
            environment.programs(names).into_iter().find(|program| works(program, question))
        };
        let pip = first(&["python3", "python"], &["-I", "-m", "pip", "--version"]);
        pip.map(Installer::Pip).or_else(|| first(&["uv"], &["--version"]).map(Installer::Uv))
    }

    /// The command that unpacks the pinned wheels into a folder.
    fn command(&self, into: &Path) -> Command {
        let (program, words): (_, &[&str]) = match self {
            Installer::Pip(python) => {
                (python, &["-I", "-m", "pip", "install", "--disable-pip-version-check"])
            }
            Installer::Uv(uv) => (uv, &["pip", "install"]),
        };
        let mut command = nvrtc::command(program);
        command.args(words).args(["--only-binary=:all:", "--no-deps", "--target"]).arg(into);
        command.args(nvrtc::packages());
        command
    }

    /// Installs into a folder. Afterwards the folder is complete, or it does not exist.
    fn install(&self, folder: &Path) -> Result<()> {
        let part = folder.with_extension("part");
        let cache = folder.parent().context("the folder has no parent")?;
        // An earlier run that was interrupted may have left one.
        remove(&part)?;
        fs::create_dir_all(cache).with_context(|| format!("cannot make `{}`", cache.display()))?;
        let outcome = unpack(self.command(&part)).and_then(|()| {
            remove(folder)?;
            fs::rename(&part, folder).with_context(|| format!("cannot write `{}`", folder.display()))
        });
        outcome.inspect_err(|_| drop(remove(&part)))
    }
}

fn works(program: &Path, question: &[&str]) -> bool {
    let mut command = nvrtc::command(program);
    command.args(question).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn unpack(mut command: Command) -> Result<()> {
    let words: Vec<OsString> = command.get_args().take(4).map(OsString::from).collect();
    let shown = format!("{} {}", command.get_program().display(), words.join(" ".as_ref()).display());
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed, and nothing was installed; see its message above, and try again");
    }
    Ok(())
}

/// Removes a folder, if there is one.
fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Finds the compiler in the usual way, and compiles a kernel.
fn check(environment: &Environment) -> Result<Compiler> {
    let compiler = Compiler::find_in(environment).context("what was installed does not work")?;
    let source = Source { name: "three.cu", text: KERNEL };
    let options = nvrtc::Options::optimised(70.max(compiler.oldest_arch()));
    compiler.compile(&source, &options).context("what was installed does not compile")?;
    Ok(compiler)
}

const KERNEL: &str = "\
extern \"C\" __global__ void three(int* out) {
    out[threadIdx.x] = 3;
}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_with_wheels_are_offered_them() {
        assert_eq!(platform("linux", "x86_64"), Platform::Wheels);
        assert_eq!(platform("windows", "x86_64"), Platform::Wheels);
        assert_eq!(platform("macos", "aarch64"), Platform::MacOs);
        assert_eq!(platform("linux", "aarch64"), Platform::Other);
    }

    #[test]
    fn only_a_clear_yes_is_one() {
        for yes in ["y\n", "Y\r\n", " yes ", "YES"] {
            assert!(is_yes(yes), "{yes:?}");
        }
        for no in ["", "\n", "n\n", "yep", "no, yes"] {
            assert!(!is_yes(no), "{no:?}");
        }
    }

    #[test]
    fn the_command_takes_the_pinned_wheels_and_nothing_else() {
        let words = |installer: Installer| -> Vec<String> {
            let command = installer.command(Path::new("there"));
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect()
        };
        let here = |name: &str| std::env::current_dir().unwrap().join(name);
        let pip = words(Installer::Pip(here("python3")));
        assert_eq!(&pip[..4], ["-I", "-m", "pip", "install"]);
        assert_eq!(&pip[5..9], ["--only-binary=:all:", "--no-deps", "--target", "there"]);
        assert!(pip[9..].iter().all(|package| package.starts_with("nvidia-cuda-")), "{pip:?}");
        assert!(pip[9].ends_with(nvrtc::PINNED_RELEASE), "{pip:?}");
        assert_eq!(words(Installer::Uv(here("uv")))[2..], pip[5..]);
    }

    #[test]
    fn the_offer_fits_a_narrow_terminal() {
        let offer = offer(Path::new("/home/reader/.cache/thirty-two-lanes/nvrtc"));
        assert!(offer.lines().all(|line| line.chars().count() <= 80), "{offer}");
        assert!(offer.ends_with("  /home/reader/.cache/thirty-two-lanes/nvrtc"), "{offer}");
    }

    #[test]
    fn an_empty_machine_has_nothing_to_install_with() {
        assert_eq!(Installer::find(&Environment::default()), None);
    }

    /// Programs that are scripts, on a `PATH` of their own.
    #[cfg(unix)]
    mod with_scripts {
        use std::os::unix::fs::PermissionsExt;

        use super::*;

        struct Machine {
            root: tempfile::TempDir,
            environment: Environment,
        }

        impl Machine {
            /// A machine with these programs.
            fn new(programs: &[(&str, &str)]) -> Machine {
                let root = tempfile::tempdir().unwrap();
                let bin = root.path().join("bin");
                fs::create_dir(&bin).unwrap();
                for (name, script) in programs {
                    // A file that this process has open for writing cannot be executed, not even after it was closed here:
                    // another test may start a program in between, which inherits it for a moment. So `cp` writes it.
                    let text = root.path().join("text");
                    fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
                    let copied = Command::new("cp").arg(&text).arg(bin.join(name)).status().unwrap();
                    assert!(copied.success());
                    fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
                }
                let cache = root.path().join("cache");
                let environment = Environment::default().with("PATH", bin).with("XDG_CACHE_HOME", cache);
                Machine { root, environment }
            }

            fn installer(&self) -> Option<Installer> {
                Installer::find(&self.environment)
            }

            /// The contents of the folder of caches.
            fn left(&self) -> Vec<OsString> {
                let folder = self.root.path().join("cache/thirty-two-lanes");
                fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
            }

            fn install(&self) -> Result<()> {
                self.installer().unwrap().install(&self.environment.own_folder().unwrap())
            }
        }

        /// A pip that creates a file in the folder after `--target`, its ninth word.
        const PIP: &str = "[ \"$4\" = --version ] && exit; mkdir -p $9/nvidia/cuda_nvrtc/lib
            echo no library > $9/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";

        #[test]
        fn a_python_without_pip_gives_way() {
            let machine = Machine::new(&[("python3", "exit 1"), ("python", "exit 0"), ("uv", "exit 0")]);
            let bin = machine.root.path().join("bin");
            assert_eq!(machine.installer(), Some(Installer::Pip(bin.join("python"))));
            let machine = Machine::new(&[("python3", "exit 1"), ("uv", "exit 0")]);
            let bin = machine.root.path().join("bin");
            assert_eq!(machine.installer(), Some(Installer::Uv(bin.join("uv"))));
            assert_eq!(Machine::new(&[("python3", "exit 1")]).installer(), None);
        }

        #[test]
        fn what_is_installed_is_all_there_and_what_was_there_is_gone() {
            let machine = Machine::new(&[("python3", PIP)]);
            let folder = machine.environment.own_folder().unwrap();
            fs::create_dir_all(folder.join("old")).unwrap();
            fs::create_dir_all(folder.with_extension("part").join("interrupted")).unwrap();
            machine.install().unwrap();
            assert_eq!(machine.left(), ["nvrtc"]);
            assert!(!folder.join("old").exists() && !folder.join("interrupted").exists());
            assert!(folder.join("nvidia/cuda_nvrtc/lib/libnvrtc.so.12").exists());
        }

        #[test]
        fn a_broken_download_leaves_nothing() {
            let machine = Machine::new(&[("python3", &format!("{PIP}\nexit 3"))]);
            let error = machine.install().unwrap_err().to_string();
            assert!(error.contains("-m pip install` failed, and nothing was installed"), "{error}");
            assert!(machine.left().is_empty());
        }

        #[test]
        fn what_does_not_work_does_not_stay() {
            let machine = Machine::new(&[("python3", PIP)]);
            let error = install_if_wanted(&machine.environment, &Options { yes: true }).unwrap_err();
            let error = format!("{error:#}");
            assert!(error.starts_with("what was installed does not work: no CUDA compiler found"), "{error}");
            assert!(machine.left().is_empty());
        }
    }
}
