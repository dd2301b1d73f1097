//! The headers that clang gets: cudac's texts, with what only cudac has replaced.
//!
//! So there is one set of texts for both compilers. `first.cuh` defines what they and clang expect, `call.cuh` how host code
//! calls the runtime, `last.cuh` what is different. Clang reads all of it before a source, as nvcc does with its own.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use cudac::texts::{DEVICE, HEADERS, RUNTIME, VECTORS};

use crate::asm;

const FIRST: &str = include_str!("../include/first.cuh");
const CALL: &str = include_str!("../include/call.cuh");
const LAST: &str = include_str!("../include/last.cuh");

/// What is in front of every source.
pub(crate) const PRELUDE: &str = "lanes_prelude.cuh";

/// The half of the runtime that is linked to the program.
pub(crate) const RUNTIME_SOURCE: (&str, &str) = ("lanes_runtime.cc", include_str!("../include/runtime.cc"));

/// Chunks that clang or the C library has.
const OMITTED: [&str; 16] = [
    "__syncthreads",
    "assert",
    "uint3",
    "size_t",
    "ptrdiff_t",
    "clock_t",
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "int8_t",
    "clock",
    "cudaGetSymbolAddress",
    "memcpy",
    "malloc",
    "printf",
];

/// Chunks of what ended with compute capability 7.0.
const ENDED: [&str; 4] = ["__shfl", "__ballot", "__any", "__all"];

/// Chunks of device code whose functions host code has too.
const OF_BOTH: [&str; 10] = [
    "min",
    "umin",
    "rsqrtf",
    "rsqrt",
    "__double2int_rn",
    "__int_as_float",
    "__float_as_int",
    "__float_as_uint",
    "__uint_as_float",
    "__saturatef",
];

/// Headers that need no text, because all of it is always there.
const EMPTY: [&str; 18] = [
    "cuda.h",
    "cudaTypedefs.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_device_runtime_api.h",
    "cuda_profiler_api.h",
    "device_atomic_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "driver_types.h",
    "builtin_types.h",
    "host_defines.h",
    "math_functions.h",
    "sm_20_atomic_functions.h",
    "sm_60_atomic_functions.h",
    "texture_types.h",
    "vector_functions.h",
    "vector_types.h",
];

/// Writes the headers to a folder.
pub(crate) fn write(folder: &Path, arch: u32) -> io::Result<()> {
    for below in ["cooperative_groups", "cuda/std", "nvtx3"] {
        fs::create_dir_all(folder.join(below))?;
    }
    let file = |name: &str, text: &str| fs::write(folder.join(name), text);
    file(PRELUDE, &prelude(arch))?;
    file(RUNTIME_SOURCE.0, RUNTIME_SOURCE.1)?;
    for name in EMPTY {
        file(name, "#pragma once\n")?;
    }
    for (name, text) in HEADERS {
        let text = match name {
            "cuda_fp16.h" => halves(text),
            "cuda/std/utility" => UTILITY.to_owned(),
            "nvToolsExt.h" | "cuComplex.h" | "cublas_v2.h" => for_native(text),
            // Clang looks at functions of the device when it compiles for the host, too.
            "cuda/atomic" => without_lines(&asm::rewritten(text))
                .replace("    __cudac_device ", "    __cudac_both ")
                .replace("    inline T ", "    __cudac_both inline T ")
                .replace("    inline void ", "    __cudac_both inline void "),
            _ => without_lines(&asm::rewritten(text)),
        };
        file(name, &format!("#pragma once\n{text}"))?;
    }
    for (name, same) in [
        ("cuda_bf16.h", "cuda_fp16.h"),
        ("cooperative_groups/reduce.h", "cooperative_groups.h"),
        ("cooperative_groups/scan.h", "cooperative_groups.h"),
        ("cuda/std/atomic", "cuda/atomic"),
        ("cublasLt.h", "cublas_v2.h"),
        ("cublas.h", "cublas_v2.h"),
        ("nvtx3/nvToolsExt.h", "nvToolsExt.h"),
        ("cudac_utility", "cuda/std/utility"),
        ("cuda_pipeline_primitives.h", "cuda_pipeline.h"),
        ("cuda_awbarrier_primitives.h", "cuda_pipeline.h"),
        ("cuda/std/cstdint", "cstdint"),
        ("cuda/std/type_traits", "type_traits"),
        ("cuda/std/cassert", "cassert"),
    ] {
        file(name, &format!("#pragma once\n#include <{same}>\n"))?;
    }
    file("math_constants.h", CONSTANTS)?;
    file("omp.h", OPEN_MP)
}

