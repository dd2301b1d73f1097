//! Memory that a process and kernels share, and what both doors have of the libraries' headers.

use cuda_host::Severity;
use native_host::Clang;

use super::{interpreted, printed, run, same};

const SHARED: &str = r#"
#include <cstdio>
#include <cstdlib>
const int N = 3 * (1 << 18) + 1000, FEW = 64;
__global__ void add(int* x, int from, int to) {
    for (int i = from + threadIdx.x; i < to; i += blockDim.x) x[i] += 1;
}
void told(const char* name, const int* x) {
    long sum = 0;
    for (int i = 0; i < N; i++) sum += (long)x[i] * (i % 7 + 1);
    printf("%s %ld %d %d\n", name, sum, x[FEW - 1], x[N - 1]);
}
int main() {
    int *managed, *pinned, *own = (int*)malloc(N * sizeof(int)), *device;
    cudaMallocManaged(&managed, N * sizeof(int));
    cudaMallocHost(&pinned, N * sizeof(int));
    cudaMalloc(&device, N * sizeof(int));
    for (int i = 0; i < N; i++) managed[i] = i, pinned[i] = 2 * i, own[i] = 3 * i;
    cudaHostRegister(own, N * sizeof(int), cudaHostRegisterMapped);
    int* mapped;
    cudaHostGetDevicePointer(&mapped, own, 0);
    for (int round = 0; round < 3; round++) {
        // The host changes a word of the first part, and kernels some of each part or of the last.
        managed[0] += 5, pinned[FEW - 1] += 7, own[N - 1] += 9;
        add<<<1, 32>>>(managed, (1 << 18) - FEW, (1 << 18) + FEW);
        add<<<1, 32>>>(pinned, N - FEW, N);
        add<<<1, 32>>>(mapped, 0, FEW);
        cudaDeviceSynchronize();
        told("managed", managed), told("pinned", pinned), told("own", own);
        // Copies and sets of a range across two parts, between memory of all kinds.
        cudaMemset(managed + (1 << 18) - 5, round, 10 * sizeof(int));
        cudaMemcpy(device, pinned, N * sizeof(int), cudaMemcpyHostToDevice);
        add<<<1, 32>>>(device, 0, FEW);
        cudaMemcpy(pinned + 3, device + 1, (N - 3) * sizeof(int), cudaMemcpyDeviceToHost);
        cudaMemcpy(own + 10, managed + (1 << 18) - 8, 20 * sizeof(int), cudaMemcpyDefault);
        cudaMemcpy(managed + 100, own, 50 * sizeof(int), cudaMemcpyDefault);
        told("managed", managed), told("pinned", pinned), told("own", own);
    }
    cudaHostUnregister(own);
    // The same bytes at another place: nothing of the first may be taken for it.
    int* again;
    cudaFree(managed);
    cudaMallocManaged(&again, N * sizeof(int));
    add<<<1, 32>>>(again, 0, FEW);
    cudaDeviceSynchronize();
    told("again", again);
    cudaFree(again), cudaFree(device), cudaFreeHost(pinned), free(own);
}
"#;

/// Parts that are the same on both sides are not sent, and that changes nothing.
#[test]
fn memory_that_is_shared_is_the_same_on_both_sides_skipped_without_clang() {
    let clang = clang!();
    let outcome = run(&clang, SHARED);
    let one = interpreted(&SHARED.replace(
        "cudaMallocManaged(&again, N * sizeof(int));",
        "cudaMallocManaged(&again, N * sizeof(int)); cudaMemset(again, 0, N * sizeof(int));",
    ));
    assert_eq!(printed(&outcome), printed(&one));
    assert!(
        outcome.findings.is_empty() && one.findings.is_empty(),
        "{:?} {:?}",
        outcome.findings,
        one.findings
    );
}

