//! NVRTC's C functions, behind a type that is safe to use. The only unsafe code of the crate.
//!
//! The library is not linked but opened when it is needed, so everything builds and runs on a machine without it. The
//! signatures are those of `nvrtc.h`, unchanged since CUDA 11.2; on every platform they use the C calling convention.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use crate::layout::builtins_beside;
use crate::version::Version;

/// Makes Windows look for libraries that are opened by their names only beside this program and in the folder of the
/// system, and not in the current folder. Elsewhere nothing is to be done.
pub(crate) fn leave_out_current_folder() {
    #[cfg(windows)]
    {
        /// `LOAD_LIBRARY_SEARCH_DEFAULT_DIRS` of `libloaderapi.h`.
        const DEFAULT_FOLDERS: u32 = 0x1000;
        #[link(name = "kernel32")]
        unsafe extern "system" {
            fn SetDefaultDllDirectories(folders: u32) -> c_int;
        }
        // SAFETY: it takes a number and sets a flag of the process. It fails only for an unknown number.
        let _ = unsafe { SetDefaultDllDirectories(DEFAULT_FOLDERS) };
    }
}

/// `nvrtcProgram`: a pointer to something that only the library reads.
type Handle = *mut c_void;
/// `nvrtcResult`: zero is success.
type Status = c_int;

/// The functions used here, each with the type that `nvrtc.h` declares for it.
#[derive(Debug)]
struct Functions {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    arch_count: unsafe extern "C" fn(*mut c_int) -> Status,
    archs: unsafe extern "C" fn(*mut c_int) -> Status,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status,
    log_size: SizeFn,
    log: TextFn,
    ptx_size: SizeFn,
    ptx: TextFn,
    destroy: unsafe extern "C" fn(*mut Handle) -> Status,
}

type SizeFn = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type TextFn = unsafe extern "C" fn(Handle, *mut c_char) -> Status;

impl Functions {
    fn load(library: &Library) -> Result<Self, libloading::Error> {
        // SAFETY: each field has the type that the header declares for the function stored in it, and the table is in
        // `Nvrtc` together with the library, so no pointer outlives the code that it points to.
        unsafe {
            Ok(Self {
                version: *library.get(b"nvrtcVersion")?,
                arch_count: *library.get(b"nvrtcGetNumSupportedArchs")?,
                archs: *library.get(b"nvrtcGetSupportedArchs")?,
                error_string: *library.get(b"nvrtcGetErrorString")?,
                create: *library.get(b"nvrtcCreateProgram")?,
                compile: *library.get(b"nvrtcCompileProgram")?,
                log_size: *library.get(b"nvrtcGetProgramLogSize")?,
                log: *library.get(b"nvrtcGetProgramLog")?,
                ptx_size: *library.get(b"nvrtcGetPTXSize")?,
                ptx: *library.get(b"nvrtcGetPTX")?,
                destroy: *library.get(b"nvrtcDestroyProgram")?,
            })
        }
    }
}

/// What a failed compilation returns.
pub(crate) struct Failure {
    /// The name of the status, such as `NVRTC_ERROR_COMPILATION`.
    pub status: String,
    /// The compiler's messages; empty when it failed for a reason other than the program.
    pub log: String,
}

/// An open NVRTC library.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    functions: Functions,
    /// Kept open as long as its functions may be called; the functions of the tests are not in a library.
    _library: Option<Library>,
    /// Kept open so that NVRTC, which looks for it by name, finds it wherever it is.
    _builtins: Option<Library>,
}

impl Nvrtc {
    /// Opens the library at a path.
    pub fn open(path: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: opening runs a library's initialisers. These two are NVIDIA's compiler, found where it is installed
        // or named by the reader, and their initialisers only set up their own state.
        let open = |file: &Path| unsafe { Library::new(file) };
        let builtins = builtins_beside(path).and_then(|file| open(&file).ok());
        let library = open(path)?;
        Ok(Self { functions: Functions::load(&library)?, _library: Some(library), _builtins: builtins })
    }