/// Functions of both sides, whose instructions have the lines of the calls.
fn for_native(text: &str) -> String {
    text.replace("__host__ __device__", "__cudac_both")
}

/// The host has halves too, and no instructions for them; what is in `asm` and has no other way is the device's alone.
fn halves(text: &str) -> String {
    let of_device = ["__hfma", "__hfma2", "hsqrt", "__CUDAC_SHUFFLE"];
    let lines = text.lines().map(|line| {
        let is_of_device = of_device.iter().any(|name| line.contains(&format!(" {name}(")))
            || line.contains(" name(unsigned mask");
        if is_of_device { without_lines(line) } else { line.replace("__device__", "__cudac_both") }
    });
    asm::rewritten(&lines.collect::<Vec<_>>().join("\n"))
}

/// Under their names in `cuda::std`, what the library has.
const UTILITY: &str = "\
#include <utility>
namespace cuda {
namespace std {
using ::std::remove_reference;
using ::std::move;
using ::std::forward;
template <typename T> __cudac_both inline void swap(T& a, T& b) { T kept = move(a); a = move(b); b = move(kept); }
}
}
";

const CONSTANTS: &str = "\
#pragma once
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf(\"\")
#define CUDART_INF __builtin_inf()
#define CUDART_NAN __builtin_nan(\"\")
#define CUDART_PI_F 3.141592654f
#define CUDART_PIO2_F 1.570796327f
#define CUDART_PIO4_F 0.785398163f
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_LN2_F 0.693147181f
#define CUDART_PI 3.1415926535897931
#define CUDART_PIO2 1.5707963267948966
#define CUDART_PIO4 0.78539816339744831
#define CUDART_SQRT_TWO 1.4142135623730951
";

/// One thread, as in interpreted programs: directives are ignored.
const OPEN_MP: &str = "\
#pragma once
#include <time.h>
typedef int omp_lock_t;
static inline void omp_set_num_threads(int) {}
static inline int omp_get_num_threads() { return 1; }
static inline int omp_get_max_threads() { return 1; }
static inline int omp_get_thread_num() { return 0; }
static inline int omp_get_num_procs() { return 1; }
static inline int omp_in_parallel() { return 0; }
static inline void omp_set_dynamic(int) {}
static inline void omp_set_nested(int) {}
static inline void omp_init_lock(omp_lock_t* lock) { *lock = 0; }
static inline void omp_destroy_lock(omp_lock_t*) {}
static inline void omp_set_lock(omp_lock_t* lock) { *lock = 1; }
static inline void omp_unset_lock(omp_lock_t* lock) { *lock = 0; }
static inline double omp_get_wtime() {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}
";

/// A chunk of a text: the names that it declares, and its lines.
struct Chunk<'t> {
    names: Vec<&'t str>,
    text: &'t str,
}

/// The chunks of a text that are not omitted. What is before the first one is a comment.
fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let chunk = |part| {
        let (names, text): (&str, &str) = str::split_once(part, '\n').unwrap_or((part, ""));
        Chunk { names: names.split_whitespace().collect(), text }
    };
    let all = text.split("//:").skip(1).map(chunk);
    all.filter(|chunk| !chunk.names.iter().any(|name| OMITTED.contains(name)))
}

fn prelude(arch: u32) -> String {
    let mut text = format!("{FIRST}\n{}\n", for_both(VECTORS));
    text.push_str("#ifdef __CUDA__\n");
    let has_ended = |chunk: &Chunk<'_>| arch >= 70 && chunk.names.iter().any(|name| ENDED.contains(name));
    for chunk in DEVICE.iter().flat_map(|text| chunks(text)).filter(|chunk| !has_ended(chunk)) {
        let is_of_both = chunk.names.iter().any(|name| OF_BOTH.contains(name));
        let of_both;
        let of_chunk = if is_of_both {
            of_both = for_both(chunk.text);
            &of_both
        } else {
            chunk.text
        };
        // The type of several words cannot be called.
        let of_chunk = asm::rewritten(of_chunk).replace(", T())", ", (T)0)");
        text.push_str(&without_lines(&of_chunk));
        undefine(&mut text, chunk.text);
    }
    text.push_str("#endif\n");
    text.push_str(CALL);
    let mut names = Vec::new();
    for chunk in chunks(RUNTIME) {
        let is_launch = chunk.names.contains(&"cudaLaunchKernelEx");
        if is_launch {
            text.push_str("#ifdef __CUDA__\n");
        }
        for line in chunk.text.lines() {
            text.push_str(&carried_out(line).unwrap_or_else(|| line.to_owned()));
            text.push('\n');
        }
        if is_launch {
            text.push_str("#endif\n");
        }
        names.extend(chunk.names.iter().copied().filter(|name| is_function(name, chunk.text)));
    }
    for (number, name) in (1..).zip(["Legacy", "PerThread", "TailLaunch", "FireAndForget"]) {
        let _ = writeln!(text, "#define cudaStream{name} ((cudaStream_t){number})");
    }
    text.push_str(LAST);
    for name in names {
        let _ = writeln!(
            text,
            "#define {name}(...) (__lanes_at(__FILE__, __LINE__, #__VA_ARGS__), {name}(__VA_ARGS__))"
        );
    }
    text
}

