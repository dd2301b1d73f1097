//! The examples work, and each is as short as an example has to be.

#[allow(dead_code)]
#[path = "../examples/course.rs"]
mod course;
#[allow(dead_code)]
#[path = "../examples/fuzz.rs"]
mod fuzz;

#[test]
fn a_fuzzer_finds_the_fault_once_and_repeats_it() {
    let found = fuzz::search(0..1000).unwrap();
    assert_eq!(found.matches("out-of-bounds: just past the end of `bins`").count(), 1, "{found}");
    assert_eq!(found.matches("replay:").count(), 1, "{found}");
    let seed = found.split("fuzz -- ").nth(1).unwrap().trim().parse::<u64>().unwrap();
    assert_eq!(fuzz::search(seed..seed + 1).unwrap(), found);
    assert_eq!(fuzz::search(0..seed).unwrap(), "", "the seeds before it find nothing");
}

#[test]
fn a_course_explains_a_fault_and_compares_costs() {
    let feedback = course::feedback("ada").unwrap();
    assert!(
        feedback.starts_with("ada: race at element ")
            && feedback.contains("of `tile`\n  thread ")
            && feedback.contains(" read: `ld.shared.u32"),
        "{feedback}"
    );
    assert!(
        feedback.contains(" wrote: `st.shared.u32") && feedback.contains("__syncthreads()"),
        "{feedback}"
    );
    let costs = "grace: right; its loads touch 16 sectors of global memory, and 8 are enough\n";
    assert_eq!(course::feedback("grace").unwrap(), costs);
    assert_eq!(course::feedback("teacher").unwrap(), "teacher: right; and as cheap as can be\n");
}

#[test]
fn examples_are_short() {
    for text in [include_str!("../examples/course.rs"), include_str!("../examples/fuzz.rs")] {
        assert!(text.lines().count() < 60, "{} lines", text.lines().count());
    }
}
