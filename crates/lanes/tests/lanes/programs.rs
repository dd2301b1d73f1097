//! Whole programs: the frozen ones in `tests/programs`, and small ones for what they do not cover.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

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
const EXCEPTIONS: [(&str, Option<&str>); 3] = [
    // The swapped index stays inside of the array, but two threads write the same element.
    ("29_transpose", Some("race")),
    // No mistake: lanes that have exited may be named by a mask.
    ("50_half_of_the_warp", None),
    // The name of the race that is one for C++ and none for PTX.
    ("55_lock_without_fence", Some("volatile-race")),
];

/// Programs whose bug shows at another line than those that its repair changes: where wrong bytes are accessed, say, and not
/// where their number was computed. 0 stands for the end of the program, whose status says that something is wrong.
const ELSEWHERE: [(&str, u64); 44] = [
    ("01_block_sum", 19),
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
    ("33_shuffle_after_return", 8),
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
    ("56_pitched_image", 11),
    ("57_negative_remainder", 16),
    ("59_barrier_in_a_loop", 12),
    ("60_stride_of_a_block", 9),
    ("62_buffer_used_again", 20),
    ("63_event_not_recorded", 19),
    ("64_parts_of_nothing", 17),
    ("65_checked_in_the_kernel", 8),
    ("66_search_that_stands_still", 10),
    ("67_window_too_small", 13),
    ("68_no_third_argument", 8),
    ("69_sum_from_nowhere", 19),
    ("70_countdown", 18),
];

/// Programs that find their results wrong, and the line that the help of the finding names.
const SUSPECTS: [(&str, &str); 5] = [
    ("25_filter_constants", "line 23: "),
    ("26_mean_is_zero", "line 10: "),
    ("43_fill_with_ones", "line 10: "),
    ("48_scale_of_zero", "line 4: "),
    ("54_largest_float", "line 12: "),
];

/// The forty that were frozen before the code that runs them was written, and those that were frozen after it.
fn frozen() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let read = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        toml::from_str::<Programs>(&text).unwrap().program
    };
    [read("programs.toml"), read("more.toml"), read("last.toml")].into_iter().flatten().collect()
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
    assert_eq!(programs.len(), 70);
    for Program { name, lines, findings } in &programs {
        let report = report(name);
        let first = report["findings"][0]["kind"].as_str();
        if let Some((_, known)) = EXCEPTIONS.iter().find(|(exception, _)| exception == name) {
            assert_eq!(first, *known, "{name}");
            continue;
        }
        assert!(findings.iter().any(|kind| Some(&kind[..]) == first), "{name}: {report:#}");
        if let Some((_, line)) = SUSPECTS.iter().find(|(suspect, _)| suspect == name) {
            let help = report["findings"][0]["help"].as_str().unwrap();
            assert!(help.starts_with(line), "{name}: {help}");
        }
        let line = report["findings"][0]["line"].as_u64().unwrap();
        if let Some((_, shown)) = ELSEWHERE.iter().find(|(elsewhere, _)| elsewhere == name) {
            assert_eq!(line, *shown, "{name}");
        } else {
            assert!(lines.contains(&line), "{name}: line {line} and not one of {lines:?}");
        }
    }
}

/// Where the host decides what a kernel may access, the help says what to do there.
#[test]
fn the_help_names_what_the_host_has_to_do() {
    for (name, help) in [
        ("07_dot_product", "with `cudaMemset` or a copy"),
        ("09_count_not_bytes", "line 25 fills only the first 512 of its 2048 bytes"),
        ("28_two_dynamic_arrays", "ask for more dynamic shared memory at the launch"),
        ("53_doubles_and_floats", "compare the number of bytes with that of the allocation"),
    ] {
        let report = report(name);
        let said = report["findings"][0]["help"].as_str().unwrap_or_default();
        assert!(said.contains(help), "{name}: {said}");
    }
}

