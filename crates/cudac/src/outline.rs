//! What a text seems to contain, before it is compiled: `main`, and templates of kernels.
//!
//! Only tokens are looked at, and those that are wrong are skipped: the text may be meant for another compiler. Macros are not
//! expanded.

use std::sync::Arc;

use bumpalo::Bump;

use crate::Source;
use crate::lex::{Kind, Token, lex_all_the_same};
use crate::source::Names;
use crate::source::arena::Arena;
use crate::source::headers::Headers;

/// Whether a text, or a file that it includes, has the word `main` with a parenthesis after it.
pub fn has_main(source: &Source<'_>, headers: Option<&dyn Headers>) -> bool {
    let mut seen = Vec::new();
    let mut waiting = vec![(source.name.to_owned(), Arc::from(source.text))];
    while let Some((key, text)) = waiting.pop() {
        let bump = Bump::new();
        let tokens = lex_all_the_same(&mut Names::new(Arena::new(&bump)), &text);
        if tokens.windows(2).any(|pair| pair[0].is_word("main") && pair[1].is("(")) {
            return true;
        }
        for directive in tokens.windows(3) {
            let Kind::Text(name) = directive[2].kind else { continue };
            let is_include = directive[0].is("#") && directive[1].is_word("include");
            let name = str::from_utf8(name).ok().filter(|_| is_include && seen.len() < MOST_FILES);
            // What cannot be read is reported by the compiler.
            let found =
                name.zip(headers).and_then(|(name, headers)| headers.find(name, true, &key).ok().flatten());
            if let Some(found) = found.filter(|found| !seen.contains(&found.key)) {
                seen.push(found.key.clone());
                waiting.push((found.key, found.text));
            }
        }
    }
    false
}

/// So many included files are looked at.
const MOST_FILES: usize = 1000;

/// The names of the templates of kernels: after `template <…>`, what is in front of the parameters of a `__global__`
/// function.
pub fn kernel_templates(text: &str) -> Vec<String> {
    let bump = Bump::new();
    let tokens = lex_all_the_same(&mut Names::new(Arena::new(&bump)), text);
    let mut found = Vec::new();
    for start in (0..tokens.len()).filter(|at| tokens[*at].is_word("template")) {
        let name = kernel(&tokens[start + 1..]).filter(|name| !found.contains(name));
        found.extend(name);
    }
    found
}

/// The name of the kernel whose template has these tokens after `template`.
fn kernel(tokens: &[Token<'_>]) -> Option<String> {
    let mut depth = 0;
    let closes = |token: &Token<'_>| {
        depth += i32::from(token.is("<")) - i32::from(token.is(">")) - 2 * i32::from(token.is(">>"));
        depth <= 0
    };
    let end = tokens.iter().position(closes).filter(|end| *end > 0)?;
    let mut head = tokens[end + 1..].split(|token| token.is("{") || token.is(";")).next()?;
    head = &head[head.iter().position(|token| token.is_word("__global__"))?..];
    let name = head.iter().rposition(|token| token.is_word("void"))? + 1;
    head.get(name + 1).filter(|after| after.is("("))?;
    Some(head[name].word()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_is_a_word_before_a_parenthesis() {
        for text in [
            "int main() {}",
            "void f();\nint main (void)",
            "int main\n(int argc)",
            "char c = '\\''; int main() {}",
            "char* s = u8\"é\"; char c = 'né'; // don't\n#error don't\nint main() {}",
        ] {
            assert!(has_main(&Source { name: "a.cu", text }, None), "{text}");
        }
        for text in [
            "void domain(int x)",
            "int mainly() {}",
            "// the main loop",
            "int main_loop()",
            "char* s = \"main (\";",
            "// main (see below)\nvoid f();",
            "/* main( */ int x;",
            "/* main(",
            "char c = '\"'; // main(",
        ] {
            assert!(!has_main(&Source { name: "a.cu", text }, None), "{text}");
        }
    }

    #[test]
    fn templates_of_kernels_are_named() {
        let text = "template <typename T, int N = (1 < 2)> __device__ T f(T x) { return x; }\n\
                    template <typename T>\n__global__ __launch_bounds__(32)\nvoid scale(T* x) {}\n\
                    template <typename T, typename = vec<vec<T>>> __global__ void twice(T*);\n\
                    template <> __global__ void other<int>(int* x) {}\ntemplate";
        assert_eq!(kernel_templates(text), ["scale", "twice"]);
    }
}
