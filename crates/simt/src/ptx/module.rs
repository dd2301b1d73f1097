//! The outermost level of a file: directives, variables and functions.
//!
//! Debug sections are skipped, because `.file` and `.loc` contain all that is needed of them. `.pragma` is skipped as
//! well, because an implementation may ignore any of them. Specification: PTX ISA, sections 11.1 (module directives),
//! 11.5 and 11.6 (debugging, linking).

use super::ast::{Alias, Linkage, Module, SourceFile, Target};
use super::lexer::{Lexer, Token, TokenKind, quoted};
use super::parser::{Parser, Result};
use super::{Error, Span};

/// The largest text in bytes. Spans have 32 bits.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// Parses a PTX module.
///
/// # Errors
///
/// If the text is not PTX, is incomplete, or uses what this crate does not support.
pub fn parse(text: &str) -> Result<Module<'_>> {
    if text.len() > MAX_TEXT_BYTES {
        let message = format!("the text has more than {MAX_TEXT_BYTES} bytes");
        return Err(Error { message, line: 1, column: 1 });
    }
    // The interface of NVIDIA's compiler counts a terminating zero byte as part of the text.
    let text = text.trim_end_matches('\0');
    let start = Lexer::new(text).skip_blanks()?;
    if !text.get(start..).is_some_and(|rest| rest.starts_with(".version")) {
        return Err(not_ptx(text, start));
    }
    Parser::new(text)?.module()
}

/// The error for text that is obviously not PTX, such as CUDA C++ or a binary. It begins at `start`.
fn not_ptx(text: &str, start: usize) -> Error {
    const SOURCE: [&str; 7] = ["#", "__", "extern ", "template", "using ", "namespace ", "const"];
    let rest = text.get(start..).unwrap_or_default();
    let why = if text.starts_with("\u{7f}ELF") {
        "it is a compiled binary (ELF); ask the compiler for PTX (`nvcc -ptx`)".to_owned()
    } else if rest.is_empty() {
        "the text is empty".to_owned()
    } else if SOURCE.iter().any(|word| rest.starts_with(word)) {
        "it looks like CUDA source; compile it first (`nvcc -ptx`)".to_owned()
    } else {
        let word = rest.split_whitespace().next().unwrap_or_default().escape_debug().to_string();
        format!("a PTX file starts with `.version`, but this one starts with {}", quoted(&word))
    };
    Error::at(text, Span::new(start, start), format!("this is not PTX: {why}"))
}

