//! Finds formulas that do not parse, about which the KaTeX preprocessor only warns.
//!
//! This parser of LaTeX is not KaTeX's, which needs a C compiler. It runs first and on every machine. A formula that it
//! accepts and KaTeX does not is found when the whole book is built.

use anyhow::{Result, bail};
use pulldown_latex::{Parser, Storage};

/// Fails if the formula, which includes its dollar signs, does not parse.
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
