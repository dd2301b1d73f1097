//! Functions that streams call: the program goes on, and what comes after them in their stream waits.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUresult};

use super::{SUCCESS, raw, run, told, words};

const NOT_READY: CUresult = CUresult::CUDA_ERROR_NOT_READY;

/// Whether the program has come to where it lets a function end, and how long that waits for it at most.
static GO_ON: AtomicBool = AtomicBool::new(false);
const MOST: Duration = Duration::from_secs(20);

/// Waits for the program.
extern "C" fn wait(came: *mut c_void) {
    let from = Instant::now();
    while !GO_ON.load(Ordering::SeqCst) && from.elapsed() < MOST {
        sleep(Duration::from_millis(1));
    }
    // SAFETY: it is a variable of the program, which waits for this function.
    unsafe { &*came.cast::<AtomicBool>() }.store(from.elapsed() < MOST, Ordering::SeqCst);
}

/// A function that a stream calls may not call CUDA, and may wait for a thread that does, unless that waits for the stream.
pub fn calls_back(_: u64) {
    extern "C" fn back(context: *mut c_void) {
        let context = context as usize;
        let other = std::thread::spawn(move || {
            let mut free = 0;
            // SAFETY: the context is alive.
            unsafe {
                let set = sys::cuCtxSetCurrent(context as sys::CUcontext);
                (set, sys::cuMemGetInfo_v2(&raw mut free, null_mut()))
            }
        });
        assert_eq!(other.join().unwrap(), (SUCCESS, SUCCESS));
        // SAFETY: it changes nothing.
        assert_eq!(unsafe { sys::cuCtxSynchronize() }, CUresult::CUDA_ERROR_NOT_PERMITTED);
    }
    // SAFETY: the function gets the context that it expects.
    unsafe {
        let (_, _, x) = raw(c"count");
        let mut context = null_mut();
        sys::cuCtxGetCurrent(&raw mut context);
        assert_eq!(sys::cuLaunchHostFunc(null_mut(), Some(back), context.cast()), SUCCESS);
        assert_eq!((sys::cuCtxSynchronize(), sys::cuMemFree_v2(x)), (SUCCESS, SUCCESS));
    }
}

/// While a function waits for the program, other streams work, and its own stream and an event after it are not ready.
pub fn goes_on(_: u64) {
    let came = AtomicBool::new(false);
    // SAFETY: every pointer is to a variable here, or to what the driver has given.
    unsafe {
        let (_, twice, x) = raw(c"twice_of");
        assert_eq!(sys::cuCtxSynchronize(), SUCCESS);
        let (mut stream, mut other, mut event) = (null_mut(), null_mut(), null_mut());
        for stream in [&mut stream, &mut other] {
            assert_eq!(sys::cuStreamCreate(stream, 1), SUCCESS);
        }
        assert_eq!(sys::cuEventCreate(&raw mut event, 0), SUCCESS);
        let data = (&raw const came).cast_mut().cast();
        assert_eq!(sys::cuLaunchHostFunc(stream, Some(wait), data), SUCCESS);
        assert_eq!(sys::cuEventRecord(event, stream), SUCCESS);
        assert_eq!((sys::cuStreamQuery(stream), sys::cuEventQuery(event)), (NOT_READY, NOT_READY));
        assert_eq!((sys::cuMemsetD32Async(x, 3, 128, other), sys::cuStreamQuery(other)), (SUCCESS, SUCCESS));
        assert_eq!((sys::cuStreamSynchronize(other), words(x)[0]), (SUCCESS, 3));
        assert_eq!(sys::cuStreamWaitEvent(other, event, 0), SUCCESS);
        assert_eq!(sys::cuStreamQuery(other), NOT_READY);
        GO_ON.store(true, Ordering::SeqCst);
        let mut at = x;
        let mut arguments = [(&raw mut at).cast()];
        let (none, table) = (null_mut(), arguments.as_mut_ptr());
        assert_eq!(sys::cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, other, table, none), SUCCESS);
        assert!(
            came.load(Ordering::SeqCst),
            "the function waits for what comes before it, or the kernel does not wait"
        );
        assert_eq!((sys::cuStreamSynchronize(other), words(x)[0]), (SUCCESS, 6));
        assert_eq!((sys::cuStreamQuery(stream), sys::cuEventQuery(event)), (SUCCESS, SUCCESS));
        assert_eq!((sys::cuEventDestroy_v2(event), sys::cuMemFree_v2(x)), (SUCCESS, SUCCESS));
        assert_eq!((sys::cuStreamDestroy_v2(stream), sys::cuStreamDestroy_v2(other)), (SUCCESS, SUCCESS));
    }
}

/// Two functions and a kernel after them, in one stream: each sees what the one before it has done.
pub fn calls_in_order(_: u64) {
    static CALLED: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    extern "C" fn store(at: *mut c_void) {
        sleep(Duration::from_millis(50));
        CALLED.lock().unwrap().push(1);
        // SAFETY: it is pinned memory, for which the program waits.
        unsafe { at.cast::<i32>().write_volatile(20) };
    }
    extern "C" fn add(_: sys::CUstream, code: CUresult, at: *mut c_void) {
        CALLED.lock().unwrap().push(2);
        // SAFETY: as in `store`.
        unsafe { at.cast::<i32>().write_volatile(at.cast::<i32>().read_volatile() + 1 + code as i32) };
    }
    // SAFETY: every pointer is to a variable here, or to what the driver has given.
    unsafe {
        let (_, twice, x) = raw(c"twice_of");
        let (mut pinned, mut stream): (*mut c_void, _) = (null_mut(), null_mut());
        assert_eq!(sys::cuStreamCreate(&raw mut stream, 1), SUCCESS);
        assert_eq!(sys::cuMemHostAlloc(&raw mut pinned, 4, 0), SUCCESS);
        assert_eq!(sys::cuLaunchHostFunc(stream, Some(store), pinned), SUCCESS);
        assert_eq!(sys::cuStreamAddCallback(stream, Some(add), pinned, 0), SUCCESS);
        let mut arguments = [(&raw mut pinned).cast()];
        let (none, table) = (null_mut(), arguments.as_mut_ptr());
        assert_eq!(sys::cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, stream, table, none), SUCCESS);
        assert_eq!(sys::cuStreamSynchronize(stream), SUCCESS);
        assert_eq!((pinned.cast::<i32>().read_volatile(), &CALLED.lock().unwrap()[..]), (42, &[1, 2][..]));
        assert_eq!(sys::cuLaunchHostFunc(stream, Some(store), pinned), SUCCESS);
        assert_eq!(sys::cuMemFreeHost(pinned), SUCCESS);
        assert_eq!((sys::cuStreamDestroy_v2(stream), sys::cuMemFree_v2(x)), (SUCCESS, SUCCESS));
    }
}

#[test]
fn a_function_that_a_stream_calls_may_wait_for_another_thread() {
    let (_, report) = run("calls_back", 0);
    let told = told(&report);
    assert!(told.len() == 1 && told[0].starts_with("note failed-call cuCtxSynchronize:"), "{told:?}");
}

#[test]
fn a_program_goes_on_while_a_stream_calls_a_function() {
    let (_, report) = run("goes_on", 0);
    assert_eq!((told(&report), report.refused), (vec![], vec![]));
}

#[test]
fn what_follows_a_function_in_its_stream_waits_for_it() {
    let (_, report) = run("calls_in_order", 0);
    assert_eq!((told(&report), report.refused), (vec![], vec![]));
}
