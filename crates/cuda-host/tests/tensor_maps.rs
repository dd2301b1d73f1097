//! `cuTensorMapEncodeTiled` in host code: what it refuses, and what is said of that.

mod common;

use common::run;

/// A program whose call has some arguments changed.
fn program(changes: &[(&str, &str)]) -> String {
    let mut text = "#include <cuda.h>
#include <cstdio>
#include <cuda_runtime.h>
int main() {
    float* x;
    cudaMalloc(&x, 64 * 32 * 4);
    CUtensorMap map;
    cuuint64_t sizes[2] = {64, 32}, strides[1] = {256};
    cuuint32_t box[2] = {32, 8}, steps[2] = {1, 1};
    CUresult result = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, x, sizes, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    printf(\"%d\", (int)result);
    cudaFree(x);
}"
    .to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    text
}

fn printed(changes: &[(&str, &str)]) -> String {
    String::from_utf8(run(&program(changes)).output).unwrap()
}

#[test]
fn a_call_returns_the_error_that_the_documentation_names() {
    assert_eq!(printed(&[]), "0");
    for change in [
        ("&map,", "nullptr,"),
        ("&map,", "(CUtensorMap*)((char*)&map + 32),"),
        (" x, sizes", " (char*)x + 8, sizes"),
        ("strides, box", "nullptr, box"),
        ("{256}", "{264}"),
        ("{32, 8}", "{64, 8}"),
        (", 2, x", ", 6, x"),
    ] {
        assert_eq!(printed(&[change]), "1", "{change:?}");
    }
    for change in [("TYPE_FLOAT32", "TYPE_16U4_ALIGN8B"), ("SWIZZLE_128B", "SWIZZLE_128B_ATOM_32B")] {
        assert_eq!(printed(&[change]), "801", "{change:?}");
    }
}

#[test]
fn a_map_is_moved_to_another_tensor() {
    let moved =
        ("printf(\"%d\"", "printf(\"%d \", (int)cuTensorMapReplaceAddress(&map, x + 4)); printf(\"%d\"");
    assert_eq!(printed(&[moved]), "0 0");
    let wrong =
        ("printf(\"%d\"", "printf(\"%d \", (int)cuTensorMapReplaceAddress(&map, x + 1)); printf(\"%d\"");
    assert_eq!(printed(&[wrong]), "1 0");
}
