//! Macros: replacing a name by its tokens, with arguments, `#` and `##`.
//!
//! Specification: C++17, [cpp.replace].
//!
//! The order of the standard is kept, since programs depend on it: arguments are expanded completely, then put into the
//! body (raw beside `#` and `##`), then the body is expanded again with the macro's own name painted, and last the
//! result may take arguments from the text behind it. What differs: the painting lasts while the macro is on the stack
//! (`active`), and a name that was met meanwhile stays painted for good.
//!
//! ```text
//! #define twice(x) x x
//! #define n n + 1
//! twice(n)   ->   n + 1 n + 1      both `n` are painted: they came out of `n`
//! ```

use super::{Macro, Reader};
use crate::lex::{Kind, Token, lex};
use crate::source::budget::{self, Bound};
use crate::source::{Name, Result, Span, error};

/// The tokens of an argument, before and after its own macros are expanded. Both are needed, and which one is used
/// depends on the neighbours of the parameter ([cpp.subst]).
struct Argument<'p, 't> {
    raw: &'p [Token<'t>],
    expanded: Vec<Token<'t>>,
}

impl<'t> Reader<'_, '_, 't> {
    /// Moves the next token of the file to the output, expanded.
    pub(super) fn expand_next(&mut self) -> Result<()> {
        let tokens = self.tokens;
        let mut at = self.at;
        // The output is taken out, so that the functions below, which write to any list, can borrow `self` as well.
        let mut output = std::mem::take(&mut self.output);
        let result = self.expand_at(tokens, &mut at, true, &mut Vec::new(), &mut output);
        (self.at, self.output) = (at, output);
        result
    }

