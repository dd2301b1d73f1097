//! Builds the module with programs of fixed versions, so that two people get nearly the same one.

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use lzma_rust2::{EncodeMode, LzmaOptions, LzmaWriter, MfType};
use thirty_two_lanes::files;

use super::{FILE, MAX_PACKED_BYTES, root, script, sources};

/// The compiler that makes what is committed.
const RUSTC: &str = "1.95.0";
/// The optimiser, which makes the module a little smaller. Where it is missing, the module is committed without.
const WASM_OPT: &str = "wasm-opt version 108";
/// What the optimiser does. The control flow is made anew from a flat form, which is smaller than the compiler's. Functions that are
/// called once are not moved into their callers: they pack better apart. Nothing is in the first KiB of memory, which is the far
/// end of the stack, so that constants can be added where memory is accessed.
const OPTIONS: [&str; 6] = [
    "--low-memory-unused",
    "--flatten",
    "--rereloop",
    "-Oz",
    "-Oz",
    "--one-caller-inline-max-function-size=1",
];
/// How the module is packed: as thoroughly as can be. What a byte is depends most on the four upper bits of the one before, and
/// not on its position, because instructions have any length.
const PACKING: LzmaOptions = LzmaOptions {
    dict_size: 4 << 20,
    lc: 4,
    lp: 0,
    pb: 0,
    mode: EncodeMode::Normal,
    nice_len: LzmaOptions::NICE_LEN_MAX,
    mf: MfType::Bt4,
    depth_limit: 512,
    preset_dict: None,
};
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
    let rustc = rustc()?;
    let sum = sources()?;
    let module = wasm(&[])?;
    ensure!(sources()? == sum, "the sources were changed while the module was built: run the chore again");
    let optimised = optimised(&module)?;
    let tools = format!("rustc {rustc}, {}", if optimised.is_some() { WASM_OPT } else { "without wasm-opt" });
    let is_optimised = optimised.is_some();
    let module = optimised.unwrap_or(module);
    let module = fs::read(&module)?;
    let packed = packed(&module).context("the module cannot be packed")?;
    ensure!(
        packed.len() <= MAX_PACKED_BYTES,
        "the module has {} bytes when packed, and a page allows {MAX_PACKED_BYTES}: find out what made it larger",
        packed.len()
    );
    let file = root().join(FILE);
    files::write(&file, script(&packed, &sum, &tools)).with_context(|| format!("cannot write `{FILE}`"))?;
    Ok(Built { module_bytes: module.len(), packed_bytes: packed.len(), is_optimised })
}

/// How many bytes the compiler of CUDA C++ adds to the module: the difference between the module and one whose compiler refuses
/// every text, both packed with Brotli, as web servers send them. `None` if the optimiser is not installed.
///
/// # Errors
/// A program is missing or has another version, or fails.
pub fn front_end_bytes() -> Result<Option<usize>> {
    rustc()?;
    let mut sizes = Vec::new();
    for features in [&[][..], &["--features", "cudac/absent"]] {
        let Some(module) = optimised(&wasm(features)?)? else { return Ok(None) };
        sizes.push(brotli(&module)?);
    }
    Ok(Some(sizes[0].saturating_sub(sizes[1])))
}

/// How many bytes a file has when Node packs it as well as it can.
fn brotli(file: &Path) -> Result<usize> {
    const SCRIPT: &str = "const { constants: c, brotliCompressSync } = require('node:zlib'); \
                          const params = { [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 24 }; \
                          const bytes = require('node:fs').readFileSync(process.argv[1]); \
                          console.log(brotliCompressSync(bytes, { params }).length)";
    let length = output(Command::new("node").args(["-e", SCRIPT]).arg(file))?;
    length.parse().with_context(|| format!("`node` wrote `{length}` in place of a number"))
}

/// The version of the compiler, if it is the right one.
fn rustc() -> Result<String> {
    let version = output(Command::new("rustc").arg("--version"))?;
    let rustc = version.split(' ').nth(1).unwrap_or_default();
    ensure!(
        rustc == RUSTC,
        "this is rustc {rustc}, and the committed module is made by {RUSTC}: install it with `rustup toolchain install \
         {RUSTC} --component rust-src`, and run `cargo +{RUSTC} xtask page`"
    );
    Ok(rustc.to_owned())
}

/// Bytes in the format of `.lzma` files, which `book/theme/player/unpack.js` reads: with their length in the header, and so without a
/// mark at the end.
///
/// # Errors
/// The packer fails.
pub fn packed(bytes: &[u8]) -> Result<Vec<u8>> {
    let length = u64::try_from(bytes.len()).context("there are too many bytes")?;
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &PACKING, Some(length))?;
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

/// Builds the module with more options for cargo, and returns its path.
///
/// A page never shows the message of a panic. The messages, with all that formats them, are a twelfth of the module, so they
/// are left out. That takes a standard library that is built without them, and for this the compiler has only options that it
/// does not promise to keep. They do no harm here, because its version is fixed.
fn wasm(more: &[&str]) -> Result<PathBuf> {
    const TARGET: &str = "wasm32-unknown-unknown";
    const WITHOUT_MESSAGES: [&str; 4] = [
        "-Zbuild-std=std,panic_abort",
        "-Zpanic-immediate-abort",
        "--config",
        "profile.page.panic=\"immediate-abort\"",
    ];
    // If something names the sources of dependencies, that should not depend on the machine.
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
    command.args(["--target", TARGET]).args(more).args(WITHOUT_MESSAGES).env("RUSTC_BOOTSTRAP", "1");
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")).current_dir(root());
    let status = command.status().context("cannot start `cargo`")?;
    ensure!(status.success(), "the module cannot be built: try `rustup component add rust-src`");
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
    output(Command::new("wasm-opt").args(OPTIONS).args(FEATURES).arg(module).arg("-o").arg(&to))?;
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
