//! CUDA source, compiled when it is run: by cudac, which is always available, and by NVRTC if it is installed. If it is
//! not, the tests named `…_skipped_without_nvrtc` say so and pass.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use simt::FaultKind;

use crate::{GOOD, assert_refused, command, file, lanes, object, root, stdout, words};

fn has_nvrtc() -> bool {
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

const CUDAC: &str = "--compiler cudac";

#[test]
fn a_missing_nvrtc_that_was_asked_for_is_an_error_with_the_remedy() {
    let message = "`kernels/saxpy.cu` has to be compiled, but `NVRTC_PATH` names `/nowhere/libnvrtc.so.12`";
    for options in ["", "--compiler nvrtc"] {
        let line: Vec<&str> =
            ["run", "kernels/saxpy.cu"].into_iter().chain(options.split_whitespace()).collect();
        let output = command(&line).env("NVRTC_PATH", "/nowhere/libnvrtc.so.12").output().unwrap();
        assert_refused(&output, message, "no compiler");
    }
}

#[test]
fn without_nvrtc_cudac_compiles_skipped_with_nvrtc() {
    let line = format!("run kernels/saxpy.cu {GOOD}");
    let line: Vec<&str> = line.split_whitespace().collect();
    let output = command(&line).env_clear().output().unwrap();
    let text = stdout(&output);
    if text.contains("compiled by NVRTC") {
        eprintln!("skipped: NVRTC is found even without environment variables");
        return;
    }
    assert!(text.contains("saxpy of kernels/saxpy.cu, compiled by cudac 0.1 (sm_70)"), "{output:?}");
    let asked = line.iter().copied().chain(["--compiler", "nvrtc"]).collect::<Vec<_>>();
    let output = command(&asked).env_clear().output().unwrap();
    assert_refused(&output, "no CUDA compiler found", "nvrtc is asked for");
    assert_refused(&output, "exercises -- setup", "the remedy");
}

#[test]
fn cudac_runs_and_lists_cuda() {
    let output = words(&format!("run kernels/saxpy.cu {GOOD} --print 2:1 {CUDAC}"));
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{output:?}");
    for part in ["saxpy of kernels/saxpy.cu, compiled by cudac 0.1 (sm_70)", "saxpy.cu:14", "no fault"] {
        assert!(stdout(&output).contains(part), "`{part}` is not in: {}", stdout(&output));
    }
    let list = object(&words(&format!("list kernels/saxpy.cu --arch compute_80 --json {CUDAC}")));
    assert_eq!((&list["target_sm"], &list["kernels"][0]["name"]), (&80.into(), &"saxpy".into()));
    assert_eq!(list["compiler"], "cudac 0.1 (sm_80)");
    let list = words(&format!("list kernels/saxpy.cu {CUDAC}"));
    assert!(
        stdout(&list).starts_with("kernels/saxpy.cu: compiled by cudac 0.1 (sm_70), 1 kernel\n"),
        "{list:?}"
    );
}

/// The README asks the reader to save this kernel, to run it, and to see a race.
#[test]
fn the_readmes_kernel_has_a_race() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (_, rest) = readme.split_once("```cuda\n").unwrap();
    let (kernel, _) = rest.split_once("```").unwrap();
    assert!(readme.contains("cargo run --bin lanes -- run my.cu\n"));
    let path = file("my.cu", kernel.as_bytes());
    let line = ["run", path.to_str().unwrap(), "--compiler", "cudac"];
    let output = command(&line).env_clear().output().unwrap();
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for part in ["  the sum is 496\n", "error: race: ", "of `part` in shared memory", "my.cu:7: read here"] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[test]
fn the_compiler_is_part_of_the_replay() {
    let path = file("out.cu", b"__global__ void f(int* x) { x[threadIdx.x] = 1; }\n");
    let output = run(&path, &format!("--arg buf:i32:8:zeros {CUDAC}"));
    let replay = stdout(&output).lines().find(|line| line.contains("replay: ")).unwrap();
    assert!(replay.contains("--compiler cudac"), "{replay}");
}

/// The program has two errors and a warning, each of which is printed with its line and a caret.
#[test]
fn errors_of_cudac_are_printed_unchanged() {
    let path = file("two.cu", b"__global__ void f(int* x) {\n  x[0] = y;\n  x[1] = z;\n}\n");
    let output = run(&path, CUDAC);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.starts_with("error: `two.cu` does not compile:\ntwo.cu:2:10: error: "), "{said}");
    assert!(said.contains("\ntwo.cu:3:10: error: ") && said.matches('^').count() == 2, "{said}");
    assert_refused(
        &run(&path, &format!("--json {CUDAC}")),
        "`two.cu` does not compile: two.cu:2:10",
        "as JSON",
    );
    let path = file("shift.cu", b"__global__ void f(int* x) {\n  *x = *x << 40;\n}\n");
    let output = run(&path, &format!("--block 1 --arg buf:i32:1:zeros {CUDAC}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(said.starts_with("shift.cu:2:") && said.contains(": warning: "), "{said}");
    let output = run(&path, &format!("--block 1 --arg buf:i32:1:zeros {CUDAC} --json"));
    assert!(output.stderr.is_empty());
    assert!(object(&output)["warnings"][0].as_str().unwrap().contains("warning: "), "{output:?}");
}

#[test]
fn unsupported_code_is_named_together_with_the_way_to_nvrtc() {
    let random = file("random.cu", b"#include <curand_kernel.h>\n__global__ void f() {}\n");
    let said = run(&random, CUDAC).stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("the header `curand_kernel.h` is not available"), "{said}");
    assert!(said.contains("`cargo run --bin exercises -- setup` installs it"), "{said}");
    let path = file("old.cu", b"__global__ void f() {}\n");
    assert_refused(
        &run(&path, &format!("--arch compute_20 {CUDAC}")),
        "cudac does not compile for `sm_20`",
        "too old",
    );
    assert_refused(
        &run(&path, "--compiler gcc"),
        "a compiler is `cudac`, `nvrtc` or `clang`",
        "another compiler",
    );
    let ptx = words(&format!("list kernels/ptx/saxpy.sm_70.ptx {CUDAC}"));
    assert_refused(&ptx, "there is nothing to compile: omit `--compiler`", "PTX");
    let none = file("none_cudac.cu", b"__device__ int f() { return 1; }\n");
    assert_refused(&run(&none, CUDAC), "has no kernel", "no kernel");
}

#[test]
fn nvrtc_runs_and_lists_cuda_skipped_without_nvrtc() {
    if !has_nvrtc() {
        return;
    }
    let output = words(&format!("run kernels/saxpy.cu {GOOD} --print 2:1"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for part in ["saxpy of kernels/saxpy.cu, compiled by NVRTC 1", "saxpy.cu:14", "no fault"] {
        assert!(stdout(&output).contains(part), "`{part}` is not in: {}", stdout(&output));
    }
    let list = object(&words("list kernels/saxpy.cu --arch compute_80 --json"));
    assert_eq!((&list["target_sm"], &list["kernels"][0]["name"]), (&80.into(), &"saxpy".into()));
    assert!(list["compiler"].as_str().unwrap().starts_with("NVRTC "));
}

#[test]
fn headers_in_the_folder_of_the_file_are_found_skipped_without_nvrtc() {
    if !has_nvrtc() {
        return;
    }
    file("number.h", b"#define NUMBER 42\n");
    let text = "#include \"number.h\"\n__global__ void store(int* x) { x[threadIdx.x] = NUMBER; }\n";
    let path = file("header.cu", text.as_bytes());
    let output = run(&path, "--kernel store --arg buf:i32:32:zeros --print 0:1");
    assert!(stdout(&output).contains("0:  42"), "{output:?}");
}

#[test]
fn the_compilers_log_is_shown_skipped_without_nvrtc() {
    if !has_nvrtc() {
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
    assert_refused(&run(&template, ""), "A template becomes a kernel if it is named", "a template");
    let host = file("host.cu", b"#include <vector>\n__global__ void f() {}\n");
    let said = run(&host, "").stderr;
    assert!(String::from_utf8_lossy(&said).contains("help: only device code is compiled here"), "{said:?}");
}

/// The lines below a heading of a text of `lanes explain`, up to the first empty line after which no code follows.
fn section(text: &str, heading: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("\n{heading}\n"))?;
    let lines = rest.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    Some(lines.map(|line| line.trim_start_matches("    ").to_owned() + "\n").collect())
}

/// The result of the example of a text of `lanes explain`, if it has a command; and the command.
fn tried(name: &str, more: &str) -> Option<(std::process::Output, String)> {
    let told = words(&format!("explain {name}"));
    let line = section(stdout(&told), "Try it")?;
    let path = file(&format!("explain_{name}.cu"), section(stdout(&told), "Example").unwrap().as_bytes());
    let (command, options) = line.trim().strip_prefix("lanes ").unwrap().split_once(" example.cu").unwrap();
    let options = format!("{command} {} {options} {CUDAC} {more}", path.display());
    Some((words(&options), options))
}

/// Topics of `lanes explain` that are neither faults nor advice.
const REMARKS: [&str; 4] = ["stale-read", "missing-finding", "counter", "contents"];

#[test]
fn advice_and_remarks_are_explained_with_examples_that_have_them() {
    let listed = words("explain");
    let names = stdout(&listed).lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let is_advice = |name: &&str| {
        let faults = FaultKind::ALL.map(FaultKind::name).into_iter();
        let known = faults.chain(cuda_host::Kind::OF_PROGRAMS.map(cuda_host::Kind::name)).chain(REMARKS);
        !name.is_empty() && !known.into_iter().any(|known| known == *name)
    };
    let advice: Vec<&str> = names.filter(is_advice).collect();
    assert!(advice.contains(&"sectors"), "{advice:?}");
    for kind in advice {
        let (output, options) = tried(kind, "").unwrap();
        assert!(stdout(&output).contains(&format!("\n  - {kind}: ")), "{options}: {output:?}");
    }
    let (stale, _) = tried("stale-read", "").unwrap();
    assert!(stdout(&stale).contains("stale read"), "{stale:?}");
    let (contents, _) = tried("contents", "").unwrap();
    assert!(stdout(&contents).contains("is 2.0, and should be 1.0"), "{contents:?}");
    assert!(tried("counter", "").is_none() && tried("missing-finding", "").is_none());
}

#[test]
fn examples_of_explain_have_the_result_they_show() {
    for kind in FaultKind::ALL {
        let name = kind.name();
        let told = words(&format!("explain {name}"));
        let Some(line) = section(stdout(&told), "Try it") else {
            assert_eq!(kind, FaultKind::UseAfterFree, "its example is of the host");
            continue;
        };
        let path = file(&format!("explain_{name}.cu"), section(stdout(&told), "Example").unwrap().as_bytes());
        let options = line.trim().strip_prefix("lanes run example.cu").unwrap();
        let bound = if options.contains("--max-steps") { "" } else { "--max-steps 100000" };
        let output = run(&path, &format!("{options} {bound} --json {CUDAC}"));
        if String::from_utf8_lossy(&output.stderr).contains("recursion is not supported") {
            assert_eq!(kind, FaultKind::CallDepth, "its example is recursive, and cudac refuses it by name");
            continue;
        }
        assert!(output.status.code() < Some(2), "{name}: {output:?}");
        let printed = object(&output);
        // The example may be a whole program.
        let found = printed.get("faults").or_else(|| printed.get("findings")).and_then(Value::as_array);
        let found: Vec<Value> = found.unwrap().iter().map(|found| found["kind"].clone()).collect();
        assert!(found.contains(&Value::from(name)), "{name}: {found:?}");
    }
}