impl<'t> Parser<'t> {
    fn module(&mut self) -> Result<Module<'t>> {
        let version = self.version()?;
        let mut module = Module { version, address_size: 64, ..Module::default() };
        if !self.token.is_directive(".target") {
            return Err(self.expected("`.target` after `.version`"));
        }
        while self.token.kind != TokenKind::End {
            self.item(&mut module)?;
        }
        module.calls = std::mem::take(&mut self.locs.calls);
        Ok(module)
    }

    fn version(&mut self) -> Result<(u32, u32)> {
        if !self.take_directive(".version")? {
            return Err(self.expected("`.version`"));
        }
        let parts = self.token.text.split_once('.');
        let parsed = parts.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let version = parsed.ok_or_else(|| self.expected("a version like `8.0`"))?;
        self.take()?;
        Ok(version)
    }

    fn item(&mut self, module: &mut Module<'t>) -> Result<()> {
        if self.token.kind != TokenKind::Directive {
            return Err(self.expected("a directive, a variable or a function"));
        }
        match self.token.text {
            ".target" => self.target(&mut module.target),
            ".address_size" => self.address_size(module),
            ".file" => self.file().map(|file| module.files.push(file)),
            ".loc" => self.loc(),
            ".section" => self.skip_section(),
            ".pragma" => self.skip_pragma(),
            ".alias" => self.alias().map(|alias| module.aliases.push(alias)),
            ".version" => self.refuse("a second `.version`; a text may contain only one module"),
            _ => self.declaration(module),
        }
    }

    fn declaration(&mut self, module: &mut Module<'t>) -> Result<()> {
        let first = self.token.span;
        let linkage = self.linkage()?;
        match self.token.text {
            ".entry" | ".func" => {
                self.function(linkage, first).map(|function| module.functions.push(function))
            }
            _ => self.variables(linkage, &mut module.variables),
        }
    }

    /// `.visible` or a similar directive, if there is one.
    pub fn linkage(&mut self) -> Result<Linkage> {
        let linkage = match self.token.text {
            ".visible" => Linkage::Visible,
            ".extern" => Linkage::Extern,
            ".weak" => Linkage::Weak,
            ".common" => Linkage::Common,
            _ => return Ok(Linkage::Internal),
        };
        self.take()?;
        Ok(linkage)
    }

    fn target(&mut self, target: &mut Target) -> Result<()> {
        self.take()?;
        loop {
            let word = self.token.text;
            match word {
                "debug" => target.debug = true,
                // Texture modes choose how handles are bound, but textures are not supported. Mapping `.f64` to `.f32`
                // is for machines without `.f64`, none of which is a supported target.
                "texmode_unified" | "texmode_independent" | "texmode_raw" | "map_f64_to_f32" => {}
                _ => (target.sm, target.is_specific) = (self.architecture(word)?, word.ends_with(['a', 'f'])),
            }
            self.take()?;
            if !self.take_if(b',')? {
                return Ok(());
            }
        }
    }

    /// The number of a target.
    fn architecture(&mut self, word: &str) -> Result<u32> {
        let number = number_of(word).ok_or_else(|| self.expected("a target like `sm_70`"))?;
        if TARGETS.contains(&number) {
            return Ok(number);
        }
        let (oldest, newest) = (TARGETS[0], TARGETS[TARGETS.len() - 1]);
        self.refuse(if number < oldest {
            format!("`{word}` is not supported; the oldest supported target is `sm_{oldest}`")
        } else {
            format!("there is no target `{word}`; the newest known target is `sm_{newest}`")
        })
    }

    fn address_size(&mut self, module: &mut Module<'t>) -> Result<()> {
        self.take()?;
        match self.token.text {
            "64" => module.address_size = self.number("`64`")?,
            "32" => {
                return self
                    .refuse("32-bit addresses are not supported; compile for 64 bits (`.address_size 64`)");
            }
            _ => return Err(self.expected("`32` or `64`")),
        }
        Ok(())
    }

    /// `.file 1 "name"[, TIME, SIZE]`
    fn file(&mut self) -> Result<SourceFile<'t>> {
        self.take()?;
        let index = self.number("a file number")?;
        let name = self.string("the file's name in quotes")?;
        while self.take_if(b',')? {
            self.integer("the file's time or size")?;
        }
        Ok(SourceFile { index, name })
    }

    /// A string without its quotes.
    fn string(&mut self, what: &str) -> Result<&'t str> {
        if self.token.kind != TokenKind::Text {
            return Err(self.expected(what));
        }
        let Token { text, .. } = self.take()?;
        Ok(text.get(1..text.len() - 1).unwrap_or_default())
    }

    fn skip_section(&mut self) -> Result<()> {
        self.take()?;
        let name = self.take()?;
        self.skip_braces(&format!("of section {}", quoted(name.text)))
    }

    /// Skips everything between `{` and the matching `}`.
    pub fn skip_braces(&mut self, place: &str) -> Result<()> {
        self.expect(b'{', place)?;
        let mut open = 1u32;
        while open > 0 {
            if self.token.kind == TokenKind::End {
                return Err(self.expected(&format!("the `}}` {place}")));
            }
            match self.take()?.kind {
                TokenKind::Punct(b'{') => open += 1,
                TokenKind::Punct(b'}') => open -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    pub fn skip_pragma(&mut self) -> Result<()> {
        self.take()?;
        self.items(|parser| parser.string("a pragma in quotes"))?;
        self.expect(b';', "after a pragma").map(drop)
    }

    /// `.alias NAME, FUNCTION;`
    fn alias(&mut self) -> Result<Alias<'t>> {
        self.take()?;
        let name = self.name("the alias's name")?;
        self.expect(b',', "between an alias and its function")?;
        let function = self.name("the name of a function")?;
        self.expect(b';', "after an alias")?;
        Ok(Alias { name, function })
    }
}

/// The targets that PTX has and that the emulator executes: PTX ISA 9.0, "PTX Module Directives: .target".
///
/// The ones before had neither generic addresses nor functions that are called.
const TARGETS: [u32; 27] = [
    20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110,
    120, 121,
];

/// 90 for `sm_90` and for `sm_90a`, where the letter only adds instructions ([`Target::is_specific`]).
fn number_of(word: &str) -> Option<u32> {
    let number = word.strip_prefix("sm_")?;
    number.strip_suffix(['a', 'f']).unwrap_or(number).parse().ok()
}
