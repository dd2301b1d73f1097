//! Where to look for the compiler, and in which order.
//!
//! The order is from the most to the least deliberate choice: what the reader named, what the reader had this project
//! install, the active Python environment, the toolkit that a variable names, the installed toolkit, and the folders of
//! the system's libraries. Every path is a whole one: a relative one would mean a file beside the reader's kernel. What
//! the process sees of the machine is a value, so a test can describe a machine of its own.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::layout::{children, libraries, libraries_in, libraries_of_environment};
use crate::start::{command, whole};

/// Folders of the system's libraries. On Windows the loader looks in those on `PATH`.
const SYSTEM_FOLDERS: [&str; 8] = [
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib64",
    "/lib",
];

/// The variable that names further folders of libraries.
const LOADER_VARIABLE: &str = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };

/// The variables that the search reads.
const VARIABLES: [&str; 10] = [
    "NVRTC_PATH",
    "XDG_CACHE_HOME",
    "HOME",
    "LOCALAPPDATA",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CUDA_PATH",
    "CUDA_HOME",
    "PATH",
    "LD_LIBRARY_PATH",
];

/// Asks a Python for the folders in which it keeps packages.
const ASK_PYTHON: &str =
    "import site, sysconfig; print(sysconfig.get_path('purelib')); print('\\n'.join(site.getsitepackages()))";

/// What the search may know about the machine.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, OsString>,
    toolkit_parents: Vec<PathBuf>,
    system_folders: Vec<PathBuf>,
}

impl Environment {
    /// The environment of this process and the usual folders of this system.
    pub fn of_this_process() -> Self {
        let read = |name: &str| Some((name.to_owned(), env::var_os(name)?));
        Self {
            variables: VARIABLES.into_iter().filter_map(read).collect(),
            // On Windows these paths depend on the current drive.
            toolkit_parents: if cfg!(windows) {
                Vec::new()
            } else {
                vec!["/usr/local".into(), "/opt".into()]
            },
            system_folders: SYSTEM_FOLDERS
                .iter()
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .collect(),
        }
    }

    /// The environment with another value for one variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// What the reader named with `NVRTC_PATH`.
    pub(crate) fn named(&self) -> Option<PathBuf> {
        let path = self.text("NVRTC_PATH")?;
        // The loader would look for a bare name elsewhere.
        Some(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// The folder in the user's cache where `exercises setup` installs a compiler; `None` if the system has no such
    /// place.
    pub fn own_folder(&self) -> Option<PathBuf> {
        let cache = if cfg!(windows) {
            self.variable("LOCALAPPDATA").map(Path::to_owned)
        } else {
            self.variable("XDG_CACHE_HOME")
                .map(Path::to_owned)
                .or_else(|| Some(self.variable("HOME")?.join(".cache")))
        };
        Some(cache?.join("thirty-two-lanes").join("nvrtc"))
    }

    /// The libraries to try, best first. The list is lazy, because asking a Python takes a tenth of a second.
    pub(crate) fn libraries(&self) -> impl Iterator<Item = PathBuf> {
        let steps: [fn(&Self) -> Vec<PathBuf>; 6] = [
            Self::installed_by_us,
            Self::active_environments,
            Self::pythons_on_path,
            Self::named_toolkits,
            Self::installed_toolkits,
            Self::libraries_of_the_system,
        ];
        steps.into_iter().flat_map(move |step| step(self))
    }

    /// The `nvcc` on `PATH`, the last resort.
    pub(crate) fn nvcc(&self) -> Option<PathBuf> {
        self.programs(&["nvcc"]).into_iter().next()
    }

    fn installed_by_us(&self) -> Vec<PathBuf> {
        self.own_folder().iter().flat_map(|folder| libraries(folder)).collect()
    }

    fn active_environments(&self) -> Vec<PathBuf> {
        let roots = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(|name| self.variable(name));
        roots.flat_map(libraries_of_environment).collect()
    }

    fn pythons_on_path(&self) -> Vec<PathBuf> {
        let pythons = self.programs(&["python3", "python"]);
        pythons
            .iter()
            .take(2)
            .flat_map(|python| packages_of(python))
            .flat_map(|folder| libraries(&folder))
            .collect()
    }

    fn named_toolkits(&self) -> Vec<PathBuf> {
        let roots = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(|name| self.variable(name));
        roots.flat_map(libraries).collect()
    }

    fn installed_toolkits(&self) -> Vec<PathBuf> {
        let is_toolkit =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cuda"));
        let roots = self.toolkit_parents.iter().flat_map(|parent| children(parent)).filter(is_toolkit);
        roots.flat_map(|root| libraries(&root)).collect()
    }

    fn libraries_of_the_system(&self) -> Vec<PathBuf> {
        let named = whole(self.variables.get(LOADER_VARIABLE).map_or("".as_ref(), |value| value));
        named.iter().chain(&self.system_folders).flat_map(|folder| libraries_in(folder)).collect()
    }

    /// Programs by these names on `PATH`: all of the first name, then all of the second.
    pub fn programs(&self, names: &[&str]) -> Vec<PathBuf> {
        let folders = whole(self.variables.get("PATH").map_or("".as_ref(), |value| value));
        let file = |name: &&str| format!("{name}{}", env::consts::EXE_SUFFIX);
        let all = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(file(name))));
        all.filter(|program| program.is_file()).collect()
    }

    /// A folder that a variable names by its whole path.
    fn variable(&self, name: &str) -> Option<&Path> {
        self.text(name).filter(|path| path.is_absolute())
    }

    /// A variable that is set and not empty.
    fn text(&self, name: &str) -> Option<&Path> {
        self.variables.get(name).filter(|value| !value.is_empty()).map(Path::new)
    }
}

