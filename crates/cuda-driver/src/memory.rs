//! The memory of this process, which the thread of the driver reads and writes for the one that calls.
//!
//! An address may be wrong, so nothing is dereferenced: on Linux the kernel copies, and says if there is no memory; elsewhere it is
//! asked before whether all pages are there.
#![allow(unsafe_code, reason = "addresses that a caller passes as numbers")]

/// Fills bytes with those at an address; whether there is memory.
#[cfg(target_os = "linux")]
pub(crate) fn read(address: u64, into: &mut [u8]) -> bool {
    if into.is_empty() {
        return true;
    }
    let ours = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let theirs = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: into.len() };
    // SAFETY: the kernel writes only to `into`, and reads only what this process may read.
    let copied =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const ours, 1, &raw const theirs, 1, 0) };
    if copied < 0 && is_forbidden() {
        return read_mapped(address, into);
    }
    copied == into.len() as isize
}

/// Writes bytes at an address; whether there is memory.
#[cfg(target_os = "linux")]
pub(crate) fn write(address: u64, bytes: &[u8]) -> bool {
    if bytes.is_empty() {
        return true;
    }
    let ours = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let theirs = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes.len() };
    // SAFETY: the kernel writes only where this process may write, and the caller has said that it wants that.
    let copied =
        unsafe { libc::process_vm_writev(libc::getpid(), &raw const ours, 1, &raw const theirs, 1, 0) };
    if copied < 0 && is_forbidden() {
        return write_mapped(address, bytes);
    }
    copied == bytes.len() as isize
}

/// Whether the kernel does not copy for this process at all, as in some containers.
#[cfg(target_os = "linux")]
fn is_forbidden() -> bool {
    matches!(std::io::Error::last_os_error().raw_os_error(), Some(libc::ENOSYS | libc::EPERM))
}

#[cfg(not(target_os = "linux"))]
pub(crate) use {read_mapped as read, write_mapped as write};

/// Whether all pages of a range are there.
fn is_mapped(address: u64, bytes: u64) -> bool {
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as u64;
    let start = address / page * page;
    let Some(end) = address.checked_add(bytes) else { return false };
    // SAFETY: changes nothing, and says whether there is memory.
    unsafe { libc::msync(start as *mut libc::c_void, (end - start) as usize, libc::MS_ASYNC) == 0 }
}

/// [`read`] where nobody else copies.
pub(crate) fn read_mapped(address: u64, into: &mut [u8]) -> bool {
    let is_there = is_mapped(address, into.len() as u64);
    if is_there {
        // SAFETY: all pages are there, and `into` is nobody else's.
        unsafe { std::ptr::copy(address as *const u8, into.as_mut_ptr(), into.len()) };
    }
    is_there
}

/// [`write`] where nobody else copies.
pub(crate) fn write_mapped(address: u64, bytes: &[u8]) -> bool {
    let is_there = is_mapped(address, bytes.len() as u64);
    if is_there {
        // SAFETY: all pages are there, and the caller has said that it wants the bytes written.
        unsafe { std::ptr::copy(bytes.as_ptr(), address as *mut u8, bytes.len()) };
    }
    is_there
}

/// The smallest page of any processor.
const PAGE_BYTES: u64 = 4096;

/// A text up to its zero, which is read a page at a time; nothing if it is not there, no UTF-8, or longer than `most`.
pub(crate) fn text(address: u64, most: usize) -> Option<String> {
    let mut found = Vec::new();
    while found.len() < most {
        let at = address.checked_add(found.len() as u64)?;
        let mut part = vec![0; (PAGE_BYTES - at % PAGE_BYTES) as usize];
        if !read(at, &mut part) {
            return None;
        }
        if let Some(end) = part.iter().position(|byte| *byte == 0) {
            found.extend_from_slice(&part[..end]);
            return String::from_utf8(found).ok().filter(|text| text.len() <= most);
        }
        found.extend(part);
    }
    None
}

/// Memory at an address, all zeros; whether it could be had.
pub(crate) fn map(address: u64, bytes: u64) -> bool {
    let bytes = bytes.max(1) as usize;
    let how = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
    // SAFETY: without MAP_FIXED nothing that is there is replaced.
    let got = unsafe {
        libc::mmap(address as *mut libc::c_void, bytes, libc::PROT_READ | libc::PROT_WRITE, how, -1, 0)
    };
    let is_it = got as u64 == address;
    if !is_it && got != libc::MAP_FAILED {
        // SAFETY: it was just made, and nobody knows of it.
        unsafe { libc::munmap(got, bytes) };
    }
    is_it
}

/// Gives back what [`map`] made.
pub(crate) fn unmap(address: u64, bytes: u64) {
    // SAFETY: `map` made it, and the program has freed it.
    unsafe { libc::munmap(address as *mut libc::c_void, bytes.max(1) as usize) };
}

/// Lets the C library print what it holds back, so that what follows comes after it.
pub(crate) fn flush() {
    // SAFETY: a null pointer means all streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// Calls something when the process ends in order.
pub(crate) fn at_exit(end: extern "C" fn()) {
    // SAFETY: the function stays as long as this library, which is never unloaded.
    unsafe { libc::atexit(end) };
}

/// Calls a function of the program with what belongs to it.
pub(crate) fn call_back(function: u64, data: u64) {
    // SAFETY: the program says that a function is there, which takes a pointer; null is tested before.
    let function: extern "C" fn(u64) = unsafe { std::mem::transmute(function as *const ()) };
    function(data);
}

/// The same for a function of a stream, which gets the stream and an error too.
pub(crate) fn call_back_of_stream(function: u64, stream: u64, data: u64) {
    // SAFETY: as in `call_back`.
    let function: extern "C" fn(u64, u32, u64) = unsafe { std::mem::transmute(function as *const ()) };
    function(stream, 0, data);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_and_written_where_it_is() {
        let mut here = [1_u8, 2, 3];
        let at = here.as_mut_ptr() as u64;
        for (read, write) in [
            (read as fn(u64, &mut [u8]) -> bool, write as fn(u64, &[u8]) -> bool),
            (read_mapped, write_mapped),
        ] {
            let mut found = [0; 3];
            assert!(write(at + 1, &[7]) && read(at, &mut found));
            assert_eq!(found, [1, 7, 3]);
            assert!(!read(8, &mut found) && !write(8, &found) && !read(u64::MAX - 1, &mut found));
            assert!(read(8, &mut []) || !read(8, &mut []));
        }
    }

    #[test]
    fn texts_end_at_their_zero() {
        let long = [vec![b'x'; 10_000], vec![0, b'y']].concat();
        let at = long.as_ptr() as u64;
        assert_eq!(text(at, 1 << 20).map(|text| text.len()), Some(10_000));
        assert_eq!((text(at + 9_998, 2).as_deref(), text(at, 9_999), text(0, 10)), (Some("xx"), None, None));
    }

    #[test]
    fn memory_is_mapped_at_an_address_that_is_free() {
        let address = 40 << 40;
        assert!(map(address, 5000));
        assert!(!map(address, 5000), "it is taken");
        assert!(write(address + 4999, &[1]));
        unmap(address, 5000);
        assert!(!write(address, &[1]));
    }
}
