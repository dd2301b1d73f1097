// Times the scan of kernels/scan_ahead.cu beside CUB's and beside a copy, in turn, on the same data.
//
// It loads the committed PTX through the driver, as the chapters do. Every scan is compared with CUB's, element by
// element, and CUB's first one with a sum on the host. The scan needs no preparation between launches, because its last
// block resets states and tickets to zero; CUB's prepares its own states, which is part of its time.
//
//   nvcc -O3 -std=c++17 -arch=native -o scan_beside_cub tools/benchmarks/gpu/scan_beside_cub.cu -lcuda
//   ./scan_beside_cub kernels/ptx/scan_ahead.sm_70.ptx

#include <cstdint>

#include "contest.h"

namespace {

constexpr int kBlock = 512;
constexpr size_t kTile = kBlock * 32;
// How often a thread loads a state before it gives up, in which case the scan is wrong.
constexpr int kPatience = 1 << 24;

struct Arrays {
    int *x, *y, *expected;
    unsigned long long* states;
    unsigned *tickets, *differences;
    void* temporary;
    size_t temporary_bytes;
};

template <typename T>
T* allocate(size_t count) {
    T* memory;
    check(cudaMalloc(&memory, count * sizeof(T)));
    return memory;
}

__global__ void count_differences(const int* a, const int* b, size_t n, unsigned* differences) {
    size_t stride = size_t{gridDim.x} * blockDim.x;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (a[i] != b[i]) atomicAdd(differences, 1);
    }
}

// Small integers of both signs without a pattern, and their scan by CUB, whose last element the host checks.
Arrays make_arrays(size_t n) {
    Arrays a{};
    a.x = allocate<int>(n);
    a.y = allocate<int>(n);
    a.expected = allocate<int>(n);
    size_t tiles = (n + kTile - 1) / kTile;
    a.states = allocate<unsigned long long>(tiles);
    a.tickets = allocate<unsigned>(2);
    a.differences = allocate<unsigned>(1);
    check(cudaMemset(a.states, 0, tiles * sizeof(*a.states)));
    check(cudaMemset(a.tickets, 0, 2 * sizeof(*a.tickets)));
    std::vector<int> host(n);
    uint32_t state = 1, total = 0;
    for (int& value : host) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<int>(state >> 20) - 2000;
        total += static_cast<uint32_t>(value);
    }
    check(cudaMemcpy(a.x, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    check(cub::DeviceScan::InclusiveSum(nullptr, a.temporary_bytes, a.x, a.y, n));
    check(cudaMalloc(&a.temporary, a.temporary_bytes));
    check(cub::DeviceScan::InclusiveSum(a.temporary, a.temporary_bytes, a.x, a.expected, n));
    int last = 0;
    check(cudaMemcpy(&last, a.expected + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    if (static_cast<uint32_t>(last) != total) fail("CUB's scan ends with another sum than the host's");
    return a;
}

void free_arrays(const Arrays& a) {
    for (void* memory : {(void*)a.x, (void*)a.y, (void*)a.expected, (void*)a.states, (void*)a.tickets,
                         (void*)a.differences, a.temporary}) {
        check(cudaFree(memory));
    }
}

Contender scan(const std::string& name, const Work& work, const Arrays& a, size_t n) {
    Contender contender{name, work, 2.0 * n * sizeof(int)};
    contender.poison = [=](cudaStream_t stream) { check(cudaMemsetAsync(a.y, 0xa5, n * sizeof(int), stream)); };
    contender.verify = [=] {
        unsigned differences = 0;
        check(cudaMemset(a.differences, 0, sizeof(unsigned)));
        count_differences<<<1024, 256>>>(a.y, a.expected, n, a.differences);
        check(cudaGetLastError());
        check(cudaMemcpy(&differences, a.differences, sizeof(unsigned), cudaMemcpyDeviceToHost));
        if (differences != 0) fail(name + " has " + std::to_string(differences) + " wrong elements");
    };
    return contender;
}

void compare(CUmodule module, size_t n, int blocks, bool in_graphs) {
    Arrays a = make_arrays(n);
    auto cub = [=](cudaStream_t stream) {
        size_t size = a.temporary_bytes;
        check(cub::DeviceScan::InclusiveSum(a.temporary, size, a.x, a.y, n, stream));
    };
    CUfunction kernel = kernel_of(module, "scan_ahead");
    auto ours = [=](cudaStream_t stream) {
        Arrays arrays = a;
        int count = static_cast<int>(n), patience = kPatience;
        void* arguments[] = {&arrays.x, &arrays.y, &arrays.states, &arrays.tickets, &count, &patience};
        check(cuLaunchKernel(kernel, blocks, 1, 1, kBlock, 1, 1, 0, stream, arguments, nullptr), "launch");
    };
    auto copy = [=](cudaStream_t stream) {
        check(cudaMemcpyAsync(a.y, a.x, n * sizeof(int), cudaMemcpyDeviceToDevice, stream));
    };
    std::vector<Contender> contenders = {scan("cub", cub, a, n), scan("scan_ahead", ours, a, n)};
    if (!in_graphs) contenders.push_back({"copy", copy, 2.0 * n * sizeof(int)});
    compete(contenders, {n, "integers", blocks, kBlock}, in_graphs);
    free_arrays(a);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) fail("name the PTX: scan_beside_cub kernels/ptx/scan_ahead.sm_70.ptx");
    int blocks = begin_contest().multiProcessorCount;
    CUmodule module;
    check(cuModuleLoad(&module, argv[1]), argv[1]);
    for (size_t n : {size_t{1} << 24, size_t{100000000}, size_t{1} << 29}) {
        compare(module, n, blocks, false);
        compare(module, n, blocks, true);
    }
    check(cuModuleUnload(module), "unload");
    end_contest();
}
