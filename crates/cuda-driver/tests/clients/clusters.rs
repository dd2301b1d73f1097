//! Clusters: a program demands them of a function, and a kernel that was compiled for them keeps its own.

use cudarc::driver::sys::CUfunction_attribute::{
    CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET as MUST_BE_SET,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH as DEPTH, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT as HEIGHT,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH as WIDTH,
};
use cudarc::driver::sys::CUresult::{CUDA_ERROR_INVALID_CLUSTER_SIZE, CUDA_ERROR_NOT_PERMITTED};
use cudarc::driver::{CudaContext, CudaFunction, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};

use super::{run, told};

/// Each block adds what it knows of its cluster.
const KERNELS: &str = r#"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ void note(int* x) {
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) x[blockIdx.x] = 10 * cluster.num_blocks() + cluster.block_rank();
}
extern "C" __global__ void any(int* x) { note(x); }
extern "C" __global__ void __cluster_dims__(4, 1, 1) of_four(int* x) { note(x); }
"#;

pub fn launches_clusters(_: u64) {
    let context = CudaContext::new(0).unwrap();
    let options = CompileOptions { arch: Some("sm_90"), ..CompileOptions::default() };
    let module = context.load_module(compile_ptx_with_opts(KERNELS, options).unwrap()).unwrap();
    let [any, of_four] = ["any", "of_four"].map(|name| module.load_function(name).unwrap());
    let stream = context.default_stream();
    let mut blocks = stream.alloc_zeros::<i32>(8).unwrap();
    let mut launched = |kernel: &CudaFunction| -> Result<Vec<i32>, DriverError> {
        let shape = LaunchConfig { grid_dim: (8, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernel writes a number for each block.
        unsafe { stream.launch_builder(kernel).arg(&mut blocks).launch(shape) }?;
        stream.clone_dtoh(&blocks)
    };
    let of = |size: i32| (0..8).map(|block| 10 * size + block % size).collect::<Vec<_>>();
    let sizes = |kernel: &CudaFunction| {
        [WIDTH, HEIGHT, DEPTH, MUST_BE_SET].map(|of| kernel.get_attribute(of).unwrap())
    };

    assert_eq!((launched(&any).unwrap(), sizes(&any)), (of(1), [0, 0, 0, 0]));
    for (attribute, size) in [(WIDTH, 2), (HEIGHT, 1), (DEPTH, 1)] {
        any.set_attribute(attribute, size).unwrap();
    }
    assert_eq!((launched(&any).unwrap(), sizes(&any)), (of(2), [2, 1, 1, 0]));
    // Eight blocks are no clusters of three.
    any.set_attribute(WIDTH, 3).unwrap();
    assert_eq!(launched(&any).unwrap_err().0, CUDA_ERROR_INVALID_CLUSTER_SIZE);

    assert_eq!((launched(&of_four).unwrap(), sizes(&of_four)), (of(4), [4, 1, 1, 1]));
    assert_eq!(of_four.set_attribute(WIDTH, 2).unwrap_err().0, CUDA_ERROR_NOT_PERMITTED);
    assert_eq!(launched(&of_four).unwrap(), of(4));
}

#[test]
fn clusters_are_demanded_of_functions() {
    let (_, report) = run("launches_clusters", 0);
    assert_eq!(
        told(&report),
        ["error failed-call cuLaunchKernel:0", "note failed-call cuFuncSetAttribute:0"]
    );
}
