//! What programs of Python's `cuda.core` need: objects that graphs keep alive, and pools of memory by place.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use cudarc::driver::sys::{self, CUresult};

use super::{SUCCESS, raw, run, told, words};

const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

/// An object is destroyed, once, when neither the program nor a graph nor what was made of the graph holds it.
pub fn holds_an_object(_: u64) {
    extern "C" fn destroy(count: *mut c_void) {
        // SAFETY: the object is this number, which lives until the program ends.
        unsafe { &*count.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
    }
    static DESTROYED: AtomicUsize = AtomicUsize::new(0);
    let destroyed = || DESTROYED.load(Ordering::SeqCst);
    let data = (&raw const DESTROYED).cast_mut().cast();
    // SAFETY: every pointer is to a variable here, or to what the driver has given.
    unsafe {
        let (_, _, x) = raw(c"count");
        let (mut object, mut graph, mut made) = (null_mut(), null_mut(), null_mut());
        assert_eq!(sys::cuUserObjectCreate(&raw mut object, data, Some(destroy), 1, 0), INVALID);
        assert_eq!(sys::cuUserObjectCreate(&raw mut object, data, None, 1, 1), INVALID);
        assert_eq!(sys::cuUserObjectCreate(&raw mut object, data, Some(destroy), 1, 1), SUCCESS);
        assert_eq!(sys::cuGraphCreate(&raw mut graph, 0), SUCCESS);
        assert_eq!(sys::cuGraphRetainUserObject(graph, object, 2, 1), INVALID);
        assert_eq!(sys::cuGraphRetainUserObject(graph, object, 1, 1), SUCCESS);
        assert_eq!(sys::cuUserObjectRelease(object, 1), INVALID);
        assert_eq!(
            (sys::cuUserObjectRetain(object, 1), sys::cuUserObjectRelease(object, 1)),
            (SUCCESS, SUCCESS)
        );
        assert_eq!(sys::cuGraphInstantiateWithFlags(&raw mut made, graph, 0), SUCCESS);
        assert_eq!((sys::cuGraphDestroy(graph), destroyed()), (SUCCESS, 0));
        assert_eq!((sys::cuGraphExecDestroy(made), destroyed()), (SUCCESS, 1));
        assert_eq!((sys::cuUserObjectRetain(object, 1), sys::cuGraphDestroy(graph)), (INVALID, INVALID));

        assert_eq!(sys::cuUserObjectCreate(&raw mut object, data, Some(destroy), 1, 1), SUCCESS);
        assert_eq!(sys::cuGraphCreate(&raw mut graph, 0), SUCCESS);
        assert_eq!(sys::cuGraphRetainUserObject(graph, object, 2, 0), SUCCESS);
        assert_eq!((sys::cuUserObjectRelease(object, 1), destroyed()), (SUCCESS, 1));
        assert_eq!(sys::cuGraphReleaseUserObject(graph, object, 3), INVALID);
        assert_eq!((sys::cuGraphReleaseUserObject(graph, object, 2), destroyed()), (SUCCESS, 2));
        assert_eq!((sys::cuGraphDestroy(graph), destroyed()), (SUCCESS, 2));

        assert_eq!(sys::cuUserObjectCreate(&raw mut object, data, Some(destroy), 1, 1), SUCCESS);
        holds_while_it_is_captured(object);
        assert_eq!(destroyed(), 3);
        sys::cuMemFree_v2(x);
    }
}

/// A graph holds an object from when it is captured on.
///
/// # Safety
/// The program has a reference to the object.
unsafe fn holds_while_it_is_captured(object: sys::CUuserObject) {
    // SAFETY: every pointer is to a variable here, or to what the driver has given.
    unsafe {
        let (mut stream, mut graph, mut captured) = (null_mut(), null_mut(), null_mut());
        let (mut status, mut id) = (sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE, 0);
        assert_eq!(sys::cuStreamCreate(&raw mut stream, 1), SUCCESS);
        let mut info = |graph: *mut sys::CUgraph| {
            let (status, id) = (&raw mut status, &raw mut id);
            sys::cuStreamGetCaptureInfo_v2(stream, status, id, graph, null_mut(), null_mut())
        };
        assert_eq!((info(&raw mut graph), graph), (SUCCESS, null_mut()));
        let all = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
        assert_eq!(sys::cuStreamBeginCapture_v2(stream, all), SUCCESS);
        assert_eq!(info(&raw mut graph), SUCCESS);
        assert_eq!(sys::cuGraphRetainUserObject(graph, object, 1, 1), SUCCESS);
        assert_eq!((sys::cuStreamEndCapture(stream, &raw mut captured), captured), (SUCCESS, graph));
        assert_eq!((sys::cuGraphDestroy(graph), sys::cuStreamDestroy_v2(stream)), (SUCCESS, SUCCESS));
    }
}

/// A function that cudarc knows from CUDA 13 on: of a pool or where it goes, a place, and a type or a pool.
type OfPools = unsafe extern "C" fn(*mut u64, *const [i32; 2], u64) -> CUresult;

/// Memory of pools of the host and of managed memory is used by the program and by kernels.
pub fn takes_from_pools(_: u64) {
    // SAFETY: every pointer is to a variable here, to memory that the driver has given, or to the function that was asked for.
    unsafe {
        let (_, twice, x) = raw(c"twice_of");
        let found = |name: &std::ffi::CStr| {
            let mut address = null_mut();
            let code = sys::cuGetProcAddress_v2(name.as_ptr(), &raw mut address, 13000, 0, null_mut());
            assert_eq!(code, SUCCESS, "{name:?}");
            std::mem::transmute::<*mut c_void, OfPools>(address)
        };
        let (current, default) = (found(c"cuMemGetMemPool"), found(c"cuMemGetDefaultMemPool"));
        let stream = null_mut();
        for (place, allocation, kind) in [([1, 0], 1, 2), ([2, 0], 1, 1), ([0, 0], 2, 2)] {
            let (mut pool, mut same) = (0, 0);
            assert_eq!(current(&raw mut pool, &raw const place, allocation), SUCCESS);
            assert_eq!(default(&raw mut same, &raw const place, allocation), SUCCESS);
            assert_eq!((pool, sys::cuMemPoolDestroy(pool as sys::CUmemoryPool)), (same, INVALID));
            let mut at = 0;
            let code = sys::cuMemAllocFromPoolAsync(&raw mut at, 512, pool as sys::CUmemoryPool, stream);
            assert_eq!(code, SUCCESS, "{place:?}");
            if place[0] == 1 {
                assert_eq!(sys::cuMemsetD32_v2(at, 21, 128), SUCCESS);
            } else {
                (at as *mut i32).write_volatile(21);
            }
            let mut arguments = [(&raw mut at).cast()];
            let (none, table) = (null_mut(), arguments.as_mut_ptr());
            assert_eq!(sys::cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, stream, table, none), SUCCESS);
            assert_eq!((sys::cuCtxSynchronize(), words(at)[0]), (SUCCESS, 42));
            let (mut found, attribute) = (0_u32, sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
            assert_eq!(sys::cuPointerGetAttribute((&raw mut found).cast(), attribute, at), SUCCESS);
            assert_eq!((found, sys::cuMemFreeAsync(at, stream)), (kind, SUCCESS), "{place:?}");
        }
        for (place, allocation) in [([1, 1], 1), ([0, 0], 1), ([1, 0], 3)] {
            let mut pool = 0;
            assert_eq!(current(&raw mut pool, &raw const place, allocation), INVALID, "{place:?}");
        }
        sets_a_pool(current, found(c"cuMemSetMemPool"));
        sys::cuMemFree_v2(x);
    }
}

/// The pool of a place is the one that was set there, until it is destroyed.
///
/// # Safety
/// The functions are those of the driver.
unsafe fn sets_a_pool(current: OfPools, set: OfPools) {
    // SAFETY: every pointer is to a variable here.
    unsafe {
        let (mut pool, mut before, mut now) = (null_mut(), 0, 0);
        let props: [u32; 22] = std::array::from_fn(|nth| [1, 0, 2].get(nth).copied().unwrap_or(0));
        assert_eq!(sys::cuMemPoolCreate(&raw mut pool, props.as_ptr().cast()), SUCCESS);
        let [host, device] = [[2, 0], [1, 0]];
        assert_eq!(current(&raw mut before, &raw const host, 1), SUCCESS);
        let set = |place: [i32; 2]| {
            set((&raw const place).cast_mut().cast(), std::ptr::without_provenance(1), pool as u64)
        };
        assert_eq!((set(host), set(device)), (SUCCESS, INVALID));
        assert_eq!((current(&raw mut now, &raw const host, 1), now), (SUCCESS, pool as u64));
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let (mut wanted, mut kept) = (u64::MAX, 0_u64);
        assert_eq!(sys::cuMemPoolSetAttribute(pool, threshold, (&raw mut wanted).cast()), SUCCESS);
        assert_eq!(sys::cuMemPoolGetAttribute(pool, threshold, (&raw mut kept).cast()), SUCCESS);
        assert_eq!((kept, sys::cuMemPoolDestroy(pool)), (u64::MAX, SUCCESS));
        assert_eq!((current(&raw mut now, &raw const host, 1), now), (SUCCESS, before));
        assert_eq!(sys::cuMemPoolDestroy(pool), INVALID);
    }
}

/// What NVIDIA's runtime asks for, and parameters of a kernel.
pub fn asks_for_tables(_: u64) {
    // SAFETY: every pointer is to a variable here.
    unsafe {
        let mut table = std::ptr::null();
        let id = sys::CUuuid { bytes: [0x6b; 16] };
        assert_eq!(sys::cuGetExportTable(&raw mut table, &raw const id), CUresult::CUDA_ERROR_NOT_SUPPORTED);
        let (_, add, x) = raw(c"add");
        let (mut offset, mut bytes) = (0, 0);
        assert_eq!(sys::cuFuncGetParamInfo(add, 3, &raw mut offset, &raw mut bytes), SUCCESS);
        assert_eq!((offset, bytes, sys::cuMemFree_v2(x)), (24, 4, SUCCESS));
    }
}

#[test]
fn private_tables_of_the_driver_are_named() {
    let (_, report) = run("asks_for_tables", 0);
    assert_eq!(told(&report), ["note failed-call cuGetExportTable:0"]);
    assert!(report.findings[0]["message"].as_str().unwrap().contains("CuPy"), "{report:?}");
}

#[test]
fn an_object_is_destroyed_when_nobody_holds_it() {
    let (_, report) = run("holds_an_object", 0);
    assert!(
        report.refused.is_empty() && told(&report).iter().all(|told| told.starts_with("note")),
        "{report:?}"
    );
}

#[test]
fn pools_have_memory_of_the_device_and_of_the_host() {
    let (_, report) = run("takes_from_pools", 0);
    assert!(
        report.refused.is_empty() && told(&report).iter().all(|told| told.starts_with("note")),
        "{report:?}"
    );
}
