//! What a command printed, from a committed file, whose first line is the command. A test of the program repeats it.

use anyhow::{Context, Result, bail, ensure};

use crate::html::{escape, escape_lines};
use crate::repository::Repository;

/// `{{#session FILE}}`: what the command printed, and the command.
pub fn session(words: &[&str], repository: &Repository) -> Result<String> {
    let [file] = words else { bail!("name a file whose first line is `$ COMMAND`") };
    let text = repository.read(file)?;
    let (command, printed) = parts(&text).with_context(|| format!("in `{file}`"))?;
    Ok(format!(
        "<div class=\"output session\">\n<pre tabindex=\"0\" role=\"region\" aria-label=\"what the command prints\">\
         <code class=\"language-text nohighlight\">{}</code></pre>\n\
         <div class=\"command\"><code>{}</code></div>\n</div>\n",
        escape_lines(printed),
        escape(command)
    ))
}

/// The command and what it printed, without empty lines around it.
fn parts(text: &str) -> Result<(&str, &str)> {
    let (first, printed) = text.split_once('\n').unwrap_or((text, ""));
    let command = first.strip_prefix("$ ").context("the first line has to be `$ COMMAND`")?;
    let (command, kept) = command.split_once("  # ").context("the first line does not say who keeps it")?;
    ensure!(kept.starts_with("kept by "), "the first line has to end with `  # kept by …`");
    Ok((command, printed.trim_matches('\n')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_command() {
        let text = "$ cargo run -- run a.cu  # kept by `cargo test`\n\nrace at a.cu:3\n  help: b\n";
        assert_eq!(parts(text).unwrap(), ("cargo run -- run a.cu", "race at a.cu:3\n  help: b"));
    }

    #[test]
    fn a_file_that_does_not_say_how_it_is_kept_is_refused() {
        for text in ["", "race at a.cu:3\n", "$ cargo run -- run a.cu\n", "$ a  # by hand\n"] {
            assert!(parts(text).is_err(), "{text}");
        }
    }
}
