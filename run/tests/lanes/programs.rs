//! Whole programs: the frozen ones in `tests/programs`, and small ones for what they do not cover.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{file, stdout};

/// What `programs.toml` says of a frozen program.
#[derive(serde::Deserialize)]
struct Program {
    name: String,
    lines: Vec<u64>,
    findings: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Programs {
    program: Vec<Program>,
}

/// Programs whose first finding is none of those that their author named when they were frozen, and what it is instead.
const EXCEPTIONS: [(&str, Option<&str>); 5] = [
    // The swapped index stays inside of the array, but two threads write the same element.
    ("29_transpose", Some("race")),
    // The initialisation of local memory is not checked.
    ("40_majority_vote", None),
    // Which of a kernel's arguments it writes to is not known, so two kernels of different streams are not compared.
    ("45_producer_and_consumer", None),
    // No mistake: lanes that have exited may be named by a mask.
    ("50_half_of_the_warp", None),
    // What is volatile is no race, and a program runs in one order without weak memory.
    ("55_lock_without_fence", None),
];

/// Programs whose bug shows at another line than those that its repair changes: where wrong bytes are accessed, say, and not
/// where their number was computed. 0 stands for the end of the program, whose status says that something is wrong.
const ELSEWHERE: [(&str, u64); 31] = [
    ("01_block_sum", 19),
    ("03_half_warp_shuffle", 19),
    ("04_vector_add", 15),
    ("06_histogram", 14),
    ("07_dot_product", 28),
    ("08_saxpy_copy_back", 39),
    ("09_count_not_bytes", 9),
    ("11_host_pointer_argument", 10),
    ("14_managed_no_sync", 36),
    ("15_leak_in_loop", 18),
    ("16_freed_too_early", 19),
    ("20_scatter_hash", 15),
    ("21_grid_rounded_down", 31),
    ("25_filter_constants", 0),
    ("26_mean_is_zero", 38),
    ("28_two_dynamic_arrays", 12),
    ("30_tiled_matmul", 20),
    ("35_struct_with_pointer", 14),
    ("36_async_read_early", 27),
    ("37_last_block", 31),
    ("38_compaction_capacity", 17),
    ("39_host_reference_overrun", 20),
    ("42_blur_with_halo", 17),
    ("43_fill_with_ones", 0),
    ("44_event_too_early", 24),
    ("46_old_pointer", 25),
    ("47_sum_on_the_host", 15),
    ("48_scale_of_zero", 0),
    ("49_large_matrix", 14),
    ("51_smaller_blocks", 12),
    ("54_largest_float", 0),
];

/// The forty that were frozen before the code that runs them was written, and the fifteen that were frozen after it.
fn frozen() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let read = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        toml::from_str::<Programs>(&text).unwrap().program
    };
    [read("programs.toml"), read("more.toml")].into_iter().flatten().collect()
}

