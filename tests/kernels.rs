//! The kernels, their PTX and the registry agree; no compiler is needed to check it.

use std::path::{Path, PathBuf};

use thirty_two_lanes::kernels::{self, ALL};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

/// The kernels that a CUDA source defines.
fn defined(source: &str) -> Vec<&str> {
    let starts = source.split("extern \"C\" __global__ void ").skip(1);
    starts.filter_map(|rest| without_bounds(rest).trim_start().split('(').next()).collect()
}

/// What follows `__launch_bounds__(...)` or `__cluster_dims__(...)`, if a kernel has one.
fn without_bounds(rest: &str) -> &str {
    let attributes = ["__launch_bounds__(", "__cluster_dims__("];
    let bounded = attributes.iter().find_map(|name| rest.strip_prefix(name)?.split_once(')'));
    bounded.map_or(rest, |(_, rest)| rest)
}

#[test]
fn the_committed_ptx_is_not_stale() {
    let stale: Vec<_> = nvrtc::stale(&folder()).unwrap().iter().map(ToString::to_string).collect();
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn every_file_and_every_build_is_in_the_registry() {
    let declared = nvrtc::cuda_files(&folder()).unwrap();
    assert_eq!(declared.len(), ALL.len());
    for (declared, file) in declared.iter().zip(ALL) {
        assert_eq!((&*declared.stem, &*declared.text), (file.name, file.source));
        let names = |builds: &[String]| builds.join(", ");
        let wanted: Vec<_> = declared.builds.iter().map(ToString::to_string).collect();
        let found: Vec<_> = file.builds.iter().map(ToString::to_string).collect();
        assert_eq!(names(&wanted), names(&found), "{}", file.name);
    }
}

#[test]
fn every_kernel_of_every_file_is_in_the_registry() {
    for file in ALL {
        let registered: Vec<_> = file.kernels.iter().map(|kernel| kernel.name).collect();
        assert_eq!(defined(file.source), registered, "{}", file.name);
    }
}

#[test]
fn every_kernel_is_in_a_build_and_if_possible_in_the_first() {
    for kernel in kernels::all() {
        assert_eq!(
            kernel.builds().next().map(ToString::to_string),
            Some(kernel.file.builds[0].to_string()),
            "{kernel}"
        );
    }
}

#[test]
fn names_are_unique_across_files() {
    let mut names: Vec<_> = kernels::all().map(|kernel| kernel.name).collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn the_ptx_names_no_folder_of_a_machine() {
    for build in ALL.iter().flat_map(|file| file.builds) {
        for line in build.ptx.lines().filter(|line| line.trim_start().starts_with(".file")) {
            let path = line.split('"').nth(1).unwrap();
            assert!(!path.starts_with('/') && !path.contains(':'), "{line}");
        }
    }
}

#[test]
fn every_anchor_is_opened_and_closed_once() {
    for file in ALL {
        for name in file.source.lines().filter_map(|line| line.strip_prefix("// ANCHOR: ")) {
            let count = |text: &str| file.source.lines().filter(|line| *line == text).count();
            assert_eq!(count(&format!("// ANCHOR: {name}")), 1, "{} {name}", file.name);
            assert_eq!(count(&format!("// ANCHOR_END: {name}")), 1, "{} {name}", file.name);
        }
    }
}