/// The folders in which an interpreter keeps packages. It is run, because its path may be a script that picks a
/// version. `-I` keeps it from importing anything but its own.
fn packages_of(python: &Path) -> Vec<PathBuf> {
    let Ok(output) = command(python).args(["-I", "-c", ASK_PYTHON]).output() else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let mut folders: Vec<_> = text.lines().map(PathBuf::from).filter(|folder| folder.is_absolute()).collect();
    folders.dedup();
    folders
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const WHEEL: &str = "lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";

    /// A machine that has only the folders that a test makes.
    struct Machine {
        root: tempfile::TempDir,
        environment: Environment,
    }

    impl Machine {
        fn new() -> Self {
            Self { root: tempfile::tempdir().unwrap(), environment: Environment::default() }
        }

        fn file(&self, path: &str) -> PathBuf {
            let path = self.root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        }

        fn set(&mut self, name: &str, folder: &str) {
            let value = self.root.path().join(folder);
            self.environment = std::mem::take(&mut self.environment).with(name, value);
        }

        fn found(&self) -> Vec<PathBuf> {
            self.environment.libraries().collect()
        }
    }

    #[test]
    fn an_empty_machine_has_none() {
        assert!(Machine::new().found().is_empty());
        assert!(Machine::new().environment.nvcc().is_none());
    }

    /// The variables of this system that name the user's cache, each with the path inside it where the compiler is
    /// installed.
    const CACHES: &[(&str, &str)] = if cfg!(windows) {
        &[("LOCALAPPDATA", "thirty-two-lanes/nvrtc")]
    } else {
        &[("HOME", ".cache/thirty-two-lanes/nvrtc"), ("XDG_CACHE_HOME", "thirty-two-lanes/nvrtc")]
    };

    #[test]
    fn the_projects_own_compiler_comes_first() {
        for (variable, folder) in CACHES {
            let mut machine = Machine::new();
            let own = machine.file(&format!("user/{folder}/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
            let wheel = machine.file(&format!("venv/{WHEEL}"));
            machine.set("VIRTUAL_ENV", "venv");
            machine.set(variable, "user");
            assert_eq!(machine.environment.own_folder(), Some(machine.root.path().join("user").join(folder)));
            assert_eq!(machine.found(), [own, wheel]);
        }
        assert_eq!(Environment::default().own_folder(), None);
    }

    #[cfg(not(windows))]
    #[test]
    fn a_relative_path_to_the_cache_is_ignored() {
        let environment = Environment::default().with("XDG_CACHE_HOME", "cache").with("HOME", "/home/reader");
        let own = environment.own_folder();
        assert_eq!(own, Some("/home/reader/.cache/thirty-two-lanes/nvrtc".into()));
    }

    #[test]
    fn the_active_environment_comes_before_a_named_toolkit() {
        let mut machine = Machine::new();
        let toolkit = machine.file("toolkit/lib64/libnvrtc.so.12");
        let wheel = machine.file(&format!("venv/{WHEEL}"));
        machine.set("CUDA_PATH", "toolkit");
        machine.set("VIRTUAL_ENV", "venv");
        assert_eq!(machine.found(), [wheel, toolkit]);
    }

    #[test]
    fn a_named_toolkit_comes_before_an_installed_one_and_the_system_is_last() {
        let mut machine = Machine::new();
        let installed = machine.file("local/cuda-12.0/lib64/libnvrtc.so.12");
        let named = machine.file("named/lib64/libnvrtc.so.12");
        machine.file("local/other/lib64/libnvrtc.so.12");
        machine.set("CUDA_HOME", "named");
        machine.environment.toolkit_parents = vec![machine.root.path().join("local")];
        let of_the_loader = machine.file("more/libnvrtc.so.12");
        let of_the_system = machine.file("system/libnvrtc.so.13");
        machine.set(LOADER_VARIABLE, "more");
        machine.environment.system_folders = vec![machine.root.path().join("system")];
        assert_eq!(machine.found(), [named, installed, of_the_loader, of_the_system]);
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        let environment = Environment::default().with("NVRTC_PATH", "").with("CUDA_PATH", "");
        assert!(environment.named().is_none());
        assert!(environment.libraries().next().is_none());
    }

    /// Tests run in the folder of their package, which has folders and programs for every relative path here.
    #[test]
    fn a_relative_path_is_never_searched() {
        let mut environment = Environment::default();
        for name in VARIABLES.into_iter().filter(|name| *name != "NVRTC_PATH") {
            environment = environment.with(name, ".");
        }
        for paths in [".", "", ":", "src", "./", ":.:src:"] {
            let environment = environment.clone().with("PATH", paths).with("LD_LIBRARY_PATH", paths);
            assert_eq!(environment.programs(&["Cargo.toml", "lib.rs"]), [] as [PathBuf; 0]);
            assert_eq!(environment.libraries().next(), None);
            assert_eq!((environment.own_folder(), environment.nvcc()), (None, None));
        }
        let named = Environment::default().with("NVRTC_PATH", "libnvrtc.so.12").named();
        assert!(named.is_some_and(|path| path.is_absolute()));
    }

    #[test]
    fn every_library_of_this_machine_has_its_whole_path() {
        let environment = Environment::of_this_process();
        assert_eq!(environment.libraries().find(|library| library.is_relative()), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_python_on_the_path_is_asked_for_its_packages() {
        use std::os::unix::fs::PermissionsExt;
        let mut machine = Machine::new();
        let wheel = machine.file("packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
        let python = machine.file("bin/python3");
        fs::write(&python, format!("#!/bin/sh\necho {}/packages\n", machine.root.path().display())).unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        machine.set("PATH", "bin");
        assert_eq!(machine.found(), [wheel]);
    }
}
