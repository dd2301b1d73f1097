//! `lanes play`: one file of HTML in which a launch can be played, step by step, in any browser.
//!
//! The file has everything in it: the player of the book, the emulator as WebAssembly, the program and its source. Its
//! content security policy allows the one script whose hash it names, and no request at all, so it can be attached to a bug
//! report. What it leaves out: buffers that are filled from files, because a page cannot read them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};
use simt::Dim3;
use spec::Spec;

use super::Output;
use super::launches::Wanted;
use super::options::{Device, PlayOptions};
use super::plan::Plan;
use super::source::{self, why};
use super::words;

/// The module and the player, in the order in which a page of the book loads them.
const SCRIPTS: [&str; 8] = [
    include_str!("../../../book/src/assets/module.js"),
    include_str!("../../../book/theme/player/machine.js"),
    include_str!("../../../book/theme/player/worker.js"),
    include_str!("../../../book/theme/player/state.js"),
    include_str!("../../../book/theme/player/run.js"),
    include_str!("../../../book/theme/player/view.js"),
    include_str!("../../../book/theme/player/frame.js"),
    include_str!("../../../book/theme/player/player.js"),
];
const START: &str = include_str!("play/start.js");
const STYLES: [&str; 2] =
    [include_str!("play/page.css"), include_str!("../../../book/theme/player/player.css")];
/// The first line of every file that is written here. Only a file that begins with it is overwritten.
const HEAD: &str = "<!doctype html><!-- written by `lanes play` -->";

/// Writes the file.
pub(super) fn play(options: &PlayOptions) -> Result<Output> {
    check(options)?;
    let plan = Plan::new(&options.run)?;
    plan.program.warn();
    let data = data(&plan)?;
    let out = options.out.clone().unwrap_or_else(|| beside(&options.run.file));
    let name = source::name(&out);
    if fs::read(&out).is_ok_and(|bytes| !bytes.starts_with(HEAD.as_bytes())) {
        bail!("`{name}` already exists and was not written by `lanes play`: name another file with `--out`");
    }
    fs::write(&out, html(&data)).map_err(|error| anyhow!("cannot write `{name}`: {}", why(&out, &error)))?;
    Ok((format!("wrote `{name}`; open it in a browser\n"), ExitCode::SUCCESS))
}

/// `saxpy.html` for `kernels/saxpy.cu`, in the folder where the program was started.
fn beside(file: &Path) -> PathBuf {
    PathBuf::from(file.file_stem().unwrap_or(file.as_os_str())).with_extension("html")
}

/// Refuses options of `lanes run` that a page has no use for.
fn check(PlayOptions { run, .. }: &PlayOptions) -> Result<()> {
    let given = [
        ("--seeds", run.seeds.is_some()),
        ("--strict", run.strict),
        ("--device", run.device == Device::Gpu),
        ("--cores", run.cores.is_some()),
        ("--print", !run.prints.is_empty()),
        ("--trace", run.trace.is_some()),
        ("--json", run.json),
        ("--symbol", !run.symbols.is_empty()),
        ("--expect", !run.expectations.is_empty()),
        ("--save", !run.saves.is_empty()),
        ("--picture", !run.pictures.is_empty()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        bail!("`lanes play` shows one run of the emulator in a page: omit `{option}`");
    }
    if run.launches.len() > 1 {
        bail!("`lanes play` shows one launch in a page: give `--launch` once");
    }
    let given = run.args.iter().map(|given| &given.text).chain(run.buffers.iter().map(|(_, text)| text));
    match given.into_iter().find(|text| text.contains(":file=")) {
        Some(text) => {
            bail!("`{text}`: a page cannot read a file; fill the buffer with `list=` or `rand`")
        }
        None => Ok(()),
    }
}

/// What the player needs, with the same keys as in a page of the book.
fn data(plan: &Plan<'_>) -> Result<Value> {
    let program = json!({ "name": format!("{}.ptx", plan.last().kernel.name), "text": plan.program.ptx });
    let launch = launch(plan)?;
    let record = page::figure::record(&program, &launch, 0).map_err(|error| anyhow!("{error}"))?;
    let file = plan.options.file.file_name().unwrap_or(plan.options.file.as_os_str()).to_string_lossy();
    let lines = plan.program.cuda.as_deref().unwrap_or_default().lines().enumerate();
    let lines: Vec<Value> = lines.map(|(index, line)| json!([index + 1, line])).collect();
    Ok(json!({
        "name": plan.last().kernel.name,
        "title": file,
        "program": program,
        "source": { "name": file, "lines": lines },
        "launch": launch,
        "beside": null,
        "record": record,
    }))
}

fn launch(plan: &Plan<'_>) -> Result<Value> {
    let (options, launch) = (plan.options, plan.launch());
    let mut arguments: Vec<Value> = Vec::new();
    let texts = options.launches().pop().map_or(Vec::new(), |asked| asked.args);
    for (index, (text, wanted)) in texts.iter().zip(&plan.last().args).enumerate() {
        let named = options.buffers.iter().find(|(name, _)| name == text);
        let is = match (wanted, named, options.args.get(index)) {
            (Wanted::Value(Spec::Structure(fields)), ..) if !fields.buffers().is_empty() => {
                bail!("`{text}`: a page can show structures without pointers only")
            }
            (Wanted::Buffer(_), Some((_, spec)), _) => format!("buf:{spec}"),
            (Wanted::Buffer(_), None, Some(given)) => given.text.clone(),
            _ => text.clone(),
        };
        let name = if named.is_some() { text.clone() } else { format!("arg{index}") };
        arguments.push(json!({ "name": name, "is": is }));
    }
    let checks: Vec<&str> = options.watch().names().into_iter().filter(|name| *name != "memory").collect();
    let mut asked = json!({
        "kernel": plan.last().kernel.name, "grid": shape(launch.grid), "block": shape(launch.block),
        "shared_bytes": launch.shared_bytes, "arguments": arguments, "seed": launch.seed,
        "schedule": words::schedule_name(launch.schedule),
        "reconvergence": words::reconvergence_name(launch.reconvergence),
        "checks": checks, "weak_memory": launch.weak_memory, "resident_blocks": launch.resident_blocks,
    });
    if let Some(steps) = options.max_steps {
        asked["max_steps"] = json!(steps);
    }
    Ok(asked)
}

/// As many numbers as say something.
fn shape(Dim3 { x, y, z }: Dim3) -> Value {
    match (y, z) {
        (1, 1) => json!([x]),
        (_, 1) => json!([x, y]),
        _ => json!([x, y, z]),
    }
}

fn html(data: &Value) -> String {
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
    let hex = nvrtc::sha256(script);
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("a hash is hexadecimal");
    BASE64_STANDARD.encode((0..hex.len()).step_by(2).map(digit).collect::<Vec<_>>())
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
        assert_eq!(beside(Path::new("a/saxpy.cu")), Path::new("saxpy.html"));
    }
}
