//! A page may not show what answers its own question: each refusal, and beside it a page that differs a little and passes.
//!
//! The pages are made up, and what they include is the book's.

use std::path::Path;

use preprocessor::Page;

const PATH: &str = "made_up.md";

/// The expanded page, and its problems with their lines.
fn expand(text: &str) -> (String, Vec<(usize, String)>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = Page { path: PATH.to_owned(), text: format!("# T\n{text}") };
    let (mut expanded, problems) = preprocessor::draft(&root, None, &[page]).unwrap();
    let here = problems.into_iter().filter(|problem| problem.file.ends_with(PATH));
    // What every page needs is not the subject here.
    let other = here.filter(|problem| !problem.what.starts_with("the page has no"));
    (expanded.remove(0), other.map(|problem| (problem.line, problem.what)).collect())
}

/// Checks that a page is refused, at this line and with these words.
#[track_caller]
fn refuses(text: &str, line: usize, what: &str) {
    let (_, problems) = expand(text);
    let is_it = |(at, said): &(usize, String)| *at == line && said.contains(what);
    assert!(problems.iter().any(is_it), "no `{what}` at {line}: {problems:?}\n{text}");
}

#[track_caller]
fn passes(text: &str) -> String {
    let (expanded, problems) = expand(text);
    assert_eq!(problems, [], "{text}");
    expanded
}

/// A question, with something before it and something in its answer.
fn page(before: &str, guess: &str, answer: &str) -> String {
    format!("{before}\n{{{{#predict}}}}\n{{{{#guess {guess} | How?}}}}\n{{{{#reveal}}}}\n{answer}\n")
}

const COUNT: &str = "number ch01.warp_halved.ptx_instructions";
const FAULT: &str = "choice yes: ch03.tail_no_barrier.fault = race; no: ch03.tail_no_barrier.fault = none";
const LANES: &str = "lanes warp_at_an_if \"z[i] = sqrtf(x[i])\"";
const FEWER: &str = "choice fewer: ch01.warp_agrees.ptx_lanes < ch01.sqrt_mixed.ptx_lanes; more: ch01.warp_agrees.ptx_lanes > ch01.sqrt_mixed.ptx_lanes";

#[test]
fn the_number_that_is_asked_for() {
    let number = "{{= ch01.warp_halved.ptx_instructions}}";
    refuses(&page(number, COUNT, ""), 2, "the number here");
    passes(&page("{{= ch01.warp_agrees.ptx_instructions}}", COUNT, number));
    // Another value of the same size is a hint as long as it is near.
    let same = "{{= ch01.warp_halved.ptx_branches * 6}}";
    refuses(&page(same, COUNT, ""), 2, "the number 24");
    passes(&page(&format!("{same}\n# A"), COUNT, ""));
}

#[test]
fn what_a_played_launch_counted() {
    let asked = "number live.block_of_512.global_load_requests";
    let sectors = "{{= live.block_of_512.global_load_sectors}}";
    refuses(&page("{{#live block_of_512}}", asked, ""), 2, "the live figure `block_of_512`");
    refuses(&page("{{= live.block_of_512.global_load_requests}}", asked, ""), 2, "the number 32");
    passes(&page(sectors, asked, "{{#live block_of_512}}"));
    passes(&page("{{#live blocks_of_48}}", asked, ""));
}

#[test]
fn the_expression_that_is_asked_for() {
    let expression = "ch01.warp_halved.ptx_instructions / ch01.warp_halved.ptx_branches";
    let asked = format!("number {expression}");
    refuses(&page(&format!("{{{{= {expression} | .0}}}}"), &asked, ""), 2, "the number 6");
    passes(&page("{{= ch01.warp_halved.ptx_instructions - 18}}", &asked, ""));
}

#[test]
fn a_number_in_the_evidence_of_a_claim() {
    let asked = "number ch01.lists_100.ptx_instructions";
    refuses(&page("{{#claim N2.6}}", asked, ""), 2, "in `N2.6`");
    passes(&page("{{#claim N2.4}}", asked, "{{#claim N2.6}}"));
}

