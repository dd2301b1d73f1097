//! CUDA source, compiled when it is run. If there is no compiler, the tests named `…_skipped_without_a_compiler` say so
//! and pass.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use simt::FaultKind;

use crate::{GOOD, assert_refused, command, file, lanes, object, stdout, words};

fn has_compiler() -> bool {
    let found = nvrtc::Compiler::find();
    if let Err(error) = &found {
        eprintln!("skipped: {error}");
    }
    found.is_ok()
}

fn run(path: &Path, options: &str) -> Output {
    let line = ["run", path.to_str().unwrap()].into_iter().chain(options.split_whitespace());
    lanes(&line.collect::<Vec<_>>())
}

#[test]
fn without_a_compiler_the_message_names_the_remedy() {
    let line = ["run", "kernels/saxpy.cu"];
    let output = command(&line).env("NVRTC_PATH", "/nowhere/libnvrtc.so.12").output().unwrap();
    let message = "`kernels/saxpy.cu` has to be compiled, but `NVRTC_PATH` names `/nowhere/libnvrtc.so.12`";
    assert_refused(&output, message, "no compiler");
}

#[test]
fn cuda_is_run_and_listed_skipped_without_a_compiler() {
    if !has_compiler() {
        return;
    }
    let output = words(&format!("run kernels/saxpy.cu {GOOD} --print 2:1"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for part in ["saxpy of kernels/saxpy.cu, for sm_", "compiled by CUDA 1", "saxpy.cu:14", "no fault"] {
        assert!(stdout(&output).contains(part), "`{part}` is not in: {}", stdout(&output));
    }
    let list = object(&words("list kernels/saxpy.cu --arch compute_80 --json"));
    assert_eq!((&list["target_sm"], &list["kernels"][0]["name"]), (&80.into(), &"saxpy".into()));
    assert!(list["compiler"].as_str().unwrap().starts_with("CUDA "));
}

#[test]
fn headers_in_the_folder_of_the_file_are_found_skipped_without_a_compiler() {
    if !has_compiler() {
        return;
    }
    file("number.h", b"#define NUMBER 42\n");
    let text = "#include \"number.h\"\n__global__ void store(int* x) { x[threadIdx.x] = NUMBER; }\n";
    let path = file("header.cu", text.as_bytes());
    let output = run(&path, "--kernel store --arg buf:i32:32:zeros --print 0:1");
    assert!(stdout(&output).contains("0:  42"), "{output:?}");
}

#[test]
fn the_compilers_log_is_shown_skipped_without_a_compiler() {
    if !has_compiler() {
        return;
    }
    let path = file("wrong.cu", b"__global__ void f() {\n  int x = y;\n}\n");
    let output = run(&path, "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.starts_with("error: `wrong.cu` does not compile:\n"), "{said}");
    assert!(said.contains("wrong.cu(2): error: identifier \"y\" is undefined"), "{said}");
    assert_refused(&run(&path, "--json"), "`wrong.cu` does not compile: wrong.cu(2): error", "as JSON");
    assert_refused(&run(&path, "--arch compute_20"), "does not compile for `sm_20`", "too old");
    assert_refused(&run(&file("one.cu", b"__global__ void f(int* x) {}\n"), ""), "takes 1 argument (", "one");
    assert_refused(&run(&file("none.cu", b"__device__ int f();\n"), ""), "has no kernel", "no kernel");
    let needless = file("needless.cu", b"#include <cstdio>\n__global__ void f() { printf(\"hi\"); }\n");
    let said = run(&needless, "").stderr;
    assert!(String::from_utf8_lossy(&said).contains("help: remove the `#include`: `printf`"), "{said:?}");
    let template = file("template.cu", b"template <int N> __global__ void f(int* x) { *x = N; }\n");
    assert_refused(&run(&template, ""), "or templates that nobody uses", "a template");
    let host = file("host.cu", b"#include <vector>\nint main() {}\n");
    let said = run(&host, "").stderr;
    assert!(String::from_utf8_lossy(&said).contains("help: only device code is compiled here"), "{host:?}");
}

/// The lines below a heading of a text of `lanes explain`, up to the first empty line after which no code follows.
fn section(text: &str, heading: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("\n{heading}\n"))?;
    let lines = rest.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    Some(lines.map(|line| line.trim_start_matches("    ").to_owned() + "\n").collect())
}

#[test]
fn examples_of_explain_have_the_result_they_show_skipped_without_a_compiler() {
    if !has_compiler() {
        return;
    }
    for kind in FaultKind::ALL {
        let name = kind.name();
        let explained = words(&format!("explain {name}"));
        let Some(line) = section(stdout(&explained), "Try it") else {
            assert_eq!(kind, FaultKind::UseAfterFree, "its example is of the host");
            continue;
        };
        let path =
            file(&format!("explain_{name}.cu"), section(stdout(&explained), "Example").unwrap().as_bytes());
        let options = line.trim().strip_prefix("lanes run example.cu").unwrap();
        let bound = if options.contains("--max-steps") { "" } else { "--max-steps 100000" };
        let output = run(&path, &format!("{options} {bound} --json"));
        assert!(output.status.code() < Some(2), "{name}: {output:?}");
        let found = object(&output)["faults"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["kind"].clone())
            .collect::<Vec<_>>();
        assert!(found.contains(&Value::from(name)), "{name}: {found:?}");
    }
}
