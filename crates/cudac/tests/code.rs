//! What the code of kernels has, where a reader compares it with NVIDIA's: fused products, and how much shared memory each takes.

use cudac::{Options, Source};
use simt::{Emulator, Limits};

fn compile(text: &str) -> String {
    let compiled = cudac::compile(&Source { name: "code.cu", text }, &Options::default());
    compiled.unwrap_or_else(|errors| panic!("{errors}")).ptx
}

/// In a long block too, whether each product is added at once or after many others.
#[test]
fn every_product_that_is_added_is_fused() {
    let at_once = "#pragma unroll
        for (int i = 0; i < 200; i++) sum += x[i] * x[i + 1];";
    let later = "float products[60];
        #pragma unroll
        for (int i = 0; i < 240; i++) {
            if (i >= 60) sum += products[i % 60];
            products[i % 60] = x[i] * x[i + 1];
        }
        #pragma unroll
        for (int i = 0; i < 60; i++) sum += products[i];";
    for (body, products) in [(at_once, 200), (later, 240)] {
        let ptx = compile(&format!(
            "__global__ void kernel(float* x) {{ float sum = 0;\n{body}\nx[threadIdx.x] = sum; }}"
        ));
        let count = |opcode: &str| ptx.matches(opcode).count();
        assert_eq!([count("fma.rn.f32"), count("mul.f32"), count("add.f32")], [products, 0, 0], "{body}");
    }
}

/// Whether it is declared in the kernel, outside, or in a function that kernels call.
#[test]
fn a_kernel_takes_the_static_shared_memory_that_it_uses() {
    let ptx = compile(
        r#"__shared__ int outside[100];
         __shared__ int outside_too[1000];
         __device__ int* inside() { __shared__ int place[10]; return place; }
         extern "C" __global__ void none(int* x) { x[0] = 1; }
         extern "C" __global__ void own(int* x) { __shared__ int place[50]; place[threadIdx.x] = 1; x[0] = place[threadIdx.x]; }
         extern "C" __global__ void other(int* x) { __shared__ int place[7]; place[threadIdx.x] = 1; x[0] = place[threadIdx.x]; }
         extern "C" __global__ void common(int* x) { outside[threadIdx.x] = 1; x[0] = outside[threadIdx.x]; }
         extern "C" __global__ void called(int* x) { outside[threadIdx.x] = 1; inside()[threadIdx.x] = outside[threadIdx.x]; x[0] = *inside(); }"#,
    );
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("code.ptx", &ptx).unwrap();
    for (kernel, bytes) in [("none", 0), ("own", 200), ("other", 28), ("common", 400), ("called", 440)] {
        let variables = module.shared_variables(kernel);
        assert_eq!(variables.iter().map(|variable| variable.bytes).sum::<u64>(), bytes, "{kernel}");
    }
}
