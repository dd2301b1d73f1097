//! What a text calls its kernels, from what PTX calls them.

use cpp_demangle::{DemangleOptions, Symbol};

/// What follows the name of what only one source of a program has; the number of the source comes after it.
const OF_SOURCE: &str = "__lanes_source";

/// What PTX calls a kernel or a variable that only one of several sources has: a `static` one, one of a namespace without a name, or a
/// kernel that is made for a lambda. The sources are counted from 0.
pub fn of_source(symbol: &str, number: u64) -> String {
    format!("{symbol}{OF_SOURCE}{number}")
}

/// What the text calls a kernel: its name, and its arguments if it is made of a template. Tags, as numba appends them, are no part of
/// it.
pub fn demangled(symbol: &str) -> String {
    let symbol = symbol.split(OF_SOURCE).next().unwrap_or_default();
    let options = DemangleOptions::new().no_params().no_return_type();
    let demangled = Symbol::new(symbol).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    let name = demangled.unwrap_or_else(|| symbol.to_owned());
    name.split("[abi:").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_called_as_their_text_does() {
        assert_eq!(demangled("_Z5scaleIfLi4EEvPT_"), "scale<float, 4>");
        assert_eq!(demangled("_ZN8__main__4racyB3v14E5ArrayIfE"), "__main__::racy");
        assert_eq!(demangled("plain"), "plain");
    }
}
