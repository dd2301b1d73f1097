//! The file that `lanes play` writes: HTML in which a launch can be played, step by step, in any browser.
//!
//! The file has everything in it: the player of the book, the emulator as WebAssembly, the program and its source. Its
//! content security policy allows the one script whose hash it names, and no request at all, so it can be attached to a bug
//! report. What it leaves out: buffers that are filled from files, because a page cannot read them.

use anyhow::{Result, anyhow, bail};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use spec::Spec;
use spec::launch::{Launch, Passed};

use crate::resolve::source::Cuda;
use crate::resolve::{Plan, Wanted};

/// The module and the player, in the order in which a page of the book loads them.
const SCRIPTS: [&str; 9] = [
    include_str!("../../../../book/src/assets/module.js"),
    include_str!("../../../../book/theme/player/machine.js"),
    include_str!("../../../../book/theme/player/unpack.js"),
    include_str!("../../../../book/theme/player/worker.js"),
    include_str!("../../../../book/theme/player/state.js"),
    include_str!("../../../../book/theme/player/run.js"),
    include_str!("../../../../book/theme/player/view.js"),
    include_str!("../../../../book/theme/player/frame.js"),
    include_str!("../../../../book/theme/player/player.js"),
];
const START: &str = include_str!("page/start.js");
const STYLES: [&str; 2] =
    [include_str!("page/page.css"), include_str!("../../../../book/theme/player/player.css")];
/// The first line of every file that is written here.
pub const HEAD: &str = "<!doctype html><!-- written by `lanes play` -->";

/// What the player needs, with the same keys as in a page of the book.
pub fn data(plan: &Plan<'_>) -> Result<Value> {
    let kernel = &plan.sequence.last().kernel.name;
    let program = json!({ "name": format!("{kernel}.ptx"), "text": plan.loaded.program.ptx });
    let launch = json!(launch(plan)?);
    let record = page::figure::record(&program, &launch, 0).map_err(|error| anyhow!("{error}"))?;
    let file = plan.options.file.file_name().unwrap_or(plan.options.file.as_os_str()).to_string_lossy();
    let cuda = plan.loaded.program.cuda.as_ref();
    let lines = lines(cuda.map_or("", |cuda| &cuda.text));
    let others = cuda.map_or(Vec::new(), Cuda::others);
    let others: Vec<Value> =
        others.iter().map(|(name, text)| json!({ "name": name, "lines": self::lines(text) })).collect();
    Ok(json!({
        "name": kernel,
        "title": file,
        "program": program,
        "source": { "name": file, "lines": lines },
        "files": others,
        "launch": launch,
        "beside": null,
        "record": record,
    }))
}

/// The lines of a text with their numbers.
fn lines(text: &str) -> Vec<Value> {
    text.lines().enumerate().map(|(index, line)| json!([index + 1, line])).collect()
}

fn launch(plan: &Plan<'_>) -> Result<Launch> {
    let (options, launch) = (plan.options, plan.launch());
    let mut asked = options.launches().pop().unwrap_or_default();
    let buffers = std::mem::take(&mut asked.buffers).0;
    let last = plan.sequence.last();
    for (index, (argument, wanted)) in asked.arguments.iter_mut().zip(&last.args).enumerate() {
        let named = buffers.iter().find(|buffer| buffer.name == argument.is);
        let is = match (wanted, named, options.launch.arguments.get(index)) {
            (Wanted::Value(Spec::Structure(fields)), ..) if !fields.buffers().is_empty() => {
                bail!("`{argument}`: a page can show structures without pointers only")
            }
            (Wanted::Buffer(_), Some(buffer), _) => format!("buf:{}", buffer.is),
            (Wanted::Buffer(_), None, Some(given)) => given.is.clone(),
            _ => argument.is.clone(),
        };
        let name = named.map_or_else(|| format!("arg{index}"), |buffer| buffer.name.clone());
        *argument = Passed { name, is };
    }
    Ok(Launch {
        kernel: Some(last.kernel.name.clone()),
        grid: Some(launch.grid.into()),
        block: Some(launch.block.into()),
        ..asked
    })
}

pub fn html(data: &Value) -> String {
    let script = SCRIPTS.iter().chain([&START]).copied().collect::<Vec<_>>().join("\n");
    let script = script.replace("\r\n", "\n");
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; \
         base-uri 'none'; form-action 'none'",
        hash(&script)
    );
    let text = |key: &str| data[key].as_str().unwrap_or_default();
    let title = escape(&format!("{}: {}", text("title"), plain_name(text("name"))));
    // Inside a script element only `<` matters, and in JSON it occurs in texts only.
    let data = data.to_string().replace('<', "\\u003c");
    let styles = STYLES.concat();
    format!(
        "{HEAD}\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{styles}</style>\n</head>\n<body class=\"content\">\n<main>\n<div class=\"live\" id=\"player\"></div>\n\
         <noscript>This page plays a launch of a CUDA kernel, for which it needs JavaScript.</noscript>\n</main>\n\
         <script type=\"application/json\" id=\"launch\">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n"
    )
}

/// The name of a kernel as its source has it: `axpy` for `_Z4axpyPf`. The player shows it in the same way.
fn plain_name(name: &str) -> &str {
    let rest = name.strip_prefix("_Z").unwrap_or_default();
    let letters = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let length = rest[..rest.len() - letters.len()].parse().unwrap_or(0);
    letters.get(..length).filter(|plain| !plain.is_empty()).unwrap_or(name)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The hash of a script, as a content security policy has it.
fn hash(script: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_launch_can_end_the_element_that_it_is_in() {
        let data =
            json!({ "title": "</title><b>", "name": "k", "source": "</script><script>alert(1)</script>" });
        let html = html(&data);
        assert_eq!(html.matches("</script>").count(), 2);
        assert!(html.contains("<title>&lt;/title&gt;&lt;b&gt;: k</title>"));
        let json = html.split("id=\"launch\">").nth(1).unwrap().split("</script>").next().unwrap();
        assert_eq!(serde_json::from_str::<Value>(json).unwrap(), data);
    }

    #[test]
    fn a_title_has_the_name_of_the_source() {
        let names =
            [("axpy", "axpy"), ("_Z4axpyPf", "axpy"), ("_Z9", "_Z9"), ("_ZN2ns4axpyEPf", "_ZN2ns4axpyEPf")];
        for (name, plain) in names {
            assert_eq!(plain_name(name), plain);
        }
    }

    #[test]
    fn the_policy_names_the_hash_of_the_script() {
        let html = html(&json!({}));
        let script = html.rsplit("<script>").next().unwrap().split("</script>").next().unwrap();
        assert!(html.contains(&format!("script-src 'sha256-{}' 'wasm-unsafe-eval' blob:;", hash(script))));
        // From the examples of FIPS 180-2.
        assert_eq!(hash("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }
}
