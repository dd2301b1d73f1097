//! Compares the results of the committed solutions with independent functions in Rust.
//!
//! The grader trusts the solutions, so these have to be right. The functions for a chapter are in its file. An exercise
//! without one fails.

mod ch01;
mod ch02;
mod ch03;
mod ch04;
mod ch05;
mod ch06;
mod ch07;
mod ch08;
mod ch09;
mod ch10;
mod ch11;

use std::collections::BTreeMap;
use std::path::Path;

use grader::memory::{Memory, after};
use grader::{Exercise, Kind, SEEDS};

/// The inputs of a run, and the expected results.
pub struct Form<'m> {
    before: &'m Memory,
    expected: BTreeMap<String, Vec<u8>>,
}

macro_rules! typed {
    ($($read:ident $write:ident $ty:ty),*) => {$(
        /// The elements of a buffer before the run.
        #[allow(dead_code)]
        pub fn $read(&self, name: &str) -> Vec<$ty> {
            let bytes = self.before.buffers.get(name).unwrap_or_else(|| panic!("there is no buffer `{name}`"));
            let (elements, _) = bytes.as_chunks();
            elements.iter().map(|element| <$ty>::from_le_bytes(*element)).collect()
        }

        /// Sets what a buffer must contain after the run.
        #[allow(dead_code)]
        pub fn $write(&mut self, name: &str, values: &[$ty]) {
            self.expected.insert(name.to_owned(), values.iter().flat_map(|value| value.to_le_bytes()).collect());
        }
    )*};
}

impl Form<'_> {
    typed!(i32s expect_i32s i32, u32s expect_u32s u32, f32s expect_f32s f32, u64s expect_u64s u64, u8s expect_u8s u8);

    /// A value of the case, `n`.
    #[allow(dead_code)]
    pub fn number(&self, name: &str) -> usize {
        let value = self.before.case.get(name).and_then(grader::catalogue::Setting::as_integer);
        value.unwrap_or_else(|| panic!("the case has no number `{name}`")) as usize
    }
}

/// Computes the expected results of an exercise.
pub type Function = fn(&mut Form<'_>);

/// Compares all exercises of a chapter with their closed forms.
fn check_chapter(chapter: u32, forms: &[(&str, Function)]) {
    let all = grader::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises")).unwrap();
    let is_here = |exercise: &&Exercise| exercise.chapter == chapter && exercise.kind != Kind::Predict;
    let mut forms: BTreeMap<&str, Function> = forms.iter().copied().collect();
    for exercise in all.iter().filter(is_here) {
        let form = forms.remove(exercise.name.as_str());
        check(exercise, form.unwrap_or_else(|| panic!("`{}` has no closed form", exercise.name)));
    }
    assert!(forms.is_empty(), "there are no exercises {:?}", forms.keys());
}

macro_rules! chapters {
    ($($chapter:ident $number:literal),*) => {$(
        #[test]
        fn $chapter() {
            check_chapter($number, crate::$chapter::FORMS);
        }
    )*};
}

mod chapter {
    use super::check_chapter;

    chapters!(ch01 1, ch02 2, ch03 3, ch04 4, ch05 5, ch06 6, ch07 7, ch08 8, ch09 9, ch10 10, ch11 11);
}

fn check(exercise: &Exercise, form: Function) {
    for case in &exercise.cases {
        for seed in 0..SEEDS {
            let (before, mut after) = after(exercise, case, seed).unwrap();
            let mut expected = Form { before: &before, expected: BTreeMap::new() };
            form(&mut expected);
            let name = &exercise.name;
            assert!(!expected.expected.is_empty(), "{name}: nothing is expected");
            for argument in exercise.results() {
                let at = format!("{name}, `{}`, {case:?}, seed {seed}", argument.name);
                let mut must =
                    expected.expected.remove(&argument.name).unwrap_or_else(|| panic!("{at}: not expected"));
                let is = after.buffers.get_mut(&argument.name).unwrap();
                if argument.is_in_any_order() {
                    sort(&mut must);
                    sort(is);
                }
                assert_same(&at, is, &must, argument.tolerance);
            }
            assert!(expected.expected.is_empty(), "{name}: {:?} are no results", expected.expected.keys());
        }
    }
}

/// Sorts elements of four bytes; no other size is compared in any order.
fn sort(bytes: &mut [u8]) {
    bytes.as_chunks_mut::<4>().0.sort_unstable();
}

fn assert_same(at: &str, is: &[u8], must: &[u8], tolerance: Option<f64>) {
    let Some(tolerance) = tolerance else {
        let first = is.iter().zip(must).position(|(is, must)| is != must);
        assert!(
            is.len() == must.len() && first.is_none(),
            "{at}: differs in byte {first:?}\n{is:?}\n{must:?}"
        );
        return;
    };
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.as_chunks().0.iter().map(|element| f32::from_le_bytes(*element)).collect()
    };
    let (is, must) = (floats(is), floats(must));
    let margin = must.iter().fold(0.0_f32, |most, value| most.max(value.abs())) * tolerance as f32;
    assert!(is.iter().zip(&must).all(|(is, must)| (is - must).abs() <= margin), "{at}: {is:?} {must:?}");
}
