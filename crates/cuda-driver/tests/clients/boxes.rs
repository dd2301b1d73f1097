//! Tensor maps: a program makes them with the driver, and its kernel copies boxes.

use cudarc::driver::sys::{self, CUresult, CUtensorMap};
use cudarc::driver::{CudaContext, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};

use super::{SUCCESS, run, told};

const WIDTH: u64 = 20;
const HEIGHT: u64 = 6;

/// Each block copies a box of eight columns and four rows, and stores it at the same place of another tensor.
const KERNEL: &str = r#"
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void move(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
    __shared__ alignas(128) int tile[32];
    __shared__ unsigned long full;
    int at[2] = {(int)blockIdx.x * 8, (int)blockIdx.y * 4};
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(tile));
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &in, at, &full);
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
"#;

#[repr(align(64))]
struct Map(CUtensorMap);

// SAFETY: a kernel's parameter is these bytes.
unsafe impl DeviceRepr for Map {}

/// A map of rows of whole numbers, with boxes of so many columns.
///
/// # Safety
/// The address is one of the device.
unsafe fn map(address: u64, columns: u32) -> (Map, CUresult) {
    // SAFETY: a tensor map is only bytes.
    let mut map = Map(unsafe { std::mem::zeroed() });
    let (sizes, strides, lengths, steps) = ([WIDTH, HEIGHT], [4 * WIDTH], [columns, 4], [1, 1]);
    // SAFETY: the arrays have as many elements as the rank says.
    let code = unsafe {
        sys::cuTensorMapEncodeTiled(
            &raw mut map.0,
            sys::CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_INT32,
            2,
            address as *mut std::ffi::c_void,
            sizes.as_ptr(),
            strides.as_ptr(),
            lengths.as_ptr(),
            steps.as_ptr(),
            sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
            sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    };
    (map, code)
}

pub fn copies_boxes(_: u64) {
    let context = CudaContext::new(0).unwrap();
    let options = CompileOptions { arch: Some("sm_90"), ..CompileOptions::default() };
    let module = context.load_module(compile_ptx_with_opts(KERNEL, options).unwrap()).unwrap();
    let (stream, kernel) = (context.default_stream(), module.load_function("move").unwrap());
    let numbers: Vec<i32> = (0..(WIDTH * HEIGHT) as i32).collect();
    let (x, y) = (stream.clone_htod(&numbers).unwrap(), stream.alloc_zeros::<i32>(numbers.len()).unwrap());
    // SAFETY: the addresses are those of the buffers, and the arguments those of the kernel.
    unsafe {
        let [(from, one), (to, other)] = [&x, &y].map(|buffer| map(buffer.device_ptr(&stream).0, 8));
        assert_eq!((one, other), (SUCCESS, SUCCESS));
        assert_eq!(map(x.device_ptr(&stream).0, 6).1, CUresult::CUDA_ERROR_INVALID_VALUE);
        let shape = LaunchConfig { grid_dim: (3, 2, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
        stream.launch_builder(&kernel).arg(&from).arg(&to).launch(shape).unwrap();
    }
    assert_eq!(stream.clone_dtoh(&y).unwrap(), numbers);
}

#[test]
fn tensor_maps_of_the_driver_are_those_of_its_kernels() {
    let (_, report) = run("copies_boxes", 0);
    assert_eq!(told(&report), ["note failed-call cuTensorMapEncodeTiled:0"]);
}
