//! A kernel and a program that launches it have the same findings, with the same severity, and take the same options.

use serde_json::Value;

use super::{file, lanes, stdout};

/// Kernels, with what is found in them.
const KERNELS: [(&str, &str, &str); 7] = [
    ("*x = threadIdx.x;", "race", "error"),
    ("*x = 5;", "race", "note"),
    (
        "__shared__ volatile int s[64]; s[threadIdx.x] = 1; x[threadIdx.x] = s[threadIdx.x ^ 1];",
        "volatile-race",
        "note",
    ),
    (
        "volatile int* v = x; if (threadIdx.x == 0) { __threadfence(); *v = 1; } else if (threadIdx.x == 32) *v = 2;",
        "volatile-race",
        "note",
    ),
    ("if (threadIdx.x < 16) return; __syncthreads();", "barrier-divergence", "warning"),
    (
        "int seen = *x; while (true) { int old = atomicCAS(x, seen, seen + 1); if (old == seen) break; seen = old; }",
        "race",
        "warning",
    ),
    ("if (threadIdx.x > *x) atomicMax(x, threadIdx.x);", "race", "warning"),
];

fn json(path: &std::path::Path, options: &[&str]) -> (Value, Option<i32>) {
    let words = [&["run", path.to_str().unwrap(), "--json"], options].concat();
    let output = lanes(&words);
    let read = serde_json::from_slice(&output.stdout);
    (
        read.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr))),
        output.status.code(),
    )
}

#[test]
fn a_finding_of_a_kernel_is_as_severe_in_a_program() {
    for (body, kind, severity) in KERNELS {
        let kernel = format!("__global__ void k(int* x) {{\n{body}\n}}\n");
        let main = "int main() { int* x; cudaMalloc(&x, 256); cudaMemset(x, 0, 256); k<<<1, 64>>>(x); cudaDeviceSynchronize(); cudaFree(x); }";
        let text = kernel + main;
        let path = file("doors.cu", text.as_bytes());
        for (options, fails) in [(&[][..], severity == "error"), (&["--strict"], true)] {
            let of_kernel =
                ["--kernel", "k", "--block", "64", "--arg", "buf:i32:64:zeros", "--compiler", "cudac"];
            let (alone, alone_status) = json(&path, &[&of_kernel, options].concat());
            let (whole, whole_status) = json(&path, options);
            let (fault, finding) = (&alone["faults"][0], &whole["findings"][0]);
            assert_eq!((&fault["kind"], &fault["severity"]), (&kind.into(), &severity.into()), "{body}");
            assert_eq!((&finding["kind"], &finding["severity"]), (&kind.into(), &severity.into()), "{body}");
            assert_eq!(fault["help"], finding["help"], "{body}");
            assert_eq!(fault["actors"][0]["source"]["line"], finding["line"], "{body}");
            let status = Some(i32::from(fails));
            assert_eq!((alone_status, whole_status), (status, status), "{body} {options:?}");
        }
    }
}

/// What ends a launch, and the mistakes after which it goes on.
const ENDS: [(&str, Option<&str>); 6] = [
    ("x[threadIdx.x + 1] = 1; x[0] = threadIdx.x;", Some("out-of-bounds")),
    ("*(int*)(threadIdx.x / 63 * 4) = 1;", Some("null")),
    ("*(long long*)(x + 1) = threadIdx.x;", Some("misaligned")),
    ("if (threadIdx.x == 40) __trap();", Some("trap")),
    ("if (threadIdx.x < 16) return; __syncthreads();", None),
    ("*x = threadIdx.x;", None),
];

