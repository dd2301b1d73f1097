//! What a launch can be given and what can be asked of its buffers: structures, variables, templates, several launches,
//! expectations, files and pictures; and the same in a scenario file.

use std::fs;

use crate::{assert_readable, assert_refused, file, lanes, object, stdout};

/// Kernels that take everything.
const TEXT: &str = r#"
struct Inner { char step; short factor; };
struct Scale { float4 by; Inner inner; float* out; };

__constant__ float weights[3];
__device__ int offset;

template <typename T, int N>
__global__ void scale(T* x, T factor) {
    x[threadIdx.x] *= factor * N;
}

__global__ void apply(Scale scale, const float* x, int n) {
    int i = threadIdx.x;
    if (i < n) scale.out[i] = x[i] * scale.by.y + scale.inner.factor * scale.inner.step + weights[2] + offset;
}

extern "C" __global__ void twice(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
"#;

fn path() -> String {
    file("arguments.cu", TEXT.as_bytes()).to_str().unwrap().to_owned()
}

/// Runs with these options, which are separated by `|`.
fn run(options: &str) -> std::process::Output {
    let path = path();
    let options = options.split('|').map(str::trim).filter(|option| !option.is_empty());
    let start = ["run", path.as_str(), "--compiler", "cudac"];
    lanes(&start.into_iter().chain(options).collect::<Vec<_>>())
}

fn assert_succeeds(output: &std::process::Output) {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn structures_are_nested_and_aligned_and_have_pointers() {
    let output = run(
        "--kernel|apply|--buffer|x=f32:4:iota|--buffer|y=f32:4:zeros|--arg|{{f32:1,f32:10,f32:3,f32:4}@16,{i8:2,i16:3},y}@16|\
         --arg|x|--arg|i32:4|--symbol|weights=f32:3:list=1,2,100|--symbol|offset=i32:1000|--expect|y=list=1106,1116,1126,1136",
    );
    assert_succeeds(&output);
    assert!(stdout(&output).contains("\nexpected\n  y: as expected\n"), "{}", stdout(&output));
}

#[test]
fn a_template_becomes_a_kernel_by_its_name() {
    let launch = "--arg|buf:f32:4:iota|--arg|f32:10|--block|4|--print|0";
    for kernel in ["scale<float, 3>", "scale<float,3>"] {
        let output = run(&format!("--kernel|{kernel}|{launch}"));
        assert_succeeds(&output);
        assert!(stdout(&output).starts_with("scale<float, 3> of"), "{}", stdout(&output));
        assert!(stdout(&output).contains("0:   0.0  30.0  60.0  90.0"), "{}", stdout(&output));
    }
    let chosen = run(&format!("--instantiate|scale<float, 3>|--kernel|scale|{launch}"));
    assert_succeeds(&chosen);
    let refused = run(&format!("--kernel|scale<float>|{launch}"));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2));
    assert!(said.contains("`scale` is no template of a kernel with 1 argument"), "{said}");
    let unknown = run(&format!("--kernel|scales<float, 3>|{launch}"));
    assert!(
        String::from_utf8_lossy(&unknown.stderr).contains("`scales<float, 3>` names no template of a kernel"),
        "{unknown:?}"
    );
}

const TWO: &str = "--buffer|x=f32:64:iota|--buffer|y=f32:64:zeros|--launch|twice<<<2, 32>>>(x, y, i32:64)|\
                   --launch|twice<<<2, 32>>>(y, x, i32:64)";

#[test]
fn launches_share_buffers_and_each_is_reported() {
    let output = run(&format!("{TWO}|--expect|x:0..3=list=0,4,8|--expect|x:8..9=fill=32|--tolerance|1e-6"));
    assert_succeeds(&output);
    assert_readable(stdout(&output));
    for said in ["2 launches of", "launch 1 of 2: twice<<<2, 32>>>", "launch 2 of 2", "x, x: as expected"] {
        assert!(stdout(&output).contains(said), "{said}: {}", stdout(&output));
    }
    let json = object(&run(&format!("{TWO}|--json")));
    assert_eq!(json["launches"].as_array().unwrap().len(), 2);
    assert_eq!(json["launches"][0]["counters"]["global_load_requests"], 2);
}

