//! Text as HTML in which neither Markdown nor another preprocessor finds anything to expand.

use std::fmt::Write as _;

/// Text inside an element or an attribute.
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html += "&amp;",
            '<' => html += "&lt;",
            '>' => html += "&gt;",
            '"' => html += "&quot;",
            // Other preprocessors look for formulas, templates and emphasis in HTML too.
            '$' | '{' | '}' | '*' | '_' | '`' | '\\' | '[' | ']' | '~' => {
                let _ = write!(html, "&#{};", c as u32);
            }
            _ => html.push(c),
        }
    }
    html
}

/// Lines inside `<pre>`, in which a blank line would end the block of HTML around them.
pub fn escape_lines(text: &str) -> String {
    escape(text).replace("\n\n", "\n&#10;")
}

/// A sentence, in which backticks become elements for code.
pub fn sentence(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let html = parts.map(|(number, part)| match number % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    });
    html.collect()
}

/// A name in the form of an element's anchor.
pub fn anchor(name: &str) -> String {
    name.to_lowercase().replace([' ', '_'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_another_preprocessor_expands() {
        assert_eq!(escape("a<b & $c_1$"), "a&lt;b &amp; &#36;c&#95;1&#36;");
        assert_eq!(escape_lines("a\n\n\nb"), "a\n&#10;\nb");
        assert!(!escape_lines("a\n\n\n\nb").contains("\n\n"));
    }

    #[test]
    fn backticks_become_code() {
        assert_eq!(sentence("use `a<b`, not c"), "use <code>a&lt;b</code>, not c");
    }
}
