//! Where to look for the compiler, and in which order.
//!
//! The order is from the most to the least deliberate choice: what the reader named, what the reader had this project
//! install, the active Python environment, the toolkit that a variable names, the installed toolkit, and what the
//! system's loader finds. What the process sees of the machine is a value, so a test can describe a machine of its own.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::layout::{children, libraries, libraries_of_environment};

/// Names to ask the system's loader for, oldest first: the older the compiler, the more drivers can read its PTX.
const LOADER_NAMES: [&str; 4] = if cfg!(windows) {
    ["nvrtc64_120_0.dll", "nvrtc64_130_0.dll", "nvrtc64_112_0.dll", "nvrtc64_111_0.dll"]
} else {
    ["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so", "libnvrtc.so.11.2"]
};

/// The variables that the search reads.
const VARIABLES: [&str; 9] = [
    "NVRTC_PATH",
    "XDG_CACHE_HOME",
    "HOME",
    "LOCALAPPDATA",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CUDA_PATH",
    "CUDA_HOME",
    "PATH",
];

/// Asks a Python for the folders in which it keeps packages.
const ASK_PYTHON: &str =
    "import site, sysconfig; print(sysconfig.get_path('purelib')); print('\\n'.join(site.getsitepackages()))";

/// What the search may know about the machine.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, OsString>,
    toolkit_parents: Vec<PathBuf>,
    loader_names: Vec<&'static str>,
}

impl Environment {
    /// The environment of this process and the usual folders of this system.
    pub fn of_this_process() -> Self {
        let read = |name: &str| Some((name.to_owned(), env::var_os(name)?));
        Self {
            variables: VARIABLES.into_iter().filter_map(read).collect(),
            toolkit_parents: vec!["/usr/local".into()],
            loader_names: LOADER_NAMES.to_vec(),
        }
    }

    /// The environment with another value for one variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// What the reader named with `NVRTC_PATH`.
    pub(crate) fn named(&self) -> Option<&Path> {
        self.variable("NVRTC_PATH")
    }

    /// The folder in the user's cache where `exercises setup` installs a compiler; `None` if the system has no such
    /// place.
    pub fn own_folder(&self) -> Option<PathBuf> {
        let cache = if cfg!(windows) {
            self.variable("LOCALAPPDATA").map(Path::to_owned)
        } else {
            // A relative path does not count (XDG Base Directory Specification).
            let named = self.variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
            named.map(Path::to_owned).or_else(|| Some(self.variable("HOME")?.join(".cache")))
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
            Self::known_to_the_loader,
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

    fn known_to_the_loader(&self) -> Vec<PathBuf> {
        self.loader_names.iter().map(PathBuf::from).collect()
    }

    /// Programs by these names on `PATH`: all of the first name, then all of the second.
    pub fn programs(&self, names: &[&str]) -> Vec<PathBuf> {
        let path = self.variables.get("PATH").cloned().unwrap_or_default();
        let folders: Vec<_> = env::split_paths(&path).collect();
        let file = |name: &&str| format!("{name}{}", env::consts::EXE_SUFFIX);
        let all = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(file(name))));
        all.filter(|program| program.is_file()).collect()
    }

    /// A variable that is set and not empty.
    fn variable(&self, name: &str) -> Option<&Path> {
        self.variables.get(name).filter(|value| !value.is_empty()).map(Path::new)
    }
}

/// The folders in which an interpreter keeps packages. It is run, because its path may be a script that picks a
/// version.
fn packages_of(python: &Path) -> Vec<PathBuf> {
    let Ok(output) = Command::new(python).args(["-c", ASK_PYTHON]).output() else {
        return Vec::new();
    };
    let mut folders: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect();
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
    fn a_named_toolkit_comes_before_an_installed_one_and_the_loader_is_last() {
        let mut machine = Machine::new();
        let installed = machine.file("local/cuda-12.0/lib64/libnvrtc.so.12");
        let named = machine.file("named/lib64/libnvrtc.so.12");
        machine.file("local/other/lib64/libnvrtc.so.12");
        machine.set("CUDA_HOME", "named");
        machine.environment.toolkit_parents = vec![machine.root.path().join("local")];
        machine.environment.loader_names = vec!["libnvrtc.so.12"];
        assert_eq!(machine.found(), [named, installed, "libnvrtc.so.12".into()]);
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        let environment = Environment::default().with("NVRTC_PATH", "").with("CUDA_PATH", "");
        assert!(environment.named().is_none());
        assert!(environment.libraries().next().is_none());
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