#[test]
fn a_buffer_that_is_not_as_expected_is_a_failure() {
    let output = run(&format!("{TWO}|--expect|x=like=y"));
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("element 1 of `x` is 4.0, and should be 2.0, as in `y`, and 62 more elements"),
        "{text}"
    );
    let json = object(&run(&format!("{TWO}|--expect|x=like=y|--json")));
    assert_eq!((json["failed"].clone(), json["mismatches"].as_array().unwrap().len()), (true.into(), 1));
}

#[test]
fn a_launch_with_an_error_is_the_last() {
    let output =
        run("--buffer|x=f32:40:iota|--buffer|y=f32:64:zeros|--launch|twice<<<2, 32>>>(x, y, i32:64)|\
         --launch|twice<<<2, 32>>>(y, x, i32:64)|--expect|y=iota");
    assert_eq!(output.status.code(), Some(1));
    for said in ["out-of-bounds", "the last launch did not run, because of the error", "not compared"] {
        assert!(stdout(&output).contains(said), "{said}: {}", stdout(&output));
    }
    assert!(
        stdout(&output).contains("--launch 'twice<<<2, 32>>>(x, y, i32:64)' --launch"),
        "the replay has both"
    );
}

#[test]
fn buffers_are_saved_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (bytes, png) = (at("y.bin"), at("y.png"));
    let output = run(&format!("{TWO}|--save|y={bytes}|--picture|y:8|--picture|y:8={png}"));
    assert_succeeds(&output);
    let saved: Vec<f32> =
        fs::read(&bytes).unwrap().chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!((saved.len(), saved[63]), (64, 126.0));
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    assert!(
        stdout(&output).contains("y afterwards, 8 x 8 (f32): from 0.0 (blank) to 126.0 (@)\n"),
        "{}",
        stdout(&output)
    );
    // What was saved can be read again, and is what is expected.
    let again = run(&format!("{TWO}|--expect|y=file={bytes}"));
    assert_succeeds(&again);
    let over = run(&format!(
        "--buffer|x=f32:64:file={bytes}|--launch|twice<<<1, 32>>>(x, x, i32:0)|--save|x={bytes}"
    ));
    assert_refused(&over, "which is an input: give it another name", "over an input");
}

#[test]
fn a_scenario_has_the_same() {
    let scenario = format!(
        "file = {:?}\n[[test]]\nname = \"all\"\nsymbols = {{ weights = \"f32:3:list=1,2,100\", offset = \"i32:1000\" }}\n\
         buffers = {{ x = \"f32:4:iota\", y = \"f32:4:zeros\" }}\nexpect = {{ y = {{ is = \"list=2212,2232,2252,2272\" }} }}\n\
         [[test.launch]]\nkernel = \"apply\"\nargs = [\"{{{{f32:1,f32:10,f32:3,f32:4}}@16,{{i8:2,i16:3}},y}}@16\", \"x\", \"i32:4\"]\n\
         [[test.launch]]\nkernel = \"scale<float, 2>\"\nblock = 4\nargs = [\"y\", \"f32:1\"]\n",
        path()
    );
    let scenario = file("arguments.toml", scenario.as_bytes());
    let output = lanes(&["test", scenario.to_str().unwrap(), "--compiler", "cudac"]);
    assert_succeeds(&output);
    assert!(stdout(&output).contains("test all ... ok"), "{}", stdout(&output));
}

