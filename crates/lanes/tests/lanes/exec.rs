//! `lanes exec`, with commands that need nothing of NVIDIA. What programs do that call the driver is tested in `cuda-driver`.

use std::fs;

use crate::lanes;

#[test]
fn a_command_runs_as_it_is_and_keeps_its_status() {
    for (script, status) in [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143)] {
        let output = lanes(&["exec", "--", "sh", "-c", script]);
        assert_eq!(output.status.code(), Some(status), "{script}");
    }
    let output = lanes(&["exec", "--", "sh", "-c", "echo said; echo more >&2"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "said\n");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        errors.starts_with("more\n\nnote: nothing was checked, because the command did not call the driver"),
        "{errors}"
    );
}

#[test]
fn the_driver_is_found_by_its_name_and_the_folder_is_removed() {
    let output = lanes(&[
        "exec",
        "--",
        "sh",
        "-c",
        "echo $LD_LIBRARY_PATH; ls ${LD_LIBRARY_PATH%%:*}; echo $LANES_LAUNCH",
    ]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("libcuda.so.1\n") && text.contains("libnvrtc.so\n"), "{text}");
    let folder = text.lines().next().and_then(|line| line.split(':').next()).unwrap();
    assert!(!fs::exists(folder).unwrap(), "{folder}");
}

#[test]
fn options_of_launches_are_passed_on() {
    let output = lanes(&[
        "exec",
        "--seed",
        "7",
        "--schedule",
        "random",
        "--arch",
        "9.0",
        "--",
        "sh",
        "-c",
        "echo $LANES_LAUNCH $LANES_ARCH",
    ]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text, "{\"schedule\":\"random\",\"seed\":7} 90\n");
}

#[test]
fn what_cannot_be_done_is_one_error_and_status_2() {
    for (words, said) in [
        (&["exec", "--", "no-such-program"][..], "cannot start `no-such-program`"),
        (
            &["exec", "--report", "/no/such/folder/r.xml", "--", "true"],
            "cannot write the report `/no/such/folder/r.xml`",
        ),
        (&["exec", "--arch", "12", "--", "true"], "`12` is no compute capability from 50 to 90"),
        (&["exec"], "<COMMAND>"),
    ] {
        let output = lanes(words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(said), "{errors}");
    }
}

#[test]
fn reports_are_written_in_the_formats_of_ci_systems() {
    let folder = tempfile::tempdir().unwrap();
    for (format, begins) in [("junit", "<?xml"), ("sarif", "{"), ("json", "["), ("text", "\nnote:")] {
        let path = folder.path().join(format);
        let output = lanes(&["exec", "--format", format, "--report", path.to_str().unwrap(), "--", "true"]);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{format}");
        let text = fs::read_to_string(path).unwrap();
        assert!(text.starts_with(begins), "{text}");
    }
}