#[test]
fn a_large_number_that_is_typed() {
    let wrong = "number ch01.math_precedence.wrong";
    refuses(&page("There are 5,120 threads.", wrong, ""), 2, "the number 5120");
    passes(&page("There are 5,121 threads.", wrong, "There are 5,120 threads."));
}

#[test]
fn a_table_with_the_row() {
    let table = |rows: &str| format!("{{{{#output ch01 warp rows={rows}}}}}");
    refuses(&page(&table("warp_agrees,warp_halved"), COUNT, ""), 2, "the table or fault here");
    passes(&page(&table("warp_agrees"), COUNT, &table("warp_halved")));
    passes(&page("{{#output ch01 warp picture=warp_halved_lanes}}", COUNT, ""));
}

#[test]
fn a_profile_of_the_row_shows_its_profile_and_no_counter() {
    let profile = "{{#profile ch06 direct_32x8,tile_32x8 Occupancy}}";
    passes(&page(profile, "number ch06.direct_32x8.warps", ""));
    let busy = "choice yes: ch06.direct_32x8.profile:Occupancy/Achieved_Occupancy > 50; no: ch06.direct_32x8.profile:Occupancy/Achieved_Occupancy <= 50";
    refuses(&page(profile, busy, ""), 2, "the profile here");
    passes(&page(&profile.replace("Occupancy", "Launch_Statistics"), busy, profile));
}

#[test]
fn a_fault_of_the_row() {
    let fault = "{{#fault ch03 tail_no_barrier}}";
    refuses(&page(fault, FAULT, ""), 2, "the table or fault here");
    refuses(&page("", FAULT, &format!("# A\n{fault}")), 7, "which marks lines above");
    passes(&page("{{#fault ch03 tail_unguarded}}", FAULT, fault));
}

#[test]
fn a_verdict() {
    let verdict = "choice yes: N0.3 = holds; no: N0.3 = wrong";
    for shown in ["{{#claim N0.3}}", "It says so ({{#ref N0.3}})."] {
        refuses(&page(shown, verdict, ""), 2, "the verdict here");
        passes(&page(&shown.replace("N0.3", "N0.2"), verdict, shown));
    }
}

#[test]
fn a_live_figure_of_the_launch_and_the_drawing_above_it() {
    let (drawing, live) = ("{{#figure divergence_masks | c}}", "{{#live warp_at_an_if}}");
    let both = format!("{drawing}\n\n{live}");
    refuses(&page(live, LANES, ""), 2, "the live figure `warp_at_an_if`");
    refuses(&page(drawing, LANES, &both), 2, "the figure `divergence_masks`");
    passes(&page("{{#figure divergence_sorted | c}}\n\n{{#live worst_case}}", LANES, &both));
}

#[test]
fn a_live_figure_of_the_kernel_that_the_row_is_named_after() {
    let wrong = "number ch01.math_precedence.wrong";
    refuses(&page("{{#live precedence}}", wrong, ""), 2, "the live figure `precedence`");
    passes(&page("{{#live worst_case}}", wrong, "{{#live precedence}}"));
}

#[test]
fn a_comparison_is_answered_by_both_sides() {
    let (one, other) = ("{{= ch01.warp_agrees.ptx_lanes}}", "{{= ch01.sqrt_mixed.ptx_lanes}}");
    refuses(&page(&format!("{one}\n{other}"), FEWER, ""), 3, "with what is above it");
    passes(&page(one, FEWER, other));
}

#[test]
fn beside_the_question_and_in_it() {
    let number = "{{= ch01.warp_halved.ptx_instructions}}";
    refuses(&page("", COUNT, &format!("a\n{{{{#end}}}}\n{number}")), 8, "the number here");
    passes(&page("", COUNT, &format!("a\n{{{{#end}}}}\n# A\n{number}")));
    let inside = page("", COUNT, "").replace("{{#predict}}\n", &format!("{{{{#predict}}}}\n{number}\n"));
    refuses(&inside, 4, "the number here");
}