/// Runs a frozen program, and returns what it reports.
fn report(name: &str) -> Value {
    let path = format!("{}/tests/programs/{name}.cu", env!("CARGO_MANIFEST_DIR"));
    let output = super::lanes(&["run", &path, "--json"]);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{name}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn the_first_finding_of_each_frozen_program_is_its_bug() {
    let programs = frozen();
    assert_eq!(programs.len(), 55);
    for Program { name, lines, findings } in &programs {
        let report = report(name);
        let first = report["findings"][0]["kind"].as_str();
        if let Some((_, known)) = EXCEPTIONS.iter().find(|(exception, _)| exception == name) {
            assert_eq!(first, *known, "{name}");
            continue;
        }
        assert!(findings.iter().any(|kind| Some(&kind[..]) == first), "{name}: {report:#}");
        let line = report["findings"][0]["line"].as_u64().unwrap();
        if let Some((_, shown)) = ELSEWHERE.iter().find(|(elsewhere, _)| elsewhere == name) {
            assert_eq!(line, *shown, "{name}");
        } else {
            assert!(lines.contains(&line), "{name}: line {line} and not one of {lines:?}");
        }
    }
}

#[test]
fn the_readme_shows_the_report_of_a_program() {
    let readme = fs::read_to_string(crate::root().join("README.md")).unwrap();
    let path = "run/tests/programs/36_async_read_early.cu";
    assert!(readme.contains(&format!("\ncargo run --bin lanes -- run {path}\n")));
    let output = super::lanes(&["run", crate::root().join(path).to_str().unwrap()]);
    assert!(readme.contains(&format!("```text\n{}```", stdout(&output).trim_start())), "{}", stdout(&output));
}

/// What the repaired programs print on an H200 is in `tests/programs/printed.toml`.
#[test]
fn the_repaired_programs_have_no_findings_and_print_what_a_gpu_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/printed.toml");
    let printed: toml::Table = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    for Program { name, .. } in frozen() {
        let report = report(&format!("{name}.fixed"));
        assert_eq!(report["findings"], serde_json::json!([]), "{name}");
        assert_eq!(report["status"], 0, "{name}");
        match printed.get(&name) {
            Some(printed) => assert_eq!(report["output"].as_str(), printed.as_str(), "{name}"),
            // It waits for a flag, so it was not run on the GPU.
            None => assert_eq!(name, "19_wait_for_flag"),
        }
    }
}

/// Runs a program, and returns what was printed and the status.
fn run(name: &str, text: &str) -> (String, Option<i32>) {
    let path = file(name, text.as_bytes());
    let output = super::lanes(&["run", path.to_str().unwrap()]);
    let errors = String::from_utf8_lossy(&output.stderr);
    (format!("{}{errors}", stdout(&output)), output.status.code())
}

#[test]
fn a_program_prints_and_returns_its_status() {
    let text = "#include <stdio.h>\nint main() { printf(\"%d %s\\n\", 6 * 7, \"lanes\"); return 0; }";
    assert_eq!(run("prints.cu", text), ("42 lanes\n".to_owned(), Some(0)));
}

#[test]
fn a_pointer_of_the_device_cannot_be_dereferenced_by_the_host() {
    let text = "int main() {\n    int* d;\n    cudaMalloc(&d, 4);\n    return *d;\n}";
    let (printed, status) = run("dereferenced.cu", text);
    assert!(printed.contains("wrong-space at dereferenced.cu:4"), "{printed}");
    assert_eq!(status, Some(1));
}

