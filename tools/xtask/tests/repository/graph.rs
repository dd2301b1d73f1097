//! The module graph of a crate.
//!
//! An edge is a reference to an item of another module: a `use`, or a path in the code. Declarations of modules and
//! re-exports do not count; a reference to a re-exported item counts as a reference to the module that defines it.
//! References in tests do not count either, nor do calls of methods, whose names do not say where they are defined.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// The path of a module as a list of names, which is empty for the crate's root.
pub type Module = Vec<String>;

/// The modules of a crate, and the modules to which each refers.
#[derive(Default)]
pub struct Graph {
    pub edges: BTreeMap<Module, BTreeSet<Module>>,
    /// The re-exports: for a module and a name, the module that the name comes from.
    exports: BTreeMap<(Module, String), Module>,
}

impl Graph {
    /// Reads the files below the folder `src` of a crate.
    pub fn new(root: &Path) -> Graph {
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
    pub fn circles(&self) -> Vec<Vec<Module>> {
        circles(&self.edges)
    }
}

/// The sets of nodes in which each node leads to every other one.
pub fn circles<N: Ord + Clone>(edges: &BTreeMap<N, BTreeSet<N>>) -> Vec<Vec<N>> {
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

pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
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
pub fn files(folder: &Path) -> Vec<PathBuf> {
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