#[test]
fn the_next_question_of_a_section_is_asked_in_the_answer_to_the_first() {
    let number = "{{= ch01.warp_halved.ptx_instructions}}";
    let second = page("", FEWER, number);
    passes(&page("", COUNT, &second));
    // What an answer shows, a later question may not ask for.
    let again = page("", COUNT, "");
    refuses(&page("", FEWER, &format!("{number}\n{again}")), 6, "the number here");
    passes(&page("", FEWER, &format!("# A\n{again}")));
}

#[test]
fn a_choice_is_decided_by_the_records() {
    let choice = |choices: &str| page("", &format!("choice {choices}"), "");
    passes(&choice("yes: 1 < 2 and 2 >= 2; no: 1 >= 2; perhaps: 2 <= 1"));
    refuses(&choice("yes: 1 < 2; no: 2 > 1"), 4, "here it is yes and no");
    refuses(&choice("yes: 1 > 2; no: 2 = 1"), 4, "here it is none");
    refuses(&choice("yes: ch03.tail_no_barrier.fault < race; no: 2 < 1"), 4, "is a word");
    refuses(&choice("yes: ch03.nowhere.fault = race; no: 2 < 1"), 4, "nowhere");
}

/// The page's own listing may not tell, neither where it is read nor where it is edited.
#[test]
fn comments_and_marks_above_a_question_are_hidden_until_it_is_answered() {
    let listing = "{{#code kernels/locks.cu rounds_no_fence}}";
    let asked = "number ch05.rounds_no_fence.gpu_lost";
    let fault = "{{#fault ch05 rounds_no_fence}}";
    let hidden = passes(&page(listing, asked, fault));
    let shut = " data-answer=\"predict-1\"";
    assert!(hidden.contains(&format!("<span class=\"answer\"{shut}>  // race</span>")));
    assert!(hidden.contains(&format!("<span class=\"row marked\"{shut} id=")));
    assert!(hidden.contains(&format!("<span class=\"answer\"{shut}>. <span class=\"named-lines\">")));
    assert!(!hidden.contains("lock = 0;    // race"), "the text that is edited tells");
    let shown = passes(&format!("{fault}\n{listing}\n"));
    assert!(shown.contains("count += 1;  // race</span>") && !shown.contains(shut));
    assert!(shown.contains("<span class=\"row marked\" id="));
}

#[test]
fn the_first_page_of_a_chapter_answers_no_question_of_the_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let told = |first: &str, asked: &str| {
        let made_up = |path: &str, text: &str| Page { path: path.to_owned(), text: format!("# T\n{text}\n") };
        let pages = [made_up(PATH, first), made_up("made_up/later.md", asked)];
        let (_, problems) = preprocessor::draft(&root, None, &pages).unwrap();
        let of_other = problems.into_iter().filter(|problem| problem.what.contains("`made_up/later.md`"));
        of_other.map(|problem| (problem.file, problem.line, problem.what)).collect::<Vec<_>>()
    };
    let number = told("\n{{= ch01.warp_halved.ptx_instructions}}", &page("", COUNT, ""));
    let what = "the number here, with what is above it, answers the question on line 4 of `made_up/later.md`";
    assert!(number.contains(&("book/src/made_up.md".to_owned(), 3, what.to_owned())), "{number:?}");
    let verdict = page("", "choice yes: S7.1 = holds; no: S7.1 = wrong", "");
    assert_eq!(told("{{#ref S7.1}}", &verdict).len(), 1);
    assert_eq!(told("{{#asks S7.1}}", &verdict), []);
    let lanes = page("", LANES, "");
    assert_eq!(told("{{#live warp_at_an_if}}", &lanes).len(), 1);
    assert_eq!(told("", &lanes), []);
}
