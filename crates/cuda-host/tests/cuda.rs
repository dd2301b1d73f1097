//! The CUDA runtime in host code.

mod common;

use common::{printed, run};

/// The kind and the line of the first finding of a program whose `main` has these statements, each on a line from 2 on.
fn first(around: &str, statements: &[&str]) -> Option<(&'static str, u32)> {
    let text = format!("{around} int main() {{\n{}\n}}", statements.join("\n"));
    run(&text).findings.first().map(|found| (found.kind.name(), found.line.number()))
}

#[test]
fn more_shared_memory_has_to_be_asked_for() {
    let kernel = "__global__ void k() {}";
    let ask = "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);";
    assert_eq!(
        first(kernel, &["k<<<1, 32, 65536>>>();", "cudaDeviceSynchronize();"]),
        Some(("unchecked-error", 2))
    );
    assert_eq!(first(kernel, &[ask, "k<<<1, 32, 65536>>>();", "cudaDeviceSynchronize();"]), None);
    let much = "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);";
    assert_eq!(first(kernel, &[much]), Some(("unchecked-error", 2)));
}

/// The shared memory of one kernel is not that of another.
#[test]
fn kernels_have_their_own_shared_memory() {
    let around = "__global__ void a() { __shared__ int s[10240]; s[threadIdx.x] = 0; }
        __global__ void b() { __shared__ int s[10240]; s[threadIdx.x] = 1; }";
    assert_eq!(first(around, &["a<<<1, 32>>>(); b<<<1, 32>>>();", "return cudaDeviceSynchronize();"]), None);
}

#[test]
fn the_occupancy_is_that_of_the_stated_model() {
    let around =
        "__global__ void k() { __shared__ int s[10240]; s[threadIdx.x] = 0; }\n__global__ void plain() {}";
    let body = "int a, b, c, grid, block; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a, k, 256, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, plain, 256, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&c, plain, 32, 8192);
        cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain); printf(\"%d %d %d %d %d\", a, b, c, grid, block);";
    assert_eq!(printed(around, body), "2 8 12 160 1024");
}

/// The block that keeps the most threads on a multiprocessor, where the shared memory that it needs depends on its size.
#[test]
fn the_best_block_is_found_for_every_size_of_shared_memory() {
    let around = "__global__ void plain() {} template <typename T> __global__ void of(T* p) {}
        int four(int threads) { return 4 * threads; } struct Much { size_t operator()(int threads) const { return threads * 1024; } };";
    let body = "int grid, block; cudaError_t error = cudaSuccess;
        auto tell = [&](cudaError_t found) { printf(\"%d %d %d | \", found, grid, block); };
        tell(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, plain, four));
        tell(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, of<float>, Much()));
        tell(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, plain, [](int) { return 49152; }, 100));
        tell(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, plain, [](int n) -> size_t { return n; }, 0, cudaOccupancyDefault));
        tell(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, of<int>, 8192, 300, cudaOccupancyDisableCachingOverride));
        tell(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 20));
        return cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, plain, 0, 0, 2) == cudaErrorInvalidValue ? error : 1;";
    let wanted = "0 160 1024 | 0 80 96 | 0 160 100 | 0 160 1024 | 0 640 256 | 0 2560 20 | ";
    assert_eq!(printed(around, body), wanted);
}

