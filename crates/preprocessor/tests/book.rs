//! The book has no problem, and if something that it includes is removed or changed, that is a problem with a page and
//! a line.
//!
//! The tests in the second half work on a copy of the files from which the book is made.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use preprocessor::{Page, Problem, Problems};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The expanded pages of the book, or its problems.
fn expand(root: &Path) -> Result<Vec<String>, String> {
    let pages = preprocessor::pages(root).map_err(|error| format!("{error:#}"))?;
    preprocessor::expand_book(root, None, &pages).map_err(|error| format!("{error:#}"))
}

/// The expanded pages of the book as it is, or its problems. Expanding it takes seconds, so the tests share them.
static EXPANDED: LazyLock<Result<Vec<String>, String>> = LazyLock::new(|| expand(&root()));

/// The problems of a book that must have some.
fn problems(root: &Path, pages: &[Page]) -> Vec<Problem> {
    let error = preprocessor::expand_book(root, None, pages).expect_err("the book has a problem");
    error.downcast::<Problems>().expect("pages have problems").0
}

/// Checks that one of the problems is at this place and has this text.
#[track_caller]
fn has(problems: &[Problem], page: &str, line: usize, what: &str) {
    let file = format!("book/src/{page}");
    let is_it =
        |problem: &&Problem| problem.file == file && problem.line == line && problem.what.contains(what);
    let all: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert!(
        problems.iter().any(|problem| is_it(&problem)),
        "no `{what}` at {file}:{line}:\n{}",
        all.join("\n")
    );
}

#[test]
fn the_book_has_no_problem() {
    if let Err(problems) = &*EXPANDED {
        panic!("{problems}");
    }
}

#[test]
fn every_directive_is_expanded() {
    let pages = preprocessor::pages(&root()).unwrap();
    let expanded = EXPANDED.as_ref().unwrap();
    for (page, text) in pages.iter().zip(expanded) {
        // A page's title is expanded by mdBook.
        let text = text.replace("{{#title ", "");
        assert!(!text.contains("{{#") && !text.contains("{{="), "`{}` has a directive left", page.path);
    }
}

/// The ledger has every claim of the notes, as many as each note has.
#[test]
fn every_claim_is_in_the_ledger() {
    let pages = preprocessor::pages(&root()).unwrap();
    let at = pages.iter().position(|page| page.path == "ledger.md").unwrap();
    let ledger = &EXPANDED.as_ref().unwrap()[at];
    for (note, count) in [14, 18, 29, 8, 24].into_iter().enumerate() {
        for index in 1..=count {
            let entry =
                ledger.split("<section").find(|entry| entry.contains(&format!("id=\"N{note}.{index}\"")));
            let entry = entry.unwrap_or_else(|| panic!("N{note}.{index} is not in the ledger"));
            for part in ["class=\"verdict\"", "class=\"claim-evidence\"", "cargo run --bin"] {
                assert!(entry.contains(part), "N{note}.{index} has no {part}");
            }
        }
    }
}

/// A text that shows what hardware or a compiler does is useful only if a page includes it.
#[test]
fn every_text_with_known_values_is_on_a_page() {
    let pages = preprocessor::pages(&root()).unwrap();
    for folder in ["hardware", "compilers"] {
        for entry in fs::read_dir(root().join("crates/simt/tests").join(folder)).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            let directive = format!("{{{{#text {folder}/{}}}}}", file.trim_end_matches(".ptx"));
            let is_there = pages.iter().any(|page| page.text.contains(&directive));
            assert!(is_there, "no page has `{directive}`");
        }
    }
}

/// A copy of the book and of the files that it includes. What no test changes is a link to the same file, because to create
/// two thousand files takes longer than to expand the book.
struct Copy(TempDir);