    /// The tokens with all macros expanded. For conditions and pragmas, where nothing behind the tokens can be an
    /// argument.
    pub(super) fn expand_all(&mut self, tokens: &[Token<'t>]) -> Result<Vec<Token<'t>>> {
        let mut output = Vec::with_capacity(tokens.len());
        self.expand_list(tokens, &mut Vec::new(), &mut output)?;
        Ok(output)
    }

    /// Adds the tokens, expanded, to the output. `active` are the macros that are being expanded around them.
    fn expand_list(
        &mut self,
        tokens: &[Token<'t>],
        active: &mut Vec<Name<'t>>,
        output: &mut Vec<Token<'t>>,
    ) -> Result<()> {
        let Some(first) = tokens.first() else { return Ok(()) };
        self.depth += 1;
        budget::reach(Bound::Directives, self.depth, first.span)?;
        let mut at = 0;
        let mut result = Ok(());
        while at < tokens.len() && result.is_ok() {
            result = self.expand_at(tokens, &mut at, false, active, output);
        }
        self.depth -= 1;
        result
    }

    /// Adds what the token at `at` becomes, with its arguments if it is a function-like macro, and moves on. In a file,
    /// the arguments of a macro may go on over lines, but a directive ends them: hence `is_file`.
    fn expand_at(
        &mut self,
        tokens: &[Token<'t>],
        at: &mut usize,
        is_file: bool,
        active: &mut Vec<Name<'t>>,
        output: &mut Vec<Token<'t>>,
    ) -> Result<()> {
        let token = tokens[*at];
        *at += 1;
        budget::spend(Bound::Tokens, 1, token.span)?;
        self.expand_token(token, tokens, at, is_file, active, output)
    }

    /// The same for a token before `at`, which may be the last one of what another macro has become.
    fn expand_token(
        &mut self,
        mut token: Token<'t>,
        tokens: &[Token<'t>],
        at: &mut usize,
        is_file: bool,
        active: &mut Vec<Name<'t>>,
        output: &mut Vec<Token<'t>>,
    ) -> Result<()> {
        let found = token.word().and_then(|name| self.shared.macros.known.get(&name).copied());
        let (Some(found), Some(name)) = (found, token.word()) else {
            // Here a token is final. The names below that no macro replaces are names of macros, and cannot be
            // `__LINE__`.
            self.place_of(&mut token);
            output.push(token);
            return Ok(());
        };
        // A macro does not occur in its own replacement, however often that is read again ([cpp.rescan]).
        if token.is_painted || active.contains(&name) {
            token.is_painted = true;
            output.push(token);
            return Ok(());
        }
        let mut arguments = Vec::new();
        if let Some(parameters) = found.parameters {
            // The name of a function-like macro without `(` is an ordinary name.
            if !tokens.get(*at).is_some_and(|next| next.is("(")) {
                output.push(token);
                return Ok(());
            }
            let raw = split(tokens, at, &token, parameters.len(), found, is_file)?;
            for raw in raw {
                let mut expanded = Vec::new();
                self.expand_list(raw, active, &mut expanded)?;
                arguments.push(Argument { raw, expanded });
            }
        }
        let replaced = self.substitute(&token, found, &arguments)?;
        // Only the body is read with the name painted; the arguments above were not.
        active.push(name);
        let start = output.len();
        let result = self.expand_list(&replaced, active, output);
        active.pop();
        result?;
        // What stands for the macro is where the macro was, so that `#` puts the same blanks between tokens.
        if let Some(first) = output.get_mut(start) {
            (first.starts_line, first.after_blank) = (token.starts_line, token.after_blank);
        }
        // The name of a macro whose arguments follow in the text around this one.
        if found.parameters.is_none()
            && tokens.get(*at).is_some_and(|next| next.is("("))
            && output.len() > start
            && let Some(last) = output.pop()
        {
            self.expand_token(last, tokens, at, is_file, active, output)?;
        }
        Ok(())
    }

    /// `__LINE__` and `__FILE__` are where the outermost macro is used.
    fn place_of(&mut self, token: &mut Token<'t>) {
        match token.word().map_or("", Name::as_str) {
            "__LINE__" => {
                let (line, _) = self.shared.files.place(token.span);
                let line = i64::from(line) + self.renumbered(token.span).map_or(0, |(change, _)| change);
                token.kind = Kind::Number(self.shared.names.get(&line.to_string()));
            }
            "__FILE__" => {
                let file = &self.shared.files.get(token.span.file()).name;
                let given = self.renumbered(token.span).and_then(|(_, name)| name);
                token.kind =
                    Kind::Text(given.unwrap_or_else(|| self.shared.names.arena.list(file.as_bytes())));
            }
            _ => {}
        }
    }

    /// The body of a macro with its arguments in place of its parameters.
    fn substitute(
        &mut self,
        used: &Token<'t>,
        found: &Macro<'t>,
        arguments: &[Argument<'_, 't>],
    ) -> Result<Vec<Token<'t>>> {
        let parameters = found.parameters.unwrap_or_default();
        let argument = |token: &Token| {
            let name = token.word()?;
            parameters.iter().position(|parameter| *parameter == name).and_then(|at| arguments.get(at))
        };
        let body = found.body;
        let mut output: Vec<Token<'t>> = Vec::with_capacity(body.len());
        let mut at = 0;
        while at < body.len() {
            let token = &body[at];
            // `##` wants both neighbours raw. The one on its left is met before it, so this looks ahead.
            let next_pastes = body.get(at + 1).is_some_and(|next| next.is("##"));
            // In the body of an object-like macro, `#` has no meaning ([cpp.stringize]).
            if token.is("#") && found.parameters.is_some() {
                let Some(argument) = body.get(at + 1).and_then(argument) else {
                    return Err(error(used.span, "`#` in a macro needs a parameter after it"));
                };
                let text = self.spelling(argument.raw);
                budget::spend(Bound::Bytes, text.len(), used.span)?;
                let text = self.shared.names.arena.list(text.as_bytes());
                output.push(Token { kind: Kind::Text(text), span: used.span, ..*token });
                at += 2;
            } else if token.is("##") && !output.is_empty() && at + 1 < body.len() {
                let right = match argument(&body[at + 1]) {
                    Some(argument) => argument.raw,
                    None => &body[at + 1..at + 2],
                };
                budget::spend(Bound::Tokens, right.len(), used.span)?;
                self.paste(used.span, &mut output, right)?;
                at += 2;
            } else {
                let list = match argument(token) {
                    Some(argument) if next_pastes => argument.raw,
                    Some(argument) => &argument.expanded,
                    None => &[Token { span: used.span, ..*token }],
                };
                budget::spend(Bound::Tokens, list.len(), used.span)?;
                output.extend_from_slice(list);
                at += 1;
            }
        }
        Ok(output)
    }

    /// Joins the last token of the output and the first on the right to one. An empty neighbour leaves the other one as
    /// it is ([cpp.concat]). Only a single token may come of it; others would make programs mean different things to
    /// different compilers.
    fn paste(&mut self, span: Span, output: &mut Vec<Token<'t>>, right: &[Token<'t>]) -> Result<()> {
        let Some((first, rest)) = right.split_first() else { return Ok(()) };
        let Some(left) = output.pop() else { return Ok(()) };
        let text = format!(
            "{}{}",
            self.spelling(std::slice::from_ref(&left)),
            self.spelling(std::slice::from_ref(first))
        );
        budget::spend(Bound::Bytes, text.len(), span)?;
        // The lexer decides: it is the one place that knows what a token is.
        let joined = lex(self.shared.names, span.file(), &text).ok().filter(|tokens| tokens.len() == 1);
        let Some(joined) = joined.and_then(|tokens| tokens.into_iter().next()) else {
            return Err(error(span, format_args!("`##` makes `{text}` of this, which is no single token")));
        };
        output.push(Token { span, starts_line: false, ..joined });
        output.extend_from_slice(rest);
        Ok(())
    }

    /// The tokens as they are written, with one blank wherever there were any ([cpp.stringize]). Strings and characters
    /// are taken from the text, because the tokens have lost their escapes.
    pub(super) fn spelling(&self, tokens: &[Token<'t>]) -> String {
        let mut text = String::new();
        for (at, token) in tokens.iter().enumerate() {
            if at > 0 && token.after_blank {
                text.push(' ');
            }
            match &token.kind {
                Kind::Word(name) | Kind::Number(name) => text.push_str(name.as_str()),
                Kind::Punct(punct) => text.push_str(punct),
                _ => text.push_str(self.shared.files.text(token.span)),
            }
        }
        text
    }
}

/// The arguments of a macro, from its `(` to its `)`. Commas inside of parentheses do not separate ([cpp.replace]);
/// brackets and braces protect nothing. `wanted` is how many parameters there are, one of which collects the rest if
/// the macro is variadic.
fn split<'p, 't>(
    tokens: &'p [Token<'t>],
    at: &mut usize,
    name: &Token<'t>,
    wanted: usize,
    found: &Macro<'t>,
    is_file: bool,
) -> Result<Vec<&'p [Token<'t>]>> {
    *at += 1;
    let mut arguments: Vec<&[Token]> = Vec::new();
    let mut start = *at;
    let mut depth = 0usize;
    loop {
        let Some(token) = tokens.get(*at).filter(|token| !(is_file && token.starts_line && token.is("#")))
        else {
            let message = format!("the arguments of the macro {} do not end", name.quoted());
            return Err(error(name.span, message).with_help("add `)` where they end"));
        };
        *at += 1;
        let collects_rest = found.is_variadic && arguments.len() + 1 == wanted;
        let ends = match token.kind {
            Kind::Punct(")") if depth == 0 => true,
            Kind::Punct(",") if depth == 0 => !collects_rest,
            Kind::Punct("(") => {
                depth += 1;
                false
            }
            Kind::Punct(")") => {
                depth -= 1;
                false
            }
            _ => false,
        };
        if ends {
            arguments.push(&tokens[start..*at - 1]);
            start = *at;
            if token.is(")") {
                break;
            }
        }
    }
    // `F()` has one empty argument by its commas, and none if the macro takes none.
    if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() {
        arguments.clear();
    }
    // As in C++20, and in every compiler before: the last argument may be missing with its comma.
    if found.is_variadic && arguments.len() + 1 == wanted {
        arguments.push(&[]);
    }
    if arguments.len() != wanted {
        let message =
            format!("the macro {} takes {wanted} arguments, not {}", name.quoted(), arguments.len());
        return Err(error(name.span, message));
    }
    Ok(arguments)
}