#[test]
fn rows_are_copied_with_a_pitch() {
    let body = "int h[3][4], back[3][4], *d; size_t pitch; for (int i = 0; i < 12; i++) h[i / 4][i % 4] = i;
        cudaMallocPitch(&d, &pitch, 16, 3); cudaMemcpy2D(d, pitch, h, 16, 16, 3, cudaMemcpyHostToDevice);
        cudaMemcpy2D(back, 16, d, pitch, 16, 3, cudaMemcpyDeviceToHost); printf(\"%d %d\", (int)pitch, back[2][3]); cudaFree(d);";
    assert_eq!(printed("", body), "512 11");
}

#[test]
fn symbols_are_copied_in_both_directions() {
    let around = "__device__ int table[4];\n__global__ void twice() { table[threadIdx.x] *= 2; }";
    let body = "int h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(table, h, sizeof h); twice<<<1, 4>>>();
        cudaMemcpyFromSymbol(h, table, sizeof h); void* p; cudaGetSymbolAddress(&p, table);
        int x; cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost); printf(\"%d %d\", h[3], x);";
    assert_eq!(printed(around, body), "8 2");
}

#[test]
fn attributes_of_the_device_are_those_of_its_properties() {
    let body = "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int sms, threads;
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0);
        printf(\"%d %d\", sms == p.multiProcessorCount, threads == p.maxThreadsPerBlock);";
    assert_eq!(printed("", body), "1 1");
}

#[test]
fn memory_that_is_not_freed_is_reported_whatever_the_status_is() {
    for (status, kinds) in [(0, vec!["leak"]), (3, vec!["exit-status", "leak"])] {
        let outcome =
            run(&format!("int main() {{\n    int* d;\n    cudaMalloc(&d, 4);\n    return {status};\n}}"));
        let found: Vec<_> = outcome.findings.iter().map(|found| found.kind.name()).collect();
        assert_eq!((found, outcome.status), (kinds, status));
    }
}

#[test]
fn wrong_calls_are_findings_at_their_lines() {
    let alloc = "int* d; cudaMalloc(&d, 64);";
    for (statements, wanted) in [
        (vec![alloc, "cudaFree(d);", "cudaFree(d);"], ("double-free", 4)),
        (vec!["int h[4];", "cudaFree(h);"], ("unchecked-error", 3)),
        (vec![alloc, "int h[32];", "cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost);"], ("out-of-bounds", 4)),
        (vec![alloc, "cudaMemset(d, 0, 65);"], ("out-of-bounds", 3)),
        (vec![alloc, "cudaFree(d);", "cudaMemset(d, 0, 4);"], ("use-after-free", 4)),
        (vec![alloc, "d[0] = 1;"], ("wrong-space", 3)),
        (vec!["int x; cudaMemset(&x, 0, 4);"], ("unchecked-error", 2)),
        (vec!["cudaEvent_t e = 0; cudaEventRecord(e);"], ("unchecked-error", 2)),
    ] {
        assert_eq!(first("", &statements), Some(wanted), "{statements:?}");
    }
}

#[test]
fn boxes_are_allocated_set_and_copied() {
    let body = "cudaExtent e = make_cudaExtent(8, 3, 2); cudaPitchedPtr d; cudaMalloc3D(&d, e); cudaMemset3D(d, 1, e);
        int h[2][3][2] = {}; for (int i = 0; i < 12; i++) h[i / 6][i / 2 % 3][i % 2] = i;
        cudaMemcpy3DParms c = {}; c.srcPtr = make_cudaPitchedPtr(h, 8, 8, 3); c.dstPtr = d; c.extent = make_cudaExtent(8, 2, 1);
        c.srcPos = make_cudaPos(0, 1, 1); c.dstPos = make_cudaPos(0, 0, 1); c.kind = cudaMemcpyHostToDevice; cudaMemcpy3D(&c);
        int back[2][3][2]; cudaMemcpy3DParms r = {}; r.srcPtr = d; r.dstPtr = make_cudaPitchedPtr(back, 8, 8, 3); r.extent = e;
        r.kind = cudaMemcpyDeviceToHost; cudaMemcpy3DAsync(&r); cudaDeviceSynchronize();
        printf(\"%d %d %d %d %d\", (int)d.pitch, back[0][0][0], back[1][0][0], back[1][1][1], back[1][2][0]); cudaFree(d.ptr);";
    assert_eq!(printed("", body), "512 16843009 8 11 16843009");
}

#[test]
fn attributes_of_kernels_are_those_of_the_stated_model() {
    let around = "__global__ void k() { __shared__ int s[1024]; s[threadIdx.x] = 0; }";
    let body = "cudaFuncAttributes a; cudaFuncGetAttributes(&a, k);
        printf(\"%d %d %d \", (int)a.sharedSizeBytes, a.maxThreadsPerBlock, a.maxDynamicSharedSizeBytes);
        cudaFuncSetAttribute((void*)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); cudaFuncGetAttributes(&a, (void*)k);
        printf(\"%d\", a.maxDynamicSharedSizeBytes);";
    assert_eq!(printed(around, body), "4096 1024 45056 65536");
}

#[test]
fn the_one_device_is_chosen_and_copied_to() {
    let body = "cudaDeviceProp p = {}; int device = 7; cudaChooseDevice(&device, &p); int *a, *b, h[4] = {1, 2, 3, 4}, got[4];
        cudaMalloc(&a, 16); cudaMalloc(&b, 16); cudaMemcpy(a, h, 16, cudaMemcpyDefault);
        cudaMemcpyPeer(b, device, a, 0, 8); cudaMemcpyPeerAsync(b + 2, 0, a + 2, 0, 8, 0);
        cudaMemcpy(got, b, 16, cudaMemcpyDefault); printf(\"%d %d %d\", device, got[1], got[3]); cudaFree(a); cudaFree(b);";
    assert_eq!(printed("", body), "0 2 4");
}

#[test]
fn limits_are_those_that_were_set() {
    let body = "size_t n; cudaDeviceGetLimit(&n, cudaLimitPrintfFifoSize); printf(\"%zu \", n);
        cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20); cudaDeviceGetLimit(&n, cudaLimitPrintfFifoSize); printf(\"%zu \", n);
        cudaDeviceSetLimit(cudaLimitStackSize, 2048); cudaDeviceGetLimit(&n, cudaLimitStackSize); printf(\"%zu\", n);";
    assert_eq!(printed("", body), "1048576 4194304 2048");
}

#[test]
fn streams_say_what_they_are() {
    let body = "cudaStream_t a, b; unsigned f, g; int p; cudaStreamCreate(&a); cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, 0);
        cudaStreamGetFlags(a, &f); cudaStreamGetFlags(b, &g); cudaStreamGetPriority(b, &p); printf(\"%u %u %d\", f, g, p);
        int* m; cudaMallocManaged(&m, 4); cudaStreamAttachMemAsync(a, m); cudaStreamSynchronize(a); cudaFree(m);";
    assert_eq!(printed("", body), "0 1 0");
}

#[test]
fn a_device_that_is_not_there_and_rows_longer_than_their_pitch_are_errors() {
    let body = "char *d, h[64]; cudaMalloc(&d, 64);
        int set = cudaSetDevice(1), peeked = cudaPeekAtLastError(), last = cudaGetLastError();
        int copied = cudaMemcpy2D(d, 16, h, 32, 32, 2, cudaMemcpyHostToDevice), filled = cudaMemset2D(d, 16, 0, 17, 2);
        int good = cudaMemset2D(d, 16, 0, 16, 4); cudaGetLastError();
        printf(\"%d %d %d %d %d %d\", set, peeked, last, copied, filled, good); cudaFree(d);";
    assert_eq!(printed("", body), "101 101 101 12 12 0");
    assert_eq!(
        first("", &["cudaSetDevice(5);", "int* d; cudaMalloc(&d, 4); cudaFree(d);"]),
        Some(("unchecked-error", 2))
    );
}
