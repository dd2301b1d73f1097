//! Options of nvcc that a reader has copied from a line of a makefile: what to write in their place.

use clap::error::ErrorKind;

/// Options that say how to compile, beginning with these. Nothing here depends on them.
const MEANINGLESS: [&str; 24] = [
    "-O",
    "-g",
    "-G",
    "-lineinfo",
    "--generate-line-info",
    "-rdc",
    "--relocatable-device-code",
    "-dc",
    "-Xcompiler",
    "-Xptxas",
    "-Xlinker",
    "-use_fast_math",
    "--use_fast_math",
    "-l",
    "-L",
    "-w",
    "-W",
    "-m64",
    "-ccbin",
    "-o",
    "-c",
    "--expt-",
    "--extended-lambda",
    "-extended-lambda",
];

/// What is wrong with the words of a command if one of them is an option of nvcc.
pub fn mistaken(kind: ErrorKind, words: &[String]) -> Option<String> {
    if kind != ErrorKind::UnknownArgument {
        return None;
    }
    let mut words = words.iter().take_while(|word| *word != "--");
    words.find_map(|word| remedy(word).map(|remedy| format!("`{word}` is an option of nvcc: {remedy}")))
}

fn remedy(word: &str) -> Option<String> {
    if ["-arch", "-gencode", "--gpu-architecture", "-code"].iter().any(|option| word.starts_with(option)) {
        let number: String =
            word.rsplit('_').next()?.chars().take_while(char::is_ascii_alphanumeric).collect();
        let is_number = number.starts_with(|c: char| c.is_ascii_digit());
        return Some(if is_number {
            format!("write `--arch {number}`")
        } else {
            "write the target as in `--arch 80`".to_owned()
        });
    }
    if let Some(version) = word.strip_prefix("-std=").or_else(|| word.strip_prefix("-std")) {
        let version = if version.is_empty() { "c++17" } else { version };
        return Some(format!("write `--std {version}`"));
    }
    let is_meaningless = MEANINGLESS.iter().any(|option| word.starts_with(option));
    is_meaningless.then(|| "omit it, and its value if it has one; nothing depends on it here".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nvcc_takes_is_named_with_what_to_write() {
        let told = |word: &str| mistaken(ErrorKind::UnknownArgument, &["run".to_owned(), word.to_owned()]);
        for (word, remedy) in [
            ("-arch=sm_80", "write `--arch 80`"),
            ("-gencode=arch=compute_90a,code=sm_90a", "write `--arch 90a`"),
            ("-arch", "as in `--arch 80`"),
            ("-std=c++14", "write `--std c++14`"),
            ("-O3", "omit it"),
            ("-Xcompiler", "omit it"),
            ("-lcurand", "omit it"),
        ] {
            assert!(told(word).is_some_and(|text| text.contains(remedy)), "{word}: {:?}", told(word));
        }
        assert_eq!(told("--grod"), None);
        assert_eq!(mistaken(ErrorKind::MissingRequiredArgument, &["-O3".to_owned()]), None);
        let behind = ["run", "x.cu", "--", "-O3"].map(str::to_owned);
        assert_eq!(mistaken(ErrorKind::UnknownArgument, &behind), None);
    }
}
