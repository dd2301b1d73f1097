//! The module graph of the emulator and of the chapters: folders depend on each other in one direction, and so do files,
//! but for a few pairs that are one thing in two files.
//!
//! An edge is a reference to an item of another module: a `use`, or a path in the code. Declarations of modules and
//! re-exports do not count; a reference to a re-exported item counts as a reference to the module that defines it.
//! References in tests do not count either, nor do calls of methods, whose names do not say where they are defined.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::visit::{self, Visit};

/// The largest number of files that may refer to each other in a circle.
const LARGEST_CIRCLE: usize = 3;

/// The path of a module as a list of names, which is empty for the crate's root.
type Module = Vec<String>;

/// The modules of a crate, and the modules to which each refers.
#[derive(Default)]
struct Graph {
    edges: BTreeMap<Module, BTreeSet<Module>>,
    /// The re-exports: for a module and a name, the module that the name comes from.
    exports: BTreeMap<(Module, String), Module>,
}

impl Graph {
    fn new(root: &Path) -> Graph {
        let mut graph = Graph::default();
        let files = files(root);
        for file in &files {
            graph.edges.insert(module_of(root, file), BTreeSet::new());
        }
        let parse = |file: &PathBuf| {
            let text = fs::read_to_string(file).unwrap();
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
        };
        let parsed: Vec<(Module, syn::File)> =
            files.iter().map(|file| (module_of(root, file), parse(file))).collect();
        for re_exports in [true, false] {
            for (module, syntax) in &parsed {
                References { graph: &mut graph, module: module.clone(), re_exports }.visit_file(syntax);
            }
        }
        graph
    }

    /// Records that a module refers to a path.
    fn refer(&mut self, from: &Module, path: &[String], exports: bool) {
        let Some((module, item)) = self.resolve(from, path) else { return };
        match item {
            Some(item) if exports => {
                self.exports.insert((from.clone(), item), module);
            }
            _ if exports => {}
            item => {
                let key = (module.clone(), item.unwrap_or_default());
                let target = self.exports.get(&key).cloned().unwrap_or(module);
                if target != *from {
                    self.edges.entry(from.clone()).or_default().insert(target);
                }
            }
        }
    }

    /// The module that a path leads to, and the name of the item in it, if the path names one.
    fn resolve(&self, from: &Module, path: &[String]) -> Option<(Module, Option<String>)> {
        let mut whole = from.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => whole.clear(),
            "self" | "super" => {}
            first => {
                let child: Module = from.iter().cloned().chain([first.to_owned()]).collect();
                self.edges.contains_key(&child).then_some(())?;
            }
        }
        while let Some(name @ ("crate" | "self" | "super")) = rest.first().map(String::as_str) {
            if name == "super" {
                whole.pop();
            }
            rest = &rest[1..];
        }
        whole.extend(rest.iter().cloned());
        let length = (0..=whole.len()).rev().find(|&length| self.edges.contains_key(&whole[..length]))?;
        Some((whole[..length].to_vec(), whole.get(length).cloned()))
    }

    /// The sets of modules that refer to each other in a circle.
    fn circles(&self) -> Vec<Vec<Module>> {
        circles(&self.edges)
    }
}

/// The sets of nodes in which each node leads to every other one.
fn circles<N: Ord + Clone>(edges: &BTreeMap<N, BTreeSet<N>>) -> Vec<Vec<N>> {
    let reachable = |from: &N| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(node) = next.pop() {
            for target in edges.get(&node).into_iter().flatten() {
                if seen.insert(target.clone()) {
                    next.push(target.clone());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&N, BTreeSet<N>> = edges.keys().map(|node| (node, reachable(node))).collect();
    let circle_of = |node: &N| -> Vec<N> {
        edges
            .keys()
            .filter(|other| reach[node].contains(other) && reach[other].contains(node))
            .cloned()
            .collect()
    };
    let all: BTreeSet<Vec<N>> = edges.keys().map(circle_of).filter(|circle| circle.len() > 1).collect();
    all.into_iter().collect()
}

/// Reads the references of one file.
struct References<'g> {
    graph: &'g mut Graph,
    module: Module,
    /// Whether only re-exports are read, or only everything else.
    re_exports: bool,
}

impl References<'_> {
    fn tree(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let with =
            |name: &syn::Ident| -> Vec<String> { prefix.iter().cloned().chain([name.to_string()]).collect() };
        match tree {
            syn::UseTree::Path(path) => self.tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) if name.ident == "self" => {
                self.graph.refer(&self.module, prefix, self.re_exports);
            }
            syn::UseTree::Name(name) => self.graph.refer(&self.module, &with(&name.ident), self.re_exports),
            syn::UseTree::Rename(name) => self.graph.refer(&self.module, &with(&name.ident), self.re_exports),
            syn::UseTree::Glob(_) => self.graph.refer(&self.module, prefix, self.re_exports),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(prefix, tree)),
        }
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    let is_test = |attribute: &syn::Attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        meta => meta.path().is_ident("test"),
    };
    attributes.iter().any(is_test)
}

impl<'ast> Visit<'ast> for References<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_exported = !matches!(item.vis, syn::Visibility::Inherited);
        if is_exported == self.re_exports && !is_for_tests(&item.attrs) {
            self.tree(&[], &item.tree);
        }
    }

    // A visibility such as `pub(crate)` contains a path that is not a reference.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if !self.re_exports {
            let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.graph.refer(&self.module, &names, false);
        }
        visit::visit_path(self, path);
    }
}

