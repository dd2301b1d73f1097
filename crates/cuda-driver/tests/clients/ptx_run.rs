//! `ptx_run`, as tinygrad's mocks of CUDA call it: a text of PTX on memory of the process.

use std::ffi::{CStr, c_char, c_int, c_void};

/// gpuocelot's function.
type Run = unsafe extern "C" fn(
    *const c_char,
    c_int,
    *const *const c_void,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
);

/// `sum[i] = a[i] + b[i]` below `n`, and `sum[n]` too if the last argument is not 0.
const ADD: &CStr = c"
.version 7.5
.target sm_35
.address_size 64
.visible .entry add(.param .u64 sum, .param .u64 a, .param .u64 b, .param .u32 n, .param .u32 more) {
    .reg .u64 %p<7>;
    .reg .u32 %r<7>;
    .reg .pred %q<3>;
    ld.param.u64 %p1, [sum];
    ld.param.u64 %p2, [a];
    ld.param.u64 %p3, [b];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [more];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r3, %r3, %r4, %r5;
    add.u32 %r1, %r1, %r2;
    setp.ge.u32 %q1, %r3, %r1;
    @%q1 bra END;
    mul.wide.u32 %p4, %r3, 4;
    add.u64 %p1, %p1, %p4;
    add.u64 %p2, %p2, %p4;
    add.u64 %p3, %p3, %p4;
    ld.global.u32 %r5, [%p2];
    ld.global.u32 %r6, [%p3];
    add.u32 %r5, %r5, %r6;
    st.global.u32 [%p1], %r5;
END:
    ret;
}";

/// All threads write one word.
const RACE: &CStr = c"
.version 7.5
.target sm_35
.address_size 64
.visible .entry race(.param .u64 x) {
    .reg .u64 %p<2>;
    .reg .u32 %r<2>;
    ld.param.u64 %p1, [x];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%p1], %r1;
    ret;
}";

/// The function, from the library that has gpuocelot's name.
fn run(text: &CStr, arguments: &[u64], block: u32, grid: u32) {
    // SAFETY: the library is this project's; the arguments are those of the function, and the addresses are the caller's.
    unsafe {
        let library = libc::dlopen(c"libgpuocelot.so".as_ptr(), libc::RTLD_NOW);
        assert!(!library.is_null());
        let function = libc::dlsym(library, c"ptx_run".as_ptr());
        assert!(!function.is_null());
        let function: Run = std::mem::transmute(function);
        let (block, grid) = (block as c_int, grid as c_int);
        let count = arguments.len() as c_int;
        function(text.as_ptr(), count, arguments.as_ptr().cast(), block, 1, 1, grid, 1, 1, 0);
    }
}

/// A kernel gets as much of the process's memory as it uses, and changes nothing else of it.
pub fn adds(n: u64) {
    let n = n as usize;
    let a: Vec<u32> = (0..n as u32).collect();
    let mut all = vec![7_u32; 2 * n + 2];
    all[1..=n].copy_from_slice(&a);
    // `a` and the sum are parts of one allocation, in this order, and neither begins where it does.
    let (first, sum) = (all[1..].as_ptr() as u64, all[n + 1..].as_ptr() as u64);
    run(ADD, &[sum, first, a.as_ptr() as u64, n as u64, 0], 64, (n as u32).div_ceil(64));
    let all = std::hint::black_box(all);
    assert_eq!((all[0], all[2 * n + 1]), (7, 7));
    assert!((0..n).all(|nth| all[n + 1 + nth] == 2 * nth as u32 && all[nth + 1] == nth as u32));
}

pub fn races(_: u64) {
    let x = [0_u32; 4];
    run(RACE, &[x.as_ptr() as u64], 64, 1);
    assert!(std::hint::black_box(x)[0] < 64);
}

/// A page is followed by one that nobody has; what the kernel does before it leaves the page stays.
pub fn goes_beyond(more: u64) {
    // SAFETY: the two pages are new, and only the first is read.
    unsafe {
        let how = libc::MAP_PRIVATE | libc::MAP_ANON;
        let pages = libc::mmap(std::ptr::null_mut(), 8192, libc::PROT_READ | libc::PROT_WRITE, how, -1, 0);
        assert_eq!(libc::munmap(pages.byte_add(4096), 4096), 0);
        let at = pages as u64;
        run(ADD, &[at, at, at, 1024, more], 1, 1024 + more as u32);
        assert_eq!(libc::munmap(pages, 4096), 0);
    }
}

/// What cannot be run does nothing.
pub fn is_refused(_: u64) {
    run(c"no PTX", &[], 1, 1);
    run(ADD, &[0; 4], 1, 1);
    run(RACE, &[0], 2048, 1);
}
