//! Files that a text includes: where they are looked for, and what messages and findings call them.

use std::fs;
use std::path::{Path, PathBuf};

use super::{lanes, stderr, stdout};

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let made = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = made.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    made
}

/// What `lanes` prints with a command for a file of a folder, and its status.
fn run(folder: &Path, command: &str, file: &str, options: &[&str]) -> (String, String, Option<i32>) {
    let path = folder.join(file);
    let output = lanes(&[&[command, path.to_str().unwrap()], options].concat());
    (stdout(&output).to_owned(), stderr(&output).to_owned(), output.status.code())
}

fn include(folder: &Path, inner: &str) -> String {
    let path: PathBuf = folder.join(inner);
    format!("-I{}", path.display())
}

const CHECK: &str = "#pragma once\n#include <stdio.h>\n#define CHECK(call) do { cudaError_t e = call; if (e != cudaSuccess) { \
     printf(\"%s:%d %s\\n\", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)\n";

#[test]
fn files_are_found_beside_the_file_that_includes_them_and_then_in_the_folders_in_order() {
    let made = folder(&[
        (
            "src/main.cu",
            "#include \"a.h\"\n#include <b.h>\n#include \"inner/c.h\"\nint main() { printf(\"%d %d %d %d\\n\", A, B, C, D); }\n",
        ),
        ("src/a.h", "#include <stdio.h>\n#define A 1\n"),
        ("src/b.h", "#define B 0 // only for quotes\n"),
        ("src/inner/c.h", "#include \"d.h\"\n#define C 3\n"),
        ("src/inner/d.h", "#define D 4\n"),
        ("one/a.h", "#define A 0\n"),
        ("one/b.h", "#define B 2\n"),
        ("two/b.h", "#define B 0\n"),
    ]);
    let (one, two) = (include(made.path(), "one"), include(made.path(), "two"));
    assert_eq!(run(made.path(), "run", "src/main.cu", &[&one, &two]).0, "1 2 3 4\n");
}

#[test]
fn a_file_is_read_once_if_it_says_so_and_as_often_as_it_is_included_otherwise() {
    let made = folder(&[
        (
            "main.cu",
            "#include \"once.h\"\n#include \"./once.h\"\n#include \"guard.h\"\n#include \"guard.h\"\n#define X(name) int name() { return __LINE__; }\n#include \"list.h\"\n#undef X\n#define X(name) + name()\nint main() { printf(\"%d\\n\", 0\n#include \"list.h\"\n); }\n",
        ),
        ("once.h", "#pragma once\n#include <stdio.h>\nstruct Once { int x; };\n"),
        ("guard.h", "#ifndef GUARD_H\n#define GUARD_H\nstruct Guard { int x; };\n#endif\n"),
        ("list.h", "X(one)\nX(two)\n"),
    ]);
    assert_eq!(run(made.path(), "run", "main.cu", &[]).0, "3\n");
}

#[test]
fn findings_in_a_file_that_is_included_name_it() {
    let made = folder(&[
        (
            "main.cu",
            "#include \"kernels.cuh\"\n#include \"check.h\"\nint main() {\n  int* x;\n  CHECK(cudaMalloc(&x, 256));\n  CHECK(cudaMemset(x, 0, 256));\n  sum<<<1, 64>>>(x);\n  CHECK(cudaDeviceSynchronize());\n  read(nullptr);\n}\n",
        ),
        (
            "kernels.cuh",
            "#pragma once\n__device__ inline void add(int* x, int v) {\n  *x += v;\n}\n__global__ void sum(int* x) {\n  add(x, threadIdx.x);\n}\ninline int read(int* x) {\n  int y = *x;\n  return y;\n}\n",
        ),
        ("check.h", CHECK),
    ]);
    let (output, errors, status) = run(made.path(), "run", "main.cu", &[]);
    assert_eq!(status, Some(1), "{output}{errors}");
    assert!(output.contains("race at kernels.cuh:3: "), "{output}");
    assert!(output.contains("launched at line 7)"), "{output}");
    assert!(output.contains(" at kernels.cuh:9: "), "{output}");
    // So does a kernel alone.
    let options = ["--kernel", "sum", "--block", "64", "--arg", "buf:i32:64:zeros", "--compiler", "cudac"];
    let (output, errors, status) = run(made.path(), "run", "main.cu", &options);
    assert_eq!(status, Some(1), "{output}{errors}");
    assert!(output.contains("kernels.cuh:3"), "{output}");
}

