//! The functions that JavaScript calls in the WebAssembly module: `book/theme/player/worker.js` does.
//!
//! A request is written to the bytes at the address that [`request`] returns. Then [`answer`] returns the address of the
//! answer: its length in four bytes, little-endian, and then its bytes, which stay there until the next call of `answer`.

use std::cell::RefCell;

use crate::Page;

#[expect(unsafe_code, reason = "the page's function is what it is called with, whatever it does")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// How far a grading has come. The Worker passes it on, because a page gets no answer before the end.
    safe fn progress(done: u32, of: u32);
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::new({
        let mut page = Page::default();
        page.on_progress(|done, of| progress(done, of));
        page
    });
    static REQUEST: RefCell<Vec<u8>> = RefCell::default();
    static ANSWER: RefCell<Vec<u8>> = RefCell::default();
}

/// Room for a request of that many bytes, which the caller writes; null if it is longer than any that is answered.
#[expect(unsafe_code, reason = "no other function of the module has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn request(bytes: usize) -> *mut u8 {
    if bytes > crate::request::MAX_REQUEST_BYTES {
        return std::ptr::null_mut();
    }
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(bytes, 0);
        request.as_mut_ptr()
    })
}

/// The answer to the request that was written.
#[expect(unsafe_code, reason = "no other function of the module has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    let request = REQUEST.take();
    let text = PAGE.with_borrow_mut(|page| page.answer(&String::from_utf8_lossy(&request)));
    let length = u32::try_from(text.len()).unwrap_or(0);
    ANSWER.with_borrow_mut(|answer| {
        *answer = [&length.to_le_bytes(), text.as_bytes()].concat();
        answer.as_ptr()
    })
}
