//! Initial values of variables.
//!
//! Values are stored as a flat list in the order of memory. Nested braces give the row to which a value belongs. A row
//! may be shorter than that of the array, so rows are filled up with zeros here. `mask(symbol)`, a part of an address,
//! is refused, because no compiler writes it. Specification: PTX ISA, section 5.4.4 (initializers).

use super::ast::{Init, Variable};
use super::lexer::{Token, TokenKind};
use super::literal::{Value, widen};
use super::parser::{Parser, Result};

/// The most initial values of all variables, including the zeros that fill up rows. A short text can ask for many.
const MAX_INITIAL_VALUES: usize = 1 << 22;

impl<'t> Parser<'t> {
    /// What follows the `=`.
    pub fn initializer(&mut self, variable: &Variable<'t>) -> Result<Vec<Init<'t>>> {
        if !self.token.is(b'{') {
            return Ok(vec![self.initial_value()?]);
        }
        let mut lengths = variable.dims.clone();
        if variable.vector > 1 {
            lengths.push(Some(u64::from(variable.vector)));
        }
        let mut values = Vec::new();
        self.row(&lengths, &mut values)?;
        Ok(values)
    }

    /// `{…}`: the elements of an array whose lengths are `lengths`, outermost first.
    fn row(&mut self, lengths: &[Option<u64>], values: &mut Vec<Init<'t>>) -> Result<()> {
        let open = self.expect(b'{', "before initial values")?;
        let Some((&length, inner)) = lengths.split_first() else {
            return self.refuse_at(open.span, "more braces than the variable has dimensions");
        };
        let start = values.len();
        while !self.token.is(b'}') {
            if self.token.is(b'{') {
                self.nested(|parser| parser.padded_row(inner, values))?;
            } else {
                self.count_values(open, 1)?;
                values.push(self.initial_value()?);
            }
            if !self.take_if(b',')? {
                break;
            }
        }
        self.expect(b'}', "or `,` after an initial value")?;
        let written = (values.len() - start) as u64;
        let room = elements(inner).zip(length).and_then(|(size, length)| size.checked_mul(length));
        if room.is_some_and(|room| written > room) {
            return self.refuse_at(open.span, "more initial values than elements");
        }
        Ok(())
    }

    /// A nested row, which takes all of its space.
    fn padded_row(&mut self, lengths: &[Option<u64>], values: &mut Vec<Init<'t>>) -> Result<()> {
        let open = self.token;
        let start = values.len();
        self.row(lengths, values)?;
        let size = elements(lengths).and_then(|size| usize::try_from(size).ok());
        let end = size.and_then(|size| start.checked_add(size)).unwrap_or(usize::MAX);
        // `row` has refused more values than there are elements, so rows only grow here.
        self.count_values(open, end.saturating_sub(values.len()))?;
        values.resize(end, Init::Int(0));
        Ok(())
    }

    /// Counts `more` values and checks the limit.
    fn count_values(&mut self, open: Token<'t>, more: usize) -> Result<()> {
        self.initial_values = self.initial_values.saturating_add(more);
        if self.initial_values <= MAX_INITIAL_VALUES {
            return Ok(());
        }
        let message = format!(
            "the text has more than {MAX_INITIAL_VALUES} initial values, including those that fill up short rows"
        );
        self.refuse_at(open.span, message)
    }

    fn initial_value(&mut self) -> Result<Init<'t>> {
        if !self.at_constant() {
            return self.initial_address();
        }
        let value = match self.constant()? {
            Value::Int { bits, .. } => Init::Int(bits),
            Value::F32(bits) => Init::Float(widen(bits)),
            Value::F64(bits) => Init::Float(f64::from_bits(bits)),
        };
        if self.token.is(b'(') {
            return self
                .refuse("a piece of an address (`mask(symbol)`) is not supported as an initial value");
        }
        Ok(value)
    }

    /// `symbol+4` or `generic(symbol)+4`
    fn initial_address(&mut self) -> Result<Init<'t>> {
        if self.token.kind != TokenKind::Word {
            return Err(self.expected("an initial value"));
        }
        let mut name = self.name("an initial value")?;
        let generic = name.text == "generic" && self.take_if(b'(')?;
        if generic {
            name = self.name("the name of a variable")?;
            self.expect(b')', "after the name of a variable")?;
        }
        Ok(Init::Address { name, offset: self.offset()?, generic })
    }
}

/// How many elements an array of these lengths has, if it says.
fn elements(lengths: &[Option<u64>]) -> Option<u64> {
    lengths.iter().try_fold(1u64, |product, length| product.checked_mul((*length)?))
}
