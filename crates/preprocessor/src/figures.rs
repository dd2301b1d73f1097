//! The figures, which `cargo xtask figures` draws. They are included in the page as elements, so that they take its
//! colours.

use anyhow::{Result, bail, ensure};

use crate::html::sentence;
use crate::repository::Repository;

/// `{{#figure NAME | caption}}`.
pub fn figure(text: &str, repository: &Repository) -> Result<String> {
    let (name, caption) = text.split_once('|').map_or((text, ""), |(name, caption)| (name, caption));
    let (name, caption) = (name.trim(), caption.trim());
    let file = format!("book/figures/{name}.svg");
    let svg = repository.read(&file)?;
    let Some((comment, drawing)) = svg.split_once("-->") else {
        bail!("`{file}` does not say what made it; run `cargo xtask figures`");
    };
    ensure!(sums(comment).next().is_some(), "`{file}` does not say what it is of; run `cargo xtask figures`");
    repository.check_sums(&format!("`{file}`"), sums(comment), "`cargo xtask figures`")?;
    let drawing = drawing.trim();
    ensure!(drawing.starts_with("<svg"), "`{file}` is no SVG; run `cargo xtask figures`");
    ensure!(!drawing.contains("\n\n"), "`{file}` has a blank line, which ends HTML in Markdown");
    for needed in ["role=\"img\"", "<title", "<desc"] {
        ensure!(drawing.contains(needed), "`{file}` has no {needed}, which screen readers need");
    }
    let caption = match caption {
        "" => String::new(),
        caption => format!("<figcaption>{}</figcaption>\n", sentence(caption)),
    };
    Ok(format!("<figure class=\"drawing\">\n{drawing}\n{caption}</figure>\n"))
}

/// The files from which a figure was drawn: `from: NAME sha256 SUM`.
fn sums(comment: &str) -> impl Iterator<Item = (&str, &str)> {
    comment.split("from: ").skip(1).filter_map(|part| {
        let mut words = part.split_whitespace();
        let (name, _, sum) = (words.next()?, words.next()?, words.next()?);
        Some((sum, name))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn sources_are_found_in_the_comment() {
        let comment = "<!-- Generated; from: kernels/a.cu sha256 01 from: b sha256 23 ";
        assert_eq!(super::sums(comment).collect::<Vec<_>>(), [("01", "kernels/a.cu"), ("23", "b")]);
    }
}
