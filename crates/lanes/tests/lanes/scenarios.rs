//! `lanes test`: scenario files, the formats of its results, and what it refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::{assert_refused, file, lanes, object, root, stdout};

/// Runs the tests of a file with the compiler that is always there.
fn test(path: &Path, more: &[&str]) -> Output {
    let words = ["test", path.to_str().unwrap(), "--compiler", "cudac"];
    lanes(&[&words, more].concat())
}

/// A scenario file and its kernel, each with a name of its own.
fn scenario(name: &str, cuda: &str, toml: &str) -> PathBuf {
    file(&format!("{name}.cu"), cuda.as_bytes());
    file(&format!("{name}.toml"), format!("file = \"{name}.cu\"\n{toml}").as_bytes())
}

#[test]
fn the_scenarios_of_the_books_kernels_pass() {
    let folder = fs::read_dir(root().join("kernels/scenarios")).unwrap();
    let files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 10, "{files:?}");
    for path in files {
        let output = test(&path, &[]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(stdout(&output).contains("; 0 failed"), "{output:?}");
    }
}

/// Everything that a kernel can get: a structure with a pointer, a variable in constant memory, and a macro.
const STEP: &str = "\
struct Step { float factor; unsigned char twice; float* y; int n; };
__constant__ int offset[2];
extern \"C\" __global__ void step(Step s, const float* x) {
    int i = threadIdx.x;
    if (i < s.n) s.y[i] = x[i] * s.factor * (s.twice ? 2 : 1) + offset[0] + offset[1] + SHIFT;
}
";

