//! `.loc` directives: the CUDA line from which the following instructions were compiled.
//!
//! A line of an inlined function names the position of the call, which may itself be a line of an inlined function. The
//! compiler writes the `.loc` of the outer line first. So a table of the positions that the function has had so far is
//! sufficient to find all calls up to that in the kernel itself. The name of the inlined function is ignored, because it is
//! a label into a debug section that is skipped. Specification: PTX ISA, section 11.5 (debugging directives).

use std::collections::BTreeMap;

use super::ast::Loc;
use super::lexer::TokenKind;
use super::parser::{Parser, Result};

/// File, line and column.
type Position = (u32, u32, u32);

/// The most calls around a line. Deeper ones are left out, so that a text cannot make long chains of short lines.
const MAX_CALLS: usize = 64;

/// The CUDA lines of the functions.
#[derive(Debug, Default)]
pub(super) struct Locs {
    /// The line of the instructions that follow.
    pub current: Option<Loc>,
    /// The calls of all functions so far.
    pub calls: Vec<Loc>,
    /// Which of them each position of this function was inlined at. The same position may be reached through different calls,
    /// or without a call; the last time counts.
    inlined: BTreeMap<Position, Option<u32>>,
}

impl Locs {
    /// Starts a function.
    pub fn start(&mut self) {
        self.current = None;
        self.inlined.clear();
    }

    fn set(&mut self, position: Position, caller: Option<Position>) {
        let inlined_at = caller.map(|caller| self.call(caller));
        self.inlined.insert(position, inlined_at);
        self.current = Some(Loc { file: position.0, line: position.1, column: position.2, inlined_at });
    }

    /// The index of the call at a position.
    fn call(&mut self, (file, line, column): Position) -> u32 {
        let outer = self.inlined.get(&(file, line, column)).copied().flatten();
        let inlined_at = outer.filter(|&call| {
            let inner = Loc { file, line, column, inlined_at: Some(call) };
            inner.calls(&self.calls).take(MAX_CALLS).count() < MAX_CALLS
        });
        let call = Loc { file, line, column, inlined_at };
        // The lines of a function that was inlined mostly follow each other.
        if self.calls.last() != Some(&call) {
            self.calls.push(call);
        }
        self.calls.len() as u32 - 1
    }
}

impl Parser<'_> {
    /// `.loc FILE LINE COLUMN[, function_name LABEL[+OFFSET], inlined_at FILE LINE COLUMN]`
    pub fn loc(&mut self) -> Result<()> {
        self.take()?;
        let position = self.position()?;
        let mut caller = None;
        while self.take_if(b',')? {
            match self.token.text {
                "function_name" => self.function_name()?,
                "inlined_at" => {
                    self.take()?;
                    caller = Some(self.position()?);
                }
                _ => return Err(self.expected("`function_name` or `inlined_at`")),
            }
        }
        self.locs.set(position, caller);
        Ok(())
    }

    fn position(&mut self) -> Result<Position> {
        Ok((self.number("a file number")?, self.number("a line number")?, self.number("a column number")?))
    }

    fn function_name(&mut self) -> Result<()> {
        self.take()?;
        if !matches!(self.token.kind, TokenKind::Word | TokenKind::Directive) {
            return Err(self.expected("the label of a function's name"));
        }
        self.take()?;
        self.offset()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::ast::{Module, Statement};
    use super::super::parse;

    /// The lines of the calls around a single instruction after the given `.loc` lines, from the innermost on.
    fn check(lines: &str, want: &[(u32, u32)]) {
        let text = format!(".version 8.0\n.target sm_70\n.func f ()\n{{\n{lines}\nret;\n}}");
        let module: Module<'_> = parse(&text).expect("the text can be read");
        let body = module.functions[0].body.as_ref().expect("it has a body");
        let Statement::Instruction(instruction) = &body.statements[0] else { panic!("no instruction") };
        let loc = instruction.loc.expect("it has a line");
        let calls: Vec<_> = loc.calls(&module.calls).map(|call| (call.file, call.line)).collect();
        assert_eq!(calls, want, "{lines}");
    }

    #[test]
    fn a_chain_leads_to_the_outermost_place() {
        let outer = ".loc 2 1007 55, function_name $L__info_string0, inlined_at 1 11 45\n";
        let middle = ".loc 2 982 35, function_name $L__info_string1+8, inlined_at 2 1007 55\n";
        let inner = ".loc 3 596 9, function_name .debug_str, inlined_at 2 982 35\n";
        check(".loc 1 8 14", &[]);
        check(outer, &[(1, 11)]);
        check(&format!("{outer}{middle}{inner}"), &[(2, 982), (2, 1007), (1, 11)]);
        check(inner, &[(2, 982)]);
    }

    #[test]
    fn the_last_line_of_a_place_counts() {
        let first = ".loc 2 7 1, inlined_at 1 11 45\n";
        let again = ".loc 2 7 1, inlined_at 1 12 5\n";
        let inner = ".loc 3 9 9, inlined_at 2 7 1\n";
        check(&format!("{first}{again}{inner}"), &[(2, 7), (1, 12)]);
        check(&format!("{first}.loc 2 7 1\n{inner}"), &[(2, 7)]);
        check(".loc 2 7 1, inlined_at 2 7 1", &[(2, 7)]);
    }

    #[test]
    fn a_place_that_is_its_own_call_makes_no_endless_chain() {
        let lines = |count: usize| ".loc 2 7 1, inlined_at 2 7 1\n".repeat(count);
        check(&lines(super::MAX_CALLS), &[(2, 7); super::MAX_CALLS]);
        check(&lines(super::MAX_CALLS + 1), &[(2, 7)]);
    }
}
