//! What CUDA declares, as texts for another compiler: those that this one reads, as they are.
//!
//! They use what is only here: `__cudac_…`, and operands of `asm` that are predicates or addresses (`b`, `m`, `%s1`). Whoever
//! gives them to another compiler has to replace that. A line that begins with `//:` begins a chunk and names what it
//! declares.

/// The CUDA runtime. A function without a body is to be carried out by whoever executes the program.
pub const RUNTIME: &str = include_str!("headers/host/runtime.cuh");

/// Types of several numbers, and tensor maps.
pub const VECTORS: &str =
    concat!(include_str!("headers/vectors.cuh"), include_str!("headers/tensor_map.cuh"));

/// What device code may use without a header, in an order in which each text needs only those before it.
pub const DEVICE: [&str; 6] = [
    include_str!("headers/math.cuh"),
    include_str!("headers/functions.cuh"),
    include_str!("headers/warps.cuh"),
    include_str!("headers/blocks.cuh"),
    include_str!("headers/atomics.cuh"),
    include_str!("headers/legacy.cuh"),
];

/// What has to be included, by the names of the headers.
pub const HEADERS: [(&str, &str); 14] = [
    ("cooperative_groups.h", include_str!("headers/groups.cuh")),
    ("cuda_fp16.h", include_str!("headers/half.cuh")),
    ("cuda/atomic", include_str!("headers/atomic.cuh")),
    ("cuda/barrier", include_str!("headers/barrier.cuh")),
    ("cudac_copies", include_str!("headers/copies.cuh")),
    ("cuda/pipeline", include_str!("headers/pipeline.cuh")),
    ("cuda/ptx", include_str!("headers/ptx.cuh")),
    ("cuda_pipeline.h", include_str!("headers/primitives.cuh")),
    ("cooperative_groups/memcpy_async.h", include_str!("headers/group_copies.cuh")),
    ("mma.h", include_str!("headers/mma.cuh")),
    ("cuda/std/utility", include_str!("headers/utility.cuh")),
    ("nvToolsExt.h", include_str!("headers/host/nvtx.cuh")),
    ("cuComplex.h", include_str!("headers/host/complex.cuh")),
    ("cublas_v2.h", include_str!("headers/host/cublas.cuh")),
];