/// The Rust files below a folder, without those that contain only tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|is| is == "rs") && stem != "tests" && stem != "testing" {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn module_of(root: &Path, file: &Path) -> Module {
    let path = file.strip_prefix(root).unwrap().with_extension("");
    let mut names: Module = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of `crates/simt/src` that contains a module; `None` for modules at the root.
fn folder_of(root: &Path, module: &Module) -> Option<String> {
    module.first().filter(|name| root.join(name).is_dir()).cloned()
}

/// The graph of the emulator, which takes seconds to read.
static EMULATOR: LazyLock<Graph> = LazyLock::new(|| Graph::new(&project().join("crates/simt/src")));

/// The layers of the emulator in the order of the table in ARCHITECTURE.md.
fn layers() -> Vec<String> {
    let text = fs::read_to_string(project().join("docs/ARCHITECTURE.md")).unwrap();
    let table =
        text.split("| layer | what it does |").nth(1).expect("ARCHITECTURE.md has the table of layers");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let name = |row: &str| row.split('`').nth(1).and_then(|name| name.strip_suffix('/')).map(str::to_owned);
    rows.filter_map(name).collect()
}

#[test]
fn the_folders_of_the_emulator_depend_on_each_other_in_one_direction() {
    let root = project().join("crates/simt/src");
    let (graph, layers) = (&*EMULATOR, layers());
    let place = |folder: &str| {
        layers.iter().position(|layer| layer == folder).unwrap_or_else(|| {
            panic!("the table of layers in ARCHITECTURE.md does not have `crates/simt/src/{folder}`")
        })
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
                "`{}` refers to `{}`, but `{other}` is not above `{own}` in ARCHITECTURE.md",
                module.join("::"),
                target.join("::")
            );
        }
    }
}

/// The names in backquotes in a part of ARCHITECTURE.md.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a path of the emulator, such as `exec::step` or `order::clocks::Clocks`, leads to a module or an item of one.
fn is_in_emulator(modules: &BTreeSet<Module>, path: &[String]) -> bool {
    let Some((item, module)) = path.split_last() else { return true };
    let file = |extension: &str| project().join("crates/simt/src").join(module.join("/") + extension);
    let text = || fs::read_to_string(file(".rs")).or_else(|_| fs::read_to_string(file("/mod.rs")));
    modules.contains(path)
        || modules.contains(module) && !module.is_empty() && text().is_ok_and(|text| text.contains(item))
}

#[test]
fn modules_of_the_emulator_in_the_architecture_exist() {
    let modules: BTreeSet<Module> = EMULATOR.edges.keys().cloned().collect();
    let text = fs::read_to_string(project().join("docs/ARCHITECTURE.md")).unwrap();
    let paths = quoted(&text).filter(|name| name.contains("::") && !name.contains(['(', '/', ' ']));
    let paths = paths.map(|name| name.split("::").map(str::to_owned).collect::<Vec<_>>());
    let paths: Vec<_> = paths.filter(|path| layers().contains(&path[0])).collect();
    assert!(paths.len() > 50, "only {} paths were found", paths.len());
    for path in paths {
        assert!(is_in_emulator(&modules, &path), "ARCHITECTURE.md names `{}`", path.join("::"));
    }
    assert!(!is_in_emulator(&modules, &["order".to_owned(), "no_such_module".to_owned()]));
}

/// The largest number of places that a walk in ARCHITECTURE.md names.
const LONGEST_WALK: usize = 8;

#[test]
fn the_walks_in_the_architecture_are_short() {
    let text = fs::read_to_string(project().join("docs/ARCHITECTURE.md")).unwrap();
    let walks: Vec<&str> = text.lines().filter(|line| line.contains(" → ")).collect();
    assert_eq!(walks.len(), 4);
    for walk in walks {
        let places = walk.matches(" → ").count() + 1 + walk.matches("(with ").count();
        assert!(places <= LONGEST_WALK, "{places} places: {walk}");
    }
}

#[test]
fn no_circle_of_files_is_large() {
    let check = |root: &Path, graph: &Graph| {
        for circle in graph.circles() {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            assert!(circle.len() <= LARGEST_CIRCLE, "{}: a circle of {names:?}", root.display());
        }
    };
    check(Path::new("crates/simt/src"), &EMULATOR);
    for chapter in fs::read_dir(project().join("chapters")).unwrap() {
        let root = chapter.unwrap().path().join("src");
        if root.is_dir() {
            check(&root, &Graph::new(&root));
        }
    }
}

/// Between the folders of a chapter there may be no circle at all.
#[test]
fn the_folders_of_a_chapter_depend_on_each_other_in_one_direction() {
    for chapter in fs::read_dir(project().join("chapters")).unwrap() {
        let root = chapter.unwrap().path().join("src");
        if !root.is_dir() {
            continue;
        }
        let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (module, targets) in &Graph::new(&root).edges {
            let Some(own) = folder_of(&root, module) else { continue };
            let others = targets.iter().filter_map(|target| folder_of(&root, target));
            let others: Vec<String> = others.filter(|other| *other != own).collect();
            folders.entry(own).or_default().extend(others);
        }
        assert_eq!(circles(&folders), Vec::<Vec<String>>::new(), "{}", root.display());
    }
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
