//! The names of kernels that are not `extern "C"`, as NVIDIA's compiler writes them into PTX.
//!
//! Host code looks kernels up by these names, so they have to agree to the letter. What makes mangling hard is that a
//! part that occurs again is abbreviated (`S_`, `S0_`), in the order in which parts were completed; [`Mangler`] keeps
//! that list. In a template, parameters are written as the template has them (`T_`), not as they turned out.
//! Specification: Itanium C++ ABI, section 5.1, "External Names (a.k.a. Mangling)". Left out: what kernels' parameters
//! do not have, such as pointers to members.
//!
//! For example, in the namespace `n`, `template <class T> __global__ void scale(T* x, const T* y)` with `float` is
//!
//! ```text
//! _Z N 1n 5scale I f E E v P T_ P K S1_
//!    |           |       |   |      `--- the third part that was complete: T_ again
//!    |           |       |   `---------- a pointer to the first parameter of the template
//!    |           |       `-------------- what it returns
//!    |           `---------------------- the template's arguments
//!    `---------------------------------- a name in a namespace
//! ```

use std::borrow::Cow;

use super::Checker;
use super::scope::ScopeId;
use super::types::{Argument, Basic, Shape, Type};
use crate::parse::tree::{self, ParameterKind, TypeKind};
use crate::source::{Name, joined};

