//! The functions that JavaScript calls in the WebAssembly module. `crates/simt/tests/node.mjs` calls them.
//!
//! Each returns the address of a text: its length in four bytes, little-endian, and then its bytes. The text is never
//! freed, because the module is discarded after the call.

fn leak(text: &str) -> *const u8 {
    let length = u32::try_from(text.len()).expect("the memory of a module has four gibibytes");
    let bytes = [&length.to_le_bytes(), text.as_bytes()].concat();
    Box::leak(bytes.into_boxed_slice()).as_ptr()
}

/// [`super::results`]
#[expect(unsafe_code, reason = "no other function of the module has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn results() -> *const u8 {
    leak(&super::results())
}

/// [`super::large`]
#[expect(unsafe_code, reason = "no other function of the module has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn large() -> *const u8 {
    leak(&super::large())
}
