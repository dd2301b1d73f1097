//! Nothing of a learner's is lost: by many instances at once, by resets, by a full disk, by signals.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use grader::{Exercise, Version, generate};
use tempfile::TempDir;

/// A learner's folder, and where the exercises are.
struct Mine {
    folder: TempDir,
    catalogue: PathBuf,
}

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises")
}

impl Mine {
    fn new() -> Mine {
        let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        Mine { folder: tempfile::tempdir().unwrap(), catalogue }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_exercises"));
        self.finish(&mut command, line);
        command
    }

    fn finish(&self, command: &mut Command, line: &str) {
        command.args(["--compiler", "cudac", "--catalogue"]).arg(&self.catalogue).arg("--folder");
        command.arg(self.folder.path()).args(line.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }

    fn start(&self, line: &str) -> Child {
        self.command(line).spawn().unwrap()
    }

    /// Runs this and returns whether it succeeded.
    fn run(&self, line: &str) -> bool {
        self.command(line).status().unwrap().success()
    }

    fn save(&self, name: &str, text: &str) {
        fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        fs::write(self.file(name), text).unwrap();
    }

    /// The texts in a folder, with whatever names, without what an interrupted write has left.
    fn texts(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.file(folder)).into_iter().flatten();
        let files = entries.map(|entry| entry.unwrap().path());
        let whole = files.filter(|file| !file.file_name().unwrap().to_string_lossy().starts_with('.'));
        whole.filter(|file| file.is_file()).map(|file| fs::read_to_string(file).unwrap()).collect()
    }

    fn progress(&self) -> toml::Table {
        fs::read_to_string(self.file("progress.toml")).unwrap().parse().unwrap()
    }
}

/// With the exercises of the book, because they have so many hints that each lost one is missed.
#[test]
fn many_instances_at_once_lose_nothing() {
    let mine = Mine { catalogue: book(), ..Mine::new() };
    let all = grader::all(&book()).unwrap();
    let [reset, passed] = ["one_barrier", "odd_rows"].map(|name| find(&all, name));
    mine.save(&attempt(reset), "mine");
    mine.save(&attempt(passed), &generate::text(passed, &Version::Solution).unwrap());
    let others = [format!("reset {}", reset.name), format!("run {}", passed.name), "list".to_owned()];
    let hints = all.iter().flat_map(|exercise| vec![format!("hint {}", exercise.name); 2]);
    let lines: Vec<String> = others.into_iter().cycle().take(36).chain(hints).collect();
    assert!(lines.len() >= 200);
    let started: Vec<Child> = lines.iter().map(|line| mine.start(line)).collect();
    for mut child in started {
        child.wait().unwrap();
    }
    let progress = mine.progress();
    assert_eq!(progress["passed"].as_array().unwrap().len(), 1, "{progress}");
    // A reset forgets the hints of its exercise, and may come after some of them.
    for Exercise { name, hints, .. } in all.iter().filter(|exercise| exercise.name != reset.name) {
        let seen = i64::try_from(hints.len().min(2)).unwrap();
        assert_eq!(progress["hints"][name].as_integer(), Some(seen), "{name}");
    }
    assert!(mine.texts(&reset.chapter_name()).contains(&"mine".to_owned()));
}

fn find<'a>(all: &'a [Exercise], name: &str) -> &'a Exercise {
    all.iter().find(|exercise| exercise.name == name).unwrap()
}

fn attempt(exercise: &Exercise) -> String {
    format!("{}/{}", exercise.chapter_name(), exercise.file_name())
}

#[test]
fn every_reset_keeps_its_text() {
    let mine = Mine::new();
    let texts: Vec<String> = (0..4).map(|nth| format!("mine {nth}")).collect();
    for text in &texts {
        mine.save("ch02/off_by_one.ptx", text);
        assert!(mine.run("reset off_by_one"));
    }
    let kept = mine.texts("ch02");
    assert!(texts.iter().all(|text| kept.contains(text)), "{kept:?}");
}

#[test]
fn progress_that_cannot_be_understood_is_kept_each_time() {
    let mine = Mine::new();
    let texts = ["version = 2\nfinished = []\n", "passed = [", "version = 9\n", "passed = 1\n"];
    for text in texts {
        mine.save("progress.toml", text);
        assert!(mine.run("hint lost_sum"));
        assert!(mine.progress()["hints"].as_table().unwrap().contains_key("lost_sum"));
    }
    let kept = mine.texts("");
    assert!(texts.iter().all(|text| kept.contains(&(*text).to_owned())), "{kept:?}");
}

/// A shell that limits the size of a file makes every write fail, or ends the program at it.
#[cfg(unix)]
#[test]
fn a_write_that_fails_leaves_the_old_file() {
    for signal in ["trap '' XFSZ;", ""] {
        let mine = Mine::new();
        assert!(mine.run("hint lost_sum"));
        mine.save("ch02/off_by_one.ptx", "mine");
        let before = mine.progress();
        for line in
            ["hint lost_sum", "hint off_by_one", "run too_many_loads", "reset off_by_one", "reset lost_sum"]
        {
            let mut shell = Command::new("sh");
            let script = format!("{signal} ulimit -f 0; exec \"$0\" \"$@\"");
            shell.args(["-c", &script, env!("CARGO_BIN_EXE_exercises")]);
            mine.finish(&mut shell, line);
            shell.status().unwrap();
            assert_eq!(mine.progress(), before, "`{line}` after `{signal}`");
            assert_eq!(mine.texts("ch02"), ["mine"], "`{line}` after `{signal}`");
        }
        assert!(mine.run("hint lost_sum") && mine.progress() != before);
        assert!(mine.run("reset off_by_one"));
    }
}

#[test]
fn an_instance_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let mine = Mine::new();
    assert!(mine.run("hint lost_sum"));
    for nth in 0..12 {
        let text = format!("mine {nth}");
        mine.save("ch02/off_by_one.ptx", &text);
        let mut children = ["reset off_by_one", "hint off_by_one"].map(|line| mine.start(line));
        std::thread::sleep(Duration::from_micros(700 * nth));
        for child in &mut children {
            // It may have ended already.
            let _ = child.kill();
            child.wait().unwrap();
        }
        assert!(mine.progress()["hints"].as_table().unwrap().contains_key("lost_sum"));
        assert!(mine.texts("ch02").contains(&text), "{text}");
    }
    assert!(mine.run("hint lost_sum"), "no lock is left over");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_at_once() {
    let mine = Mine::new();
    for (name, line) in
        [("ch02/off_by_one.ptx", "run off_by_one"), ("ch01/first_guess.toml", "run first_guess")]
    {
        fs::create_dir_all(mine.file(name).parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(mine.file(name)).status().unwrap().success());
        let output = mine.command(line).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.contains("it is a pipe or a device"), "{said}");
        assert!(mine.run("verify") && mine.run(&line.replace("run", "reset")));
    }
    fs::remove_file(mine.file("progress.toml")).unwrap();
    assert!(Command::new("mkfifo").arg(mine.file("progress.toml")).status().unwrap().success());
    assert!(mine.run("hint lost_sum"));
}