/// A part of a mangled name. A tree, because whether something was written before is asked of each part, from the
/// outside in.
enum Node {
    /// What is never abbreviated: a basic type, or an expression.
    Plain(Cow<'static, str>),
    /// A value, whose type may be abbreviated.
    Value(Box<Node>, String),
    /// A parameter of the template.
    Parameter(usize),
    /// A pointer, a reference, or a qualified type. The prefix applies to what follows: `P`, `R`, `K`, `A4_`.
    Around(Cow<'static, str>, Box<Node>),
    /// A name, after the namespaces around it.
    Named(Vec<String>),
    /// A type from a template, with its arguments.
    Template(Vec<String>, Vec<Node>),
}

#[derive(Default)]
struct Mangler {
    text: String,
    /// What has been written and may be abbreviated. They are compared as they would be without abbreviations
    /// ([`Node::key`]).
    known: Vec<String>,
}

impl Mangler {
    /// Whether something has been written before; its abbreviation is written now, or it is noted by `note`.
    fn repeats(&mut self, key: &str) -> bool {
        // A few parts at most, so a list is searched.
        let Some(at) = self.known.iter().position(|known| known == key) else { return false };
        self.text.push('S');
        if at > 0 {
            // `<seq-id>`: the first is `S_`, then `S0_` on, in base 36 with capital letters.
            let digit = (at - 1) as u32;
            let tens = if digit >= 36 { char::from_digit(digit / 36, 36) } else { None };
            self.text.extend(
                tens.into_iter().chain(char::from_digit(digit % 36, 36)).map(|c| c.to_ascii_uppercase()),
            );
        }
        self.text.push('_');
        true
    }

    /// Notes that something is complete, and may be abbreviated from now on.
    fn note(&mut self, key: String) {
        self.known.push(key);
    }

    /// `a::b`, each level of which can be abbreviated; the last one only if it `is_type`.
    fn path(&mut self, path: &[String], is_type: bool) {
        let Some((last, outer)) = path.split_last() else { return };
        let key = is_type.then(|| joined(path, ""));
        if key.as_ref().is_some_and(|key| self.repeats(key)) {
            return;
        }
        self.path(outer, true);
        self.text.push_str(last);
        self.known.extend(key);
    }

    /// Inner parts are completed, and counted, before the ones around them.
    fn node(&mut self, node: &Node) {
        if let Node::Plain(text) = node {
            return self.text.push_str(text);
        }
        if let Node::Value(ty, value) = node {
            self.text.push('L');
            self.node(ty);
            self.text.push_str(value);
            return self.text.push('E');
        }
        let key = node.key();
        if self.repeats(&key) {
            return;
        }
        match node {
            Node::Plain(_) | Node::Value(..) => {}
            Node::Parameter(_) => self.text.push_str(&key),
            Node::Around(prefix, inner) => {
                self.text.push_str(prefix);
                self.node(inner);
            }
            Node::Named(path) | Node::Template(path, _) => {
                let is_nested = path.len() > 1;
                // `<nested-name>`: `N … E` around a name in a namespace.
                self.text.push_str(if is_nested { "N" } else { "" });
                let arguments = if let Node::Template(_, arguments) = node { Some(arguments) } else { None };
                let (last, outer) = (joined(path, ""), &path[..path.len() - 1]);
                // The template's name without its arguments is a part as well (`<template-prefix>`).
                if arguments.is_none() || !self.repeats(&last) {
                    self.path(outer, true);
                    self.text.push_str(&path[path.len() - 1]);
                    if arguments.is_some() {
                        self.note(last);
                    }
                }
                if let Some(arguments) = arguments {
                    self.arguments(arguments);
                }
                self.text.push_str(if is_nested { "E" } else { "" });
            }
        }
        self.note(key);
    }

    fn arguments(&mut self, arguments: &[Node]) {
        self.text.push('I');
        for argument in arguments {
            self.node(argument);
        }
        self.text.push('E');
    }
}

impl Node {
    /// The part without abbreviations.
    fn key(&self) -> String {
        let mut text = String::new();
        self.add_key(&mut text);
        text
    }

    fn add_key(&self, text: &mut String) {
        match self {
            Node::Plain(plain) => text.push_str(plain),
            Node::Value(ty, value) => {
                text.push('L');
                ty.add_key(text);
                text.extend([value, "E"]);
            }
            Node::Parameter(0) => text.push_str("T_"),
            Node::Parameter(at) => text.extend(["T", &(at - 1).to_string(), "_"]),
            Node::Around(prefix, inner) => {
                text.push_str(prefix);
                inner.add_key(text);
            }
            Node::Named(path) => text.extend(path.iter().map(String::as_str)),
            Node::Template(path, arguments) => {
                text.extend(path.iter().map(String::as_str));
                text.push('I');
                for argument in arguments {
                    argument.add_key(text);
                }
                text.push('E');
            }
        }
    }
}

impl<'t> Checker<'_, 't> {
    /// The name of a kernel in PTX; `scope` has the parameters of its template.
    pub(super) fn mangled(
        &mut self,
        function: &tree::Function<'t>,
        scope: ScopeId,
        arguments: &[Argument],
        parameters: &[Type],
    ) -> String {
        let mut mangler = Mangler::default();
        let mut path = self.namespaces(scope);
        path.push(source_name(function.name.as_str()));
        let is_nested = path.len() > 1;
        mangler.text.push_str(if is_nested { "_ZN" } else { "_Z" });
        let template = function.template;
        mangler.path(&path, template.is_some());
        if let Some(template) = template {
            let nodes: Vec<Node> =
                template.iter().zip(arguments).map(|(p, a)| self.argument_node(scope, p, *a)).collect();
            mangler.arguments(&nodes);
        }
        mangler.text.push_str(if is_nested { "E" } else { "" });
        // A template's name has what it returns, which is `void` for a kernel; any other function's has not.
        mangler.text.push_str(if template.is_some() { "v" } else { "" });
        for (written, ty) in function.parameters.iter().zip(parameters) {
            // Outermost qualifiers of a parameter are no part of the function's type.
            let node = self.written_node(written.ty, ty.plain(), template.unwrap_or_default(), true);
            mangler.node(&node);
        }
        mangler.text.push_str(if parameters.is_empty() { "v" } else { "" });
        mangler.text
    }

    /// The namespaces and types around a scope, from the outermost. Scopes without a name (of blocks, of parameters of
    /// templates) are skipped.
    pub(super) fn namespaces(&self, scope: ScopeId) -> Vec<String> {
        let mut found = Vec::new();
        let mut at = scope;
        while let Some(parent) = self.scopes.parent(at) {
            let of_type = || self.types.structs.iter().find(|own| own.scope == at && own.template.is_none());
            let name = self.scopes.name_of(parent, at).map(Name::as_str);
            found.extend(name.or_else(|| of_type().map(|own| own.name)).map(source_name));
            at = parent;
        }
        found.reverse();
        found
    }

    fn argument_node(&mut self, scope: ScopeId, parameter: &tree::Parameter<'t>, argument: Argument) -> Node {
        match (argument, &parameter.kind) {
            (Argument::Type(ty), _) => self.type_node(ty),
            (Argument::Function(function), _) => {
                let (known, scope) = (self.declared[function].function, self.declared[function].scope);
                let parameters = self.signature(function).map_or(&[][..], |signature| signature.parameters);
                let symbol = self.mangled(known, scope, &[], parameters);
                Node::Plain(format!("XadL{symbol}EE").into())
            }
            (Argument::Value(value), ParameterKind::Value(ty, _)) => {
                let ty = self.resolve(scope, ty).unwrap_or_else(|_| self.types.int());
                self.value_node(ty, value)
            }
            (Argument::Value(value), ParameterKind::Type(_)) => {
                let int = self.types.int();
                self.value_node(int, value)
            }
        }
    }

    /// `<expr-primary>`: the type and the value, `n` in place of a minus.
    fn value_node(&mut self, ty: Type, value: i64) -> Node {
        let sign = if value < 0 && !self.types.is_unsigned(ty) { "n" } else { "" };
        let size = if sign.is_empty() { value as u64 } else { value.unsigned_abs() };
        Node::Value(Box::new(self.type_node(ty.plain())), format!("{sign}{size}"))
    }

    /// A type as it is written, where the parameters of the template remain parameters. Written type and actual type
    /// are followed together: the first knows where a parameter stands, the second everything else.
    fn written_node(
        &mut self,
        written: tree::Type<'t>,
        ty: Type,
        parameters: &[tree::Parameter<'t>],
        is_outermost: bool,
    ) -> Node {
        let at = |name: &Name| parameters.iter().position(|parameter| parameter.name.as_ref() == Some(name));
        let inner = match &written.kind {
            // An array as a parameter is a pointer by its type, and written as an array.
            TypeKind::Pointer(inner) | TypeKind::Array(inner, _) if self.types.pointee(ty).is_some() => {
                let to = self.types.pointee(ty).unwrap_or(ty);
                Node::Around("P".into(), Box::new(self.written_node(inner, to, parameters, false)))
            }
            TypeKind::Named(path) if path.parts.len() == 1 && at(&path.parts[0].name).is_some() => {
                Node::Parameter(at(&path.parts[0].name).unwrap_or(0))
            }
            TypeKind::Named(path) if self.has_template(ty) => {
                let written = path.parts.last().and_then(|part| part.arguments).unwrap_or_default();
                return self.template_node(ty, written, parameters);
            }
            // Nothing of the template can be in it.
            _ => return self.type_node(if is_outermost { ty.plain() } else { ty }),
        };
        let (is_const, is_volatile) =
            (written.is_const && !is_outermost, written.is_volatile && !is_outermost);
        qualified(inner, is_const, is_volatile)
    }

    fn has_template(&self, ty: Type) -> bool {
        self.types.struct_of(ty).is_some_and(|at| self.types.structs[at].template.is_some())
    }

    /// A type from a template, with its arguments as they are written.
    fn template_node(
        &mut self,
        ty: Type,
        written: &[tree::Argument<'t>],
        parameters: &[tree::Parameter<'t>],
    ) -> Node {
        let Node::Template(path, mut nodes) = self.type_node(ty.plain()) else { return self.type_node(ty) };
        // The arguments as they turned out, those replaced that are only a parameter's name.
        for (node, written) in nodes.iter_mut().zip(written) {
            let own = match written {
                tree::Argument::Type(ty) => match &ty.kind {
                    TypeKind::Named(own) => own,
                    _ => continue,
                },
                tree::Argument::Value(value) => match &value.kind {
                    tree::ExprKind::Path(own) => own,
                    _ => continue,
                },
            };
            let at = own.parts.first().and_then(|part| {
                parameters.iter().position(|parameter| parameter.name.as_ref() == Some(&part.name))
            });
            if let Some(at) = at.filter(|_| own.parts.len() == 1) {
                let is_type = matches!(parameters[at].kind, ParameterKind::Type(_));
                let parameter = Node::Parameter(at);
                // A value that depends on a parameter is an expression (`X … E`).
                *node =
                    if is_type { parameter } else { Node::Plain(format!("X{}E", parameter.key()).into()) };
            }
        }
        qualified(Node::Template(path, nodes), ty.is_const(), ty.is_volatile())
    }

    /// A type as it is.
    fn type_node(&mut self, ty: Type) -> Node {
        let inner = match self.types.shape(ty) {
            Shape::Basic(basic) => Node::Plain(letter(basic).into()),
            Shape::Null => Node::Plain("Dn".into()),
            Shape::Auto => Node::Plain("Da".into()),
            #[cfg(feature = "host")]
            Shape::Function(_) => Node::Plain("FvvE".into()),
            Shape::Pointer(to) => Node::Around("P".into(), Box::new(self.type_node(to))),
            Shape::Reference(to) => Node::Around("R".into(), Box::new(self.type_node(to))),
            Shape::Rvalue(to) => Node::Around("O".into(), Box::new(self.type_node(to))),
            Shape::Array(of, length) => {
                let length = length.map_or(String::new(), |length| length.to_string());
                Node::Around(format!("A{length}_").into(), Box::new(self.type_node(of)))
            }
            Shape::Enum(at) => {
                let own = &self.types.enums[at];
                let mut path = self.namespaces(own.scope);
                path.push(source_name(own.name.trim_matches(['<', '>'])));
                Node::Named(path)
            }
            Shape::Struct(at) => self.struct_node(at),
        };
        qualified(inner, ty.is_const(), ty.is_volatile())
    }

    fn struct_node(&mut self, at: usize) -> Node {
        let own = &self.types.structs[at];
        let (scope, name, template) = (own.scope, own.name, own.template.clone());
        let mut path = self.scopes.parent(scope).map_or(Vec::new(), |around| self.namespaces(around));
        // The name of an instance is shown with its arguments, which are written in their own way here.
        let bare = name.split('<').next().unwrap_or_default();
        path.push(source_name(bare));
        let Some((template, arguments)) = template else { return Node::Named(path) };
        let parameters = self.templates[template].parameters;
        let nodes = parameters.iter().zip(arguments).map(|(p, a)| self.argument_node(scope, p, a)).collect();
        Node::Template(path, nodes)
    }
}

/// `<CV-qualifiers>`: `V` comes before `K`.
fn qualified(inner: Node, is_const: bool, is_volatile: bool) -> Node {
    match (is_volatile, is_const) {
        (false, false) => inner,
        (true, true) => Node::Around("VK".into(), Box::new(inner)),
        (true, false) => Node::Around("V".into(), Box::new(inner)),
        (false, true) => Node::Around("K".into(), Box::new(inner)),
    }
}

/// `<source-name>`: the length, then the name. That of a lambda, or of a type without a name, says where it is, and becomes an
/// identifier: nobody looks such a kernel up by its name.
fn source_name(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '$' { letter } else { '_' })
        .collect();
    format!("{}{name}", name.len())
}

/// `<builtin-type>`.
fn letter(basic: Basic) -> &'static str {
    match basic {
        Basic::Void => "v",
        Basic::Bool => "b",
        Basic::Char => "c",
        Basic::SignedChar => "a",
        Basic::UnsignedChar => "h",
        Basic::Short => "s",
        Basic::UnsignedShort => "t",
        Basic::Int => "i",
        Basic::Unsigned => "j",
        Basic::Long => "l",
        Basic::UnsignedLong => "m",
        Basic::LongLong => "x",
        Basic::UnsignedLongLong => "y",
        Basic::Float => "f",
        Basic::Double => "d",
    }
}
