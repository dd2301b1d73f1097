//! Matrices and asynchronous copies: both compilers read the same headers, and make kernels with the same results of them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cuda_host::{Limits, Severity};
use native_host::Clang;

use super::{folder, interpreted_for, printed, run_for};

/// Runs a program both ways, which have to print the same; what that is.
#[track_caller]
fn same(clang: &Clang, text: &str, arch: u32) -> String {
    let folder = folder(&[("program.cu", text)]);
    let other = run_for(clang, folder.path(), &["program.cu"], &[], &Limits::default(), arch).unwrap();
    let one = interpreted_for(text, arch);
    assert_eq!(printed(&other), printed(&one), "sm_{arch}");
    let findings = one.findings.iter().chain(&other.findings).collect::<Vec<_>>();
    assert!(findings.is_empty() && one.status == 0 && other.status == 0, "sm_{arch}: {findings:?}");
    printed(&one).to_owned()
}

/// A product of matrices with numbers that round, all of whose sums are printed as bits.
const PRODUCT: &str = r#"
#include <mma.h>
#include <cstdio>
using namespace nvcuda;
template <typename T, typename E, typename S, int m, int n, int k, typename A, typename B>
__global__ void product(const E* a, const E* b, S* d) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, A> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, B> fb;
    wmma::fragment<wmma::accumulator, m, n, k, S> sum;
    wmma::fill_fragment(sum, (S)1);
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    for (int i = 0; i < fa.num_storage_elements; i++) fa.x[i] = fa.x[i] + fa.x[i];
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(d, sum, 32, wmma::mem_row_major);
}
template <typename T, typename E, typename S, int m, int n, int k, typename A, typename B> void run(const char* name) {
    E *a, *b;
    S* d;
    cudaMallocManaged(&a, 1024 * sizeof(E)), cudaMallocManaged(&b, 1024 * sizeof(E)), cudaMallocManaged(&d, 1024 * sizeof(S));
    for (int i = 0; i < 1024; i++) a[i] = (E)(i * 37 % 101 / 7.0f), b[i] = (E)(i * 53 % 97 / 11.0f);
    for (int i = 0; i < 1024; i++) d[i] = (S)0;
    product<T, E, S, m, n, k, A, B><<<1, 32>>>(a, b, d);
    cudaDeviceSynchronize();
    unsigned long long sum = 0;
    for (size_t i = 0; i < 1024 * sizeof(S); i++) sum = sum * 31 + ((unsigned char*)d)[i];
    printf("%s %d %d %d: %llx\n", name, m, n, k, sum);
    cudaFree(a), cudaFree(b), cudaFree(d);
}
typedef wmma::row_major row;
typedef wmma::col_major col;
int main() {
    RUNS
}
"#;

#[test]
fn products_of_matrices_are_the_same_skipped_without_clang() {
    let clang = clang!();
    let mut runs = String::new();
    let shapes = ["16, 16, 16", "32, 8, 16", "8, 32, 16"];
    let layouts = ["row, col", "col, row", "row, row", "col, col"];
    let types = [
        "half, half, float",
        "half, half, half",
        "__nv_bfloat16, __nv_bfloat16, float",
        "signed char, signed char, int",
        "unsigned char, unsigned char, int",
    ];
    for ((shape, types), nth) in shapes.iter().flat_map(|shape| types.map(|types| (shape, types))).zip(0..) {
        let _ = writeln!(runs, "run<{types}, {shape}, {}>(\"{types}\");", layouts[nth % 4]);
    }
    for layout in layouts {
        let _ = writeln!(runs, "run<wmma::precision::tf32, float, float, 16, 16, 8, {layout}>(\"tf32\");");
        let _ = writeln!(runs, "run<double, double, double, 8, 8, 4, {layout}>(\"double\");");
    }
    let printed = same(&clang, &PRODUCT.replace("RUNS", &runs), 80);
    assert_eq!(printed.lines().count(), 23, "{printed}");
}

/// The kernels of cudac's own test.
#[test]
fn copies_are_the_same_skipped_without_clang() {
    let clang = clang!();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cudac/tests/waits");
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for arch in [70, 80, 90] {
        // Bulk copies are in cudac's own dialect of `asm`, which clang does not read.
        let fits = |name: &&PathBuf| !name.ends_with("bulk_sm_90.cu");
        let names: Vec<&PathBuf> = names.iter().filter(fits).collect();
        assert_eq!(same(&clang, &all(&names), arch), "320\n".repeat(names.len()));
    }
}