/// Functions of ours, whose instructions have the lines of the calls.
fn without_lines(text: &str) -> String {
    text.replace("__device__", "__cudac_device")
}

/// Functions of the device that the host has too.
fn for_both(text: &str) -> String {
    text.replace("inline __device__", "inline __cudac_both")
}

/// Ends the macros that a chunk has defined: the next one may use their names.
fn undefine(text: &mut String, chunk: &str) {
    for line in chunk.lines().filter_map(|line| line.strip_prefix("#define ")) {
        let name = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
        let _ = writeln!(text, "#undef {}", name.unwrap_or_default());
    }
}

/// Whether a name of the runtime is a function's, whose calls are noted with their lines.
fn is_function(name: &str, text: &str) -> bool {
    name.starts_with("cu") && text.contains(&format!(" {name}("))
}

/// A function that has no body gets one that asks for it.
fn carried_out(line: &str) -> Option<String> {
    let declared = line.strip_suffix(");")?;
    let (head, parameters) = declared.split_once('(')?;
    let is_prototype = !line.starts_with([' ', '#', '/', '}']) && !line.starts_with("typedef");
    let name_at = head.rfind([' ', '*']).filter(|_| is_prototype)? + 1;
    let (result, name) = head.split_at(name_at);
    let names = parameters.split(',').filter(|parameter| !parameter.trim().is_empty()).map(|parameter| {
        let declared = parameter.split('=').next().unwrap_or_default().trim();
        let name = declared.rsplit([' ', '*', '&']).next().unwrap_or_default();
        // Handles of CUDA are pointers to types that nobody defines.
        format!(", {name}")
    });
    let arguments: String = names.collect();
    let (result, value) = (result.trim(), format!("__lanes_ask(\"{name}\"{arguments})"));
    let body = if result == "void" { value } else { format!("return ({result}){value}") };
    Some(format!("inline {result} {name}({parameters}) {{ {body}; }}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_without_a_body_are_asked_for() {
        assert_eq!(
            carried_out("cudaError_t cudaMemset(void* pointer, int value = 0);").unwrap(),
            "inline cudaError_t cudaMemset(void* pointer, int value = 0) \
             { return (cudaError_t)__lanes_ask(\"cudaMemset\", pointer, value); }"
        );
        assert_eq!(
            carried_out("const char* cudaGetErrorName(cudaError_t error);").unwrap(),
            "inline const char* cudaGetErrorName(cudaError_t error) \
             { return (const char*)__lanes_ask(\"cudaGetErrorName\", error); }"
        );
        assert_eq!(
            carried_out("void __host_cuda_next_launch(int is_cooperative);").unwrap(),
            "inline void __host_cuda_next_launch(int is_cooperative) \
             { __lanes_ask(\"__host_cuda_next_launch\", is_cooperative); }"
        );
        for other in
            ["    memset(known, 0, 1);", "typedef void (*f)(void* data);", "inline int f() { return g(); }"]
        {
            assert_eq!(carried_out(other), None, "{other}");
        }
    }

    #[test]
    fn the_prelude_has_what_programs_use() {
        let text = prelude(70);
        for part in [
            "cudaError_t cudaMalloc(",
            "#define cudaMalloc(...)",
            "float sinf(float",
            "__ballot_sync(unsigned",
        ] {
            assert!(text.contains(part), "{part}");
        }
        assert!(!text.contains("\"m\"(") && !text.contains("\"b\"("));
        assert!(!text.contains("unsigned __ballot(bool") && prelude(60).contains("unsigned __ballot(bool"));
    }
}
