//! Types: words such as `unsigned long`, names, qualifiers.
//!
//! Whether a name is a type is asked in many places ([`Parser::at_type`]), always before anything is read. A name that
//! is unknown may be one of this compiler's own types: asking reads its text. Left out: `long double` and `__int128`,
//! which device code cannot compute with here, and `wchar_t`. Specification: C++17, [dcl.type].
//!
//! ```text
//! unsigned long const       words in any order
//! cg::thread_block          a path to a type
//! T::type                   only before a name, or after `typename`
//! decltype(x + 1)
//! ```

use super::scope::Entity;
use super::tree::{Basic, Declaration, Struct, Type, TypeKind};
use super::{Parser, tree};
use crate::builtins::headers;
use crate::lex::Kind;
use crate::source::budget::{self, Bound};
use crate::source::near::nearest;
use crate::source::{Failed, Result, Span, error, joined, unsupported};

/// They can be combined in any order ([dcl.type.simple]).
const BASIC_WORDS: [&str; 13] = [
    "void", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "__int64",
    "wchar_t", "__int128",
];

impl<'t> Parser<'_, 't> {
    /// Whether the next tokens begin a type. A keyword that can only begin a type decides by itself; anything else must
    /// be a path to one.
    pub(super) fn at_type(&mut self) -> bool {
        let Some(word) = self.token().word() else {
            return self.is("::") && self.path_is_type(1);
        };
        let text = word.as_str();
        if BASIC_WORDS.contains(&text) {
            return true;
        }
        match text {
            "const" | "volatile" | "auto" | "typename" | "struct" | "class" | "union" | "enum"
            | "decltype" | "__typeof__" | "__typeof" => true,
            _ if word.is_keyword() => false,
            _ => self.path_is_type(0),
        }
    }

    /// Whether the path that starts some tokens ahead names a type. Template arguments inside of it are not looked at.
    fn path_is_type(&mut self, skip: usize) -> bool {
        let Some(first) = self.ahead(skip).word() else { return false };
        let mut at = skip + 1;
        let Some(mut found) = self.find_or_load(first, skip > 0) else { return false };
        let mut last = first;
        while self.ahead(at).is("::") && budget::may_reach(Bound::Nesting, at, self.span()) {
            if matches!(found, Entity::Type) {
                if let Some(member) =
                    self.ahead(at + 1).word().filter(|name| self.scopes.has_type(last, *name))
                {
                    (last, at) = (member, at + 2);
                    continue;
                }
                // A type in a type: only a declaration has a name after it.
                let is_word = self.ahead(at + 2).word().is_some_and(|word| !word.is_keyword());
                return is_word && self.ahead(at + 1).word().is_some();
            }
            let (Entity::Namespace(space), Some(name)) = (found, self.ahead(at + 1).word()) else {
                return false;
            };
            match self.scopes.find_in(space, name) {
                Some(inner) => (found, last) = (inner, name),
                None => return false,
            }
            at += 2;
        }
        matches!(found, Entity::Type | Entity::TypeTemplate)
    }

    /// A type with one of these after it, or nothing: then the next token is what it was.
    pub(super) fn try_type(&mut self, ends: &[&str]) -> Option<Type<'t>> {
        let (before, depth) = (self.at, self.depth);
        let place = (before, self.closes_angle);
        if self.no_type.contains_key(&place) || !self.at_type() {
            return None;
        }
        let ty = self.type_name().ok().filter(|_| ends.iter().any(|end| self.is(end)));
        let ty = ty.filter(|ty| !self.is_member_value(ty));
        if ty.is_none() {
            (self.at, self.depth) = (before, depth);
            self.no_type.insert(place, ());
        }
        ty
    }

    /// Whether what was read as a type is a value, as in `sizeof(S<3>::value)`. C++17, [temp.res], paragraph 2: without
    /// `typename`, what follows template arguments is a type only if the template declares it as one.
    pub(super) fn is_member_value(&self, ty: Type<'t>) -> bool {
        let TypeKind::Named(path) = &ty.kind else { return false };
        let [before @ .., around, member] = path.parts else { return false };
        let is_of_instance = around.arguments.is_some() || before.iter().any(|part| part.arguments.is_some());
        // `typename` and its like are part of the type, but not of the path.
        let is_bare = ty.span.start() == path.span.start();
        is_of_instance && is_bare && !self.scopes.has_type(around.name, member.name)
    }

    /// The same type again if it was the last one that was read.
    pub(super) fn plain_type(&mut self) -> Result<Type<'t>> {
        let start = self.at;
        if let Some((_, ty, end)) = self.last_type.filter(|(from, ..)| *from == start) {
            self.at = end;
            return Ok(ty);
        }
        let ty = self.new_type()?;
        // Words of a declaration would be forgotten.
        self.last_type = (self.late == tree::Storage::default()).then_some((start, ty, self.at));
        Ok(ty)
    }

    /// A type without a declarator: `const unsigned`, `cg::thread_block`, `T`. Words may follow each other in any
    /// order: `int const unsigned` is a type. Once a name or a basic word was read, the next name is that of a
    /// variable.
    fn new_type(&mut self) -> Result<Type<'t>> {
        let start = self.span();
        let (mut is_const, mut is_volatile) = (false, false);
        let mut words: Vec<&str> = Vec::new();
        let mut named = None;
        loop {
            let Some(word) = self.token().word() else {
                if self.is("::") && words.is_empty() && named.is_none() {
                    named = Some(TypeKind::Named(self.path()?));
                    continue;
                }
                break;
            };
            let text = word.as_str();
            let basic = BASIC_WORDS.iter().find(|basic| **basic == text);
            match text {
                "const" => is_const = true,
                "volatile" => is_volatile = true,
                // After a qualifier they may come late, as in `volatile __shared__ int`.
                "__shared__" => self.late.is_shared = true,
                "__constant__" => self.late.is_constant = true,
                "__device__" => self.late.is_device = true,
                "static" => self.late.is_static = true,
                "__grid_constant__" => self.late.is_grid_constant = true,
                _ if basic.is_some() && named.is_none() => words.extend(basic.copied()),
                // The name of what is declared: `unsigned x`.
                _ if !words.is_empty() || named.is_some() => break,
                "auto" => named = Some(TypeKind::Auto),
                // GNU C's word for it, which also takes a type.
                "decltype" | "__typeof__" | "__typeof" => {
                    named = Some(self.decltype(text == "decltype")?);
                    continue;
                }
                // After `struct` a name is a type, even if it is hidden by a value or not known yet
                // ([basic.lookup.elab]).
                "typename" | "struct" | "class" | "union" | "enum" => {
                    self.declare_mentioned();
                    self.next();
                    named = Some(TypeKind::Named(self.path()?));
                    continue;
                }
                _ => {
                    named = Some(TypeKind::Named(self.path()?));
                    continue;
                }
            }
            self.next();
        }
        let span = self.since(start);
        let kind = match named {
            Some(kind) => kind,
            None if words.is_empty() => return Err(self.expected("a type")),
            None => TypeKind::Basic(basic(&words, span)?),
        };
        Ok(self.ty(kind, is_const, is_volatile, span))
    }

    /// `struct S` where no `S` is known declares it in the namespace around ([basic.scope.pdecl]).
    fn declare_mentioned(&mut self) {
        let is_struct = ["struct", "class", "union"].iter().any(|word| self.is_word(word));
        let (Some(name), after) = (self.ahead(1).word(), self.ahead(2)) else { return };
        if !is_struct || after.is("<") || after.is("::") || self.scopes.find(name).is_some() {
            return;
        }
        self.scopes.declare_in_namespace(name);
        let (is_union, span) = (self.is_word("union"), self.ahead(1).span);
        let template = None;
        let declared = Struct {
            name,
            span,
            template,
            is_union,
            align: None,
            members: &[],
            is_forward: true,
            special: None,
        };
        self.mentioned.push(Declaration::Struct(self.arena.put(declared)));
    }

    /// `decltype(…)`, or GNU C's word, which gives no references.
    fn decltype(&mut self, is_standard: bool) -> Result<TypeKind<'t>> {
        self.next();
        self.expect("(", "after the word")?;
        if let Some(ty) = self.try_type(&[")"]) {
            self.next();
            let value = self.node(tree::ExprKind::Construct(ty, &[], tree::Brackets::Round), ty.span, 0)?;
            return Ok(TypeKind::TypeOf(value));
        }
        let value = self.inside_brackets(Self::expression)?;
        self.expect(")", "after the expression")?;
        Ok(if is_standard { TypeKind::Decltype(value) } else { TypeKind::TypeOf(value) })
    }

    /// A type with its pointers and arrays but without a name, as in a cast. A name after it is an error here, because
    /// only a declaration has one.
    pub(super) fn type_name(&mut self) -> Result<Type<'t>> {
        self.nested(|parser| {
            let base = parser.plain_type()?;
            let declarator = parser.declarator(base)?;
            match declarator.name {
                Some((name, span)) => {
                    Err(error(span, format_args!("expected a type, found the name `{name}` after it")))
                }
                None => Ok(declarator.ty),
            }
        })
    }

    /// `a::b<c>::d`. `<` begins arguments only after what is known as a template ([temp.names]). `template` before a
    /// name is accepted and means nothing, since the table of names decides.
    pub(super) fn path(&mut self) -> Result<tree::Path<'t>> {
        let start = self.span();
        let mut parts = Vec::new();
        let mut found = None;
        if self.take("::") {
            let name = self.text.names.get("::");
            parts.push(tree::Part { name, arguments: None, span: self.since(start) });
        }
        loop {
            let is_said = self.take_word("template");
            let (name, span) =
                if self.is_word("operator") { self.operator_name()? } else { self.name("a name")? };
            found = match found {
                None if parts.iter().all(tree::Part::is_global) => self.find_or_load(name, !parts.is_empty()),
                Some(Entity::Namespace(at)) => self.scopes.find_in(at, name),
                _ => None,
            };
            let is_template = match found {
                Some(found) => matches!(
                    found,
                    Entity::TypeTemplate | Entity::FunctionTemplate | Entity::VariableTemplate
                ),
                // A member of a type, which is known by its name alone.
                None => is_said || !parts.is_empty() && self.at_member_arguments(name),
            };
            let arguments = if is_template && self.is("<") { Some(self.template_arguments()?) } else { None };
            let part = tree::Part { name, arguments, span: self.since(span) };
            let is_last = !self.is("::") || !matches!(self.ahead(1).kind, Kind::Word(_));
            let span = self.since(start);
            if arguments.is_some() && found == Some(Entity::VariableTemplate) {
                parts.extend([part, self.value_of_template(span)]);
                return Ok(tree::Path { parts: self.arena.list(&parts), span });
            }
            // Most paths are one name.
            if is_last && parts.is_empty() {
                return Ok(tree::Path { parts: self.arena.list(&[part]), span });
            }
            parts.push(part);
            budget::reach(Bound::Nesting, parts.len(), span)?;
            if is_last {
                return Ok(tree::Path { parts: self.arena.list(&parts), span });
            }
            self.next();
        }
    }

    /// The member that has the value of a template of a constant.
    fn value_of_template(&mut self, span: Span) -> tree::Part<'t> {
        tree::Part { name: self.text.names.get(super::template::VALUE), arguments: None, span }
    }

    /// What a name is here, or in the outermost scope (`is_global`); one of this compiler's own is read first.
    pub(super) fn find_or_load(&mut self, name: crate::source::Name<'t>, is_global: bool) -> Option<Entity> {
        let find = |scopes: &super::scope::Scopes<'t>| {
            if is_global { scopes.find_in(0, name) } else { scopes.find(name) }
        };
        if let Some(found) = find(&self.scopes) {
            return Some(found);
        }
        if self.load_own(name) { find(&self.scopes) } else { None }
    }
}

