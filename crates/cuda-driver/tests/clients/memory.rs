//! Memory and events: calls that a GPU takes, and errors that it returns.

use std::ptr::null_mut;

use cudarc::driver::sys::{self, CUresult};

use super::{SUCCESS, raw, run, told, words};

/// The allocation is there in the order of a stream for which the copy does not wait. The copy takes place, as on a GPU.
pub fn copies_too_early(_: u64) {
    // SAFETY: every pointer is to a variable here, or to memory that the driver has given.
    unsafe {
        let (_, _, x) = raw(c"count");
        let (mut stream, mut at) = (null_mut(), 0);
        assert_eq!(sys::cuStreamCreate(&raw mut stream, 1), SUCCESS);
        assert_eq!(sys::cuMemAllocAsync(&raw mut at, 512, stream), SUCCESS);
        assert_eq!(sys::cuMemcpyHtoD_v2(at, [7_i32; 128].as_ptr().cast(), 512), SUCCESS);
        assert_eq!(sys::cuCtxSynchronize(), SUCCESS);
        assert_eq!(words(at), [7; 128]);
        assert_eq!((sys::cuMemFree_v2(at), sys::cuMemFree_v2(x)), (SUCCESS, SUCCESS));
        assert_eq!(sys::cuStreamDestroy_v2(stream), SUCCESS);
    }
}

/// More pinned allocations at a time than there are addresses that both sides can use.
pub fn pins_much(count: u64) {
    // SAFETY: every pointer is to a variable here, or to memory that the driver has given.
    unsafe {
        let (_, count_up, x) = raw(c"twice_of");
        let mut all = Vec::new();
        for nth in 0..count {
            let mut at: *mut std::ffi::c_void = null_mut();
            let code = if nth % 2 == 0 {
                sys::cuMemHostAlloc(&raw mut at, 512, 0)
            } else {
                let mut managed = 0;
                let code = sys::cuMemAllocManaged(&raw mut managed, 512, 1);
                at = managed as *mut std::ffi::c_void;
                code
            };
            assert_eq!(code, SUCCESS, "{nth}");
            at.cast::<i32>().write(nth as i32);
            all.push(at);
        }
        for at in &mut all {
            let mut arguments = [(&raw mut *at).cast()];
            let (none, table) = (null_mut(), arguments.as_mut_ptr());
            let launched = sys::cuLaunchKernel(count_up, 1, 1, 1, 32, 1, 1, 0, null_mut(), table, none);
            assert_eq!(launched, SUCCESS);
        }
        assert_eq!(sys::cuCtxSynchronize(), SUCCESS);
        for (nth, at) in all.iter().enumerate() {
            assert_eq!(at.cast::<i32>().read(), 2 * nth as i32);
            assert_eq!(sys::cuMemcpyHtoD_v2(x, *at, 4), SUCCESS);
            assert_eq!(words(x)[0], 2 * nth as i32);
            let free = if nth % 2 == 0 { sys::cuMemFreeHost(*at) } else { sys::cuMemFree_v2(*at as u64) };
            assert_eq!(free, SUCCESS);
        }
        assert_eq!(sys::cuMemFreeHost(all[all.len() - 2]), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(sys::cuMemFree_v2(all[all.len() - 2] as u64), CUresult::CUDA_ERROR_INVALID_VALUE);
        sys::cuMemFree_v2(x);
    }
}

/// Two events, of which the second keeps no time.
pub fn times_nothing(flags: u64) {
    // SAFETY: every pointer is to a variable here.
    unsafe {
        let (_, _, x) = raw(c"count");
        let (mut from, mut to, mut time) = (null_mut(), null_mut(), 0.0);
        let code = (sys::cuEventCreate(&raw mut from, 0), sys::cuEventCreate(&raw mut to, flags as u32));
        assert_eq!(code, (SUCCESS, SUCCESS));
        for event in [from, to] {
            assert_eq!(
                (sys::cuEventRecord(event, null_mut()), sys::cuEventSynchronize(event)),
                (SUCCESS, SUCCESS)
            );
        }
        let wanted = if flags & 2 == 0 { SUCCESS } else { CUresult::CUDA_ERROR_INVALID_HANDLE };
        assert_eq!(sys::cuEventElapsedTime_v2(&raw mut time, from, to), wanted);
        assert_eq!((sys::cuEventDestroy_v2(from), sys::cuEventDestroy_v2(to)), (SUCCESS, SUCCESS));
        sys::cuMemFree_v2(x);
    }
}

#[test]
fn a_copy_that_nothing_orders_takes_place_and_is_found() {
    let (_, report) = run("copies_too_early", 0);
    let told = told(&report);
    assert!(told.len() == 1 && told[0].starts_with("error unsynchronized cuMemcpyHtoD_v2:"), "{told:?}");
}

#[test]
fn there_may_be_many_pinned_and_managed_allocations_at_a_time() {
    let (_, report) = run("pins_much", 150);
    let told = told(&report);
    assert!(told[0].starts_with("error double-free cuMemFreeHost:"), "{told:?}");
    assert_eq!(told[1..], ["note failed-call cuMemFree_v2:0"]);
}

#[test]
fn an_event_without_time_has_none() {
    let (_, report) = run("times_nothing", 1);
    assert_eq!(told(&report), [""; 0]);
    let (_, report) = run("times_nothing", 2);
    assert_eq!(told(&report), ["note failed-call cuEventElapsedTime_v2:0"]);
}