impl Copy {
    fn new() -> Self {
        // Beside the build, and so on the same disk as the files.
        let copy = Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        for folder in ["book/src", "book/facts", "book/figures", "kernels", "chapters"] {
            copy_folder(&root().join(folder), &copy.path(folder), &copy_file);
        }
        let linked = "tools/benchmarks docs crates/simt/src crates/simt/tests crates/lanes/tests/letters \
                      crates/cudac/tests/supported src";
        for folder in linked.split(' ') {
            copy_folder(&root().join(folder), &copy.path(folder), &link_file);
        }
        // The learner's own files, `mine`, are no part of the book.
        for entry in fs::read_dir(root().join("exercises")).unwrap().flatten() {
            let chapter = format!("exercises/{}", entry.file_name().to_string_lossy());
            if chapter.starts_with("exercises/ch") {
                copy_folder(&entry.path(), &copy.path(&chapter), &link_file);
            }
        }
        for entry in fs::read_dir(root()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
            fs::copy(entry.path(), copy.path(&entry.file_name().to_string_lossy())).unwrap();
        }
        let copied = "book/glossary.toml book/literals.toml book/live.toml book/listings.toml crates/simt/SUPPORTED.md";
        for file in copied.split(' ') {
            fs::copy(root().join(file), copy.path(file)).unwrap();
        }
        copy
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn edit(&self, name: &str, change: impl Fn(&str) -> String) {
        let old = fs::read_to_string(self.path(name)).unwrap();
        let new = change(&old);
        assert_ne!(old, new, "the change of `{name}` changes nothing");
        // Writing to a second name would change the repository.
        fs::remove_file(self.path(name)).unwrap();
        fs::write(self.path(name), new).unwrap();
    }

    /// Changes the facts in `book/facts/NAME.json`.
    fn edit_facts(&self, name: &str, change: impl Fn(&mut serde_json::Value)) {
        self.edit(&format!("book/facts/{name}.json"), |text| {
            let mut file: serde_json::Value = serde_json::from_str(text).unwrap();
            change(&mut file["facts"]);
            file.to_string()
        });
    }

    /// Adds an exercise to chapter 2, with the kernels and the facts of another one, and a table of that chapter if the book has none.
    fn add_exercise(&self, name: &str, toml: &str) {
        let folder = self.path(&format!("exercises/ch02_reduction/{name}"));
        copy_folder(&root().join(WHOLE), &folder, &copy_file);
        fs::write(folder.join("exercise.toml"), toml).unwrap();
        self.edit_facts("exercises", |facts| {
            facts[&format!("ch02_reduction/{name}")] = facts["ch02_reduction/tail_block"].clone();
        });
        let page = self.path(LIST);
        let text = fs::read_to_string(&page).unwrap();
        if !text.contains(TABLE) {
            fs::write(page, format!("{}\n\n{TABLE}\n", text.trim_end())).unwrap();
        }
    }

    /// Checks that a book in which an exercise has this file has the problem `what` at a line of that file.
    #[track_caller]
    fn refuses_exercise(toml: &str, line: usize, what: &str) {
        let copy = Copy::new();
        copy.add_exercise("tail", toml);
        copy.has_problem_on("ch02_reduction/e", "exercises/ch02_reduction/tail/exercise.toml", line, what);
    }

    #[track_caller]
    fn has_problem(&self, file: &str, line: usize, what: &str) {
        self.has_problem_on("", file, line, what);
    }

    /// The same, but only pages whose paths begin with `start` are expanded.
    #[track_caller]
    fn has_problem_on(&self, start: &str, file: &str, line: usize, what: &str) {
        let mut pages = preprocessor::pages(self.0.path()).unwrap();
        pages.retain(|page| page.path.starts_with(start));
        let problems = problems(self.0.path(), &pages);
        let is_it = |found: &&Problem| found.file == file && found.line == line && found.what.contains(what);
        assert!(problems.iter().any(|found| is_it(&found)), "no `{what}` at {file}:{line}: {problems:?}");
    }

    /// Checks that a page has a problem on the line that contains this directive. The other pages are not expanded.
    #[track_caller]
    fn fails(&self, directive: &str, what: &str) {
        self.fails_all(&[(directive, what)]);
    }

    /// Checks that the pages with these directives have all of these problems.
    #[track_caller]
    fn fails_all(&self, all: &[(&str, &str)]) {
        let places: Vec<_> = all.iter().map(|(directive, _)| place(self.0.path(), directive)).collect();
        let mut pages = preprocessor::pages(self.0.path()).unwrap();
        pages.retain(|page| places.iter().any(|(path, _)| *path == page.path));
        let problems = problems(self.0.path(), &pages);
        for ((page, line), (_, what)) in places.iter().zip(all) {
            has(&problems, page, *line, what);
        }
    }
}

/// The first page and line that contain a text.
fn place(root: &Path, text: &str) -> (String, usize) {
    for page in preprocessor::pages(root).unwrap() {
        if let Some(line) = page.text.lines().position(|line| line.contains(text)) {
            return (page.path, line + 1);
        }
    }
    panic!("no page has `{text}`");
}

fn copy_folder(from: &Path, to: &Path, file: &dyn Fn(&Path, &Path)) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to, file);
        } else {
            file(&entry.path(), &to);
        }
    }
}

