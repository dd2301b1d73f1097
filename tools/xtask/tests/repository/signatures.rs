//! What a signature of a function must not hide: how many parameters it has. A parameter that is taken apart as a tuple,
//! as in `(block, warp): (&Block, usize)`, counts as one for Clippy. A pair may be a parameter if it is one thing: a point,
//! `(f64, f64)`; a type with a name; or all that the function takes, as in the body of an iteration.

use std::fs;

use syn::visit::{self, Visit};

use crate::graph::is_for_tests;
use crate::{files, name};

/// The functions of a file that take a tuple apart among their parameters.
#[derive(Default)]
struct Tuples {
    found: Vec<String>,
}

impl<'ast> Visit<'ast> for Tuples {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        let inputs = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(input) => Some(input),
            syn::FnArg::Receiver(_) => None,
        });
        let hides = |input: &syn::PatType| matches!(*input.pat, syn::Pat::Tuple(_)) && is_made_up(&input.ty);
        if inputs.clone().count() > 1 && inputs.into_iter().any(hides) {
            self.found.push(signature.ident.to_string());
        }
    }
}

/// Whether a type is a tuple without a name, and no point.
fn is_made_up(ty: &syn::Type) -> bool {
    let is_number = |ty: &syn::Type| matches!(ty, syn::Type::Path(path) if path.path.is_ident("f64"));
    match ty {
        syn::Type::Reference(of) => is_made_up(&of.elem),
        syn::Type::Tuple(of) => !of.elems.iter().all(is_number),
        _ => false,
    }
}

fn tuples(text: &str) -> Vec<String> {
    let mut found = Tuples::default();
    found.visit_file(&syn::parse_file(text).unwrap());
    found.found
}

#[test]
fn no_function_hides_its_parameters_in_tuples() {
    let mut found = Vec::new();
    for file in
        files("rs").iter().filter(|file| name(file).contains("/src/") || name(file).starts_with("src/"))
    {
        let tuples = tuples(&fs::read_to_string(file).unwrap());
        found.extend(tuples.iter().map(|function| format!("{}: `{function}`", name(file))));
    }
    assert!(found.is_empty(), "{} functions take a tuple apart:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_tuple_among_parameters_is_found() {
    let text = "fn good((a, b): (u32, u32)) {} fn point((x, y): (f64, f64), r: f64) {} fn named((a, b): Two, c: u8) {}\n\
                fn whole(pair: (u32, u32), c: u8) { let f = |(a, b): (u32, u32), c: u8| a; f(pair, c); }\n\
                struct S; impl S { fn bad(&self, (a, b): (u32, u32), c: u8) -> u32 { a + b } }\n\
                #[cfg(test)] mod tests { fn also((a, _): (u32, u32), c: u8) -> u32 { a } }";
    assert_eq!(tuples(text), ["bad"]);
}