#[test]
fn what_ends_a_launch_says_that_the_rest_was_not_checked() {
    for (body, kind) in ENDS {
        let main = "int main() { int* x; cudaMalloc(&x, 256); cudaMemset(x, 0, 256); k<<<1, 64>>>(x); cudaDeviceSynchronize(); cudaFree(x); }";
        let path = file("ends.cu", format!("__global__ void k(int* x) {{\n{body}\n}}\n{main}").as_bytes());
        let name = path.to_str().unwrap();
        let of_kernel =
            ["--kernel", "k", "--block", "64", "--arg", "buf:i32:64:zeros", "--compiler", "cudac"];
        let (alone, _) = json(&path, &of_kernel);
        let (whole, _) = json(&path, &[]);
        assert_eq!(
            (&alone["stopped_by"], &whole["stopped"]),
            (&kind.into(), &kind.is_some().into()),
            "{body}"
        );
        let said = kind.map_or("not checked".to_owned(), |kind| {
            format!("{kind} stopped the launch: what would have followed was not checked")
        });
        let alone = stdout(&lanes(&[&["run", name][..], &of_kernel].concat()))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(alone.contains(&said), kind.is_some(), "{alone}");
        let whole = lanes(&["run", name]);
        let said = stdout(&whole).contains("; the program was stopped there, and the rest was not checked");
        assert_eq!(said, kind.is_some(), "{body}");
    }
}

/// A message through a flag, without what orders it.
const MESSAGE: &str = "#include <stdio.h>
__global__ void k(volatile int* flag, volatile int* data, int* out) {
    if (blockIdx.x == 0) { *data = 42; *flag = 1; }
    else { while (*flag == 0) {} *out = *data; }
}
int main(int argc, char** argv) {
    int *d, h; cudaMalloc(&d, 12); cudaMemset(d, 0, 12);
    k<<<2, 1>>>(d, d + 1, d + 2);
    cudaMemcpy(&h, d + 2, 4, cudaMemcpyDeviceToHost);
    printf(\"got %d of %d\\n\", h, argc);
    cudaFree(d);
}
";

#[test]
fn with_many_seeds_a_program_says_what_its_output_depends_on() {
    let path = file("message.cu", MESSAGE.as_bytes());
    let name = path.to_str().unwrap();
    let one = lanes(&["run", name]);
    assert_eq!(one.status.code(), Some(0));
    assert!(
        stdout(&one).contains("one order of turns shows little") && stdout(&one).contains("--seeds 0..100")
    );
    // In order, memory returns what was stored.
    let (strong, status) = json(&path, &["--seeds", "0..20"]);
    assert_eq!((&strong["seeds"]["ran"], &strong["seeds"]["difference"]), (&20.into(), &Value::Null));
    assert_eq!(status, Some(0));
    let (weak, status) = json(&path, &["--seeds", "0..200", "--weak-memory", "--", "word"]);
    let difference = &weak["seeds"]["difference"];
    assert_eq!((&difference["first"], &difference["other"]), (&"got 42 of 2".into(), &"got 0 of 2".into()));
    assert_eq!(status, Some(1));
    // The seed that is named repeats it.
    let seed = difference["seed"].to_string();
    let again = lanes(&["run", name, "--weak-memory", "--schedule", "random", "--seed", &seed, "--", "word"]);
    assert!(
        stdout(&again).contains("got 0 of 2") && stdout(&again).contains("note: stale-read"),
        "{}",
        stdout(&again)
    );
    let text = lanes(&["run", name, "--seeds", "0..200", "--weak-memory", "--", "word"]);
    let replay = format!("--weak-memory --schedule random --seed {seed} -- word");
    assert!(
        stdout(&text).contains("the output depends on the seed") && stdout(&text).contains(&replay),
        "{}",
        stdout(&text)
    );
}

#[test]
fn many_seeds_of_a_program_end_with_the_first_error() {
    let text = "__global__ void k(int* x) { *x = threadIdx.x; }\nint main() { int* x; cudaMalloc(&x, 4); k<<<1, 64>>>(x); cudaDeviceSynchronize(); cudaFree(x); }";
    let path = file("first_error.cu", text.as_bytes());
    let (report, status) = json(&path, &["--seeds", "3..100"]);
    assert_eq!((&report["seeds"]["ran"], &report["seeds"]["shown"], status), (&1.into(), &3.into(), Some(1)));
    let (none, status) = json(&path, &["--seeds", "3..9", "--check", "none"]);
    assert_eq!((&none["seeds"]["ran"], status), (&6.into(), Some(0)));
}
