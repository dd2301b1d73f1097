//! The files of the built pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use book_tests::{Rules, Site, make, problems};

use crate::{ADDRESS, book, repository};

#[test]
fn no_page_has_a_problem() {
    let site = Site::read(&book().out).unwrap();
    let found = problems(&site, Rules { repository: repository(), address: ADDRESS });
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
}

/// Someone may have kept a link to a page whose address has changed.
#[test]
fn old_addresses_lead_to_pages() {
    let site = Site::read(&book().out).unwrap();
    assert!(site.forwards.len() > 90, "only {} old addresses lead anywhere", site.forwards.len());
    for (from, target) in &site.forwards {
        let to = target.strip_prefix("../").unwrap_or(target);
        assert_eq!(from.matches('/').count(), target.matches("../").count(), "{from}: {target}");
        assert!(site.pages.contains_key(to), "`{from}` leads to `{to}`, which is not there");
    }
}

/// A report is one table for all machines; heads over the columns name the machine that they are from.
#[test]
fn reports_say_which_machine_their_columns_are_from() {
    let site = Site::read(&book().out).unwrap();
    let select = |selector: &str| scraper::Selector::parse(selector).unwrap();
    let (report, group) = (select(".output table.report"), select("thead th[scope=colgroup]"));
    let (cell, output) = (select("tbody tr:first-child > *"), select(".output"));
    let mut measured = 0;
    for (name, page) in site.written() {
        for table in page.html.select(&report) {
            let spans: usize = table
                .select(&group)
                .map(|head| head.attr("colspan").and_then(|span| span.parse().ok()).unwrap_or(1))
                .sum();
            assert_eq!(table.select(&cell).count(), spans + 1, "{name}: the heads are of other columns");
            let of = |class: &str| {
                let mut heads = table
                    .select(&group)
                    .filter(|head| head.attr("class").unwrap_or_default().contains(class));
                heads.next().map(|head| head.text().collect::<String>())
            };
            assert_eq!(of("by-emulator").as_deref(), Some("emulator"), "{name}");
            measured += usize::from(of("by-gpu").is_some_and(|gpu| gpu.starts_with("NVIDIA ")));
        }
        let mut outputs: Vec<String> = page.html.select(&output).map(|output| output.html()).collect();
        let all = outputs.len();
        outputs.sort();
        outputs.dedup();
        assert_eq!(all, outputs.len(), "{name}: an output is there twice");
    }
    assert!(measured > 50, "{measured} tables have a column of a GPU");
}

/// If a page explains *another* in the GPU's column, it must show a table that contains it. `reading.html` explains all
/// words.
#[test]
fn a_result_that_a_page_explains_is_in_one_of_its_tables() {
    let site = Site::read(&book().out).unwrap();
    let select = |selector: &str| scraper::Selector::parse(selector).unwrap();
    let (word, cell) = (select("main :is(em, code)"), select(".report td.by-gpu"));
    for (name, page) in site.written().filter(|(name, _)| *name != "reading.html") {
        let has = |selector| page.html.select(selector).any(|part| part.text().eq(["another"]));
        assert!(!has(&word) || has(&cell), "{name}: no table has the result `another`");
    }
}

/// mdBook's own index had 6.5 megabytes, and the first result took two seconds.
#[test]
fn the_texts_of_the_search_are_small() {
    let bytes = fs::metadata(book().out.join("assets/texts.js")).unwrap().len();
    assert!(bytes <= 1_300_000, "{bytes} bytes");
}

#[test]
fn the_chinese_of_the_glossary_is_in_the_texts_that_the_search_reads() {
    let index = fs::read_to_string(book().out.join("assets/texts.js")).unwrap();
    for (number, line) in
        fs::read_to_string(repository().join("book/glossary.toml")).unwrap().lines().enumerate()
    {
        if let Some(chinese) = line.strip_prefix("chinese = \"") {
            let chinese = chinese.trim_end_matches('"');
            assert!(
                index.contains(chinese),
                "book/glossary.toml:{}: `{chinese}` is not in the index",
                number + 1
            );
        }
    }
}

