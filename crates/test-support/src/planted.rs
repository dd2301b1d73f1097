//! A folder that came from the internet: beside its kernel lies a trap under every name that a program of ours might run or open.
//!
//! A trap that runs leaves a mark with its name. The variables of [`Planted::command`] are those of a careless reader:
//! every list of folders contains the current one. What it leaves out: libraries on systems other than Linux.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules that every Python imports when it starts, or that our questions to it import.
const MODULES: [&str; 9] = [
    "sysconfig.py",
    "site.py",
    "sitecustomize.py",
    "usercustomize.py",
    "os.py",
    "codecs.py",
    "pip.py",
    "pip/__main__.py",
    "encodings/__init__.py",
];

const PROGRAMS: [&str; 14] = [
    "python3", "python", "uv", "nvcc", "cicc", "ptxas", "clang", "gcc", "cc", "git", "rustc", "cargo",
    "node", "ld",
];

const LIBRARIES: [&str; 10] = [
    "libnvrtc.so",
    "libnvrtc.so.12",
    "libnvrtc.so.13",
    "libnvrtc.so.11.2",
    "libnvrtc-builtins.so.12.0",
    "lib64/libnvrtc.so.12",
    "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    "libcuda.so",
    "libcuda.so.1",
    "libnvcuda.so",
];

/// Variables that lead programs to folders; each names the current one.
const VARIABLES: [(&str, &str); 9] = [
    ("VIRTUAL_ENV", "."),
    ("CONDA_PREFIX", "."),
    ("CUDA_PATH", "."),
    ("CUDA_HOME", "."),
    ("XDG_CACHE_HOME", "."),
    ("LOCALAPPDATA", "."),
    ("PYTHONPATH", "."),
    ("PYTHONHOME", "."),
    ("LD_LIBRARY_PATH", ":."),
];

/// The folder with the traps.
pub struct Planted {
    folder: PathBuf,
}

impl Planted {
    /// Fills this folder, which may contain other files.
    pub fn in_folder(folder: &Path) -> Planted {
        let planted = Planted { folder: folder.canonicalize().unwrap() };
        fs::create_dir(planted.marks()).unwrap();
        for name in MODULES {
            planted.write(name, &format!("open('{}', 'w')\n", planted.mark(name).display()));
        }
        for name in PROGRAMS {
            let file = planted.write(name, &format!("#!/bin/sh\n: > '{}'\n", planted.mark(name).display()));
            executable(&file);
        }
        if cfg!(target_os = "linux") {
            planted.write("trap.rs", &library(&planted.mark("a library")));
            let made = rustc(&folder.join("trap.rs"), &folder.join("trap.so"));
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            for name in LIBRARIES {
                fs::copy(folder.join("trap.so"), planted.file(name)).unwrap();
            }
        }
        planted
    }

    /// A program that runs in the folder, with the variables of a careless reader.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        let separator = if cfg!(windows) { ";" } else { ":" };
        command.current_dir(&self.folder).envs(VARIABLES).env("PATH", [".", "", &path].join(separator));
        command
    }

    /// The names of the traps that have run.
    pub fn ran(&self) -> Vec<String> {
        let marks = fs::read_dir(self.marks()).unwrap();
        marks.map(|mark| mark.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    fn marks(&self) -> PathBuf {
        self.folder.join("marks")
    }

    fn mark(&self, name: &str) -> PathBuf {
        self.marks().join(name.replace('/', " "))
    }

    fn file(&self, name: &str) -> PathBuf {
        let file = self.folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        file
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.file(name);
        fs::write(&file, text).unwrap();
        file
    }
}

#[cfg(unix)]
fn executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn executable(_: &Path) {}

/// A library that leaves its mark when it is opened.
fn library(mark: &Path) -> String {
    let mark = mark.display();
    format!(
        r#"#![no_std]
unsafe extern "C" {{
    fn creat(path: *const core::ffi::c_char, mode: u32) -> i32;
}}
extern "C" fn ran() {{
    // SAFETY: the path ends in a zero.
    unsafe {{ creat(c"{mark}".as_ptr(), 0o644) }};
}}
#[used]
#[unsafe(link_section = ".init_array")]
static RAN: extern "C" fn() = ran;
#[panic_handler]
fn panicked(_: &core::panic::PanicInfo) -> ! {{
    loop {{}}
}}
"#
    )
}

fn rustc(from: &Path, to: &Path) -> std::process::Output {
    let rustc = Path::new(env!("CARGO")).with_file_name("rustc");
    let options = ["--edition=2024", "--crate-type=cdylib", "-Cpanic=abort", "-o"];
    Command::new(rustc).args(options).arg(to).arg(from).output().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The traps are worth something: what opens or runs them is found.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_runs_leaves_a_mark() {
        let folder = std::env::temp_dir().join(format!("lanes-planted-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let planted = Planted::in_folder(&folder);
        assert_eq!(planted.ran(), [""; 0]);
        // `sh` finds a program by its name, and the loader a library in the same way.
        assert!(planted.command(Path::new("/bin/sh")).args(["-c", "nvcc"]).status().unwrap().success());
        assert_eq!(planted.ran(), ["nvcc"]);
        let mut preloaded = planted.command(Path::new("/bin/sh"));
        preloaded.env("LD_PRELOAD", "libcuda.so").args(["-c", ":"]).status().unwrap();
        assert!(planted.ran().contains(&"a library".to_owned()), "{:?}", planted.ran());
        fs::remove_dir_all(&folder).unwrap();
    }
}