#[test]
fn allocations_and_leaks_of_other_files_are_named() {
    let made = folder(&[
        (
            "main.cu",
            "#include \"make.h\"\n__global__ void k(int* x) { x[threadIdx.x] = 1; }\nint main() {\n  int* x = make(4);\n  k<<<1, 4>>>(x);\n  cudaDeviceSynchronize();\n  int h[8];\n  cudaMemcpy(h, x, 32, cudaMemcpyDeviceToHost);\n}\n",
        ),
        ("make.h", "\ninline int* make(int n) {\n  int* x;\n  cudaMalloc(&x, n * 4);\n  return x;\n}\n"),
    ]);
    let (output, ..) = run(made.path(), "run", "main.cu", &[]);
    assert!(output.contains("line 4 of `make.h` allocated"), "{output}");
    let json: serde_json::Value =
        serde_json::from_str(&run(made.path(), "run", "main.cu", &["--json"]).0).unwrap();
    let places: Vec<_> =
        json["findings"].as_array().unwrap().iter().map(|found| (&found["file"], &found["line"])).collect();
    assert_eq!(places[0], (&"main.cu".into(), &8.into()), "{json}");
}

#[test]
fn all_files_that_are_missing_are_named_at_once_with_the_way_to_them() {
    let made = folder(&[
        (
            "main.cu",
            "#include \"there.h\"\n#include \"gone.h\"\n#include <also/gone.h>\n#include <thrust/sort.h>\nint main() { unknown x; }\n",
        ),
        ("there.h", "#include \"deep.h\"\n"),
    ]);
    let (_, errors, status) = run(made.path(), "run", "main.cu", &[]);
    assert_eq!(status, Some(2));
    for part in [
        "there.h:1:10: error: the header `deep.h` is not available\n  included at main.cu:1\n",
        "main.cu:2:10: error: the header `gone.h` is not available",
        "as in `-I include`",
        "main.cu:3:10: error: the header `also/gone.h` is not available",
        "main.cu:4:10: error: the header `thrust/sort.h` is not available",
        "it belongs to NVIDIA's Thrust",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    assert!(!errors.contains("unknown"), "{errors}");
    let (_, errors, _) = run(made.path(), "run", "main.cu", &[&include(made.path(), ".")]);
    assert!(errors.contains("name the folder that has it with `-I`"), "{errors}");
}

#[test]
fn errors_in_a_file_that_is_included_name_it_and_the_way_to_it() {
    let made = folder(&[
        ("main.cu", "\n#include \"a.h\"\nint main() { return f(); }\n"),
        ("a.h", "#include \"b/b.h\"\n"),
        ("b/b.h", "\n\ninline int f() { return y; }\n"),
    ]);
    let (_, errors, status) = run(made.path(), "run", "main.cu", &[]);
    assert_eq!(status, Some(2));
    let head = "b/b.h:3:25: error: `y` is not declared\n  included at a.h:1\n  included at main.cu:2\n";
    assert!(errors.contains(head), "{errors}");
}

#[test]
fn a_header_of_the_system_that_is_not_there_matters_only_if_something_does() {
    let text =
        |body: &str| format!("#include <sys/resource.h>\n#include <stdio.h>\nint main() {{ {body} }}\n");
    let made = folder(&[("good.cu", &text("printf(\"1\\n\");")), ("bad.cu", &text("struct rusage u;"))]);
    let (output, errors, status) = run(made.path(), "run", "good.cu", &[]);
    assert_eq!((&output[..], status), ("1\n", Some(0)), "{errors}");
    assert!(
        errors.contains("good.cu:1:10: warning: the header `sys/resource.h` is not available"),
        "{errors}"
    );
    let (_, errors, status) = run(made.path(), "run", "bad.cu", &["--host", "interpret"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("bad.cu:1:10: error: the header `sys/resource.h`"), "{errors}");
}

#[test]
fn what_includes_itself_or_cannot_be_read_is_refused() {
    let made = folder(&[
        ("loop.cu", "#include \"loop.h\"\nint main() {}\n"),
        ("loop.h", "#include \"loop.h\"\n"),
        ("folder.cu", "#include \"inner\"\nint main() {}\n"),
        ("inner/x.h", ""),
        ("binary.cu", "#include \"x.bin\"\nint main() {}\n"),
        ("x.bin", "\u{0}\u{1}\u{2}x"),
    ]);
    for (file, part) in [
        ("loop.cu", "this needs more than 64 headers, macros or conditions in each other"),
        ("folder.cu", "the header `inner` is not available"),
        ("binary.cu", "`x.bin` is a binary file"),
    ] {
        let (_, errors, status) = run(made.path(), "run", file, &[]);
        assert!(errors.contains(part), "{file}: {errors}");
        assert_eq!(status, Some(2), "{file}");
    }
    let (_, errors, status) = run(made.path(), "run", "loop.cu", &["-I", "nowhere"]);
    assert!(status == Some(2) && errors.contains("there is no such folder"), "{errors}");
}

#[test]
fn folders_of_the_toolkit_do_not_hide_what_this_compiler_has() {
    let made = folder(&[
        ("main.cu", "#include <cuda_runtime.h>\n#include <stdio.h>\nint main() { printf(\"1\\n\"); }\n"),
        ("cuda/cuda_runtime.h", "#error the toolkit's\n"),
        ("cuda/cuda_runtime_api.h", "#error the toolkit's\n"),
    ]);
    assert_eq!(run(made.path(), "run", "main.cu", &[&include(made.path(), "cuda")]).0, "1\n");
}

#[test]
fn other_commands_find_the_files_too() {
    let made = folder(&[
        (
            "k.cu",
            "#include \"scale.cuh\"\nextern \"C\" __global__ void twice(float* x) {\n  x[threadIdx.x] = scale(x[threadIdx.x]);\n}\n",
        ),
        ("lib/scale.cuh", "__device__ inline float scale(float x) { return FACTOR * x; }\n"),
        (
            "tests/t.toml",
            "file = \"../k.cu\"\ninclude = [\"../lib\"]\ndefine = { FACTOR = \"2.0f\" }\n[[test]]\nname = \"twice\"\nbuffers = { x = \"f32:32:iota\" }\n[[test.launch]]\nkernel = \"twice\"\nblock = 32\nargs = [\"x\"]\n",
        ),
    ]);
    let lib = include(made.path(), "lib");
    let define = ["-DFACTOR=2.0f", &lib, "--compiler", "cudac"];
    let (listed, errors, status) = run(made.path(), "list", "k.cu", &define);
    assert_eq!(status, Some(0), "{errors}");
    assert!(listed.contains("x  float*"), "{listed}");
    let launch = [&define[..], &["--block", "32", "--arg", "buf:f32:32:iota"]].concat();
    for command in ["run", "advise"] {
        let (output, errors, status) = run(made.path(), command, "k.cu", &launch);
        assert_eq!(status, Some(0), "{command}: {output}{errors}");
    }
    let page = made.path().join("k.html");
    let (_, errors, status) =
        run(made.path(), "play", "k.cu", &[&launch[..], &["--out", page.to_str().unwrap()]].concat());
    assert_eq!(status, Some(0), "{errors}");
    let html = fs::read_to_string(page).unwrap();
    assert!(
        html.contains("\"name\":\"lib/scale.cuh\",\"lines\":[[1,\"__device__ inline float scale"),
        "{html}"
    );
    let (output, errors, status) = run(made.path(), "test", "tests/t.toml", &["--compiler", "cudac"]);
    assert_eq!(status, Some(0), "{output}{errors}");
}

#[test]
fn a_main_in_a_file_that_is_included_makes_a_program() {
    let made = folder(&[
        ("k.cu", "__global__ void k(int* x) { *x = 1; }\n#include \"driver.h\"\n"),
        ("driver.h", "#include <stdio.h>\nint main() { printf(\"ran\\n\"); }\n"),
    ]);
    assert_eq!(run(made.path(), "run", "k.cu", &[]).0, "ran\n");
}

#[test]
fn a_text_in_latin_1_is_a_text() {
    let made = folder(&[("main.cu", "")]);
    fs::write(
        made.path().join("main.cu"),
        b"// M\xfcller\n#include <stdio.h>\nint main() { printf(\"1\\n\"); }\n",
    )
    .unwrap();
    assert_eq!(run(made.path(), "run", "main.cu", &[]).0, "1\n");
}

#[test]
fn several_sources_are_one_program() {
    let made = folder(&[
        (
            "main.cu",
            "#include \"particle.h\"\n#include <stdio.h>\nstatic int count() { return 1; }\nextern int total;\nint main() {\n  Particle* p = make(64);\n  step<<<1, 64>>>(p);\n  cudaDeviceSynchronize();\n  Kind kind = kind_of(p[3]);\n  printf(\"%d %d %d %d %d\\n\", count(), other_count(), total, (int)p[3].x, kind == HEAVY);\n  cudaFree(p);\n}\n",
        ),
        (
            "particle.h",
            "#ifndef PARTICLE_H\n#define PARTICLE_H\n#include <vector>\nenum Kind { LIGHT, HEAVY };\nstruct Particle { float x; int n; Particle next(int by = 2) const { return Particle{x + by, n}; } };\ntemplate <typename T> __host__ __device__ T twice(T x) { return 2 * x; }\n__host__ __device__ inline float half_of(float x) { return x / 2; }\n__global__ void step(Particle* p);\n__device__ float moved(float x);\nParticle* make(int n, int from = 5);\nint other_count();\nKind kind_of(const Particle& p);\n#endif\n",
        ),
        (
            "kernels.cu",
            "#include \"particle.h\"\n__global__ void step(Particle* p) {\n  p[threadIdx.x].x = moved(p[threadIdx.x].x);\n}\n",
        ),
        (
            "device/moved.cu",
            "#include \"../particle.h\"\n__constant__ float by = 1;\n__device__ float moved(float x) { return twice(half_of(x)) + by; }\n",
        ),
        (
            "host.cpp",
            "#include \"particle.h\"\n#include <cuda_runtime.h>\nint total = 7;\nstatic int count() { return 2; }\nint other_count() { return count(); }\nParticle* make(int n, int from) {\n  Particle* p;\n  cudaMallocManaged(&p, n * sizeof(Particle));\n  std::vector<int> numbers(n);\n  for (int i = 0; i < n; i++) p[i] = Particle{(float)(from + numbers[i]), i}.next();\n  return p;\n}\nKind kind_of(const Particle& p) { return p.n > 2 ? HEAVY : LIGHT; }\n",
        ),
    ]);
    let more: Vec<String> = ["kernels.cu", "device/moved.cu", "host.cpp"]
        .map(|name| made.path().join(name).to_str().unwrap().to_owned())
        .to_vec();
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let (output, errors, status) = run(made.path(), "run", "main.cu", &more);
    assert_eq!((&output[..], status), ("1 2 7 8 1\n", Some(0)), "{errors}");
    let (listed, errors, status) = run(made.path(), "list", "main.cu", &more);
    assert_eq!(status, Some(0), "{errors}");
    assert!(listed.contains("step (in PTX _Z4stepP8Particle"), "{listed}");
}

#[test]
fn kernels_of_several_sources_may_share_a_name_if_they_are_static() {
    let text = |value: u32, name: &str| {
        format!(
            "static __global__ void k(int* x) {{ *x = {value}; }}\nnamespace {{ int own = {value}; struct S {{ char c[{value}]; }}; }}\nint {name}() {{\n  int *d, h;\n  cudaMalloc(&d, 4);\n  k<<<1, 1>>>(d);\n  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n  cudaFree(d);\n  return h + own + (int)sizeof(S);\n}}\n"
        )
    };
    let main = "#include <stdio.h>\nint a();\nint b();\nint main() { printf(\"%d %d\\n\", a(), b()); }\n";
    let made = folder(&[("main.cu", main), ("a.cu", &text(3, "a")), ("b.cu", &text(5, "b"))]);
    let (a, b) = (made.path().join("a.cu"), made.path().join("b.cu"));
    let (output, errors, _) = run(made.path(), "run", "main.cu", &[a.to_str().unwrap(), b.to_str().unwrap()]);
    assert_eq!(output, "9 15\n", "{errors}");
}

#[test]
fn findings_of_several_sources_name_theirs() {
    let made = folder(&[
        (
            "main.cu",
            "void go(int* x);\nint main() {\n  int* x;\n  cudaMalloc(&x, 256);\n  go(x);\n  cudaFree(x);\n}\n",
        ),
        (
            "go.cu",
            "\n__global__ void sum(int* x) {\n  x[0] += threadIdx.x;\n}\nvoid go(int* x) {\n  cudaMemset(x, 0, 256);\n  sum<<<1, 64>>>(x);\n  cudaDeviceSynchronize();\n}\n",
        ),
    ]);
    let go = made.path().join("go.cu");
    let (output, errors, status) = run(made.path(), "run", "main.cu", &[go.to_str().unwrap()]);
    assert_eq!(status, Some(1), "{output}{errors}");
    assert!(output.contains("race at go.cu:3: "), "{output}");
    assert!(output.contains("launched at line 7 of `go.cu`)"), "{output}");
    // The command that repeats it names all sources.
    let (output, ..) = run(made.path(), "run", "main.cu", &[go.to_str().unwrap(), "--seeds", "0..3"]);
    let replay = output.lines().find(|line| line.starts_with("replay: ")).unwrap();
    assert!(replay.contains("main.cu") && replay.contains("go.cu"), "{replay}");
}

#[test]
fn what_several_sources_define_twice_or_never_is_refused() {
    let with = |a: &str, b: &str| {
        let made = folder(&[("main.cu", a), ("b.cu", b)]);
        let b = made.path().join("b.cu");
        run(made.path(), "run", "main.cu", &[b.to_str().unwrap()])
    };
    for (a, b, message) in [
        (
            "int f() { return 1; }\nint main() {}\n",
            "\nint f() { return 2; }\n",
            "b.cu:2:5: error: `f` is defined in main.cu:1 too",
        ),
        ("int n = 1;\nint main() {}\n", "int n = 2;\n", "b.cu:1:5: error: `n` is defined in main.cu:1 too"),
        (
            "int f();\nint main() { return f(); }\n",
            "static int f() { return 0; }\n",
            "main.cu:2:21: error: `f` is declared, but has no body",
        ),
        (
            "int main() { return hidden; }\n",
            "int hidden = 1;\n",
            "main.cu:1:21: error: `hidden` is not declared",
        ),
    ] {
        let (output, errors, status) = with(a, b);
        assert_eq!(status, Some(2), "{a}{b}: {output}{errors}");
        assert!(errors.contains(message), "{message}: {errors}");
    }
    let made = folder(&[("main.cu", "int main() {}\n"), ("x.o", "")]);
    let object = made.path().join("x.o");
    let (_, errors, status) = run(made.path(), "run", "main.cu", &[object.to_str().unwrap()]);
    assert!(status == Some(2) && errors.contains("is no source"), "{errors}");
}

#[test]
fn what_is_no_source_by_its_name_is_read_only_in_the_folders_that_were_named() {
    let made = folder(&[
        (
            "in/main.cu",
            "#include \"table.txt\"\n#include \"../out/numbers.h\"\nint main() { return table + numbers; }\n",
        ),
        ("in/table.txt", "const int table = 0;\n"),
        ("in/bad.cu", "#include \"../out/secret\"\nint main() {}\n"),
        ("out/numbers.h", "const int numbers = 0;\n"),
        ("out/secret", "a secret\n"),
    ]);
    let (output, errors, status) = run(made.path(), "run", "in/main.cu", &[]);
    assert_eq!(status, Some(0), "{output}{errors}");
    let (_, errors, status) = run(made.path(), "run", "in/bad.cu", &[]);
    assert!(status == Some(2) && errors.contains("`../out/secret` is no source by its name"), "{errors}");
    assert!(!errors.contains("a secret"), "{errors}");
    let (_, errors, _) = run(made.path(), "run", "in/bad.cu", &[&include(made.path(), "out")]);
    assert!(errors.contains("secret:1:"), "{errors}");
}

/// A finding in a function of a header names its line there, and the call.
#[test]
fn a_finding_in_a_header_names_its_line() {
    let made = folder(&[
        (
            "main.cu",
            "#include \"deep/put.h\"\n__global__ void k(int* p) {\n  put(p, threadIdx.x);\n}\nint main() { int* p; cudaMalloc(&p, 4); k<<<1, 32>>>(p); cudaDeviceSynchronize(); cudaFree(p); }\n",
        ),
        ("deep/put.h", "__device__ inline void put(int* p, int v)\n{\n  p[0] = v;\n}\n"),
    ]);
    let (printed, _, status) = run(made.path(), "run", "main.cu", &["--host", "interpret"]);
    assert!(
        printed.contains("race at deep/put.h:3: ")
            && printed.contains("at deep/put.h:3, called at main.cu:3: wrote here"),
        "{printed}"
    );
    assert_eq!(status, Some(1));
}

/// Whether there is a clang; if not, the test says that it was skipped.
fn has_clang() -> bool {
    let found = native_host::Clang::find().is_some();
    assert!(found || std::env::var("CLANG_TESTS").is_err(), "no clang of version 16 or newer is in `PATH`");
    if !found {
        println!("skipped: there is no clang of version 16 or newer");
    }
    found
}

#[test]
fn each_side_of_a_program_has_its_compiler_skipped_without_clang() {
    if !has_clang() {
        return;
    }
    let text = "#include <stdio.h>\ntemplate <typename F> __global__ void each(int* x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }
__global__ void twice(int* x) { x[threadIdx.x] *= 2; }\nint main() { int* x; cudaMallocManaged(&x, 128); for (int i = 0; i < 32; i++) x[i] = i;
KERNEL; cudaDeviceSynchronize(); printf(\"%d\\n\", x[31]); cudaFree(x); }\n";
    let (plain, lambda) = (
        text.replace("KERNEL", "twice<<<1, 32>>>(x)"),
        text.replace("KERNEL", "each<<<1, 32>>>(x, [] __device__ (int v) { return v * 3; })"),
    );
    let made = folder(&[("plain.cu", &plain), ("lambda.cu", &lambda)]);
    for (host, compiler, file, wanted, note) in [
        ("interpret", "cudac", "plain.cu", "62\n", ""),
        ("interpret", "clang", "plain.cu", "62\n", ""),
        ("clang", "cudac", "plain.cu", "62\n", ", its kernels by cudac"),
        ("clang", "clang", "plain.cu", "62\n", "compiled by clang"),
        ("interpret", "cudac", "lambda.cu", "93\n", ""),
        ("auto", "clang", "lambda.cu", "93\n", "different names for the kernel"),
        ("interpret", "clang", "lambda.cu", "", "clang has another name for the kernel"),
        ("clang", "cudac", "lambda.cu", "", "cudac has another name for the kernel"),
        ("auto", "nvrtc", "plain.cu", "", "reads no host code"),
    ] {
        let (printed, errors, status) =
            run(made.path(), "run", file, &["--host", host, "--compiler", compiler]);
        let told = format!("{printed}{errors}").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(printed.starts_with(wanted) && told.contains(note), "{host} {compiler} {file}: {told}");
        assert_eq!(status, Some(if wanted.is_empty() { 2 } else { 0 }), "{host} {compiler} {file}: {told}");
    }
}

#[test]
fn clang_compiles_a_file_of_kernels_skipped_without_clang() {
    if !has_clang() {
        return;
    }
    let made = folder(&[(
        "scale.cu",
        "template <typename T, int N> __global__ void scale(T* p, T by) {\n  p[threadIdx.x] = p[threadIdx.x] * by + N;\n}\n",
    )]);
    let options = [
        "--compiler",
        "clang",
        "--instantiate",
        "scale<float, 4>",
        "--arg",
        "buf:f32:32:iota",
        "--arg",
        "f32:2",
        "--print",
        "0:4",
    ];
    let (printed, errors, status) = run(made.path(), "run", "scale.cu", &options);
    assert!(
        printed.contains("compiled by clang") && printed.contains("4.0   6.0   8.0  10.0"),
        "{printed}{errors}"
    );
    assert!(printed.contains("scale.cu:2") && !printed.contains("/usr/"), "{printed}");
    assert_eq!(status, Some(0));
}
