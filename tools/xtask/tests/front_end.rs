//! How much the compiler of CUDA C++ adds to the module.

/// A quicker test of the same thing is that of the module's size, which `cargo xtask page` refuses beyond its own bound.
#[test]
#[ignore = "thorough: it builds the module twice"]
fn the_front_end_adds_no_more_than_its_bound_skipped_without_wasm_opt() {
    let Some(bytes) = xtask::module::front_end_bytes().unwrap() else {
        eprintln!("skipped: there is no wasm-opt 108");
        return;
    };
    println!("the compiler adds {bytes} bytes");
    assert!(bytes > 50_000, "the module has no compiler, or neither has");
    assert!(
        bytes <= xtask::module::MAX_FRONT_END_BYTES,
        "the compiler adds {bytes} bytes, and {} are allowed",
        xtask::module::MAX_FRONT_END_BYTES
    );
}