    /// The first two numbers of the release.
    pub fn version(&self) -> Result<Version, String> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to live integers.
        self.check(unsafe { (self.functions.version)(&raw mut major, &raw mut minor) })?;
        Ok(Version { major: major.unsigned_abs(), minor: minor.unsigned_abs() })
    }

    /// The oldest architecture it compiles for.
    pub fn oldest_arch(&self) -> Result<u32, String> {
        let mut count = 0;
        // SAFETY: the pointer is to a live integer.
        self.check(unsafe { (self.functions.arch_count)(&raw mut count) })?;
        let mut archs = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the library writes as many integers as it has just announced, and the vector has that length.
        self.check(unsafe { (self.functions.archs)(archs.as_mut_ptr()) })?;
        archs.into_iter().min().map(i32::unsigned_abs).ok_or_else(|| "it supports no architecture".into())
    }

    /// Compiles a program to PTX.
    pub fn compile(&self, name: &str, text: &str, flags: &[String]) -> Result<String, Failure> {
        let without_log = |status| Failure { status, log: String::new() };
        let program = Program::new(self, name, text).map_err(without_log)?;
        if let Err(status) = program.compile(flags) {
            return Err(Failure { status, log: program.log().unwrap_or_default() });
        }
        program.ptx().map_err(without_log)
    }

    fn check(&self, status: Status) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: for every status the function returns a constant string that ends in a zero byte.
        let words = unsafe { CStr::from_ptr((self.functions.error_string)(status)) };
        Err(words.to_string_lossy().into_owned())
    }
}

/// A program inside the library, destroyed when dropped.
struct Program<'a> {
    nvrtc: &'a Nvrtc,
    handle: Handle,
}

impl<'a> Program<'a> {
    fn new(nvrtc: &'a Nvrtc, name: &str, text: &str) -> Result<Self, String> {
        let (name, text) = (c_string(name)?, c_string(text)?);
        let mut handle = ptr::null_mut();
        let create = nvrtc.functions.create;
        let no_headers = ptr::null();
        // SAFETY: both strings end in a zero byte and are copied by the library; with no headers given, the two
        // arrays may be null.
        let status =
            unsafe { create(&raw mut handle, text.as_ptr(), name.as_ptr(), 0, no_headers, no_headers) };
        nvrtc.check(status)?;
        Ok(Self { nvrtc, handle })
    }

    fn compile(&self, flags: &[String]) -> Result<(), String> {
        let flags = flags.iter().map(|flag| c_string(flag)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = flags.iter().map(|flag| flag.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).map_err(|_| "too many flags".to_owned())?;
        // SAFETY: the handle is live, and `pointers` holds `count` strings that `flags` keeps alive.
        self.nvrtc.check(unsafe { (self.nvrtc.functions.compile)(self.handle, count, pointers.as_ptr()) })
    }

    fn log(&self) -> Result<String, String> {
        self.text(self.nvrtc.functions.log_size, self.nvrtc.functions.log)
    }

    fn ptx(&self) -> Result<String, String> {
        self.text(self.nvrtc.functions.ptx_size, self.nvrtc.functions.ptx)
    }

    /// Reads one of the program's texts: `size` returns its length, including the zero byte, and `fill` writes it.
    fn text(&self, size: SizeFn, fill: TextFn) -> Result<String, String> {
        let mut bytes = 0;
        // SAFETY: the handle is live and the pointer is to a live integer.
        let status = unsafe { size(self.handle, &raw mut bytes) };
        self.nvrtc.check(status)?;
        let mut buffer = vec![0_u8; bytes];
        // SAFETY: `size` and `fill` are a pair of `Functions`, so the buffer has the length that `fill` writes.
        let status = unsafe { fill(self.handle, buffer.as_mut_ptr().cast()) };
        self.nvrtc.check(status)?;
        Ok(String::from_utf8_lossy(&buffer).trim_end_matches('\0').to_owned())
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and nothing uses it afterwards.
        unsafe { (self.nvrtc.functions.destroy)(&raw mut self.handle) };
    }
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "the text contains a zero byte".to_owned())
}

/// A library in Rust, which Miri can execute: it checks that nothing but what is there is read and written.
#[cfg(test)]
mod tests {
    use super::*;

    /// A program of the library: its text, and what was written for it.
    struct Made {
        text: String,
        log: &'static CStr,
        ptx: &'static CStr,
    }

    unsafe extern "C" fn version(major: *mut c_int, minor: *mut c_int) -> Status {
        // SAFETY: the caller passes two integers.
        unsafe { (*major, *minor) = (12, 0) };
        0
    }

    const ARCHS: [c_int; 3] = [70, 50, 90];

    unsafe extern "C" fn arch_count(count: *mut c_int) -> Status {
        // SAFETY: the caller passes an integer.
        unsafe { *count = c_int::try_from(ARCHS.len()).unwrap() };
        0
    }

    unsafe extern "C" fn archs(archs: *mut c_int) -> Status {
        // SAFETY: the caller has room for as many as it was told.
        unsafe { ptr::copy_nonoverlapping(ARCHS.as_ptr(), archs, ARCHS.len()) };
        0
    }

