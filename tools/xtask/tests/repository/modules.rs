//! The module graph of every crate: folders depend on each other in one direction, and so do files, but for a few that are
//! one thing in two or three files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::graph::{Graph, Module, circles};
use crate::{name, root};

/// The largest number of files that may refer to each other in a circle.
const LARGEST_CIRCLE: usize = 3;

/// The folder of `crates/simt/src` that contains a module; `None` for modules at the root.
fn folder_of(root: &Path, module: &Module) -> Option<String> {
    module.first().filter(|name| root.join(name).is_dir()).cloned()
}

/// The sources of every crate, and their graphs: of the library of the chapters, the chapters, and what is in `crates/` and
/// `tools/`.
static GRAPHS: LazyLock<Vec<(PathBuf, Graph)>> = LazyLock::new(|| {
    let inside = |folder: &str| fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let crates = ["chapters", "crates", "tools"].into_iter().flat_map(inside);
    let all = crates.chain([root().to_owned()]).map(|path| path.join("src"));
    all.filter(|path| path.is_dir()).map(|path| (path.clone(), Graph::new(&path))).collect()
});

/// The graph of the emulator.
fn emulator() -> &'static Graph {
    let (_, graph) = GRAPHS.iter().find(|(source, _)| name(source) == "crates/simt/src").unwrap();
    graph
}

/// The file that lists the layers of the emulator for its maintainers.
const LAYERS: &str = "crates/simt/src/lib.rs";

/// The layers of the emulator in the order of that list.
fn layers() -> Vec<String> {
    let text = fs::read_to_string(root().join(LAYERS)).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("// - `"));
    let layers: Vec<String> =
        rows.filter_map(|row| row.split_once("/`: ")).map(|(name, _)| name.to_owned()).collect();
    assert!(!layers.is_empty(), "{LAYERS} lists no layers");
    layers
}

#[test]
fn the_folders_of_the_emulator_depend_on_each_other_in_one_direction() {
    let root = root().join("crates/simt/src");
    let (graph, layers) = (emulator(), layers());
    let place = |folder: &str| {
        layers
            .iter()
            .position(|layer| layer == folder)
            .unwrap_or_else(|| panic!("the layers in {LAYERS} do not have `crates/simt/src/{folder}`"))
    };
    for (module, targets) in &graph.edges {
        // The root of the crate is its interface, which may use everything and is used by nothing.
        let own = folder_of(&root, module);
        for target in targets {
            let Some(other) = folder_of(&root, target) else {
                assert!(
                    own.is_none(),
                    "`{}` refers to the interface, `{}`",
                    module.join("::"),
                    target.join("::")
                );
                continue;
            };
            let Some(own) = own.as_deref().filter(|own| *own != other) else { continue };
            assert!(
                place(&other) < place(own),
                "`{}` refers to `{}`, but `{other}` is not above `{own}` in {LAYERS}",
                module.join("::"),
                target.join("::")
            );
        }
    }
}

/// The names in backquotes in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a path of the emulator, such as `exec::step` or `order::clocks::Clocks`, leads to a module or an item of one.
fn is_in_emulator(modules: &BTreeSet<Module>, path: &[String]) -> bool {
    let Some((item, module)) = path.split_last() else { return true };
    let file = |extension: &str| root().join("crates/simt/src").join(module.join("/") + extension);
    let text = || fs::read_to_string(file(".rs")).or_else(|_| fs::read_to_string(file("/mod.rs")));
    modules.contains(path)
        || modules.contains(module) && !module.is_empty() && text().is_ok_and(|text| text.contains(item))
}

/// What is said about the emulator outside of a single module.
fn said_about_the_emulator() -> String {
    let comments: Vec<String> = fs::read_to_string(root().join(LAYERS))
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("// ").map(str::to_owned))
        .collect();
    comments.join("\n")
}

#[test]
fn modules_of_the_emulator_that_are_named_exist() {
    let modules: BTreeSet<Module> = emulator().edges.keys().cloned().collect();
    let text = said_about_the_emulator();
    let paths = quoted(&text).filter(|name| name.contains("::") && !name.contains(['(', '/', ' ']));
    let paths = paths.map(|name| name.split("::").map(str::to_owned).collect::<Vec<_>>());
    let paths: Vec<_> = paths.filter(|path| layers().contains(&path[0])).collect();
    assert!(paths.len() > 35, "only {} paths were found", paths.len());
    for path in paths {
        assert!(is_in_emulator(&modules, &path), "{LAYERS} names `{}`", path.join("::"));
    }
    assert!(!is_in_emulator(&modules, &["order".to_owned(), "no_such_module".to_owned()]));
}

/// The largest number of places that a walk names.
const LONGEST_WALK: usize = 8;

#[test]
fn the_walks_through_the_emulator_are_short() {
    let text = said_about_the_emulator();
    let walks: Vec<&str> = text.split("\n- ").filter(|item| item.contains(" → ")).collect();
    assert_eq!(walks.len(), 3);
    for walk in walks {
        let places = walk.matches(" →").count() + 1 + walk.matches("(with ").count();
        assert!(places <= LONGEST_WALK, "{places} places: {walk}");
    }
}

#[test]
fn no_circle_of_files_is_large() {
    let mut large = Vec::new();
    for (source, graph) in &*GRAPHS {
        for circle in graph.circles().iter().filter(|circle| circle.len() > LARGEST_CIRCLE) {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            large.push(format!("{}: {}", name(source), names.join(", ")));
        }
    }
    assert!(large.is_empty(), "circles of more than {LARGEST_CIRCLE} files:\n{}", large.join("\n"));
}

/// Between folders there may be no circle at all. A file beside a folder of its name is the folder's own.
#[test]
fn the_folders_of_a_crate_depend_on_each_other_in_one_direction() {
    let mut found = Vec::new();
    for (source, graph) in &*GRAPHS {
        let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (module, targets) in &graph.edges {
            let Some(own) = folder_of(source, module) else { continue };
            let others = targets.iter().filter_map(|target| folder_of(source, target));
            let others: Vec<String> = others.filter(|other| *other != own).collect();
            folders.entry(own).or_default().extend(others);
        }
        found.extend(
            circles(&folders).iter().map(|circle| format!("{}: {}", name(source), circle.join(", "))),
        );
    }
    assert!(found.is_empty(), "circles of folders:\n{}", found.join("\n"));
}

/// Checks the reader of the graph with a small crate.
#[test]
fn references_and_circles_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod one; mod two; mod three; pub use one::One;");
    write(
        "one.rs",
        "use crate::two::Two; pub struct One;\n#[cfg(test)] mod tests { use crate::three::Three; }",
    );
    write("two.rs", "pub struct Two; fn f() { super::three::g(); }");
    write("three/mod.rs", "pub mod inner; pub use inner::Three; pub fn g() -> crate::One { todo!() }");
    write("three/inner.rs", "pub struct Three;");
    let graph = Graph::new(folder.path());
    let targets = |module: &str| -> Vec<String> {
        let module: Module = module.split("::").map(str::to_owned).collect();
        graph.edges[&module].iter().map(|target| target.join("::")).collect()
    };
    assert_eq!(targets("one"), ["two"], "a test's reference does not count");
    assert_eq!(targets("two"), ["three"]);
    assert_eq!(
        targets("three"),
        ["one"],
        "a re-export leads to where an item is from, and is no reference itself"
    );
    let circles = graph.circles();
    assert_eq!(circles.len(), 1);
    assert_eq!(circles[0].len(), 3);
}
