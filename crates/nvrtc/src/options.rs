//! What to compile and how, and the compiler's flags for it.

use std::path::PathBuf;

/// A CUDA program.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// A bare file name such as `divergence.cu`; it appears in the compiler's messages and in the PTX's `.file`.
    pub name: &'a str,
    /// The program.
    pub text: &'a str,
}

/// How to compile it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The virtual architecture, 70 for `compute_70`.
    pub arch: u32,
    /// Whether it is the one with instructions of its own, as `compute_90a`.
    pub is_specific: bool,
    /// Compile with `-G`: no optimisation, every variable in memory, every branch of the source kept.
    pub debug: bool,
    /// Write the CUDA line of each instruction. `-G` implies it.
    pub lines: bool,
    /// Folders for `#include`, searched before the compiler's own.
    pub include: Vec<PathBuf>,
    /// Macros that are defined before the text begins: names and values.
    pub defines: Vec<(String, String)>,
    /// The version of C++, 17 for C++17.
    pub std: u32,
}

impl Options {
    /// Compiles as a release build does.
    pub fn optimised(arch: u32) -> Self {
        Self {
            arch,
            is_specific: false,
            debug: false,
            lines: true,
            include: Vec::new(),
            defines: Vec::new(),
            std: 17,
        }
    }

    /// Compiles with `-G`.
    pub fn debug(arch: u32) -> Self {
        Self { debug: true, ..Self::optimised(arch) }
    }

    /// The flags that have an effect on the output, without any folder of this machine.
    ///
    /// Line numbers are switched on as a rule, because every fault and counter names a line of CUDA.
    pub fn flags(&self) -> Vec<String> {
        let lines = match (self.debug, self.lines) {
            (true, _) => Some("-G"),
            (false, true) => Some("-lineinfo"),
            (false, false) => None,
        };
        let letter = if self.is_specific { "a" } else { "" };
        let flags = [format!("-arch=compute_{}{letter}", self.arch), format!("--std=c++{}", self.std)];
        let defines = self.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
        flags.into_iter().chain(lines.map(Into::into)).chain(defines).collect()
    }

    /// The flags, and an `-I` for each of the caller's folders and then for each of the compiler's folders.
    pub(crate) fn command_line(&self, compilers: &[PathBuf]) -> Vec<String> {
        let folders = self.include.iter().chain(compilers);
        self.flags().into_iter().chain(folders.map(|folder| format!("-I{}", folder.display()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_builds_carry_lines() {
        assert_eq!(Options::optimised(60).flags(), ["-arch=compute_60", "--std=c++17", "-lineinfo"]);
    }

    #[test]
    fn debug_builds_are_not_optimised() {
        assert_eq!(Options::debug(70).flags(), ["-arch=compute_70", "--std=c++17", "-G"]);
    }

    #[test]
    fn lines_can_be_left_out() {
        let options = Options { lines: false, ..Options::optimised(70) };
        assert_eq!(options.flags(), ["-arch=compute_70", "--std=c++17"]);
    }

    #[test]
    fn macros_have_values() {
        let defines = vec![("TILE".to_owned(), "32".to_owned())];
        let options = Options { defines, ..Options::optimised(70) };
        assert_eq!(options.flags()[3], "-DTILE=32");
    }

    #[test]
    fn the_callers_folders_come_first() {
        let options = Options { include: vec!["mine".into()], ..Options::optimised(70) };
        assert_eq!(options.command_line(&["theirs".into()])[3..], ["-Imine", "-Itheirs"]);
    }
}