/// C++17, [dcl.type.simple], table 11, by counting words. `long` is 64 bits, as `long long` is; `__int64` counts as the
/// latter.
fn basic(words: &[&str], span: crate::source::Span) -> Result<Basic> {
    let count = |word: &str| words.iter().filter(|own| **own == word).count();
    let is_unsigned = count("unsigned") > 0;
    let pick = |signed, unsigned| if is_unsigned { unsigned } else { signed };
    if count("__int128") > 0 || count("wchar_t") > 0 {
        return Err(unsupported(span, format_args!("`{}`", joined(words, " "))));
    }
    let has_sign = is_unsigned || count("signed") > 0;
    let is_repeated = ["int", "signed", "unsigned", "short", "char"].iter().any(|word| count(word) > 1);
    let contradicts = is_unsigned && count("signed") > 0 || count("char") > 0 && count("int") > 0;
    let alone = |basic, word: &str| {
        if matches!(words, [only] if *only == word) {
            return Ok(basic);
        }
        Err(error(span, format_args!("`{}` is no type", joined(words, " "))))
    };
    Ok(match (count("char"), count("short"), count("long") + 2 * count("__int64")) {
        _ if count("void") > 0 => alone(Basic::Void, "void")?,
        _ if count("bool") > 0 => alone(Basic::Bool, "bool")?,
        _ if count("float") > 0 => alone(Basic::Float, "float")?,
        _ if count("double") > 0 => {
            if matches!(words, ["long", "double"] | ["double", "long"]) {
                return Err(unsupported(span, "`long double`").with_help("device code has `double`"));
            }
            alone(Basic::Double, "double")?
        }
        _ if is_repeated || contradicts => {
            return Err(error(span, format_args!("`{}` is no type", joined(words, " "))));
        }
        (1, 0, 0) if is_unsigned => Basic::UnsignedChar,
        (1, 0, 0) if has_sign => Basic::SignedChar,
        (1, 0, 0) => Basic::Char,
        (0, 1, 0) => pick(Basic::Short, Basic::UnsignedShort),
        (0, 0, 0) => pick(Basic::Int, Basic::Unsigned),
        (0, 0, 1) => pick(Basic::Long, Basic::UnsignedLong),
        (0, 0, 2) => pick(Basic::LongLong, Basic::UnsignedLongLong),
        _ => return Err(error(span, format_args!("`{}` is no type", joined(words, " ")))),
    })
}

/// Types that need no header and that people misspell.
const COMMON: [&str; 16] = [
    "bool", "char", "double", "float", "float2", "float4", "int", "int2", "int4", "long", "short", "signed",
    "size_t", "uint32_t", "unsigned", "void",
];

/// The error for a word where a type has to be.
pub(super) fn unknown_type(span: Span, word: &str) -> Failed {
    if headers::is_unsupported(word) {
        return unsupported(span, format_args!("`{word}`"));
    }
    let problem = error(span, format_args!("the type `{word}` is unknown"));
    match nearest(word, COMMON.into_iter()) {
        Some(near) => problem.with_help(format_args!("did you mean `{near}`?")),
        None => problem,
    }
}
