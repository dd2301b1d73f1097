//! A library with one CUDA kernel, whose tests need no GPU: `lanes exec -- cargo test` runs them on the emulator, which also finds
//! races that the results do not show. `lanes exec -- cargo test --features planted` shows one.

use cudarc::driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, Ptx, compile_ptx_with_opts};

const KERNEL: &str = include_str!("shift.cu");

/// The most elements of a block.
const MOST: usize = 256;

/// The kernel, compiled when the program runs.
fn kernel() -> Ptx {
    let options = if cfg!(feature = "planted") { vec!["-DSKIP".to_owned()] } else { Vec::new() };
    let name = Some("shift.cu".to_owned());
    let options = CompileOptions { options, name, ..CompileOptions::default() };
    compile_ptx_with_opts(KERNEL, options).expect("the kernel is part of this library")
}

/// Moves the elements of each block of `block` by one to the left.
///
/// # Errors
///
/// There is no device, or it refuses a call.
///
/// # Panics
///
/// The number of elements is no multiple of `block`, or a block has none or more than 256.
pub fn shifted(elements: &[f32], block: usize) -> Result<Vec<f32>, DriverError> {
    assert!((1..=MOST).contains(&block) && elements.len().is_multiple_of(block));
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let shift = context.load_module(kernel())?.load_function("shift")?;
    let mut x = stream.clone_htod(elements)?;
    let blocks = (elements.len() / block) as u32;
    let shape = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (block as u32, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the kernel has one parameter, and accesses as many elements as there are threads.
    unsafe { stream.launch_builder(&shift).arg(&mut x).launch(shape) }?;
    stream.clone_dtoh(&x)
}

#[cfg(test)]
mod tests {
    use super::shifted;

    /// Whether there is a driver: NVIDIA's, or that of `lanes exec`. Without one the tests say that they are skipped.
    fn has_driver() -> bool {
        // SAFETY: opens the driver's library and closes it.
        let found = unsafe { cudarc::driver::sys::is_culib_present() };
        if !found {
            println!("skipped: there is no CUDA driver; run `lanes exec -- cargo test`");
        }
        found
    }

    #[test]
    fn elements_move_within_their_block() {
        if !has_driver() {
            return;
        }
        let x: Vec<f32> = (0..128_u8).map(f32::from).collect();
        let got = shifted(&x, 64).unwrap();
        assert_eq!((got[0], got[63], got[64], got[127]), (1.0, 0.0, 65.0, 64.0));
    }

    #[test]
    fn a_block_of_one_stays_as_it_is() {
        if !has_driver() {
            return;
        }
        assert_eq!(shifted(&[7.0, 8.0], 1).unwrap(), [7.0, 8.0]);
    }
}
