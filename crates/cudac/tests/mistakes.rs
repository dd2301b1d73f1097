//! Mistakes that beginners make, each with its message: `mistakes/NAME.cu`, and what the compiler says, `mistakes/NAME.txt`.
//!
//! `BLESS=1 cargo test -p cudac --test mistakes` writes the messages; read the diff.

use std::fs;
use std::path::Path;

/// Everything that the compiler says about a text.
fn told(name: &str, text: &str) -> String {
    let source = cudac::Source { name, text };
    let diagnostics = match cudac::compile(&source, &cudac::Options::default()) {
        Ok(output) => output.warnings,
        Err(errors) => errors.0,
    };
    diagnostics.iter().fold(String::new(), |told, diagnostic| told + &diagnostic.to_string() + "\n")
}

#[test]
fn every_mistake_has_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let mut sources: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    sources.sort();
    assert!(sources.len() >= 20);
    let mut stale = Vec::new();
    for source in sources {
        let name = source.file_name().unwrap().to_string_lossy().into_owned();
        let told = told(&name, &fs::read_to_string(&source).unwrap());
        assert!(!told.is_empty(), "{name}: nothing is said");
        let golden = source.with_extension("txt");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&golden, &told).unwrap();
        }
        if fs::read_to_string(&golden).unwrap_or_default() != told {
            stale.push(format!("{name}:\n{told}"));
        }
    }
    assert!(stale.is_empty(), "`BLESS=1` keeps these messages:\n{}", stale.join("\n"));
}

#[test]
fn wrong_options_are_errors_whatever_the_text_is() {
    let told = |sm, name: &str| {
        let options =
            cudac::Options { sm, defines: vec![(name.to_owned(), "1".to_owned())], ..Default::default() };
        let errors = cudac::compile(&cudac::Source { name: "a.cu", text: "" }, &options).err();
        let errors = errors.map_or(Vec::new(), |errors| errors.0);
        let line = |error: &cudac::Diagnostic| {
            format!("{}: {}\n", error.message, error.help.as_deref().unwrap_or_default())
        };
        errors.iter().map(line).collect::<Vec<_>>().concat()
    };
    assert_eq!(told(70, "N"), "");
    assert_eq!(told(90, "_n1"), "");
    for sm in [700, 49, 91, u32::MAX, 0] {
        let wanted = format!("`sm_{sm}` is no target of this compiler: choose one from `sm_50` to `sm_90`\n");
        assert_eq!(told(sm, "N"), wanted);
    }
    for name in ["a name", "1N", "", "N=2", "F(x)", "ä"] {
        let wanted = format!(
            "`{name}` cannot be defined, because it is not the name of a macro: \
             a name consists of letters, digits and `_`, and does not begin with a digit\n"
        );
        assert_eq!(told(70, name), wanted);
    }
}
