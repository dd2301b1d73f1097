//! Formulas that do not parse: the KaTeX preprocessor only warns of them.
//!
//! This is another parser of LaTeX than KaTeX's, which needs a C compiler; it comes first, on every machine. What it lets
//! through and KaTeX does not, the full build of the book finds.

use anyhow::{Result, bail};
use pulldown_latex::{Parser, Storage};

/// Fails if the formula, with its dollars, does not parse.
pub fn check(formula: &str) -> Result<()> {
    let text = formula.trim_matches('$');
    if text.trim().is_empty() {
        bail!("a formula is empty; a dollar in the text is `\\$`");
    }
    let storage = Storage::new();
    for event in Parser::new(text, &storage) {
        if let Err(error) = event {
            let error = error.to_string();
            let reason = error.lines().next().unwrap_or_default();
            bail!("the formula `{}` does not parse: {reason}", text.trim());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn formulas_parse_or_say_why() {
        check("$\\frac{1}{32}\\sum_{i=0}^{31} a_i \\le \\lceil \\log_2 n \\rceil$").unwrap();
        assert!(check("$\\frac{1}{$").is_err());
        assert!(check("$\\nonesuch{1}$").is_err());
        assert!(check("$ $").is_err());
    }
}