#[test]
fn structures_symbols_and_macros_reach_the_kernel() {
    let toml = "
[define]
SHIFT = 1000
[[test]]
name = \"all\"
buffers = { x = \"f32:4:iota\", y = \"f32:4:zeros\" }
symbols = { offset = \"i32:2:list=10,20\" }
expect = { y = { is = \"list=1030,1036,1042,0\" } }
[[test.launch]]
args = [\"{f32:3, u8:1, y, i32:3}\", \"x\"]
";
    let output = test(&scenario("step", STEP, toml), &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn launches_in_a_row_share_buffers() {
    let cuda = "extern \"C\" __global__ void up(int* x, int by) { x[threadIdx.x] += by; }";
    let toml = "
[[test]]
name = \"two launches\"
buffers = { x = \"i32:32:zeros\" }
expect = { x = { is = \"fill=7\", range = \"0..31\" } }
[[test.launch]]
args = [\"x\", \"i32:3\"]
[[test.launch]]
args = [\"x\", \"i32:4\"]
";
    assert_eq!(test(&scenario("row", cuda, toml), &[]).status.code(), Some(0));
}

/// Two tests, of which the first has a problem of each kind and the second none.
fn failing() -> PathBuf {
    let cuda = "\
extern \"C\" __global__ void store(int* x) {
    x[0] = threadIdx.x;
}
";
    let toml = "
[[test]]
name = \"a <b> & c\"
seeds = \"3..9\"
buffers = { x = \"i32:2:zeros\" }
expect = { x = { is = \"list=99,0\" } }
[[test.launch]]
block = 64
args = [\"x\"]
counters = { global_store_sectors = \">= 100\" }
[[test]]
name = \"one thread\"
buffers = { x = \"i32:2:fill=5\" }
expect = { x = { is = \"list=0,5\" } }
[[test.launch]]
block = 1
args = [\"x\"]
";
    scenario("failing", cuda, toml)
}

#[test]
fn a_failure_says_what_why_and_with_which_seed() {
    let output = test(&failing(), &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "running 2 tests of ",
        "test a <b> & c ... FAILED\ntest one thread ... ok\n",
        "seed 3: error: race: ",
        "failing.cu:2: wrote",
        "`global_store_sectors` is 2 (sectors)",
        "should be at least 100",
        ", and should be 99",
        "test result: FAILED. 1 passed; 1 failed",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(text).contains(&words(part)), "`{part}` is not in: {text}");
    }
    crate::assert_readable(text.split_once('\n').unwrap().1);
    let only = test(&failing(), &["--only", "one thread"]);
    assert!(only.status.success() && stdout(&only).contains("1 passed; 0 failed"), "{only:?}");
}

#[test]
fn a_finding_that_is_missing_is_a_failure() {
    let cuda = "extern \"C\" __global__ void nothing() {}";
    let toml = "[[test]]\nname = \"none\"\nfinds = [\"race\"]\nseeds = \"0..3\"\n[[test.launch]]\n";
    let output = test(&scenario("missing", cuda, toml), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("error: missing-finding: no launch had the finding `race`"),
        "{output:?}"
    );
}

#[test]
fn junit_has_a_case_for_each_test_and_a_failure_for_each_problem() {
    let output = test(&failing(), &["--format", "junit"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "), "{text}");
    assert_eq!(text.matches("<testcase ").count(), 2, "{text}");
    assert_eq!(text.matches("<failure type=").count(), 3, "{text}");
    assert!(
        text.contains("tests=\"2\" failures=\"1\" errors=\"0\"")
            && text.contains("name=\"a &lt;b&gt; &amp; c\"")
    );
}

#[test]
fn sarif_has_a_result_at_each_line() {
    let output = test(&failing(), &["--format", "sarif"]);
    let log = object(&output);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let rules: Vec<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["race", "counter", "contents"]);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("/failing.cu"), "{place}");
    assert_eq!(place["region"]["startLine"], 2);
    let declared = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().all(|rule| declared.iter().any(|known| known["id"] == *rule)), "{declared:?}");
}

#[test]
fn json_has_every_problem() {
    let all = object(&test(&failing(), &["--format", "json"]));
    let tests = all[0]["tests"].as_array().unwrap();
    let passed: Vec<&Value> = tests.iter().map(|test| &test["passed"]).collect();
    assert_eq!(passed, [&Value::Bool(false), &Value::Bool(true)]);
    assert_eq!((&tests[0]["problems"][0]["seed"], &tests[0]["seeds"]), (&Value::from(3), &Value::from(1)));
}

/// Fields of a test of the kernel `up(int* x, int by)`, and a part of the line that refuses them.
const WRONG_FIELDS: [(&str, &str); 21] = [
    ("lunch = 1", "line 5: unknown field `lunch`"),
    (
        "seed = 1",
        "line 5: unknown field `seed`, expected one of `name`, `finds`, `expect`, `launch`, `buffers`",
    ),
    ("grid = 1", "line 5: unknown field `grid`"),
    ("buffers = { x = \"i32:0:zeros\" }", "buffer `x`: a buffer has a whole number of elements"),
    ("buffers = { x = \"i32:4\" }", "buffer `x`: a buffer is written"),
    ("buffers = { x = \"i33:4:zeros\" }", "there is no type `i33`"),
    ("buffers = { x = \"i32:4:ones\" }", "cannot be filled with `ones`"),
    ("buffers = { x = \"i32:4:file=none.bin\" }", "there is no such file"),
    ("buffers = { x = \"f64:99999999999999:zeros\" }", "give it fewer elements"),
    ("symbols = { k = \"i32:1:zeros\" }", "symbol `k`: the program has no such variable: it has `offset`"),
    ("symbols = { offset = \"i32:3:zeros\" }", "it has 8 bytes, and `i32:3:zeros` has 12"),
    ("seeds = \"3\"", "seeds are written `A..B`"),
    ("seeds = \"4..4\"", "this range is empty"),
    ("schedule = \"fair\"", "`schedule`: choose `round-robin`, `random` or `hunt`"),
    ("reconvergence = \"volta\"", "`reconvergence`: choose"),
    ("check = \"rices\"", "`check`: there is no checker `rices`"),
    ("resident_blocks = 0", "`resident_blocks`: 1 to 1024 blocks"),
    ("max_steps = 0", "`max_steps`: a number of steps is a whole number"),
    ("finds = [\"rice\"]", "there is no finding `rice`: `lanes explain` lists"),
    ("expect = { x = { is = \"iota\", like = \"x\" } }", "give either `is`"),
    ("expect = { x = { is = \"iota\", range = \"2..9\" } }", "which are 0..4"),
];

/// Fields of its launch, and a part of the line that refuses them.
const WRONG_LAUNCHES: [(&str, &str); 14] = [
    (
        "seeds = \"0..2\"",
        "line 6: unknown field `seeds`, expected one of `counters`, `kernel`, `grid`, `block`",
    ),
    ("kernel = \"down\"", "has no kernel `down`: it has `up`"),
    ("grid = 0", "a grid is one to three whole numbers"),
    ("grid = [1, 2, 3, 4]", "a grid is one to three whole numbers"),
    ("block = 2000", "a block has 1 to 1024 threads"),
    ("grid = true", "a shape is written as in `4`, `[4, 2]`"),
    ("args = [\"x\"]", "`up` takes 2 arguments (u64, u32), not 1"),
    ("args = [\"y\", \"i32:1\"]", "there is no buffer `y`: choose one of `x`, or add it to the buffers"),
    ("args = [\"buf:i32:4:zeros\", \"i32:1\"]", "give the buffer a name"),
    ("args = [\"x\", \"x\"]", "is not a pointer but `u32`"),
    ("args = [\"x\", \"{i32:1, i32:2}\"]", "has 4 bytes and the structure 8"),
    ("args = [\"x\", \"{z}\"]", "there is no buffer `z`"),
    (
        "args = [\"x\", \"i32:1\"]\ncounters = { sectors = \"<= 1\" }",
        "there is no counter `sectors`: did you mean",
    ),
    ("args = [\"x\", \"i32:1\"]\ncounters = { ptx_instructions = \"few\" }", "`few` is not a bound"),
];

/// The kernel of these tests.
const UP: &str = "\
__device__ int offset[2];
extern \"C\" __global__ void up(int* x, int by) { x[threadIdx.x] += by + offset[0]; }
";

fn assert_scenario_is_refused(name: &str, toml: &str, message: &str) {
    assert_refused(&test(&scenario(name, UP, toml), &[]), message, toml);
}

#[test]
fn a_wrong_test_is_refused_in_one_line() {
    assert_scenario_is_refused(
        "idle",
        "[[test]]\nname = \"idle\"\n",
        "there is no launch: add one under `[[test.launch]]`",
    );
    for (index, (fields, message)) in WRONG_FIELDS.iter().enumerate() {
        let buffers = if fields.starts_with("buffers") { "" } else { "buffers = { x = \"i32:4:iota\" }" };
        let launch = "[[test.launch]]\nargs = [\"x\", \"i32:1\"]";
        let toml = format!("[[test]]\nname = \"one\"\n{buffers}\n{fields}\n{launch}\n");
        assert_scenario_is_refused(&format!("field{index}"), &toml, message);
    }
    for (index, (fields, message)) in WRONG_LAUNCHES.iter().enumerate() {
        let buffers = "buffers = { x = \"i32:4:iota\" }";
        let toml = format!("[[test]]\nname = \"one\"\n{buffers}\n[[test.launch]]\n{fields}\n");
        assert_scenario_is_refused(&format!("launch{index}"), &toml, message);
    }
}

#[test]
fn a_wrong_file_is_refused_in_one_line() {
    let good = "[[test]]\nname = \"a\"\n[[test.launch]]\n";
    let cuda = "extern \"C\" __global__ void nothing() {}";
    for (name, toml, message) in [
        ("none", String::new(), "has no test: add one under `[[test]]`"),
        ("twice", format!("{good}{good}"), "has two tests `a`: give them different names"),
        ("syntax", "[[test]\n".to_owned(), "line 2: "),
        ("define", format!("define = {{ \"3D\" = 1 }}\n{good}"), "`3D` is not the name of a macro"),
        (
            "list",
            format!("define = {{ A = [1] }}\n{good}"),
            "the value of a macro is a text, a number or true or false",
        ),
        ("arch", format!("arch = 20\n{good}"), "does not compile for `sm_20`"),
        ("negative", format!("arch = -1\n{good}"), "line 2: "),
    ] {
        assert_refused(&test(&scenario(&format!("file_{name}"), cuda, &toml), &[]), message, name);
    }
    let path = file("elsewhere.toml", b"file = \"nowhere.cu\"\n[[test]]\nname = \"a\"\n");
    assert_refused(&test(&path, &[]), "nowhere.cu`: there is no such file", "a file that does not exist");
    let path = file("latin.toml", b"file = \"\xe9.cu\"\n");
    assert_refused(&test(&path, &[]), "latin.toml`: ", "a file that is not text");
    assert_refused(
        &lanes(&["test", "nowhere.toml"]),
        "cannot read `nowhere.toml`: there is no such file",
        "no file",
    );
    assert_refused(&lanes(&["test", "kernels"]), "it is a directory", "a folder");
    assert_refused(&lanes(&["test"]), "required", "nothing");
    let path = scenario("only", cuda, good);
    assert_refused(&test(&path, &["--only", "b"]), "no test has a name that contains `b`", "--only");
    assert_refused(&test(&path, &["--format", "xml"]), "`xml`", "--format");
}

#[test]
fn macros_and_structures_are_options_of_a_run() {
    let path = file(
        "run_step.cu",
        STEP.replace("float* y; ", "")
            .replace("s.y[i]", "y[i]")
            .replace("const float* x", "float* y, const float* x")
            .as_bytes(),
    );
    let path = path.to_str().unwrap();
    let words = [
        "run",
        path,
        "--compiler",
        "cudac",
        "-D",
        "SHIFT=5",
        "--arg",
        "{f32:2, u8:0, i32:3}",
        "--arg",
        "buf:f32:4:zeros",
    ];
    let output = lanes(&[&words[..], &["--arg", "buf:f32:4:iota", "--print", "1"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let numbers: Vec<&str> = stdout(&output).lines().last().unwrap().split_whitespace().skip(1).collect();
    assert_eq!(numbers, ["5.0", "7.0", "9.0", "0.0"], "{output:?}");
    let number = lanes(&[
        "run",
        path,
        "--compiler",
        "cudac",
        "-DSHIFT=5",
        "--arg",
        "i32:2",
        "--arg",
        "u64:0",
        "--arg",
        "u64:0",
    ]);
    assert_refused(
        &number,
        "is a structure of 12 bytes: give its fields, as in `{f32:2, i32:5}`",
        "a number",
    );
    assert_refused(&lanes(&["run", path, "-D", "2=3"]), "`2` is not the name of a macro", "-D");
    let listed = lanes(&["list", path, "--compiler", "cudac", "--define", "SHIFT"]);
    assert!(stdout(&listed).contains("12"), "{listed:?}");
    assert_refused(&lanes(&["list", "kernels/ptx/saxpy.sm_70.ptx", "-D", "A"]), "omit `--define`", "PTX");
}

/// Copies a box of a matrix, and stores it elsewhere.
pub const MOVE: &str = "\
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern \"C\" __global__ void move(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int x, int y) {
    __shared__ alignas(128) float tile[4][8];
    __shared__ unsigned long full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        int at[2] = {x, y}, none[2] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(tile));
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &full);
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, none, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
";

#[test]
fn a_tensor_map_is_an_argument() {
    let toml = |more: &str| {
        format!(
            "arch = 90
[[test]]
name = \"moves\"
buffers = {{ a = \"f32:60:iota\", b = \"f32:8:zeros\" }}
expect = {{ b = {{ is = \"list=32,33,34,0,44,45,46,0\" }} }}
[[test.launch]]
args = [
    {{ tensor_map = \"a\", type = \"f32\", sizes = [11, 5], strides = [48], box = [8, 4]{more} }},
    \"{{tensor_map=b, type=f32, sizes=[4, 2], box=[8, 4]}}\",
    \"i32:8\",
    \"i32:2\",
]
"
        )
    };
    let output = test(&scenario("move", MOVE, &toml("")), &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = test(&scenario("move_swizzled", MOVE, &toml(", swizzle = 16")), &[]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("`16` is none of"), "{output:?}");
}
