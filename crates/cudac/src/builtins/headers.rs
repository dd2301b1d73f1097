//! Headers, and the functions and types that need no header, as texts of this crate.
//!
//! A family of functions has one text, in `headers/`. Such a text consists of chunks; each begins with a line `//:` and the
//! names that it declares, and is compiled when a kernel uses one of them. So what a kernel does not use costs nothing.
//!
//! What exists in CUDA and not here is listed by name, so that a message can say *not supported* in place
//! of *not declared*, which would send the reader to look for a spelling mistake.

use std::sync::LazyLock;

use super::plain::plain;
use crate::source::map::Map;

/// The families that need no header. Their chunks are found through [`own`]; no `#include` reads them.
const FAMILIES: [&str; 8] = [
    #[cfg(feature = "host")]
    plain!("legacy.cuh"),
    #[cfg(not(feature = "host"))]
    "",
    plain!("warps.cuh"),
    plain!("blocks.cuh"),
    plain!("atomics.cuh"),
    plain!("math.cuh"),
    plain!("functions.cuh"),
    plain!("vectors.cuh"),
    plain!("tensor_map.cuh"),
];

// Texts that a kernel has to include. They are not cut into chunks: an `#include` reads all of one.
const GROUPS: &str = plain!("groups.cuh");
const ATOMIC: &str = plain!("atomic.cuh");
const UTILITY: &str = plain!("utility.cuh");
const TRAITS: &str = plain!("traits.cuh");
const BARRIER: &str = plain!("barrier.cuh");
const HALF: &str = plain!("half.cuh");
const COPIES: &str = plain!("copies.cuh");
const PTX: &str = plain!("ptx.cuh");
const PIPELINE: &str = plain!("pipeline.cuh");
const PRIMITIVES: &str = plain!("primitives.cuh");
const GROUP_COPIES: &str = plain!("group_copies.cuh");
const MMA: &str = plain!("mma.cuh");
const LIMITS: &str = plain!("limits.cuh");
const ASSERT: &str = plain!("assert.cuh");

/// What can be included. The text of many is empty, because what they declare needs no header here. The second text is
/// the name under which the file is known: a header that has several names is read once, and messages show that name.
const HEADERS: [(&str, &str, &str); 52] = [
    ("cooperative_groups.h", "cooperative_groups.h", GROUPS),
    ("cooperative_groups/reduce.h", "cooperative_groups.h", GROUPS),
    ("cooperative_groups/scan.h", "cooperative_groups.h", GROUPS),
    ("cuda/atomic", "cuda/atomic", ATOMIC),
    ("cuda/std/atomic", "cuda/atomic", ATOMIC),
    ("cuda/std/utility", "cuda/std/utility", UTILITY),
    ("cudac_utility", "cuda/std/utility", UTILITY),
    ("type_traits", "type_traits", "#include <cudac_utility>\n#include <cudac_traits>\n"),
    ("cuda/std/type_traits", "type_traits", "#include <cudac_utility>\n#include <cudac_traits>\n"),
    ("cudac_traits", "cudac_traits", TRAITS),
    ("cuda/barrier", "cuda/barrier", BARRIER),
    ("cuda_fp16.h", "cuda_fp16.h", HALF),
    ("cuda_bf16.h", "cuda_fp16.h", HALF),
    ("cudac_copies", "cudac_copies", COPIES),
    ("cuda/pipeline", "cuda/pipeline", PIPELINE),
    ("cuda/ptx", "cuda/ptx", PTX),
    ("cooperative_groups/memcpy_async.h", "cooperative_groups/memcpy_async.h", GROUP_COPIES),
    ("cuda_pipeline.h", "cuda_pipeline.h", PRIMITIVES),
    ("cuda_pipeline_primitives.h", "cuda_pipeline.h", PRIMITIVES),
    ("cuda_awbarrier_primitives.h", "cuda_pipeline.h", PRIMITIVES),
    ("mma.h", "mma.h", MMA),
    ("assert.h", "assert.h", ASSERT),
    ("cassert", "assert.h", ASSERT),
    ("cuda/std/cassert", "assert.h", ASSERT),
    ("cuda/std/cstdint", "limits.h", LIMITS),
    ("limits.h", "limits.h", LIMITS),
    ("climits", "limits.h", LIMITS),
    ("float.h", "limits.h", LIMITS),
    ("cfloat", "limits.h", LIMITS),
    ("math.h", "limits.h", LIMITS),
    ("cmath", "limits.h", LIMITS),
    ("stdint.h", "limits.h", LIMITS),
    ("cstdint", "limits.h", LIMITS),
    ("math_constants.h", "limits.h", LIMITS),
    ("stdio.h", "stdio.h", ""),
    ("cstdio", "stdio.h", ""),
    ("stdlib.h", "stdlib.h", ""),
    ("cstdlib", "stdlib.h", ""),
    ("stddef.h", "stddef.h", ""),
    ("cstddef", "stddef.h", ""),
    ("stdbool.h", "stdbool.h", ""),
    ("cuda.h", "cuda.h", ""),
    ("cudaTypedefs.h", "cuda.h", ""),
    ("cuda_runtime.h", "cuda_runtime.h", ""),
    ("cuda_runtime_api.h", "cuda_runtime.h", ""),
    ("device_launch_parameters.h", "device_launch_parameters.h", ""),
    ("device_functions.h", "device_functions.h", ""),
    ("device_atomic_functions.h", "device_functions.h", ""),
    ("sm_60_atomic_functions.h", "device_functions.h", ""),
    ("vector_types.h", "vector_types.h", ""),
    ("vector_functions.h", "vector_types.h", ""),
    ("builtin_types.h", "vector_types.h", ""),
];

