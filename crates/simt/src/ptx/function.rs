//! Functions: their headers, and the blocks of their bodies.
//!
//! Launch bounds are kept as they are written; the launch interprets them. Parameters of functions may be registers, as
//! they were before PTX had a calling convention. Not supported, and refused by name: clusters of thread blocks, and
//! the newer attributes of functions. Specification: PTX ISA, sections 7 (abstracting the ABI), 11.2 to 11.4 (kernels,
//! control flow, performance).

use super::Span;
use super::ast::{Block, Function, Linkage, Statement, Variable};
use super::lexer::TokenKind;
use super::parser::{Parser, Result};

/// The most instructions, labels, declarations and blocks in the functions of a text. A long `-G` build has about
/// 40,000. This limit corresponds to 300 megabytes when ready to run, which is as much as reading a file should take.
const MAX_STATEMENTS: u32 = 1 << 19;

impl<'t> Parser<'t> {
    /// A kernel or a function, from its `.entry` or `.func` on. `first` is the beginning of its header.
    pub fn function(&mut self, linkage: Linkage, first: Span) -> Result<Function<'t>> {
        self.locs.start();
        self.registers = 0;
        let is_entry = self.take()?.text == ".entry";
        let returns = if is_entry { Vec::new() } else { self.parameters(is_entry)? };
        let name = self.name("the name of a function")?;
        let params = self.parameters(is_entry)?;
        let bounds = self.bounds(is_entry)?;
        let body = if self.take_if(b';')? { None } else { Some(self.block()?) };
        Ok(Function { is_entry, linkage, name, returns, params, bounds, body, span: self.since(first) })
    }

    /// `(.param …, .param …)`; none if there is no parenthesis. The parameters of functions may be registers.
    fn parameters(&mut self, is_entry: bool) -> Result<Vec<Variable<'t>>> {
        if !self.take_if(b'(')? {
            return Ok(Vec::new());
        }
        self.list(b')', "after the parameters", |parser| {
            if !is_entry && parser.token.is_directive(".reg") {
                return parser.register_parameter();
            }
            parser.parameter()
        })
    }

    /// The directives between a function's parameters and its body.
    fn bounds(&mut self, is_entry: bool) -> Result<Vec<(&'t str, Vec<u32>)>> {
        let mut bounds = Vec::new();
        while self.token.kind == TokenKind::Directive {
            let directive = self.token.text;
            match directive {
                ".pragma" => self.skip_pragma()?,
                ".noreturn" if is_entry => {
                    return self.refuse("`.noreturn` is for functions; a kernel has no caller to return to");
                }
                ".noreturn" => bounds.push((self.take()?.text, Vec::new())),
                ".maxntid" | ".reqntid" | ".minnctapersm" | ".maxnctapersm" | ".maxnreg" => {
                    bounds.push((self.take()?.text, self.items(|parser| parser.number("a number"))?));
                }
                ".explicitcluster" if is_entry => bounds.push((self.take()?.text, Vec::new())),
                ".reqnctapercluster" | ".maxclusterrank" if is_entry => {
                    bounds.push((self.take()?.text, self.items(|parser| parser.number("a number"))?));
                }
                ".blocksareclusters" => {
                    return self.refuse(format!(
                        "`{directive}` is not supported; launch a grid of blocks, and say how many are a cluster"
                    ));
                }
                _ => {
                    return self
                        .refuse(format!("`{directive}` is not supported in the header of a function"));
                }
            }
        }
        Ok(bounds)
    }

    fn block(&mut self) -> Result<Block<'t>> {
        self.expect(b'{', "or `;` after the header of a function")?;
        let mut block = Block::default();
        while !self.token.is(b'}') {
            self.statement(&mut block)?;
        }
        self.take()?;
        Ok(block)
    }

    fn statement(&mut self, block: &mut Block<'t>) -> Result<()> {
        self.statements += 1;
        if self.statements > MAX_STATEMENTS {
            return self.refuse(format!("the text has more than {MAX_STATEMENTS} statements"));
        }
        let statement = match self.token.kind {
            TokenKind::Directive => return self.block_directive(block),
            TokenKind::Punct(b'{') => Statement::Block(self.nested(Self::block)?),
            TokenKind::Punct(b'@') => Statement::Instruction(self.guarded_instruction()?),
            TokenKind::Word => self.labelled_or_instruction()?,
            _ => return Err(self.expected("an instruction, a declaration or `}`")),
        };
        block.statements.push(statement);
        Ok(())
    }

    fn block_directive(&mut self, block: &mut Block<'t>) -> Result<()> {
        match self.token.text {
            ".reg" => self.registers(&mut block.registers),
            ".loc" => self.loc(),
            ".pragma" => self.skip_pragma(),
            ".branchtargets" | ".calltargets" | ".callprototype" => {
                self.refuse(format!("`{}` needs a label before it", self.token.text))
            }
            ".entry" | ".func" => {
                self.refuse(format!("`{}` in the body of a function; is a `}}` missing?", self.token.text))
            }
            _ => {
                let linkage = self.linkage()?;
                self.variables(linkage, &mut block.variables)
            }
        }
    }

    fn labelled_or_instruction(&mut self) -> Result<Statement<'t>> {
        let word = self.ident()?;
        if !self.token.is(b':') {
            return Ok(Statement::Instruction(self.instruction(word.span, None, word)?));
        }
        if word.text.contains(['.', ':']) {
            return self.refuse(format!("`{}` cannot be a label, because it contains a point", word.text));
        }
        self.take()?;
        match self.token.text {
            ".branchtargets" | ".calltargets" => {
                self.take()?;
                let targets = self.list(b';', "after a list of targets", |p| p.name("a target"))?;
                Ok(Statement::Targets { name: word, targets })
            }
            ".callprototype" => {
                self.take()?;
                let returns = self.parameters(false)?;
                self.name("`_` in a prototype")?;
                let params = self.parameters(false)?;
                // It promises that a call never returns, but the called function itself decides that.
                self.take_directive(".noreturn")?;
                self.expect(b';', "after a prototype")?;
                Ok(Statement::Prototype { name: word, returns, params })
            }
            _ => Ok(Statement::Label(word)),
        }
    }
}