#[test]
fn the_readme_shows_the_report_of_a_program() {
    let readme = fs::read_to_string(crate::root().join("README.md")).unwrap();
    let path = "crates/lanes/tests/programs/36_async_read_early.cu";
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

/// What the interpreter makes of a program, whether there is a clang or not: what is printed, and the status.
fn run(name: &str, text: &str) -> (String, Option<i32>) {
    run_by("interpret", name, text)
}

fn run_by(host: &str, name: &str, text: &str) -> (String, Option<i32>) {
    let path = file(name, text.as_bytes());
    // The same bound on every computer.
    let output = super::lanes(&["run", path.to_str().unwrap(), "--memory", "4G", "--host", host]);
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
fn a_program_does_the_same_on_any_number_of_cores() {
    let text = "#include <stdio.h>\n\
        __global__ void scale(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 3; }\n\
        __global__ void count(int* n) { *n = *n + 1; }\n\
        int main() {\n\
        const int n = 1 << 16;\n\
        float* x; cudaMallocManaged(&x, n * sizeof(float));\n\
        int* count_of; cudaMallocManaged(&count_of, sizeof(int)); *count_of = 0;\n\
        for (int i = 0; i < n; i++) x[i] = i;\n\
        scale<<<n / 256, 256>>>(x);\n\
        count<<<n / 256, 256>>>(count_of);\n\
        cudaDeviceSynchronize();\n\
        float sum = 0; for (int i = 0; i < n; i++) sum += x[i] == 3.0f * i;\n\
        printf(\"%g %d\\n\", sum, *count_of); cudaFree(x); cudaFree(count_of); return 0; }";
    let path = file("cores.cu", text.as_bytes());
    let on = |cores| stdout(&super::lanes(&["run", path.to_str().unwrap(), "--cores", cores])).to_owned();
    let one = on("1");
    assert!(one.contains("race") && one.contains("65536 "), "{one}");
    assert_eq!(one, on("2"));
    assert_eq!(one, on("7"));
}

#[test]
fn what_is_not_supported_is_named_with_its_line() {
    let (printed, status) =
        run("unsupported.cu", "#include <stdio.h>\nint main() {\n    throw 1;\n    return 0;\n}");
    assert!(
        printed.contains("unsupported.cu:3") && printed.contains("`throw` is not supported"),
        "{printed}"
    );
    assert_eq!(status, Some(2));
}

#[test]
fn a_program_that_never_ends_is_stopped_by_a_limit() {
    let recursive = "int f(int n) { return f(n + 1) + 1; }\nint main() { return f(0); }";
    let leaking = "int main() {\n    while (true) malloc(1 << 28);\n}";
    let huge = "int main() {\n    char* p = (char*)malloc(100ull << 30);\n    p[0] = 1;\n}";
    for (text, limit, wanted) in [
        (recursive, "limit at endless.cu:1: functions call each other more than 1000 deep", 1),
        (leaking, "limit at endless.cu:2: the program needs more than 4294967296 bytes of memory", 1),
        (huge, "limit at endless.cu:2: the program needs more than 4294967296 bytes of memory", 1),
        ("int main() {\n    int done = 0;\n    while (!done) {\n    }\n}", "line 3: this loop never ends", 2),
        (
            "int main() {\n    int i = 0;\n    do {\n        if (i == 9) continue;\n        i++;\n    } while (true);\n}",
            "line 3: this loop never ends",
            2,
        ),
    ] {
        let (printed, status) = run("endless.cu", text);
        assert!(printed.contains(limit), "{printed}");
        assert_eq!(status, Some(wanted));
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
    for (name, does) in [("mmap(0, 1, 2, 3, 4, 0)", "reaches files"), ("system(\"ls\")", "starts a process")]
    {
        let text = format!("int main() {{\n    printf(\"begun\");\n    {name};\n}}");
        let (printed, status) = run_by("auto", "reaches.cu", &text);
        assert!(printed.contains("reaches.cu:3:5: error: ") && printed.contains(does), "{printed}");
        assert!(!printed.contains("begun"), "{printed}");
        assert_eq!(status, Some(2));
    }
}

#[test]
fn goto_leaves_loops_for_a_label_further_down() {
    let text = "int main() {
    int n = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            n++;
            if (i == 1 && j == 2) goto done;
        }
    printf(\"never\");
done:
    printf(\"%d\", n);
}";
    assert_eq!(run("goto.cu", text), ("7".to_owned(), Some(0)));
}

#[test]
fn inner_brackets_of_a_list_may_be_left_out() {
    let text = "int main() {
    int a[2][2][3] = {1, 2, 3, 4, 5, 6, 7};
    printf(\"%d %d %d\", a[0][1][2], a[1][0][0], a[1][1][2]);
}";
    assert_eq!(run("flat.cu", text), ("6 7 0".to_owned(), Some(0)));
}

/// A finding that does not stop a kernel does not stop the program either, and a line is reported once.
#[test]
fn a_program_continues_after_a_race() {
    let text = "__global__ void k(int* x) { *x = threadIdx.x; }
int main() {
    int* d;
    cudaMalloc(&d, 4);
    printf(\"begun\\n\");
    for (int i = 0; i < 3; i++) k<<<1, 32>>>(d);
    cudaFree(d);
    printf(\"ended\\n\");
}";
    let (printed, status) = run("continues.cu", text);
    assert!(printed.starts_with("begun\n\nrace at continues.cu:1: "), "{printed}");
    assert!(printed.ends_with("ended\n\n1 finding in 3 launches\n"), "{printed}");
    assert_eq!(status, Some(1));
}

/// Kernels of two streams may share an allocation, but not the bytes that one of them changes.
#[test]
fn kernels_of_different_streams_are_ordered_or_use_different_bytes() {
    let program = |second: &str| {
        format!(
            "__global__ void set(int* x, int n) {{ x[threadIdx.x] = n; }}
__global__ void next(const int* x, int* y) {{ y[threadIdx.x] = x[threadIdx.x] + 1; }}
int main() {{
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    int* x;
    cudaMalloc(&x, 256);
    set<<<1, 32, 0, one>>>(x, 1);
    {second}
    cudaDeviceSynchronize();
    cudaFree(x);
}}"
        )
    };
    for (second, does) in [
        ("next<<<1, 32, 0, two>>>(x, x + 16);", Some("`next` writes bytes that the work of line 9 uses")),
        ("next<<<1, 32, 0, two>>>(x, x + 32);", Some("`next` reads bytes that the work of line 9 writes")),
        ("set<<<1, 32, 0, two>>>(x + 16, 2);", Some("`set` writes bytes that the work of line 9 uses")),
        ("set<<<1, 32, 0, two>>>(x + 32, 2);", None),
        ("next<<<1, 32, 0, one>>>(x, x + 32);", None),
        ("cudaStreamSynchronize(one); next<<<1, 32, 0, two>>>(x, x + 32);", None),
        ("next<<<1, 32>>>(x, x + 32);", None),
        (
            "cudaEvent_t e; cudaEventCreate(&e); cudaStream_t three; cudaStreamCreate(&three); cudaEventRecord(e, one); \
             cudaStreamWaitEvent(three, e, 0); cudaEventRecord(e, three); cudaStreamWaitEvent(two, e, 0); \
             next<<<1, 32, 0, two>>>(x, x + 32);",
            None,
        ),
        ("int h; cudaMemcpyAsync(&h, x + 32, 4, cudaMemcpyDeviceToHost, two);", None),
    ] {
        let (printed, status) = run("streams.cu", &program(second));
        match does {
            Some(_) => {
                assert!(printed.contains("unsynchronized at streams.cu:10: the kernel "), "{printed}");
            }
            None => assert!(!printed.contains("streams.cu"), "{second}: {printed}"),
        }
        assert!(does.is_none_or(|does| printed.contains(does)), "{printed}");
        assert_eq!(status, Some(i32::from(does.is_some())), "{second}");
    }
}

#[test]
fn pinned_memory_is_not_overwritten_before_it_has_been_copied() {
    let program = |between: &str| {
        format!(
            "int main() {{
    int *h, *d;
    cudaMallocHost(&h, 64);
    cudaMalloc(&d, 64);
    h[0] = 1;
    cudaMemcpyAsync(d, h, 4, cudaMemcpyHostToDevice, 0);
    {between}
    h[0] = 2;
    printf(\"%d\", h[0]);
    cudaFree(d);
    cudaFreeHost(h);
}}"
        )
    };
    let (printed, status) = run("lent.cu", &program(""));
    assert!(
        printed.contains("unsynchronized at lent.cu:8: 4 bytes are written before an asynchronous copy from"),
        "{printed}"
    );
    assert_eq!(status, Some(1));
    // A copy back into the same memory follows the first one in their stream, and what is being copied may be read.
    let back = "cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, 0); cudaStreamSynchronize(0);";
    for between in ["cudaDeviceSynchronize();", "if (h[0] == 1) cudaStreamSynchronize(0);", back] {
        assert_eq!(run("lent.cu", &program(between)), ("2".to_owned(), Some(0)), "{between}");
    }
}

/// In 200 lines, after a hundred thousand turns of a loop of the host, and long before the program ends. A tenth of a second is what
/// it should take at most; a busy machine may take longer.
#[test]
fn the_first_finding_is_printed_at_once() {
    let functions = (0..45)
        .map(|nth| format!("__host__ __device__ int step{nth}(int x)\n{{\n    return 3 * x + {nth};\n}}\n"));
    let text = format!(
        "#include <algorithm>\n#include <iostream>\n#include <vector>\n{}
__global__ void work(int* x) {{ x[0] = step7(threadIdx.x); }}
int main()
{{
    std::vector<int> h(100000);
    for (int i = 0; i < 100000; i++)
        h[i] = step44(i);
    int* d;
    cudaMalloc(&d, 4);
    work<<<1, 64>>>(d);
    for (long i = 0; i < 2000000000; i++)
        h[0]++;
    cudaFree(d);
    return 0;
}}\n",
        functions.collect::<String>()
    );
    assert!(text.lines().count() >= 198);
    let path = file("at_once.cu", text.as_bytes());
    let start = Instant::now();
    let mut child = super::command(&["run", path.to_str().unwrap()]).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.map(Result::unwrap).find(|line| !line.is_empty());
    let taken = start.elapsed();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(first.as_ref().is_some_and(|line| line.starts_with("race at at_once.cu:")), "{first:?}");
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}
