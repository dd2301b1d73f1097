//! The commands as a learner types them, with the exercises of `tests/fixtures` and the built-in compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A learner's folder, and the program that works in it.
struct Shell {
    folder: TempDir,
}

impl Shell {
    fn new() -> Shell {
        Shell { folder: tempfile::tempdir().unwrap() }
    }

    fn run(&self, args: &[&str]) -> Output {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        Command::new(env!("CARGO_BIN_EXE_exercises"))
            .args(["--compiler", "cudac", "--catalogue"])
            .arg(fixtures)
            .args(["--folder", "mine"])
            .args(args)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// Checks the status, and returns what is printed.
    #[track_caller]
    fn prints(&self, status: i32, args: &[&str]) -> String {
        let output = self.run(args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{args:?}: {out}{err}");
        assert!(!out.contains('\x1b'), "no escape codes in a pipe: {out:?}");
        // A path that is longer than a line is not broken.
        assert!(out.lines().all(|line| line.chars().count() <= 80 || !line.contains(' ')), "{out}");
        out
    }

    /// Checks that a command fails with one line.
    #[track_caller]
    fn refuses(&self, args: &[&str], message: &str) {
        let output = self.run(args);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {err}");
        assert!(err.starts_with("error: ") && err.contains(message) && err.lines().count() == 1, "{err}");
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("mine").join(name)
    }

    /// Saves a learner's file.
    fn save(&self, name: &str, text: &str) {
        fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        fs::write(self.file(name), text).unwrap();
    }

    fn solve(&self) {
        self.save(
            "ch01/first_guess.toml",
            "store = \"0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30\"\nsix = \"6\"\n",
        );
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap().replace("\r\n", "\n")
}

#[test]
fn without_a_terminal_the_next_exercise_is_run_once() {
    let shell = Shell::new();
    let text = shell.prints(1, &[]);
    assert!(text.contains("no answer yet") && text.contains("run first_guess"), "{text}");
    assert!(shell.prints(1, &["watch", "off_by_one"]).contains("Off by one"));
    shell.refuses(&["watch", "off_by_two"], "did you mean `off_by_one`?");
    shell.solve();
    assert!(shell.prints(0, &[]).contains("Passed: "));
    assert!(shell.prints(1, &[]).contains("run lost_sum"), "the next one");
}

/// Every kind of exercise is graded: a prediction, CUDA to fix and to improve, and PTX.
#[test]
fn a_learner_with_nothing_installed_gets_to_the_end() {
    let shell = Shell::new();
    shell.solve();
    assert!(!shell.prints(0, &["run", "first_guess"]).contains("compiled by"));
    assert!(shell.prints(1, &["run", "off_by_one"]).contains("Refused: out of bounds"));
    let solve = |name: &str, file: &str| {
        let solution = shell.prints(0, &["solution", name, "--spoil"]);
        shell.save(file, solution.split("\nThis is").next().unwrap());
        shell.prints(0, &["run", file])
    };
    assert!(solve("off_by_one", "ch02/off_by_one.ptx").contains("What to take away: An array of n"));
    let starter = shell.prints(1, &["run", "lost_sum"]);
    assert!(
        starter.contains("Refused: race") && starter.contains("compiled by cudac 0.1 (sm_70)"),
        "{starter}"
    );
    assert!(starter.contains("lost_sum.cu:"), "a fault has its line: {starter}");
    assert!(solve("lost_sum", "ch01/lost_sum.cu").contains("compiled by cudac 0.1 (sm_70)"));
    assert!(shell.prints(1, &["run", "too_many_loads"]).contains("Refused: too expensive"));
    assert!(solve("too_many_loads", "ch02/too_many_loads.cu").contains("the solution has "));
    assert!(shell.prints(0, &["list"]).contains("4 of 4 passed"));
    assert_eq!(shell.prints(0, &[]), "All exercises are passed.\n");
}

#[test]
fn what_does_not_compile_is_refused_with_every_error_and_its_place() {
    let shell = Shell::new();
    shell.save(
        "ch01/lost_sum.cu",
        "extern \"C\" __global__ void lost_sum(int* x) {\n    x[0] = y;\n    x[1] = z;\n}\n",
    );
    let text = shell.prints(1, &["run", "lost_sum"]);
    assert!(text.contains("Refused: does not compile"), "{text}");
    for place in ["lost_sum.cu:2:12: error: ", "lost_sum.cu:3:12: error: "] {
        assert!(text.contains(place), "{text}");
    }
    assert_eq!(text.matches('^').count(), 2, "{text}");
}

#[test]
fn nvrtc_that_is_asked_for_and_missing_is_an_error_with_a_remedy() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_exercises"));
    program.args(["--compiler", "nvrtc", "list"]).env("NVRTC_PATH", "/nowhere/libnvrtc.so.12");
    let output = program.output().unwrap();
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.starts_with("error: `NVRTC_PATH` names") && err.lines().count() == 1, "{err}");
}

#[test]
fn hints_come_one_at_a_time_and_are_remembered() {
    let shell = Shell::new();
    let count = |text: String| text.matches("Hint ").count();
    assert_eq!(count(shell.prints(0, &["hint", "lost_sum"])), 1);
    assert_eq!(count(shell.prints(0, &["hint", "lost_sum"])), 2);
    assert_eq!(count(shell.prints(0, &["hint", "lost_sum"])), 3);
    let last = shell.prints(0, &["hint", "lost_sum"]);
    assert!(last.contains("There are no more hints"), "{last}");
}

#[test]
fn without_a_name_the_next_open_exercise_is_meant() {
    let shell = Shell::new();
    assert!(shell.prints(0, &["hint"]).starts_with("About `first_guess`:\nHint 1 of "));
    assert!(shell.prints(1, &["run"]).contains("first_guess"));
}

#[test]
fn a_refusal_has_the_command_that_shows_the_launch() {
    let text = Shell::new().prints(1, &["run", "lost_sum"]);
    assert!(text.contains("To look closer at this launch"), "{text}");
    assert!(
        text.contains("\n  cargo run --bin lanes -- run ") && text.contains(" --kernel lost_sum "),
        "{text}"
    );
}

#[test]
fn a_solution_is_shown_after_passing() {
    let shell = Shell::new();
    shell.refuses(&["solution", "first_guess"], "`--spoil` shows the solution now");
    shell.solve();
    shell.prints(0, &["run", "first_guess"]);
    let solution = shell.prints(0, &["solution", "first_guess"]);
    assert!(solution.contains("six = \"6\""), "{solution}");
}

#[test]
fn verify_says_what_no_longer_passes() {
    let shell = Shell::new();
    assert_eq!(shell.prints(0, &["verify"]), "you have not started an exercise yet\n");
    assert!(shell.prints(0, &["verify", "first_guess"]).contains("has no file"));
    shell.solve();
    assert!(shell.prints(0, &["verify"]).contains("1 of 1 that were started pass, 0 no longer do"));
    shell.save("ch01/first_guess.toml", "store = \"0-31\"\nsix = \"6\"\n");
    assert!(shell.prints(1, &["verify", "first_guess"]).contains("refused: wrong answer, but was passed"));
    assert!(shell.prints(0, &["list"]).contains("1 of 4 passed"), "it stays passed");
}

#[test]
fn reset_begins_again_and_keeps_the_old_text() {
    let shell = Shell::new();
    shell.solve();
    shell.prints(0, &["run", "first_guess"]);
    let told = shell.prints(0, &["reset", "first_guess"]);
    assert!(told.contains("first_guess.toml.old"), "{told}");
    assert!(fs::read_to_string(shell.file("ch01/first_guess.toml.old")).unwrap().contains("0, 2"));
    assert!(shell.prints(0, &["list"]).contains("0 of 4 passed"));
    shell.solve();
    shell.prints(0, &["run", "first_guess"]);
    shell.prints(0, &["reset", "--all"]);
    assert!(shell.prints(0, &["list"]).contains("0 of 4 passed"));
}

#[test]
fn what_cannot_be_done_is_one_line_with_a_remedy() {
    let shell = Shell::new();
    shell.refuses(&["run", "lost_sun"], "did you mean `lost_sum`?");
    shell.refuses(&["run", "zzz"], "`list` prints all of them");
    shell.refuses(&["reset"], "`--all`");
    shell.refuses(&["reset", "lost_sum", "--all"], "cannot be used with");
    shell.refuses(&["lits"], "`list`");
    shell.refuses(&["--sise"], "unexpected argument `--sise`");
    shell.refuses(&["--catalogue", "nowhere", "list"], "`nowhere`");
    shell.save("ch02/off_by_one.ptx/folder", "");
    shell.refuses(&["run", "off_by_one"], "it is a directory");
}

#[test]
fn a_kernel_that_cannot_be_read_is_refused_and_no_panic() {
    let shell = Shell::new();
    for broken in ["", "\n\n", "no PTX", ".visible .entry", "\u{0}\u{1}", &"(".repeat(100_000)] {
        shell.save("ch02/off_by_one.ptx", broken);
        assert!(shell.prints(1, &["run", "off_by_one"]).contains("Refused: "));
    }
}

#[test]
fn progress_that_cannot_be_written_fails_nothing_else() {
    let shell = Shell::new();
    shell.solve();
    // A folder in the place of the file: it can be neither read nor replaced, but it can be moved aside.
    fs::create_dir_all(shell.file("progress.toml")).unwrap();
    let output = shell.run(&["run", "first_guess"]);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(err.contains("progress.broken.toml"), "{err}");
    assert!(shell.prints(0, &["list"]).contains("1 of 4 passed"));
}

/// A checkout with the exercises of the fixtures.
fn checkout() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("Cargo.toml"), "[package]\nname = \"thirty-two-lanes\"\n").unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"), &root.path().join("exercises"));
    root
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Runs the program in a folder, without naming the exercises.
fn run_in(folder: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_exercises"));
    program
        .args(["--compiler", "cudac"])
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn the_checkout_that_the_learner_is_in_gets_their_files() {
    let root = checkout();
    let below = root.path().join("exercises/ch02");
    let output = run_in(&below, &["run", "off_by_one"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(root.path().join("exercises/mine/ch02/off_by_one.ptx").is_file());
    let list = text(&run_in(root.path(), &["list"]).stdout);
    assert!(list.contains("0 of 4 passed"), "{list}");
}

#[test]
fn outside_of_a_checkout_the_exercises_are_those_of_the_build() {
    let (elsewhere, mine) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let list = |folder: &Path| run_in(folder, &["list", "--folder", mine.path().to_str().unwrap()]);
    let found = list(elsewhere.path());
    assert_eq!(found.status.code(), Some(0), "{}", text(&found.stderr));
    assert_eq!(
        text(&found.stdout),
        text(&list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises")).stdout)
    );
}
