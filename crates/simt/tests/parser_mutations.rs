//! Texts that no programmer would write: the parser must return a tree or an error, and never panic.
//!
//! Mutations of well-formed texts reach more of the grammar than random bytes do. The generator and its seed are fixed,
//! so a failure repeats; the message names the round.

use std::panic::catch_unwind;

use simt::ptx::parse;
use test_support::Random;

const SEEDS: [&str; 2] = [include_str!("parser/everything.ptx"), include_str!("parser/reduce.ptx")];
const ROUNDS: u64 = 20_000;

/// A range of at most 40 bytes in a text of this length.
fn range(random: &mut Random, length: usize) -> std::ops::Range<usize> {
    let start = random.below(length);
    start..(start + 1 + random.below(40)).min(length)
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(8) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = b"{}[]()<>.,:;@!|%+-*/\"\n\0_0"[random.below(25)],
        2 => drop(bytes.drain(range(random, bytes.len()))),
        3 => {
            let piece = bytes[range(random, bytes.len())].to_vec();
            bytes.splice(at..at, piece);
        }
        4 => bytes.truncate(at),
        5 => swap_words(bytes, random),
        6 => {
            let digits = ["99999999999999999999", "0x", "-", "4294967295", "0f", "1e999", "%", "<<", "::"];
            bytes.splice(at..at, digits[random.below(digits.len())].bytes());
        }
        _ => {
            let open = [b'{', b'(', b'[', b'-', b'!'][random.below(5)];
            bytes.splice(at..at, std::iter::repeat_n(open, random.below(200)));
        }
    }
}

fn swap_words(bytes: &mut Vec<u8>, random: &mut Random) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut words: Vec<&str> = text.split_inclusive([' ', '\t', '\n', ',', ';']).collect();
    let (a, b) = (random.below(words.len()), random.below(words.len()));
    words.swap(a, b);
    *bytes = words.concat().into_bytes();
}

#[test]
fn no_text_makes_the_parser_panic() {
    let mut random = Random::new(0);
    let mut read = 0;
    for round in 0..ROUNDS {
        let mut bytes = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &mut random);
        }
        let text = String::from_utf8_lossy(&bytes);
        let result = catch_unwind(|| check(&text));
        read += u64::from(result.unwrap_or_else(|_| panic!("round {round} panicked:\n{text}")));
    }
    // If mutations always broke the text, only its first line would be tested.
    assert!(read > ROUNDS / 50 && read < ROUNDS / 2, "{read} of {ROUNDS} texts were read");
}

/// Whether the text is accepted; if it is not, the error's place must be inside the text.
fn check(text: &str) -> bool {
    let Err(error) = parse(text) else { return true };
    let lines = text.matches('\n').count() + 1;
    assert!((1..=lines).contains(&(error.line as usize)), "{error}");
    assert!(!error.message.contains('\n') && error.message.len() < 300, "{error}");
    false
}

#[test]
fn a_cut_text_says_where_it_ends() {
    for seed in SEEDS {
        for end in (0..seed.len()).filter(|&end| seed.is_char_boundary(end)) {
            if let Err(error) = parse(&seed[..end]) {
                assert!(error.line as usize <= seed[..end].matches('\n').count() + 1, "{error}");
            }
        }
    }
}
