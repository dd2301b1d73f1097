//! `lanes exec`, with commands that need nothing of NVIDIA. What programs do that call the driver is tested in `cuda-driver`.

use std::fs;

use serde_json::Value;

use crate::scenarios::MOVE;
use crate::{lanes, object};

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

/// A kernel whose pointers lie in a structure, behind an alignment and within another one.
const SCALE: &str = "\
struct Ends { const float* from; float* to; };
struct Work { char sign; float factor; Ends ends; long long unused[4]; int count; };
extern \"C\" __global__ void scale(Work work) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < work.count) { work.ends.to[i] = work.sign * work.factor * work.ends.from[i]; }
}
";

#[test]
fn a_kernel_gets_structures_with_addresses_and_tensor_maps_through_the_driver() {
    let folder = tempfile::tempdir().unwrap();
    let scale = "--buffer x=f32:100:iota --buffer y=f32:100:zeros --grid 4 --expect y=like=wanted \
                 --buffer wanted=f32:100:iota --arg {i8:1,f32:1,{x,y},i64:0,i64:0,i64:0,i64:0,i32:100}";
    let maps = "--arch 90 --buffer a=f32:60:iota --buffer b=f32:8:zeros --expect b=list=32,33,34,0,44,45,46,0 \
                --arg {tensor_map=a,type=f32,sizes=[11,5],strides=[48],box=[8,4]} \
                --arg {tensor_map=b,type=f32,sizes=[4,2],box=[8,4]} --arg i32:8 --arg i32:2";
    for (name, text, options, compared) in [("scale.cu", SCALE, scale, 2), ("move.cu", MOVE, maps, 2)] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let mut words =
            vec!["exec", "--arch", "90", "--", env!("CARGO_BIN_EXE_lanes"), "run", path.to_str().unwrap()];
        words.extend("--compiler cudac --device gpu --json".split(' ').chain(options.split_whitespace()));
        let output = lanes(&words);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let run = object(&output);
        assert_eq!(
            (&run["gpu"]["compared"], &run["gpu"]["withheld"]),
            (&compared.into(), &Value::Null),
            "{run}"
        );
        assert_eq!(run["gpu"]["differences"], serde_json::json!([]), "{run}");
    }
}
