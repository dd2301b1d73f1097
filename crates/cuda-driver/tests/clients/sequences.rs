//! Random sequences of calls of the driver.

use std::ptr::null_mut;

use cudarc::driver::sys::{self, CUresult};
use test_support::Random;

/// The handles and addresses of a sequence of calls; some were destroyed.
#[derive(Default)]
struct Held {
    memory: Vec<(u64, bool)>,
    streams: Vec<sys::CUstream>,
    events: Vec<sys::CUevent>,
    contexts: Vec<sys::CUcontext>,
    /// How many calls freed memory for a second time.
    twice: usize,
}

fn some<T: Copy>(random: &mut Random, known: &[T], other: T) -> T {
    if known.is_empty() || random.below(8) == 0 {
        other
    } else {
        known[random.below(known.len() as u64) as usize]
    }
}

/// So many sequences are carried out in one process.
const SEQUENCES: u64 = 25;

/// Sequences of calls of all kinds, of which some are wrong, from two threads. Each call returns, and the process ends in order.
pub fn does_anything(number: u64) {
    let twice: usize = (number * SEQUENCES..(number + 1) * SEQUENCES).map(sequence).sum();
    println!("freed twice: {twice}");
}

/// How many calls of a sequence freed memory a second time.
fn sequence(seed: u64) -> usize {
    // SAFETY: these are the calls that the test is about; addresses that are wrong are the driver's to refuse.
    unsafe {
        assert_eq!(sys::cuInit(0), CUresult::CUDA_SUCCESS);
        let mut context = null_mut();
        assert_eq!(sys::cuDevicePrimaryCtxRetain(&raw mut context, 0), CUresult::CUDA_SUCCESS);
        let context = context as usize;
        let threads = [0, 1].map(|nth| {
            std::thread::spawn(move || {
                sys::cuCtxSetCurrent(context as sys::CUcontext);
                let (mut random, mut held) = (Random::new(2 * seed + nth), Held::default());
                for _ in 0..60 {
                    step(&mut random, &mut held);
                }
                clean(&mut held);
                held.twice
            })
        });
        let twice = threads.map(|thread| thread.join().unwrap()).iter().sum();
        sys::cuDevicePrimaryCtxRelease_v2(0);
        twice
    }
}

/// What a stream calls.
extern "C" fn nothing(_: *mut std::ffi::c_void) {}

/// One call.
///
/// # Safety
/// What the program holds may be wrong, but it is not dereferenced here.
unsafe fn step(random: &mut Random, held: &mut Held) {
    let mut word = 0_u64;
    let mut host = [0_u8; 256];
    let (bytes, other) = (1 + random.below(300), [0, 0x1234, 1 << 50][random.below(3) as usize]);
    let addresses: Vec<u64> = held.memory.iter().map(|(at, _)| *at).collect();
    let (at, to) = (some(random, &addresses, other), some(random, &addresses, other));
    let stream = some(random, &held.streams, null_mut());
    let wrong = (0x77 << 3) as sys::CUevent;
    let event = some(random, &held.events, wrong);
    // SAFETY: as the function says.
    unsafe {
        match random.below(17) {
            0 | 1 if sys::cuMemAlloc_v2(&raw mut word, bytes as usize) == CUresult::CUDA_SUCCESS => {
                held.memory.push((word, true));
            }
            2 if sys::cuMemAllocManaged(&raw mut word, bytes as usize, 1) == CUresult::CUDA_SUCCESS => {
                held.memory.push((word, true));
            }
            3 => {
                let known = held.memory.iter_mut().rev().find(|(known, _)| *known == at);
                let code = sys::cuMemFree_v2(at);
                if let Some((_, is_live)) = known {
                    *is_live &= code != CUresult::CUDA_SUCCESS;
                    // The other thread may have been given the address again, and have freed it.
                    held.twice += usize::from(code == CUresult::CUDA_ERROR_INVALID_VALUE);
                }
            }
            4 => _ = sys::cuMemcpyHtoDAsync_v2(at, host.as_ptr().cast(), bytes.min(256) as usize, stream),
            5 => _ = sys::cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), at, bytes.min(256) as usize, stream),
            6 => _ = sys::cuMemcpyDtoDAsync_v2(to, at, bytes as usize, stream),
            7 => _ = sys::cuMemcpyDtoD_v2(at.wrapping_add(3), at, bytes as usize),
            8 => _ = sys::cuMemsetD32_v2(at, 7, bytes as usize / 4),
            9 => {
                let mut new = null_mut();
                if sys::cuStreamCreate(&raw mut new, random.below(3) as u32) == CUresult::CUDA_SUCCESS {
                    held.streams.push(new);
                }
            }
            10 => _ = sys::cuStreamDestroy_v2(stream),
            11 => {
                let mut new = null_mut();
                if sys::cuEventCreate(&raw mut new, 0) == CUresult::CUDA_SUCCESS {
                    held.events.push(new);
                }
                sys::cuEventRecord(event, stream);
            }
            12 => _ = (sys::cuStreamWaitEvent(stream, event, 0), sys::cuEventDestroy_v2(event)),
            13 => {
                let mut new = null_mut();
                if sys::cuCtxCreate_v2(&raw mut new, 0, i32::from(random.below(2) == 1))
                    == CUresult::CUDA_SUCCESS
                {
                    held.contexts.push(new);
                }
            }
            14 => _ = (sys::cuLaunchHostFunc(stream, Some(nothing), null_mut()), sys::cuStreamQuery(stream)),
            15 => {
                let context = some(random, &held.contexts, null_mut());
                sys::cuCtxSetCurrent(context);
                sys::cuCtxDestroy_v2(some(random, &held.contexts, 8 as sys::CUcontext));
            }
            _ => {
                sys::cuModuleGetFunction(null_mut(), 5 as sys::CUmodule, c"x".as_ptr());
                sys::cuPointerGetAttribute(
                    (&raw mut word).cast(),
                    sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                    at,
                );
                sys::cuCtxSynchronize();
            }
        }
    }
}

/// Gives back what is left.
///
/// # Safety
/// As [`step`].
unsafe fn clean(held: &mut Held) {
    // SAFETY: as the function says.
    unsafe {
        let mut context = null_mut();
        sys::cuDevicePrimaryCtxRetain(&raw mut context, 0);
        sys::cuCtxSetCurrent(context);
        for (at, _) in held.memory.iter().filter(|(_, is_live)| *is_live) {
            let code = sys::cuMemFree_v2(*at);
            held.twice += usize::from(code == CUresult::CUDA_ERROR_INVALID_VALUE);
        }
        held.streams.iter().for_each(|stream| _ = sys::cuStreamDestroy_v2(*stream));
        held.events.iter().for_each(|event| _ = sys::cuEventDestroy_v2(*event));
        sys::cuDevicePrimaryCtxRelease_v2(0);
    }
}