/// What a call stores is stored, even if the device had the same bytes before and only host code has changed them.
#[test]
fn what_is_set_again_is_set_skipped_without_clang() {
    let clang = clang!();
    let text = r#"
#include <cstdio>
const int N = 1 << 19;
__global__ void read(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
int main() {
    int *managed, *pinned, *zeros, *y;
    cudaMallocManaged(&managed, N * sizeof(int));
    cudaMallocHost(&pinned, N * sizeof(int));
    cudaMalloc(&zeros, N * sizeof(int)), cudaMalloc(&y, 128);
    cudaMemset(zeros, 0, N * sizeof(int));
    for (int round = 0; round < 3; round++) {
        cudaMemset(managed, 0, N * sizeof(int)), cudaMemset(pinned, 0, N * sizeof(int));
        printf("%d %d\n", managed[5], pinned[N - 1]);
        read<<<1, 32>>>(round % 2 ? managed : pinned, y);
        cudaDeviceSynchronize();
        managed[5] = round + 1, pinned[N - 1] = round + 2;
        if (round == 1) {
            cudaMemcpy(managed, zeros, N * sizeof(int), cudaMemcpyDefault);
            cudaMemcpy(pinned, zeros, N * sizeof(int), cudaMemcpyDeviceToHost);
            printf("%d %d\n", managed[5], pinned[N - 1]);
        }
    }
    cudaFree(managed), cudaFreeHost(pinned), cudaFree(zeros), cudaFree(y);
}
"#;
    let outcome = same(&clang, text);
    assert_eq!(printed(&outcome), "0 0\n0 0\n0 0\n0 0\n");
}

#[test]
fn headers_of_libraries_are_the_interpreters_skipped_without_clang() {
    let clang = clang!();
    let text = r#"
#include <cuComplex.h>
#include <cublas_v2.h>
#include <nvtx3/nvToolsExt.h>
#include <cstdio>
__global__ void k(cuFloatComplex* x, cuDoubleComplex* y) {
    int i = threadIdx.x;
    x[i] = cuCmulf(x[i], make_cuFloatComplex(0, 1));
    x[i] = cuCdivf(cuCaddf(x[i], cuConjf(x[i])), make_cuComplex(2, 1));
    y[i] = cuCdiv(y[i], make_cuDoubleComplex(1e300, 1e300));
    y[i].x += cuCabs(y[i]) + cuCabsf(x[i]);
    y[i] = cuCfma(y[i], cuCsub(y[i], y[i]), cuComplexFloatToDouble(x[i]));
}
int main() {
    cublasHandle_t handle;
    cublasMath_t math;
    cublasCreate(&handle);
    cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
    cublasGetMathMode(handle, &math);
    printf("%d %d %d\n", (int)math, nvtxRangePushA("outer"), nvtxRangePushA("inner"));
    printf("%d\n", nvtxRangePop());
    cuFloatComplex x[32], *dx;
    cuDoubleComplex y[32], *dy;
    for (int i = 0; i < 32; ++i) x[i] = make_cuFloatComplex(i, 1 - i), y[i] = make_cuDoubleComplex(3e300 * (i % 3), 1e300);
    cudaMalloc(&dx, sizeof(x)), cudaMalloc(&dy, sizeof(y));
    cudaMemcpy(dx, x, sizeof(x), cudaMemcpyHostToDevice), cudaMemcpy(dy, y, sizeof(y), cudaMemcpyHostToDevice);
    k<<<1, 32>>>(dx, dy);
    cudaMemcpy(x, dx, sizeof(x), cudaMemcpyDeviceToHost), cudaMemcpy(y, dy, sizeof(y), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i) printf("%.9g %.9g %.17g %.17g %.9g\n", cuCrealf(x[i]), cuCimagf(x[i]), cuCreal(y[i]), cuCimag(y[i]), cuCabsf(x[i]));
    printf("%.17g\n", cuCabs(make_cuDoubleComplex(3e300, 4e300)));
    cublasDestroy(handle), cudaFree(dx), cudaFree(dy);
}
"#;
    let outcome = same(&clang, text);
    let lines = printed(&outcome);
    assert!(
        lines.starts_with("3 0 1\n1\n")
            && lines.ends_with("\n5.0000000000000003e+300\n")
            && outcome.findings.is_empty(),
        "{outcome:?}"
    );
}

/// A load that one thread alone needs is one of all threads all the same, as in the text.
#[test]
fn a_load_stays_where_the_text_has_it_skipped_without_clang() {
    let clang = clang!();
    let text = r"
__device__ inline int get(int v, int* s) {
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    return s[0];
}
__global__ void k(int* out) {
    __shared__ int s[32];
    int a = get(threadIdx.x, s);
    if (threadIdx.x == 0) out[0] = a;
    int b = get(threadIdx.x + 1, s);
    if (threadIdx.x == 0) out[1] = b;
}
__global__ void guess(int* most) {
    if (*most < (int)threadIdx.x) atomicMax(most, (int)threadIdx.x);
}
int main() {
    int* d;
    cudaMalloc(&d, 8);
    cudaMemset(d, 0, 8);
    k<<<1, 64>>>(d);
    guess<<<1, 64>>>(d);
    cudaFree(d);
}
";
    let outcome = same(&clang, text);
    let kinds: Vec<_> = outcome.findings.iter().map(|found| (found.kind.name(), found.severity)).collect();
    assert_eq!(kinds, [("race", Severity::Error), ("race", Severity::Warning)]);
}