#[test]
fn an_option_of_a_single_launch_is_refused() {
    let path = file("refused_option.cu", b"int main() { return 0; }");
    let output = super::lanes(&["run", path.to_str().unwrap(), "--grid", "4"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("`--grid` has no effect on that"), "{error}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_is_not_supported_is_named_with_its_line() {
    let (printed, status) =
        run("unsupported.cu", "#include <stdio.h>\nint main() {\n    goto end;\nend:\n    return 0;\n}");
    assert!(printed.contains("unsupported.cu:3") && printed.contains("`goto` is not supported"), "{printed}");
    assert_eq!(status, Some(2));
}

#[test]
fn a_program_that_never_ends_is_stopped_by_a_limit() {
    let recursive = "int f(int n) { return f(n + 1) + 1; }\nint main() { return f(0); }";
    let leaking = "int main() {\n    while (true) malloc(1 << 28);\n}";
    let huge = "int main() {\n    char* p = (char*)malloc(100ull << 30);\n    p[0] = 1;\n}";
    for (text, limit) in [
        (recursive, "more than 1000 deep"),
        (leaking, "line 2: the host code needs more than 2147483648 bytes of memory"),
        (huge, "line 2: the host code needs more than 2147483648 bytes of memory"),
        ("int main() {\n    int done = 0;\n    while (!done) {\n    }\n}", "line 3: this loop never ends"),
        (
            "int main() {\n    int i = 0;\n    do {\n        if (i == 9) continue;\n        i++;\n    } while (true);\n}",
            "line 3: this loop never ends",
        ),
    ] {
        let (printed, status) = run("endless.cu", text);
        assert!(printed.contains(limit), "{printed}");
        assert_eq!(status, Some(2));
    }
}

/// A call that fails is a finding if nothing has its result.
#[test]
fn an_error_that_the_program_has_in_hand_is_no_finding() {
    let call = "cudaMalloc(&d, 100ull << 30)";
    for (with, is_found) in [
        (format!("{call};"), true),
        (format!("cudaError_t e = {call};\n    printf(\"%s\", cudaGetErrorString(e));"), false),
        (format!("if ({call} != cudaSuccess) printf(\"failed\");"), false),
        (format!("check({call});"), false),
        (format!("{call};\n    printf(\"%d\", (int)cudaGetLastError());"), true),
    ] {
        let text = format!(
            "void check(cudaError_t e) {{ printf(\"%d\", (int)e); }}\nint main() {{\n    float* d;\n    {with}\n}}"
        );
        let (printed, status) = run("in_hand.cu", &text);
        assert_eq!(printed.contains("unchecked-error at in_hand.cu:4"), is_found, "{with}: {printed}");
        assert_eq!(status, Some(i32::from(is_found)), "{with}: {printed}");
    }
}

#[test]
fn words_after_two_dashes_are_those_of_the_program() {
    let text =
        "int main(int argc, char** argv) { printf(\"%d %d %s\", argc, atoi(argv[1]), argv[argc - 1]); }";
    let path = file("words.cu", text.as_bytes());
    let output = super::lanes(&["run", path.to_str().unwrap(), "--", "7", "last word"]);
    assert_eq!((stdout(&output), output.status.code()), ("3 7 last word", Some(0)));
    let kernel = file("no_main.cu", b"__global__ void f() {}\n");
    let output = super::lanes(&["run", kernel.to_str().unwrap(), "--", "7"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("`7` after `--` is for a program"), "{error}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn events_order_streams_and_the_host() {
    let text = "
__global__ void count(int* x) { x[threadIdx.x] = threadIdx.x; }
int main() {
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEvent_t ready;
    cudaEventCreate(&ready);
    int *h, *d;
    cudaMallocHost(&h, 128);
    cudaMalloc(&d, 128);
    count<<<1, 32, 0, first>>>(d);
    cudaEventRecord(ready, first);
    cudaStreamWaitEvent(second, ready, 0);
    cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost, second);
    cudaEventRecord(ready, second);
    cudaEventSynchronize(ready);
    printf(\"%d\", h[31]);
    cudaFree(d);
    cudaFreeHost(h);
}";
    let (printed, status) = run("events.cu", text);
    assert!(printed.starts_with("31\n\nnote: times in this output are no measurements"), "{printed}");
    assert_eq!(status, Some(0));
    for (wait, line) in
        [("    cudaStreamWaitEvent(second, ready, 0);\n", 14), ("    cudaEventSynchronize(ready);\n", 17)]
    {
        let (printed, status) = run("unordered.cu", &text.replace(wait, ""));
        assert!(printed.contains(&format!("unsynchronized at unordered.cu:{line}: ")), "{printed}");
        assert_eq!(status, Some(1));
    }
}

#[test]
fn vectors_are_copied_and_made_from_lists() {
    let text = "#include <vector>\nint main() {
    std::vector<int> a = {1, 2, 3}, b = a;
    b[0] = 7;
    a.push_back(4);
    printf(\"%d %d %d %d\", a[0], b[0], (int)a.size(), (int)b.size());
}";
    assert_eq!(run("vectors.cu", text), ("1 7 4 3".to_owned(), Some(0)));
}

#[test]
fn what_reaches_out_of_the_program_is_refused_before_it_runs() {
    for (name, does) in [("fopen(\"x\", \"r\")", "opens a file"), ("system(\"ls\")", "starts a process")] {
        let text = format!("int main() {{\n    printf(\"begun\");\n    {name};\n}}");
        let (printed, status) = run("reaches.cu", &text);
        assert!(printed.contains("reaches.cu:3:5: error: ") && printed.contains(does), "{printed}");
        assert!(!printed.contains("begun"), "{printed}");
        assert_eq!(status, Some(2));
    }
}