/// A program that launches the kernels of files, each in a namespace of its own, and prints how many results are right.
fn all(names: &[&PathBuf]) -> String {
    let (mut text, mut calls) = (String::new(), String::new());
    for (nth, name) in names.iter().enumerate() {
        let kernel = fs::read_to_string(name).unwrap();
        let threads: u32 = kernel[3..].split(' ').next().unwrap().parse().unwrap();
        let kernel = kernel.replace("extern \"C\" ", "").replace("namespace cg =", "// namespace cg =");
        let includes = kernel.lines().filter(|line| line.starts_with("#include"));
        let includes: Vec<&str> = includes.collect();
        let body: Vec<&str> = kernel.lines().filter(|line| !line.starts_with("#include")).collect();
        let _ = writeln!(
            text,
            "{}\nnamespace n{nth} {{\nnamespace cg = cooperative_groups;\n{}\n}}",
            includes.join("\n"),
            body.join("\n")
        );
        let _ = writeln!(calls, "n{nth}::kernel<<<1, {threads}>>>(out, in, 5);\ntold(out, in);");
    }
    format!(
        "#include <cooperative_groups.h>\n{text}\n#include <cstdio>
        void told(float* out, const float* in) {{
            cudaDeviceSynchronize();
            int right = 0;
            for (int i = 0; i < 320; i++) right += out[i] == 2.0f * in[i / 64 * 64 + 63 - i % 64], out[i] = 0;
            printf(\"%d\\n\", right);
        }}
        int main() {{
            float *out, *in;
            cudaMallocManaged(&out, 320 * 4), cudaMallocManaged(&in, 320 * 4);
            for (int i = 0; i < 320; i++) in[i] = i + 1, out[i] = 0;
{calls}
            cudaFree(out), cudaFree(in);
        }}\n"
    )
}

/// Clang takes `alignas` only where a declaration begins.
#[test]
fn shared_memory_is_aligned_wherever_the_word_is_skipped_without_clang() {
    let clang = clang!();
    let text = r#"
#include <cstdio>
__global__ void k(unsigned* y) {
    __shared__ char before;
    __shared__ alignas(alignof(float4)) float one[4];
    extern __shared__ alignas(16) float other[];
    if (threadIdx.x == 0) before = 0;
    one[threadIdx.x] = 0, other[threadIdx.x] = 0;
    __syncthreads();
    y[threadIdx.x] = (unsigned)((size_t)one % 16 + (size_t)other % 16 + before);
}
int main() {
    unsigned* y;
    cudaMallocManaged(&y, 16);
    k<<<1, 4, 16>>>(y);
    cudaDeviceSynchronize();
    printf("%u\n", y[0] + y[3]);
    cudaFree(y);
}
"#;
    assert_eq!(same(&clang, text, 70), "0\n");
}

/// A program that makes tensor maps in both ways, looks at errors, and copies boxes that lie over the edge.
const BOXES: &str = r#"
#include <cstdio>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <cuda/barrier>
namespace cde = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int COLUMNS = 32, ROWS = 8;
__global__ void turned(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
    __shared__ alignas(128) float tile[ROWS][COLUMNS];
    __shared__ barrier full;
    int x = blockIdx.x * COLUMNS, y = blockIdx.y * ROWS;
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &in, x, y, full);
        token = cuda::device::barrier_arrive_tx(full, 1, sizeof(tile));
    } else {
        token = full.arrive();
    }
    full.wait(std::move(token));
    for (int row = 0; row < ROWS; row++) tile[row][threadIdx.x] += 1;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&out, x, y, &tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}
CUresult make(PFN_cuTensorMapEncodeTiled encode, CUtensorMap* map, float* at, cuuint64_t width, cuuint64_t height, cuuint32_t rows) {
    cuuint64_t sizes[2] = {width, height}, strides[1] = {width * sizeof(float)};
    cuuint32_t box[2] = {COLUMNS, rows}, steps[2] = {1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, at, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
int main() {
    const int width = 72, height = 19;
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
    if (found != cudaDriverEntryPointSuccess || !function) return 1;
    PFN_cuTensorMapEncodeTiled encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled>(function);
    float *x, *y;
    cudaMalloc(&x, width * height * sizeof(float));
    cudaMalloc(&y, width * height * sizeof(float));
    static float host[width * height];
    for (int i = 0; i < width * height; i++) host[i] = i;
    cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemset(y, 0, sizeof(host));
    CUtensorMap in, out;
    printf("%d %d\n", (int)make(encode, &in, x, width, height, ROWS), (int)make(cuTensorMapEncodeTiled, &out, y, width, height, ROWS));
    turned<<<dim3((width + COLUMNS - 1) / COLUMNS, (height + ROWS - 1) / ROWS), COLUMNS>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < width * height; i++) wrong += host[i] != i + 1;
    printf("%d wrong\n", wrong);
    cudaFree(x), cudaFree(y);
}
"#;

/// Before version 20 clang copies a parameter whose address is taken, and a copy of a map is none.
#[test]
fn tensor_maps_are_made_for_both_skipped_without_clang() {
    let clang = clang!();
    let one = interpreted_for(BOXES, 90);
    assert!(one.findings.is_empty(), "{:?}", one.findings);
    assert_eq!(printed(&one), "0 0\n0 wrong\n");
    let folder = folder(&[("program.cu", BOXES)]);
    let other = run_for(&clang, folder.path(), &["program.cu"], &[], &Limits::default(), 90).unwrap();
    let is_refused = other.findings.iter().any(|finding| finding.severity == Severity::Error);
    assert!(is_refused || printed(&other) == printed(&one), "{:?}", other.findings);
    assert!(printed(&other).starts_with("0 0\n"), "{}", printed(&other));
}