/// The beginnings of the names of headers of libraries.
#[cfg(feature = "host")]
const LIBRARIES: [(&str, &str); 16] = [
    ("thrust/", "NVIDIA's Thrust"),
    ("cub/", "NVIDIA's CUB"),
    ("cublas", "NVIDIA's cuBLAS"),
    ("cufft", "NVIDIA's cuFFT"),
    ("curand", "NVIDIA's cuRAND"),
    ("cusparse", "NVIDIA's cuSPARSE"),
    ("cusolver", "NVIDIA's cuSOLVER"),
    ("cudnn", "NVIDIA's cuDNN"),
    ("cutlass/", "NVIDIA's CUTLASS"),
    ("nccl", "NVIDIA's NCCL"),
    ("npp", "NVIDIA's NPP"),
    ("nvToolsExt", "NVIDIA's profiler"),
    ("nvtx3/", "NVIDIA's profiler"),
    ("mpi.h", "MPI"),
    ("GL/", "OpenGL"),
    ("opencv", "OpenCV"),
];

/// Names that need a header, for the hint that names it. A name is not enough to include its header silently: NVRTC
/// would refuse the text, and a reader should learn that here.
const IN_HEADERS: [(&str, &str); 22] = [
    ("__pipeline_memcpy_async", "cuda_pipeline.h"),
    ("__pipeline_commit", "cuda_pipeline.h"),
    ("__pipeline_wait_prior", "cuda_pipeline.h"),
    ("pipeline", "cuda/pipeline"),
    ("make_pipeline", "cuda/pipeline"),
    ("memcpy_async", "cuda/barrier"),
    ("errno", "errno.h"),
    ("cooperative_groups", "cooperative_groups.h"),
    ("cg", "cooperative_groups.h"),
    ("cuda", "cuda/atomic"),
    ("nvcuda", "mma.h"),
    ("wmma", "mma.h"),
    ("half", "cuda_fp16.h"),
    ("__half", "cuda_fp16.h"),
    ("half2", "cuda_fp16.h"),
    ("__half2", "cuda_fp16.h"),
    ("__nv_bfloat16", "cuda_bf16.h"),
    ("INT_MAX", "limits.h"),
    ("INT_MIN", "limits.h"),
    ("FLT_MAX", "float.h"),
    ("CUDART_PI_F", "math_constants.h"),
    ("CUDART_INF_F", "math_constants.h"),
];

/// Functions of the host that beginners call in kernels, and what to do instead.
const OF_THE_HOST: [(&str, &str); 9] = [
    ("cudaMalloc", "allocate memory on the host, and pass the pointer to the kernel"),
    ("cudaFree", "free memory on the host"),
    ("cudaMemcpy", "copy memory on the host, before or after the kernel"),
    ("cudaMemset", "set memory on the host, or store values in a loop"),
    ("cudaDeviceSynchronize", "a kernel waits for the threads of its block with `__syncthreads()`"),
    ("malloc", "declare an array in the kernel, or pass a pointer to memory of the host's making"),
    ("free", "memory is freed on the host"),
    ("rand", "pass numbers to the kernel, or compute them from the thread's index"),
    ("exit", "write `return` to end a thread"),
];

/// Functions that ended with compute capability 7.0, and what to do instead.
#[cfg(feature = "host")]
const ENDED: [&str; 7] = ["__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__all", "__any", "__ballot"];

/// Whether a function ended with compute capability 7.0, so that only older targets have it.
#[cfg(feature = "host")]
pub(crate) fn has_ended(name: &str) -> bool {
    ENDED.contains(&name)
}

