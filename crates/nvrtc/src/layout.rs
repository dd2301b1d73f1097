//! Where a library and its headers are inside an installation.
//!
//! A toolkit, a conda environment, NVIDIA's wheels for CUDA 12 and those for CUDA 13 each have their own tree. One list
//! of folders covers all of them, so the rest of the search needs to know only the root of a tree.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that may contain the library, relative to the root of any kind of tree.
///
/// CUDA 12's wheels come before CUDA 13's, which no longer compile for the architectures that the book needs.
const LIBRARY_FOLDERS: [&str; 16] = [
    "",
    "nvidia/cuda_nvrtc/lib",
    "nvidia/cuda_nvrtc/bin",
    "cuda_nvrtc/lib",
    "cuda_nvrtc/bin",
    "lib64",
    "lib",
    "lib/x64",
    "targets/x86_64-linux/lib",
    "targets/sbsa-linux/lib",
    "bin/x64",
    "bin",
    "nvidia/cu13/lib",
    "nvidia/cu13/bin/x86_64",
    "cu13/lib",
    "cu13/bin/x86_64",
];

/// Folders that may contain CUDA's own headers, relative to some folder above the library.
const RUNTIME_FOLDERS: [&str; 4] =
    ["cuda_runtime/include", "include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"];

/// The same for `cuda::std`, which `cooperative_groups.h` includes.
const STANDARD_FOLDERS: [&str; 5] = [
    "cuda_cccl/include",
    "include/cccl",
    "include",
    "targets/x86_64-linux/include/cccl",
    "targets/x86_64-linux/include",
];

/// Every NVRTC library in the tree that begins at `root`, in the order to try them.
pub(crate) fn libraries(root: &Path) -> Vec<PathBuf> {
    LIBRARY_FOLDERS.iter().flat_map(|folder| libraries_in(&root.join(folder))).collect()
}

/// The same for a Python environment: the libraries of its packages, then those of a toolkit that conda installed into
/// its root.
pub(crate) fn libraries_of_environment(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = site_packages(root).iter().flat_map(|folder| libraries(folder)).collect();
    found.extend(libraries(root));
    found
}

/// The folders of installed packages in a Python environment.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = children(&environment.join("lib"))
        .into_iter()
        .filter(|child| file_name(child).starts_with("python3"))
        .map(|python| python.join("site-packages"))
        .collect();
    found.push(environment.join("Lib").join("site-packages"));
    found.retain(|folder| folder.is_dir());
    found
}

/// The folders of headers that belong to `library`, found by walking up from it.
pub(crate) fn include_folders(library: &Path) -> Vec<PathBuf> {
    let above: Vec<_> = library.ancestors().skip(1).take(4).collect();
    let nearest = |folders: &[&str], marker: &str| {
        let mut all = above.iter().flat_map(|root| folders.iter().map(move |folder| root.join(folder)));
        all.find(|folder| folder.join(marker).exists())
    };
    let mut found: Vec<_> = nearest(&RUNTIME_FOLDERS, "cuda_runtime.h").into_iter().collect();
    found.extend(nearest(&STANDARD_FOLDERS, "cuda/std").filter(|folder| !found.contains(folder)));
    found
}

/// The helper library beside `library`. NVRTC opens it by name, and does not always look in its own folder.
pub(crate) fn builtins_beside(library: &Path) -> Option<PathBuf> {
    let mut beside = children(library.parent()?).into_iter();
    beside.find(|file| is_builtins(file_name(file)))
}

/// The libraries that lie in a folder itself.
pub(crate) fn libraries_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = children(folder);
    found.retain(|file| is_library(file_name(file)));
    found
}

/// Names on Linux and on Windows; `.alt` marks a second build of the library that some wheels contain.
fn is_library(name: &str) -> bool {
    let windows = name.starts_with("nvrtc64_") && name.strip_suffix(".dll").is_some();
    (windows || name.starts_with("libnvrtc.so")) && !name.contains(".alt")
}

fn is_builtins(name: &str) -> bool {
    name.contains("nvrtc-builtins") && !name.contains(".alt")
}

/// The contents of a folder, sorted so that the search does not depend on the file system; empty if the folder is
/// missing.
pub(crate) fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries.map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    fn relative(root: &Path, found: &[PathBuf]) -> Vec<String> {
        found
            .iter()
            .map(|path| path.strip_prefix(root).unwrap().display().to_string().replace('\\', "/"))
            .collect()
    }

    #[test]
    fn names_of_the_library() {
        assert!(is_library("libnvrtc.so.12") && is_library("nvrtc64_120_0.dll"));
        assert!(!is_library("libnvrtc-builtins.so.12.0") && !is_library("libnvrtc.alt.so.12"));
        assert!(!is_library("nvrtc-builtins64_120.dll") && !is_library("nvrtc64_120_0.alt.dll"));
    }

    #[test]
    fn the_wheel_of_cuda_12_comes_before_that_of_13() {
        let root = tree(&["nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"]);
        assert_eq!(
            relative(root.path(), &libraries(root.path())),
            ["nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "nvidia/cu13/lib/libnvrtc.so.13"]
        );
    }

    #[test]
    fn headers_of_the_wheels_are_two_folders_up() {
        let root = tree(&["cuda_runtime/include/cuda_runtime.h", "cuda_cccl/include/cuda/std/type_traits"]);
        let found = include_folders(&root.path().join("cuda_nvrtc/lib/libnvrtc.so.12"));
        assert_eq!(relative(root.path(), &found), ["cuda_runtime/include", "cuda_cccl/include"]);
    }

    #[test]
    fn headers_of_a_toolkit_are_named_once() {
        let root = tree(&["include/cuda_runtime.h", "include/cuda/std/type_traits"]);
        let found = include_folders(&root.path().join("lib64/libnvrtc.so.12"));
        assert_eq!(relative(root.path(), &found), ["include"]);
    }

    #[test]
    fn headers_of_cuda_13_have_a_folder_for_the_standard_library() {
        let root = tree(&["cu13/include/cuda_runtime.h", "cu13/include/cccl/cuda/std/type_traits"]);
        let found = include_folders(&root.path().join("cu13/lib/libnvrtc.so.13"));
        assert_eq!(relative(root.path(), &found), ["cu13/include", "cu13/include/cccl"]);
    }

    #[test]
    fn the_helper_is_the_one_that_belongs_to_the_library() {
        let root = tree(&["libnvrtc-builtins.alt.so.13.0", "libnvrtc-builtins.so.13.0"]);
        let found = builtins_beside(&root.path().join("libnvrtc.so.13"));
        assert_eq!(found, Some(root.path().join("libnvrtc-builtins.so.13.0")));
    }

    #[test]
    fn a_missing_folder_is_empty() {
        let root = tree(&[]);
        assert!(libraries(&root.path().join("nowhere")).is_empty());
        assert!(include_folders(&root.path().join("lib/libnvrtc.so.12")).is_empty());
    }

    #[test]
    fn python_environments_of_both_systems() {
        let root = tree(&["lib/python3.11/site-packages/x", "lib/other/site-packages/x"]);
        assert_eq!(relative(root.path(), &site_packages(root.path())), ["lib/python3.11/site-packages"]);
        let windows = tree(&["Lib/site-packages/x"]);
        assert_eq!(site_packages(windows.path()).len(), 1);
    }
}
