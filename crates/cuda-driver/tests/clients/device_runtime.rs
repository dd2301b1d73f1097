//! The barrier of a grid as compilers that bring PTX call it: a function of NVIDIA's runtime for kernels.

use cudarc::driver::sys::CUresult::CUDA_ERROR_LAUNCH_FAILED;
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

use super::{run, told};

/// Each block writes a word, and after the barrier reads that of the block opposite; twice, so that the barrier is used again.
const KERNEL: &str = "
.version 7.8
.target sm_80
.address_size 64
.extern .func (.param .b64 made) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.visible .entry opposite(.param .u64 at)
{
	.reg .pred %is_first, %again;
	.reg .b32 %own, %other, %blocks, %x, %turn, %error;
	.reg .b64 %base, %to, %from, %handle;
	ld.param.u64 %base, [at];
	mov.u32 %own, %ctaid.x;
	mov.u32 %blocks, %nctaid.x;
	sub.u32 %other, %blocks, %own;
	sub.u32 %other, %other, 1;
	mad.wide.u32 %to, %own, 4, %base;
	mad.wide.u32 %from, %other, 4, %base;
	mov.u32 %x, %tid.x;
	setp.eq.u32 %is_first, %x, 0;
	mov.u32 %turn, 0;
again:
	add.u32 %x, %own, 1;
	@%is_first st.global.u32 [%to], %x;
	call.uni (%handle), cudaCGGetIntrinsicHandle, (1);
	call.uni (%error), cudaCGSynchronize, (%handle, 0);
	@%is_first ld.global.u32 %x, [%from];
	call.uni (%error), cudaCGSynchronize, (%handle, 0);
	@%is_first st.global.u32 [%to], %x;
	call.uni (%error), cudaCGSynchronize, (%handle, 0);
	add.u32 %turn, %turn, 1;
	setp.lt.u32 %again, %turn, 2;
	@%again bra again;
	ret;
}
";

pub fn meets(is_cooperative: u64) {
    let context = CudaContext::new(0).unwrap();
    let module = context.load_module(Ptx::from_src(KERNEL)).unwrap();
    let kernel = module.load_function("opposite").unwrap();
    let stream = context.default_stream();
    let mut words = stream.alloc_zeros::<i32>(5).unwrap();
    let shape = LaunchConfig { grid_dim: (5, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&mut words);
    if is_cooperative == 1 {
        // SAFETY: the kernel writes a number for each block.
        unsafe { launch.launch_cooperative(shape) }.unwrap();
        assert_eq!(stream.clone_dtoh(&words).unwrap(), [5, 4, 3, 2, 1]);
    } else {
        // SAFETY: as above.
        unsafe { launch.launch(shape) }.unwrap();
        assert_eq!(stream.synchronize().unwrap_err().0, CUDA_ERROR_LAUNCH_FAILED);
    }
}

#[test]
fn blocks_meet_at_the_barrier_of_a_grid() {
    let (_, report) = run("meets", 1);
    assert_eq!((told(&report), report.launches), (Vec::new(), Some(1)));
}

#[test]
fn blocks_of_an_ordinary_launch_cannot_meet() {
    let (_, report) = run("meets", 0);
    assert_eq!(told(&report)[0].split(' ').nth(1), Some("trap"), "{:?}", report.findings);
    let message = report.findings[0]["message"].as_str().unwrap();
    assert!(message.contains("`grid.sync()`") && message.contains("is not cooperative"), "{message}");
}
