//! `--check-launches`: launches that repeat earlier ones, of which not all are checked for races.

use std::path::PathBuf;

use super::{file, lanes, object, stderr, stdout};

/// A program that launches a kernel fifty times, with another body.
fn program(name: &str, body: &str) -> PathBuf {
    let text = format!(
        "__global__ void step(int* x) {{\n{body}\n}}\nint main() {{ int* x; cudaMalloc(&x, 256); cudaMemset(x, 0, 256);
        for (int i = 0; i < 50; i++) step<<<1, 64>>>(x); cudaDeviceSynchronize(); cudaFree(x); }}"
    );
    file(name, text.as_bytes())
}

#[test]
fn the_report_says_what_was_not_checked_and_how_it_is() {
    let path = program("repeats.cu", "x[threadIdx.x]++;");
    let run = |options: &[&str]| lanes(&[&["run", path.to_str().unwrap()], options].concat());
    // The first 17 are checked, and the 34th.
    let said = "note: 32 of 50 launches of `step` were not checked for races, because they repeat";
    for (options, said) in [(&[][..], said), (&["--check-launches", "10"], &said.replace("32", "36"))] {
        let output = run(options);
        let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains(said) && text.ends_with("`--check-launches all` checks every launch"),
            "{text}"
        );
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    }
    let none: [&[&str]; 5] = [
        &["--check-launches", "all"],
        &["--check-launches", "1"],
        &["--check-launches", "50"],
        &["--check", "init,sync"],
        &["--check", "none"],
    ];
    for options in none {
        assert_eq!(stdout(&run(options)), "", "{options:?}");
        assert_eq!(object(&run(&[options, &["--json"]].concat()))["unchecked"], serde_json::json!([]));
    }
    let unchecked = serde_json::json!([{ "kernel": "step", "unchecked": 32, "launches": 50 }]);
    assert_eq!(object(&run(&["--json"]))["unchecked"], unchecked);
}

#[test]
fn a_race_in_every_launch_is_found_and_repeated_with_the_same_option() {
    let path = program("repeats_race.cu", "*x = threadIdx.x;");
    let run = |options: &[&str]| lanes(&[&["run", path.to_str().unwrap()], options].concat());
    for options in [&[][..], &["--check-launches", "2"], &["--check-launches", "all"]] {
        let output = run(options);
        assert!(stdout(&output).contains("race at ") && output.status.code() == Some(1), "{options:?}");
    }
    let found = run(&["--seeds", "0..2", "--check-launches", "2"]);
    let replay = stdout(&found).lines().find(|line| line.starts_with("replay: ")).unwrap();
    assert!(replay.contains(" --check-launches 2 "), "{replay}");
    assert!(!stdout(&run(&["--seeds", "0..2"])).contains(" --check-launches 17"));
}

#[test]
fn a_kernel_alone_is_always_checked() {
    let path = program("repeats_kernel.cu", "x[threadIdx.x]++;");
    let output = lanes(&[
        "run",
        path.to_str().unwrap(),
        "--kernel",
        "step",
        "--arg",
        "buf:i32:64:zeros",
        "--check-launches",
        "3",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("of a kernel every launch is checked: omit it"), "{}", stderr(&output));
}

#[test]
fn what_is_no_number_of_launches_is_one_error_and_status_2() {
    let path = program("repeats_bad.cu", "x[threadIdx.x]++;");
    for wrong in ["0", "-1", "some", "1.5", ""] {
        for words in [&["run", path.to_str().unwrap()][..], &["exec"]] {
            let rest = if words.len() == 1 { &["--", "true"][..] } else { &[] };
            let output = lanes(&[words, &["--check-launches", wrong], rest].concat());
            let said = stderr(&output);
            assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{wrong}: {said}");
            assert!(
                said.contains("write `all`, or how many launches are checked at first"),
                "{wrong}: {said}"
            );
        }
    }
}
