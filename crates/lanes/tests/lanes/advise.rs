//! `lanes advise`: what is said of kernels of the book, and that nothing of the kind is said of the better version.

use crate::{file, stdout, words};

/// Advice about a launch, as one line.
fn advice(file: &str, launch: &str) -> String {
    let output = words(&format!("advise kernels/{file} --compiler cudac {launch}"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(stdout(&output).lines().all(|line| line.chars().count() <= 80), "{}", stdout(&output));
    stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Kernels with what has to be said of them, and better ones of which it must not be said.
const PAIRS: &[(&str, &str, &str, &str)] = &[
    (
        "branch.cu",
        "--kernel expensive_one_lane --block 64 --arg buf:u32:64:iota --arg buf:u32:64:zeros --arg i32:8 --arg i32:64",
        "of 32 lanes are idle on average",
        "--kernel expensive_packed --block 64 --arg buf:u32:64:iota --arg buf:u32:64:zeros --arg i32:8 --arg i32:64",
    ),
    (
        "reduction.cu",
        "--kernel reduce_neighbored --block 128 --arg buf:i32:128:iota --arg buf:i32:1:zeros --arg u32:128",
        "give the work to threads with neighbouring numbers",
        "--kernel reduce_neighbored_less --block 128 --arg buf:i32:128:iota --arg buf:i32:1:zeros --arg u32:128",
    ),
    (
        "reduction.cu",
        "--kernel reduce_neighbored_less --block 128 --arg buf:i32:128:iota --arg buf:i32:1:zeros --arg u32:128",
        "sectors per request where",
        "--kernel reduce_interleaved --block 128 --arg buf:i32:128:iota --arg buf:i32:1:zeros --arg u32:128",
    ),
    (
        "banks.cu",
        "--kernel read_strided --arg buf:i32:32:zeros --arg i32:32",
        "32 passes per request where 1 would do",
        "--kernel read_strided --arg buf:i32:32:zeros --arg i32:33",
    ),
    (
        "scan.cu",
        "--kernel scan_block_tree --block 256 --arg buf:i32:256:iota --arg buf:i32:256:zeros",
        "leave one element free after every 32, so that index `i` becomes `i + i / 32`",
        "--kernel scan_block_two_buffers --block 256 --arg buf:i32:256:iota --arg buf:i32:256:zeros",
    ),
    (
        "compaction.cu",
        "--kernel count_keys --block 64 --arg buf:i32:64:rand=3,0..8 --arg buf:i32:8:zeros --arg i32:64",
        "combine the values of lanes that update the same word first",
        "--kernel count_keys_match --block 64 --arg buf:i32:64:rand=3,0..8 --arg buf:i32:8:zeros --arg i32:64",
    ),
    (
        "laplace.cu",
        "--kernel jacobi_framed --grid 2,4 --block 32,8 --arg i32:66 --arg buf:f32:2244:rand --arg buf:f32:2244:zeros",
        "can stay in registers or in shared memory",
        "--kernel jacobi_tile --grid 2,4 --block 32,8 --shared-bytes 1360 --arg i32:66 --arg buf:f32:2244:rand \
         --arg buf:f32:2244:zeros",
    ),
    (
        "last_rounds.cu",
        "--kernel rounds_shuffle_waits --arg buf:f32:32:iota --arg buf:f32:32:zeros --arg i32:1",
        "orders nothing in this launch",
        "--kernel rounds_shared --arg buf:f32:32:iota --arg buf:f32:32:zeros --arg i32:1",
    ),
    (
        "modern_locks.cu",
        "--kernel add_default --block 64 --arg buf:i32:1:zeros --arg i32:1",
        "use `cuda::memory_order_relaxed` if no other launch needs the order",
        "--kernel add_relaxed --block 64 --arg buf:i32:1:zeros --arg i32:1",
    ),
    (
        "block_sums.cu",
        "--kernel sum_atomic_lane --block 256 --arg buf:f32:256:fill=1 --arg buf:f32:1:zeros --arg i32:256",
        "32 lanes per request update one word",
        "--kernel sum_atomic_warp --block 256 --arg buf:f32:256:fill=1 --arg buf:f32:1:zeros --arg i32:256",
    ),
    (
        "branch.cu",
        "--kernel branch_sqrt --arg buf:f32:32:list=-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4 --arg buf:f32:32:zeros --arg i32:32",
        "compute both in all lanes and select one result",
        "--kernel sqrt_then_select --arg buf:f32:32:list=-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4 --arg buf:f32:32:zeros --arg i32:32",
    ),
    (
        "two_pass.cu",
        "--kernel pass_chunked --arg buf:f32:128:iota --arg buf:f32:1:zeros --arg i32:128",
        "16 sectors per request where 4 would do",
        "--kernel pass_strided --arg buf:f32:128:iota --arg buf:f32:1:zeros --arg i32:128",
    ),
    (
        "atomics.cu",
        "--kernel max_float_cas --block 64 --arg buf:f32:64:rand=5,0..100 --arg buf:f32:1:zeros --arg i32:64",
        "look for an atomic operation that needs none",
        "--kernel max_float_as_int --block 64 --arg buf:f32:64:rand=5,0..100 --arg buf:f32:1:zeros --arg i32:64",
    ),
];

/// Kernels of the book whose whole advice is kept, for the launches with which readers run them.
const KEPT: [&str; 10] = [
    "reduce_neighbored",
    "scan_block_tree",
    "tally_shared",
    "process_mixed",
    "guarded_load",
    "hand_on",
    "masked_functions",
    "add_default",
    "tree_no_barrier",
    "scan_look_back_last_first",
];

/// The command line for a launch of the book.
fn launch_of_the_book(kernel: &str) -> String {
    let read = |file: &str| {
        let text = std::fs::read_to_string(crate::root().join("book").join(file)).unwrap();
        toml::from_str::<toml::Table>(&text).unwrap()
    };
    let (listings, live) = (read("listings.toml"), read("live.toml"));
    let is_it = |entry: &&toml::Value| entry.get("kernel").and_then(toml::Value::as_str) == Some(kernel);
    let entry = listings.values().chain(live.values()).find(is_it).expect("the book launches it");
    let shape = |field: &str| {
        let sizes = entry[field].as_array().unwrap().iter().map(ToString::to_string);
        sizes.collect::<Vec<_>>().join(",")
    };
    let (file, arch) = entry["ptx"].as_str().unwrap().split_once(".sm_").unwrap();
    let mut line = format!(
        "advise kernels/{file}.cu --compiler cudac --arch {arch} --kernel {kernel} --grid {} --block {}",
        shape("grid"),
        shape("block")
    );
    for argument in entry["arguments"].as_array().unwrap() {
        let (name, is) = argument.as_str().unwrap().split_once(' ').unwrap();
        match is.strip_prefix("buf:") {
            Some(buffer) => line.extend([" --buffer ", name, "=", buffer, " --arg ", name]),
            None => line.extend([" --arg ", is]),
        }
    }
    line
}

/// `BLESS=1` writes the advice; read the diff.
#[test]
fn advice_about_kernels_of_the_book_is_as_it_was_read() {
    for kernel in KEPT {
        let output = words(&launch_of_the_book(kernel));
        assert_eq!(output.status.code(), Some(0), "{kernel}: {output:?}");
        let path = crate::root().join(format!("crates/lanes/tests/lanes/advice/{kernel}.txt"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, stdout(&output)).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(stdout(&output), kept, "{kernel}: `BLESS=1` writes what is said now");
    }
}

#[test]
fn advice_points_towards_the_better_version() {
    for (file, kernel, said, better) in PAIRS {
        let (kernel, better) = (advice(file, kernel), advice(file, better));
        assert!(kernel.contains(said), "{said}: {kernel}");
        assert!(!better.contains(said), "{said}: {better}");
    }
}

/// Without its barrier this kernel has a race, so nothing is said of the barrier; and of a barrier that is there twice, one is
/// too many.
#[test]
fn only_a_barrier_that_orders_nothing_is_named() {
    let kernel = |barriers: &str| {
        format!(
            "__global__ void turn(int* x) {{\n    __shared__ int part[64];\n    part[threadIdx.x] = x[threadIdx.x];\n{barriers}    \
             x[threadIdx.x] = part[63 - threadIdx.x];\n}}\n"
        )
    };
    let advice = |name: &str, barriers: &str| {
        let path = file(name, kernel(barriers).as_bytes());
        let output =
            words(&format!("advise {} --compiler cudac --block 64 --arg buf:i32:64:iota", path.display()));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        stdout(&output).to_owned()
    };
    let one = advice("turn.cu", "    __syncthreads();\n");
    assert!(!one.contains("orders nothing"), "{one}");
    let two = advice("turn_twice.cu", "    __syncthreads();\n    __syncthreads();\n");
    assert!(two.contains("turn_twice.cu:4  __syncthreads();") && two.contains("orders nothing"), "{two}");
    let none = advice("turn_not.cu", "");
    assert!(!none.contains("orders nothing"), "{none}");
}

#[test]
fn what_is_not_about_one_launch_is_refused_in_one_line() {
    let program =
        file("advise_main.cu", b"__global__ void f() {}\nint main() { f<<<1, 1>>>(); return 0; }\n");
    let program = program.display();
    for (line, expected) in [
        ("advise kernels/banks.cu --seeds 0..4".to_owned(), "omit `--seeds`"),
        ("advise kernels/banks.cu --json".to_owned(), "omit `--json`"),
        (format!("advise {program}"), "name the kernel with `--kernel`"),
        ("advise kernels/banks.cu".to_owned(), "arg"),
        ("advise no.cu".to_owned(), "no.cu"),
    ] {
        let output = words(&line);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected) && error.lines().count() == 1, "{line}: {error}");
    }
}