/// Functions and types of device code that are not supported, so that the message does not call them undeclared.
const UNSUPPORTED: [&str; 15] = [
    "erfinvf",
    "erf",
    "erfc",
    "lgammaf",
    "tgammaf",
    "lgamma",
    "tgamma",
    "j0f",
    "j1f",
    "y0f",
    "frexpf",
    "frexp",
    "nextafterf",
    "block_tile_memory",
    "bmma_sync",
];

/// The beginnings of the names of textures and surfaces: their types, and the functions that read and write them.
const TEXTURES: [&str; 7] =
    ["tex1D", "tex2D", "tex3D", "surf1D", "surf2D", "cudaTextureObject_t", "cudaSurfaceObject_t"];

/// Whether a name is that of a function or type of device code that is not supported.
pub(crate) fn is_unsupported(name: &str) -> bool {
    UNSUPPORTED.contains(&name) || is_of_hardware(name)
}

/// Whether a name is one of textures and surfaces. Most of them are templates, which cannot be parsed without
/// being known.
pub(crate) fn is_of_hardware(name: &str) -> bool {
    name == "texture" || TEXTURES.iter().any(|start| name.starts_with(start))
}

/// The text of a header that is included, and the name that it is known by. In a whole program, the host's headers come
/// first, because the same header then also declares functions of the host.
pub(crate) fn find(path: &str, is_program: bool) -> Option<(&'static str, &'static str)> {
    #[cfg(feature = "host")]
    if let Some(found) = super::host::find(path).filter(|_| is_program) {
        return Some(found);
    }
    // Without the feature `host`, the parameter is not used.
    let _ = is_program;
    HEADERS.iter().find(|(name, ..)| *name == path).map(|(_, known, text)| (*known, *text))
}

#[cfg(feature = "host")]
/// Whose library a header belongs to, if it is one that programs cannot do without and that this project does not have.
pub(crate) fn of_libraries(name: &str) -> Option<&'static str> {
    LIBRARIES.iter().find(|(start, _)| name.starts_with(start)).map(|(_, whose)| *whose)
}

/// The headers that can be included.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|(name, ..)| *name)
}

/// The chunks of the families, by the names that they declare. Made once for all compilations of a process. The title,
/// the first of a chunk's names, tells chunks apart: it is how the parser knows that a text was read already.
static CHUNKS: LazyLock<Map<&str, (&str, &str)>> = LazyLock::new(|| {
    let mut found = Map::default();
    for chunk in FAMILIES.iter().flat_map(|family| family.split("//: ").skip(1)) {
        let (names, text) = chunk.split_once('\n').unwrap_or((chunk, ""));
        let title = names.split(' ').next().unwrap_or(names);
        for name in names.split_whitespace() {
            found.insert(name, (title, text));
        }
    }
    found
});

/// The title and the text of what declares a name that needs no header.
pub(crate) fn own(name: &str, is_program: bool) -> Option<(&'static str, &'static str)> {
    #[cfg(feature = "host")]
    if let Some(found) = super::host::own(name).filter(|_| is_program) {
        return Some(found);
    }
    let _ = is_program;
    CHUNKS.get(name).copied()
}

/// All names that need no header. For [`nearest`](crate::source::near::nearest), which proposes one for a misspelt
/// name.
pub(crate) fn own_names() -> impl Iterator<Item = &'static str> {
    CHUNKS.keys().copied()
}

/// The header that declares a name.
pub(crate) fn header_of(name: &str) -> Option<&'static str> {
    IN_HEADERS.iter().find(|(known, _)| *known == name).map(|(_, header)| *header)
}

/// What to use instead of a function of the host.
pub(crate) fn host_function(name: &str) -> Option<&'static str> {
    OF_THE_HOST.iter().find(|(known, _)| *known == name).map(|(_, instead)| *instead)
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::lex::Token;
    use crate::preprocess::Preprocessor;
    use crate::source::arena::Arena;
    use crate::source::{Files, Names, Sink};

    /// The words of a text after the preprocessor, because macros put some names together.
    fn words(text: &str) -> Vec<String> {
        let bump = Bump::new();
        let (mut files, mut sink) = (Files::default(), Sink::default());
        let mut names = Names::new(Arena::new(&bump));
        let file = files.add("a chunk", text);
        let mut preprocessor = Preprocessor::new(&mut files, &mut names, &mut sink, None);
        let tokens = preprocessor.run(file);
        tokens.iter().filter_map(Token::word).map(|word| word.as_str().to_owned()).collect()
    }

    #[test]
    fn every_chunk_declares_its_names() {
        for (name, (_, text)) in CHUNKS.iter() {
            // The built-in variables are declared by the checker; their chunk has their type.
            let is_variable = ["threadIdx", "blockIdx", "blockDim", "gridDim"].contains(name);
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_start_matches("make_");
            assert!(is_variable || words(text).iter().any(|word| word.contains(stem)), "{name}");
        }
    }
}
