//! The page for printing, `print.html`, without what only the other pages need.
//!
//! mdBook joins all chapters to this page. The data of players, editors and exercises are most of its bytes, and nobody prints
//! them. A preprocessor cannot give a chapter another text there, so this is a renderer, which mdBook calls after the one for
//! HTML, because it calls them in the order of their names.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The elements that hold data: each has no element of its kind inside, and ends with the next `</div>`.
const ELEMENTS: [&str; 3] = ["<div class=\"live\"", "<div class=\"edit\"", "<div class=\"solve\""];
const END: &str = "</div>";

/// Takes the data out of the page for printing. mdBook calls a renderer in a folder of its own, beside that of the pages.
pub fn render() -> Result<()> {
    let own = env::current_dir()?;
    let built = own.parent().context("mdBook has a folder for each renderer")?;
    shorten(&built.join("html/print.html"))
}

/// Takes the data out of a page.
pub fn shorten(page: &Path) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| format!("cannot read `{}`", page.display()))?;
    fs::write(page, without_data(&text)).with_context(|| format!("cannot write `{}`", page.display()))
}

fn without_data(page: &str) -> String {
    let (mut rest, mut kept) = (page, String::with_capacity(page.len() / 2));
    let next = |text: &str| ELEMENTS.iter().filter_map(|element| text.find(element)).min();
    while let Some(at) = next(rest) {
        let Some(end) = rest[at..].find(END) else { break };
        kept += &rest[..at];
        rest = &rest[at + end + END.len()..];
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::without_data;

    #[test]
    fn only_the_elements_with_data_are_left_out() {
        let page = "<p>a</p><div class=\"live\" data-live=\"x\" hidden>\n<p>x</p>\n<!--{}-->\n</div>\n<div class=\"listing\">\
                    <pre>b</pre><div class=\"edit\" hidden>\n<!--{}-->\n</div></div><div class=\"solve\" hidden></div>c";
        assert_eq!(without_data(page), "<p>a</p>\n<div class=\"listing\"><pre>b</pre></div>c");
        assert_eq!(without_data("<p>a</p>"), "<p>a</p>");
    }
}