    unsafe extern "C" fn error_string(_: Status) -> *const c_char {
        c"NVRTC_ERROR_COMPILATION".as_ptr()
    }

    unsafe extern "C" fn create(
        handle: *mut Handle,
        text: *const c_char,
        _: *const c_char,
        _: c_int,
        _: *const *const c_char,
        _: *const *const c_char,
    ) -> Status {
        // SAFETY: the caller passes a string.
        let text = unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned();
        let made = Box::into_raw(Box::new(Made { text, log: c"", ptx: c"" }));
        // SAFETY: the caller passes a place for a handle.
        unsafe { *handle = made.cast() };
        0
    }

    unsafe extern "C" fn compile(handle: Handle, count: c_int, flags: *const *const c_char) -> Status {
        // SAFETY: the handle is of `create`.
        let made = unsafe { &mut *handle.cast::<Made>() };
        for nth in 0..usize::try_from(count).unwrap() {
            // SAFETY: the caller passes as many strings as it says.
            let flag = unsafe { CStr::from_ptr(*flags.add(nth)) };
            assert!(flag.to_bytes().starts_with(b"-"));
        }
        let is_wrong = made.text == "wrong";
        (made.log, made.ptx) = if is_wrong { (c"k.cu(1): error", c"") } else { (c"", c".version 8.0\n") };
        Status::from(is_wrong)
    }

    unsafe fn size(text: &CStr, bytes: *mut usize) -> Status {
        // SAFETY: the caller passes a number.
        unsafe { *bytes = text.to_bytes_with_nul().len() };
        0
    }

    unsafe fn fill(text: &CStr, place: *mut c_char) -> Status {
        let bytes = text.to_bytes_with_nul();
        // SAFETY: the caller has room for as many as `size` has said.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr().cast(), place, bytes.len()) };
        0
    }

    unsafe extern "C" fn log_size(handle: Handle, bytes: *mut usize) -> Status {
        // SAFETY: the handle is of `create`, and the number the caller's.
        unsafe { size((*handle.cast::<Made>()).log, bytes) }
    }

    unsafe extern "C" fn log(handle: Handle, place: *mut c_char) -> Status {
        // SAFETY: the handle is of `create`, and the room that of `log_size`.
        unsafe { fill((*handle.cast::<Made>()).log, place) }
    }

    unsafe extern "C" fn ptx_size(handle: Handle, bytes: *mut usize) -> Status {
        // SAFETY: the handle is of `create`, and the number the caller's.
        unsafe { size((*handle.cast::<Made>()).ptx, bytes) }
    }

    unsafe extern "C" fn ptx(handle: Handle, place: *mut c_char) -> Status {
        // SAFETY: the handle is of `create`, and the room that of `ptx_size`.
        unsafe { fill((*handle.cast::<Made>()).ptx, place) }
    }

    unsafe extern "C" fn destroy(handle: *mut Handle) -> Status {
        // SAFETY: the handle is of `create`, and is destroyed once.
        drop(unsafe { Box::from_raw((*handle).cast::<Made>()) });
        0
    }

    fn library() -> Nvrtc {
        let functions = Functions {
            version,
            arch_count,
            archs,
            error_string,
            create,
            compile,
            log_size,
            log,
            ptx_size,
            ptx,
            destroy,
        };
        Nvrtc { functions, _library: None, _builtins: None }
    }

    #[test]
    fn what_the_library_writes_is_read_and_nothing_else() {
        let nvrtc = library();
        assert_eq!(nvrtc.version(), Ok(Version { major: 12, minor: 0 }));
        assert_eq!(nvrtc.oldest_arch(), Ok(50));
        let flags = ["-arch=compute_70".to_owned(), "-lineinfo".to_owned()];
        assert!(nvrtc.compile("k.cu", "right", &flags).is_ok_and(|ptx| ptx == ".version 8.0\n"));
        assert!(nvrtc.compile("k.cu", "", &[]).is_ok());
        let failure = nvrtc.compile("k.cu", "wrong", &flags).unwrap_err();
        assert_eq!((&*failure.status, &*failure.log), ("NVRTC_ERROR_COMPILATION", "k.cu(1): error"));
        for (name, text, flag) in [("k\0", "", "-a"), ("k", "a\0b", "-a"), ("k", "", "-\0")] {
            let failure = nvrtc.compile(name, text, &[flag.to_owned()]).unwrap_err();
            assert_eq!(failure.status, "the text contains a zero byte");
        }
    }
}