fn copy_file(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap();
}

/// Gives a file a second name. Where that is not possible, it is copied.
fn link_file(from: &Path, to: &Path) {
    if fs::hard_link(from, to).is_err() {
        copy_file(from, to);
    }
}

const LISTING: &str = "{{#code kernels/reduction.cu reduce_interleaved}}";

#[test]
fn a_copy_of_the_book_has_no_problem() {
    assert_eq!(expand(Copy::new().0.path()).err(), None);
}

#[test]
fn a_missing_anchor_is_a_problem() {
    let copy = Copy::new();
    copy.edit("kernels/reduction.cu", |text| text.replace("ANCHOR: reduce_interleaved\n", "ANCHOR: other\n"));
    // The source has changed since the PTX was made; after the PTX is made again, the anchor is still missing.
    copy.fails(LISTING, "`kernels/reduction.cu` has changed since");
    let sum = sha256(&copy.path("kernels/reduction.cu"));
    copy.edit("kernels/ptx/reduction.sm_70.ptx", |ptx| {
        let lines = ptx.lines().map(|line| match line.strip_prefix("// source sha256: ") {
            Some(_) => format!("// source sha256: {sum}"),
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    });
    copy.fails(LISTING, "there is no anchor `reduce_interleaved`");
}

#[test]
fn a_listing_without_a_launch_is_a_problem() {
    let copy = Copy::new();
    copy.edit_facts("listings", |facts| facts["saxpy"]["launch"]["kernel"] = "saxpy_other".into());
    copy.fails("{{#code kernels/saxpy.cu saxpy}}", "no launch for this listing");
}

/// A launch like this one, of a kernel in another file.
fn other_file(launch: &serde_json::Value) -> serde_json::Value {
    let mut other = launch.clone();
    other["ptx"] = "nowhere.sm_70".into();
    other
}

#[test]
fn a_launch_that_no_listing_has_is_a_problem() {
    let copy = Copy::new();
    copy.edit_facts("listings", |facts| facts["no_one_shows_it"] = other_file(&facts["saxpy"]));
    let what = "no listing shows the kernel of `no_one_shows_it`: remove it";
    copy.has_problem("book/listings.toml", 1, what);
}

#[test]
fn what_is_not_among_the_facts_is_a_problem() {
    let copy = Copy::new();
    copy.edit_facts("live", |facts| {
        facts.as_object_mut().unwrap().remove("mask_without_four");
    });
    let without = "`book/facts/live.json` has no `mask_without_four`; run `cargo xtask facts`";
    copy.fails("{{#live mask_without_four", without);
    copy.edit_facts("live", |facts| facts["warp_at_an_if"]["record"]["first"] = serde_json::json!([]));
    copy.fails("{{#live warp_at_an_if plays", "it isn't known what `warp_at_an_if` shows at each moment");
}

#[test]
fn facts_of_other_files_are_stale() {
    let copy = Copy::new();
    copy.edit("book/live.toml", |text| text.replacen("seed = ", "seed = 1", 1));
    let what = "is stale: `book/live.toml` has changed since; run `cargo xtask facts`";
    copy.has_problem_on("introduction", "book/facts/live.json", 1, what);
    copy.has_problem_on("introduction", "book/facts/answers.json", 1, what);
}

#[test]
fn a_missing_record_is_a_problem() {
    let copy = Copy::new();
    fs::remove_file(copy.path("chapters/ch02_reduction/output/sim.json")).unwrap();
    copy.fails("{{#output ch02 in_place", "there is no `chapters/ch02_reduction/output/sim.json`");
}

/// The records of all chapters on a GPU.
fn gpu_records(copy: &Copy) -> Vec<PathBuf> {
    let chapters = fs::read_dir(copy.path("chapters")).unwrap().flatten();
    chapters.map(|chapter| chapter.path().join("output/h200.json")).filter(|path| path.exists()).collect()
}

#[test]
fn without_any_record_of_a_gpu_a_draft_is_built_and_marks_what_is_missing() {
    let copy = Copy::new();
    let records = gpu_records(&copy);
    records.iter().try_for_each(fs::remove_file).unwrap();
    let pages = preprocessor::pages(copy.0.path()).unwrap();
    let (expanded, problems) = preprocessor::draft(copy.0.path(), None, &pages).unwrap();
    let without = problems.iter().filter(|problem| problem.what.contains("no record of a GPU")).count();
    assert_eq!(without, records.len());
    let other: Vec<String> = problems
        .iter()
        .filter(|problem| {
            !["no record of a GPU", "is in no record", "h200.json"]
                .iter()
                .any(|what| problem.what.contains(what))
        })
        .map(Problem::to_string)
        .collect();
    assert_eq!(other, [""; 0]);
    let of = |path: &str| &expanded[pages.iter().position(|page| page.path == path).unwrap()];
    let roofline = of("ch02_reduction/roofline.md");
    assert!(roofline.contains("<span class=\"missing\""), "a time is marked");
    assert!(roofline.contains("class=\"by-emulator") && !roofline.contains("class=\"by-gpu"));
}

#[test]
fn a_record_of_other_instructions_is_marked_and_is_not_a_problem() {
    let copy = Copy::new();
    copy.edit("chapters/ch02_reduction/output/h200.json", |json| {
        json.replacen(".sm_70.ptx\": \"", ".sm_70.ptx\": \"0", 1)
    });
    let pages = preprocessor::pages(copy.0.path()).unwrap();
    let (expanded, problems) = preprocessor::draft(copy.0.path(), None, &pages).unwrap();
    // Figures name the records from which they were drawn; `cargo xtask figures` draws them again without a GPU.
    let other = problems.iter().filter(|problem| !problem.what.contains("book/figures/")).count();
    assert_eq!(other, 0, "{problems:?}");
    let text = expanded.concat();
    assert!(text.contains("by-gpu stale") && text.contains("NVIDIA H200 (stale)"));
    assert!(text.contains("from-gpu stale"));
}

/// The profiler's report on two rows of chapter 6.
const PROFILE: &str = "chapters/ch06_laplace/output/h200_profile.csv";

#[test]
fn a_profile_of_other_instructions_is_marked() {
    let copy = Copy::new();
    copy.edit(PROFILE, |text| text.replacen(".sm_70.ptx ", ".sm_70.ptx 0", 1));
    let pages = preprocessor::pages(copy.0.path()).unwrap();
    let (expanded, _) = preprocessor::draft(copy.0.path(), None, &pages).unwrap();
    let page = &expanded[pages.iter().position(|page| page.path == "profile.md").unwrap()];
    assert!(page.contains("Occupancy (stale)") && page.contains("from-gpu stale"));
}

#[test]
fn a_section_or_metric_that_a_profile_lacks_is_a_problem() {
    let copy = Copy::new();
    copy.edit(PROFILE, |text| {
        text.replace(",Occupancy,Achieved Occupancy,", ",Occupancy,Reached Occupancy,")
    });
    copy.fails(
        "{{#profile ch06 direct_32x8,tile_32x8 Occupancy",
        "has no metric `Achieved_Occupancy`; there are ",
    );
    copy.edit(PROFILE, |text| text.replace(",Scheduler Statistics,", ",Schedulers,"));
    copy.fails(
        "{{#profile ch06 direct_32x8,tile_32x8 Scheduler_Statistics",
        "has no section `Scheduler_Statistics`",
    );
    copy.edit(PROFILE, |text| text.replace("\ntile_32x8,", "\ntile,"));
    copy.fails("{{#profile ch06 direct_32x8,tile_32x8 Launch_Statistics", "has no row `tile_32x8`");
}

/// Results of the emulator are never shown as those of the GPU, nor the other way round. Every text of each record gets
/// a mark, and no element for one machine may contain the mark of the other.
#[test]
fn results_of_one_machine_are_never_shown_as_the_others() {
    let copy = Copy::new();
    for path in gpu_records(&copy) {
        mark(&path, "MEASURED");
        mark(&path.with_file_name("sim.json"), "EMULATED");
    }
    let pages = preprocessor::pages(copy.0.path()).unwrap();
    let (expanded, _) = preprocessor::draft(copy.0.path(), None, &pages).unwrap();
    let mut elements = [0, 0];
    for text in &expanded {
        for (number, (class, own, other)) in
            [("by-gpu", "MEASURED", "EMULATED"), ("by-emulator", "EMULATED", "MEASURED")].iter().enumerate()
        {
            let mark = format!("class=\"{class}");
            for (start, _) in text.match_indices(&mark) {
                let rest = &text[start..];
                let end = ["</td>", "</th>", "</li>"].iter().filter_map(|end| rest.find(end)).min().unwrap();
                assert!(!rest[..end].contains(other), "{}", &rest[..end]);
                elements[number] +=
                    usize::from(rest[..end].contains(own) || rest[..end].contains("424,242.5"));
            }
        }
    }
    assert!(elements.iter().all(|count| *count > 100), "{elements:?}");
}

/// Adds a mark to every remark, note and cell of a record, and sets all times to one that no kernel takes.
fn mark(path: &Path, mark: &str) {
    fn walk(value: &mut serde_json::Value, mark: &str, inside: bool) {
        match value {
            serde_json::Value::Object(fields) if fields.contains_key("median_us") => {
                fields["median_us"] = 424_242.5.into();
            }
            serde_json::Value::String(text) if inside => *text = format!("{mark} {text}"),
            serde_json::Value::Array(items) => items.iter_mut().for_each(|item| walk(item, mark, inside)),
            serde_json::Value::Object(fields) => {
                for (key, field) in fields {
                    walk(field, mark, ["remarks", "notes", "cells"].contains(&key.as_str()));
                }
            }
            _ => {}
        }
    }
    let mut value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    walk(&mut value, mark, false);
    fs::write(path, value.to_string()).unwrap();
}

#[test]
fn a_missing_figure_is_a_problem() {
    let copy = Copy::new();
    fs::remove_file(copy.path("book/figures/pairs_neighbored.svg")).unwrap();
    copy.fails("{{#figure pairs_neighbored", "there is no `book/figures/pairs_neighbored.svg`");
}

#[test]
fn a_kernel_that_changed_makes_its_records_and_figures_stale() {
    let copy = Copy::new();
    copy.edit("kernels/reduction.cu", |text| format!("{text}\n"));
    copy.fails_all(&[
        ("{{#output ch02 in_place", "the record of `ch02_reduction` is stale"),
        ("{{= ch02.", "the record of `ch02_reduction` is stale"),
        ("{{#ref N1.", "the record of `ch02_reduction` is stale"),
        (LISTING, "run `cargo xtask ptx`"),
    ]);
}

#[test]
fn a_figure_of_another_kernel_is_stale() {
    let copy = Copy::new();
    copy.edit("kernels/reduction_steps.cu", |text| format!("{text}\n"));
    copy.edit("book/figures/pairs_neighbored.svg", |svg| svg.replacen(" sha256 ", " sha256 0", 1));
    copy.fails("{{#figure pairs_neighbored", "is stale");
}

/// Checks that each of these texts, at the end of a page, is a problem with this message.
#[track_caller]
fn refuses(all: &[(&str, &str)]) {
    let mut pages = preprocessor::pages(&root()).unwrap();
    pages.retain(|page| page.path == "ch02_reduction.md");
    let page = &mut pages[0];
    let mut lines = Vec::new();
    for (text, _) in all {
        lines.push(page.text.trim_end().lines().count() + 2);
        page.text = format!("{}\n\n{text}\n", page.text.trim_end());
    }
    let problems = problems(&root(), &pages);
    for ((_, what), line) in all.iter().zip(lines) {
        has(&problems, "ch02_reduction.md", line, what);
    }
}

#[test]
fn names_of_things_that_do_not_exist_are_refused() {
    refuses(&[
        ("{{#ref N9.1}}", "no chapter decides a claim `N9.1`"),
        ("{{= ch02.reduce_interleaved.nonesuch}}", "the row has no `nonesuch`"),
        ("{{#term nonesuch}}", "has no term `nonesuch`"),
        ("{{#nonesuch}}", "there is no directive"),
        ("{{#output ch02 in_place table rows=reduce_interleaved}}", "`table` has all rows"),
        ("[there](nonesuch.md)", "the link `nonesuch.md` leads to no page"),
        ("{{#include ../../README.md}}", "mdBook's own"),
        (
            "```sh\ncargo run --bin ch02_reduction -- --only nonesuch\n```",
            "no section, row or picture `nonesuch`",
        ),
        ("```sh\ncargo run --bin ch02_reduction -- --claim N0.1\n```", "does not decide `N0.1`"),
    ]);
}

#[test]
fn numbers_and_output_written_by_hand_are_refused() {
    refuses(&[
        ("it loads 4,276,224 sectors", "is a number by hand"),
        ("```text\na\nb\nc\nd\n```", "is written by hand"),
        ("$\\frac{1}{$", "does not parse"),
    ]);
}

const LIST: &str = "book/src/ch02_reduction/exercises.md";
const TABLE: &str = "{{#exercises ch02}}";
const EXERCISE: &str = "title = \"The tail <block>\"\norder = 1\nkind = \"fix\"\nminutes = 10\n\
                        page = \"ch02_reduction/edges.md\"\nkernel = \"sum\"\n";

/// An exercise with everything that the grader needs.
const WHOLE: &str = "exercises/ch02_reduction/tail_block";

#[test]
fn an_exercise_is_shown_on_its_page_and_in_its_chapter() {
    let copy = Copy::new();
    let whole = fs::read_to_string(root().join(WHOLE).join("exercise.toml")).unwrap();
    copy.add_exercise("tail_of_all", &whole.replace("The tail block", "The tail <block>"));
    let expanded = expand(copy.0.path()).unwrap_or_else(|problems| panic!("{problems}"));
    let pages = preprocessor::pages(copy.0.path()).unwrap();
    let text = |path: &str| &expanded[pages.iter().position(|page| page.path == path).unwrap()];
    let (page, list) = (text("ch02_reduction/edges.md"), text("ch02_reduction/exercises.md"));
    for text in [page, list] {
        assert!(text.contains("The tail &lt;block&gt;"), "{text}");
        assert!(text.contains("cargo run --bin exercises -- watch tail&#95;of&#95;all"), "{text}");
    }
    assert!(page.contains("fix, 10 minutes"), "{page}");
    assert!(page.contains("href=\"../ch02_reduction/exercises.html#exercise-tail-of-all\""), "{page}");
    assert!(list.contains("id=\"exercise-tail-of-all\""), "{list}");
    assert!(list.contains("<div class=\"solve\" data-exercise=\"tail&#95;of&#95;all\" hidden>"), "{list}");
    assert!(list.contains("href=\"../ch02_reduction/edges.html\""), "{list}");
    assert!(!text("introduction.md").contains("class=\"practise\""));
}

#[test]
fn an_exercise_that_no_reader_would_find_is_refused() {
    Copy::refuses_exercise(
        &EXERCISE.replace("edges.md", "nonesuch.md"),
        5,
        "`page` is `ch02_reduction/nonesuch.md`, which `SUMMARY.md` does not list",
    );
    Copy::refuses_exercise(&EXERCISE.replace("= 10", "= \"ten\""), 4, "invalid type");
    Copy::refuses_exercise(&EXERCISE.replace("title", "name"), 1, "missing field `title`");
    let copy = Copy::new();
    copy.add_exercise("tail", EXERCISE);
    copy.edit(LIST, |text| text.replace(TABLE, ""));
    copy.has_problem_on(
        "ch02_reduction/e",
        "exercises/ch02_reduction/tail/exercise.toml",
        5,
        "no page lists the exercises of `ch02`",
    );
}

#[test]
fn a_chapter_without_exercises_has_no_table() {
    refuses(&[
        ("{{#exercises ch77}}", "there are no exercises in `exercises/ch77`"),
        ("{{#exercises}}", "name a chapter"),
    ]);
}

fn sha256(file: &Path) -> String {
    nvrtc::CudaFile::read(file).unwrap().sha256()
}

/// mdBook starts a renderer in the folder that it writes, where Cargo finds no package; a preprocessor it starts in the book.
#[test]
fn the_book_can_be_built_into_any_folder() {
    let text = fs::read_to_string(root().join("book/book.toml")).unwrap();
    let config: toml::Table = text.parse().unwrap();
    let renderers: Vec<&String> = config["output"].as_table().unwrap().keys().collect();
    assert_eq!(renderers, ["html"]);
    assert!(!text.contains("--quiet"), "a first build shows its progress");
}

/// Who builds the book first waits for this program to be compiled.
#[test]
fn the_preprocessor_is_small() {
    let manifest: toml::Table =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap().parse().unwrap();
    let is_large = |name: &&String| ["simt", "cudac", "grader", "page", "lanes"].contains(&name.as_str());
    let large = manifest["dependencies"].as_table().unwrap().keys().find(is_large);
    assert_eq!(large, None, "it contains the emulator, the compiler or the grader");
}