#[test]
fn kernels_are_listed_as_cpp_has_them() {
    let path = path();
    let list = |options: &[&str]| {
        let output = lanes(&[&["list", path.as_str(), "--compiler", "cudac"], options].concat());
        assert_succeeds(&output);
        stdout(&output).to_owned()
    };
    let text = list(&["--instantiate", "scale<float, 3>"]);
    assert_readable(&text);
    for said in [
        "scale<float, 3> (in PTX _Z5scaleIfLi3EEvPT_S0_,",
        "const float*",
        "buf:f32:1024:zeros",
        "1 template of kernels: `scale`",
        "offset (4 bytes)",
        "weights (12 bytes)",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&list(&["--json"])).unwrap();
    let twice = json["kernels"].as_array().unwrap().iter().find(|kernel| kernel["name"] == "twice").unwrap();
    assert_eq!(twice["parameters"][0]["declared"], "const float*");
    assert_eq!(
        (twice["parameters"][2]["name"].clone(), twice["parameters"][2]["type"].clone()),
        ("n".into(), "u32".into())
    );
}

/// Options that are refused, and a part of the one line.
const REFUSED: [(&str, &str); 22] = [
    ("--kernel|twice|--arg|x", "there is no buffer `x`: add it to the buffers"),
    ("--kernel|twice|--buffer|y=f32:4:iota|--arg|x", "there is no buffer `x`: choose one of `y`"),
    ("--buffer|x=f32:4:iota|--buffer|x=f32:4:iota|--kernel|twice", "there are two buffers `x`"),
    ("--buffer|x", "as in `x=f32:1024:zeros`"),
    ("--buffer|3=f32:4:iota", "as in `x=f32:1024:zeros`"),
    ("--buffer|x=f32:4", "a buffer is written"),
    ("--launch|twice", "a launch is written as in `sum<<<8, 256>>>(x, i32:5)`"),
    ("--launch|twice<<<1, 32>>>(buf:f32:4:iota)", "give the buffer a name"),
    ("--launch|twice<<<1, 2000>>>()", "a block has 1 to 1024 threads"),
    ("--launch|twice<<<1, 32>>>()|--kernel|twice", "cannot be used with"),
    ("--launch|twice<<<1, 32>>>()", "takes 3 arguments"),
    ("--launch|none<<<1, 32>>>()", "has no kernel `none`"),
    ("--kernel|twice|--symbol|weight=f32:3:zeros", "no such variable: it has `weights`, `offset`"),
    ("--kernel|twice|--symbol|weights=f32:4:zeros", "it has 12 bytes, and `f32:4:zeros` has 16"),
    ("--instantiate|scale", "as in `scale<float, 4>`"),
    ("--std|c++18", "choose `c++11`, `c++14`, `c++17` or `c++20`"),
    ("--std|c++20", "cudac compiles C++17 and older, not C++20"),
    ("--kernel|twice|--tolerance|1e-6", "--expect"),
    (
        "--launch|twice<<<1, 32>>>(x, x, i32:0)|--buffer|x=f32:4:iota|--expect|z=iota",
        "`--expect z=iota`: there is no buffer `z`",
    ),
    (
        "--launch|twice<<<1, 32>>>(x, x, i32:0)|--buffer|x=f32:4:iota|--save|x=/nowhere/x.bin",
        "cannot write `/nowhere/x.bin`: there is no such folder",
    ),
    ("--launch|twice<<<1, 32>>>(x, x, i32:0)|--buffer|x=f32:4:iota|--picture|x:3", "not whole rows of 3"),
    ("--launch|twice<<<1, 32>>>(x, x, i32:0)|--buffer|x=f32:4:iota|--print|2", "argument 2 is a number"),
];

#[test]
fn what_makes_no_sense_is_refused_in_one_line() {
    for (options, message) in REFUSED {
        assert_refused(&run(options), message, options);
    }
}

/// Ctrl-C ends a run that would take days, and what is known so far is printed.
#[cfg(unix)]
#[test]
fn ctrl_c_prints_what_is_known() {
    let path = path();
    let mut command = crate::command(&["run", &path, "--compiler", "cudac", "--kernel", "twice"]);
    command.args([
        "--grid",
        "2147483647",
        "--arg",
        "buf:f32:64:iota",
        "--arg",
        "buf:f32:64:zeros",
        "--arg",
        "i32:64",
    ]);
    let run = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let killed = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let text = stdout(&output);
    assert!(text.contains("stopped: by Ctrl-C after ") && text.contains("no fault so far"), "{text}");
}
