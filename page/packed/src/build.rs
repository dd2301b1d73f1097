//! Builds the module with programs of fixed versions, so that two people get nearly the same one.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{FILE, root, script, sources};

/// The compiler that makes what is committed.
const RUSTC: &str = "1.95.0";
/// The optimiser, which makes the module a little smaller. Where it is missing, the module is committed without.
const WASM_OPT: &str = "wasm-opt version 108";
/// What the compiler uses of WebAssembly, and so what a browser needs. There are neither threads nor vectors among them.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];
/// The compiler recurses into nested code, up to bounds that were chosen for the stack of a native thread.
const STACK_BYTES: u32 = 4 << 20;

/// A module that was built.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// Bytes of the module.
    pub module_bytes: usize,
    /// Bytes of the module when packed.
    pub packed_bytes: usize,
    /// Whether the optimiser was there.
    pub is_optimised: bool,
}

/// Builds the module and writes the script that is committed.
///
/// # Errors
/// A program is missing or has another version, or fails.
pub fn build() -> Result<Built> {
    let version = output(Command::new("rustc").arg("--version"))?;
    let rustc = version.split(' ').nth(1).unwrap_or_default();
    ensure!(
        rustc == RUSTC,
        "this is rustc {rustc}, and the committed module is made by {RUSTC}: install it with `rustup toolchain install \
         {RUSTC} --target wasm32-unknown-unknown`, and run `cargo +{RUSTC} xtask page`"
    );
    let sum = sources()?;
    let module = wasm()?;
    ensure!(sources()? == sum, "the sources were changed while the module was built: run the chore again");
    let optimised = optimised(&module)?;
    let tools = format!("rustc {rustc}, {}", if optimised.is_some() { WASM_OPT } else { "without wasm-opt" });
    let is_optimised = optimised.is_some();
    let module = optimised.unwrap_or(module);
    let packed = output_bytes(Command::new("gzip").args(["-9", "-n", "-c"]).arg(&module))?;
    let file = root().join(FILE);
    fs::write(&file, script(&packed, &sum, &tools)).with_context(|| format!("cannot write `{FILE}`"))?;
    let module_bytes = fs::metadata(&module)?.len() as usize;
    Ok(Built { module_bytes, packed_bytes: packed.len(), is_optimised })
}

/// Builds the module, and returns its path.
fn wasm() -> Result<PathBuf> {
    const TARGET: &str = "wasm32-unknown-unknown";
    // Messages of panics name the sources of dependencies, which should not depend on the machine.
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let flags: Vec<String> = cargo_home
        .map(|home| format!("--remap-path-prefix={}=cargo", home.display()))
        .into_iter()
        .chain([format!("-Clink-arg=-zstack-size={STACK_BYTES}")])
        .collect();
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["rustc", "-p", "page", "--lib", "--crate-type", "cdylib", "--profile", "page", "--locked"]);
    command.args(["--target", TARGET]).env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")).current_dir(root());
    let status = command.status().context("cannot start `cargo`")?;
    ensure!(status.success(), "the module cannot be built: try `rustup target add {TARGET}`");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join(TARGET).join("page/page.wasm"))
}

/// The module after the optimiser, if it is installed in the right version.
fn optimised(module: &Path) -> Result<Option<PathBuf>> {
    let version = Command::new("wasm-opt").arg("--version").output();
    if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with(WASM_OPT)) {
        return Ok(None);
    }
    let to = module.with_extension("opt.wasm");
    output(Command::new("wasm-opt").arg("-Oz").args(FEATURES).arg(module).arg("-o").arg(&to))?;
    Ok(Some(to))
}

fn output(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8_lossy(&output_bytes(command)?).trim().to_owned())
}

fn output_bytes(command: &mut Command) -> Result<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start `{name}`"))?;
    if !output.status.success() {
        bail!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}