/// `mdbook-katex` writes HTML for the style sheets of one version of KaTeX.
#[test]
fn the_styles_are_of_the_katex_that_sets_the_formulas() {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--features=toolchain", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let katex = packages.iter().find(|package| package["name"] == "katex").expect("katex is a dependency");
    let manifest = Path::new(katex["manifest_path"].as_str().unwrap());
    let version = fs::read_to_string(manifest.with_file_name("KATEX-VERSION")).unwrap();
    let styles = fs::read_to_string(repository().join("book/src/assets/katex/katex.min.css")).unwrap();
    assert!(styles.contains(&format!("content:\"{}\"", version.trim())), "the styles are not of {version}");
}

/// A book with these pages, in a folder of its own.
fn sample(pages: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(
        folder.path().join("book.toml"),
        "[book]\nlanguage = \"en\"\n[preprocessor.katex]\nno-css = true\n",
    )
    .unwrap();
    let mut summary = "# Summary\n\n".to_owned();
    for (name, text) in pages {
        summary.extend(["- [", name, "](", name, ".md)\n"]);
        fs::write(folder.path().join(format!("src/{name}.md")), text).unwrap();
    }
    fs::write(folder.path().join("src/SUMMARY.md"), summary).unwrap();
    folder
}

#[test]
fn a_formula_that_does_not_parse_is_named_with_page_and_line() {
    let folder =
        sample(&[("one", "# One\n\nIt is $x^2$.\n"), ("two", "# Two\n\nfine\n\nnot: $\\frac{1}$\n")]);
    let error = make(folder.path(), &folder.path().join("out"), ADDRESS).unwrap_err();
    assert!(format!("{error:#}").contains("two.md:5: the formula `\\frac{1}` does not parse"), "{error:#}");
}

/// Each check finds its problem in a book that has one.
#[test]
fn each_check_finds_its_problem() {
    let page = "# One\n\n### Deep\n\n# Again\n\n[gone](two.html) [place](#nowhere) [plain](http://example.com)\n\n\
                [file](https://repository.invalid/lanes/blob/main/kernels/nonesuch.cu) \
                [line](https://repository.invalid/lanes/blob/main/LICENSE-MIT#L9999)\n\n\
                ![](assets/a.png) <img src=\"https://example.com/b.png\" alt=\"b\">\n\n\
                <p id=\"twice\" style=\"background: url(https://example.com/c.png)\"></p><p id=\"twice\"></p>\n\n\
                <svg role=\"img\"></svg> <aside></aside> <code>$a$</code> $$\n";
    let folder = sample(&[("one", page)]);
    let out = folder.path().join("out");
    make(folder.path(), &out, ADDRESS).unwrap();
    fs::write(out.join("own.css"), "@import 'https://example.com/d.css'; /* url(https://example.com/no) */")
        .unwrap();
    let site = Site::read(&out).unwrap();
    let found = problems(&site, Rules { repository: repository(), address: ADDRESS });
    for (file, problem) in [
        ("one.html", "the heading `Deep` skips a level below `One`"),
        ("one.html", "the heading `Again` is a second title"),
        ("one.html", "the link `two.html` leads to `two.html`, which is not there"),
        ("one.html", "the link `#nowhere` leads to `#nowhere`, which `one.html` does not have"),
        ("one.html", "the link `http://example.com` is not by https"),
        ("one.html", "leads to `kernels/nonesuch.cu`, which the repository does not have"),
        ("one.html", "leads to line 9999 of `LICENSE-MIT`"),
        ("one.html", "the image `assets/a.png` has no text"),
        ("one.html", "loads `assets/a.png`, which is not there"),
        ("one.html", "loads `https://example.com/b.png`, which is not on the site"),
        ("one.html", "loads `https://example.com/c.png`, which is not on the site"),
        ("one.html", "the id `twice` stands there twice"),
        ("one.html", "a drawing has no text"),
        ("one.html", "<aside> has no label"),
        ("one.html", "a formula is not set: `$$`"),
        ("own.css", "loads `https://example.com/d.css`, which is not on the site"),
    ] {
        let is_said = |said: &&String| said.starts_with(&format!("{file}: ")) && said.contains(problem);
        assert!(found.iter().find(is_said).is_some(), "`{problem}` is not found:\n{}", found.join("\n"));
    }
    assert!(!found.iter().any(|said| said.contains("example.com/no") || said.contains("`$a$`")), "{found:?}");
}

/// What players, editors and exercises need is not printed.
/// mdBook would join all chapters to a page of ten megabytes.
#[test]
fn there_is_no_page_of_all_chapters() {
    assert!(!book().out.join("print.html").exists());
}
