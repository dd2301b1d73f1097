// Times the sums of kernels/sum.cu beside CUB's and beside a copy, in turn, on the same data.
//
// It loads the committed PTX through the driver, as the chapters do, so that it times what the book shows. Contenders
// are called as a program calls them, and then from a graph; a copy is not, because in a graph it is another and slower
// one. Results are compared with a sum in double precision. It also measures the cost of an allocation for each launch.
// It leaves out clocks, settings, and tuning for any card except for the size of the grid, which follows from the
// number of multiprocessors.
//
//   nvcc -O3 -std=c++17 -arch=native -o beside_cub tools/benchmarks/gpu/beside_cub.cu -lcuda
//   ./beside_cub kernels/ptx/sum.sm_70.ptx

#include <chrono>
#include <cmath>

#include "contest.h"

namespace {

constexpr int kBlock = 512;
constexpr int kBlocksPerMultiprocessor = 4;
// Sums of 32-bit floats in a tree of this depth or less have at most this relative error.
constexpr double kBound = 1e-4;

struct Arrays {
    float *x, *copy, *sums, *total;
    unsigned* tickets;
    void* temporary;
    size_t temporary_bytes;
    double exact;
};

// Numbers in [0, 1) without a pattern, and their sum.
Arrays make_arrays(size_t n, int blocks) {
    Arrays a{};
    check(cudaMalloc(&a.x, n * sizeof(float)));
    check(cudaMalloc(&a.copy, n * sizeof(float)));
    check(cudaMalloc(&a.sums, blocks * sizeof(float)));
    check(cudaMalloc(&a.total, sizeof(float)));
    check(cudaMalloc(&a.tickets, sizeof(unsigned)));
    check(cudaMemset(a.tickets, 0, sizeof(unsigned)));
    std::vector<float> host(n);
    unsigned state = 1;
    for (float& value : host) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<float>(state >> 8) / (1 << 24);
        a.exact += value;
    }
    check(cudaMemcpy(a.x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    check(cub::DeviceReduce::Sum(nullptr, a.temporary_bytes, a.x, a.total, n));
    check(cudaMalloc(&a.temporary, a.temporary_bytes));
    return a;
}

void free_arrays(const Arrays& a) {
    for (void* memory : {(void*)a.x, (void*)a.copy, (void*)a.sums, (void*)a.total, (void*)a.tickets, a.temporary}) {
        check(cudaFree(memory));
    }
}

Work launch(CUmodule module, const char* name, const Arrays& a, int n, int blocks) {
    CUfunction kernel = kernel_of(module, name);
    return [=](cudaStream_t stream) {
        Arrays arrays = a;
        int count = n;
        void* arguments[] = {&arrays.x, &arrays.sums, &arrays.tickets, &arrays.total, &count};
        check(cuLaunchKernel(kernel, blocks, 1, 1, kBlock, 1, 1, 0, stream, arguments, nullptr), "launch");
    };
}

// A sum that is compared with the exact one; before it runs, the total is a NaN.
Contender sum(const std::string& name, const Work& work, const Arrays& a, size_t n) {
    Contender contender{name, work, static_cast<double>(n) * sizeof(float)};
    contender.poison = [=](cudaStream_t stream) { check(cudaMemsetAsync(a.total, 0xff, sizeof(float), stream)); };
    contender.verify = [=] {
        float total = 0;
        check(cudaMemcpy(&total, a.total, sizeof(float), cudaMemcpyDeviceToHost));
        if (!(std::fabs(total - a.exact) <= kBound * a.exact)) {
            fail(name + " came to " + std::to_string(total) + " instead of " + std::to_string(a.exact));
        }
    };
    return contender;
}

std::vector<Contender> sums_of(CUmodule module, const Arrays& a, size_t n, int blocks) {
    auto cub = [=](cudaStream_t stream) {
        size_t size = a.temporary_bytes;
        check(cub::DeviceReduce::Sum(a.temporary, size, a.x, a.total, n, stream));
    };
    std::vector<Contender> contenders = {sum("cub", cub, a, n)};
    for (const char* name : {"sum_narrow", "sum_wide", "sum_last_block"}) {
        contenders.push_back(sum(name, launch(module, name, a, static_cast<int>(n), blocks), a, n));
    }
    return contenders;
}

void compare(CUmodule module, size_t n, int blocks, bool in_graphs) {
    Arrays a = make_arrays(n, blocks);
    std::vector<Contender> contenders = sums_of(module, a, n, blocks);
    auto copy = [=](cudaStream_t stream) {
        check(cudaMemcpyAsync(a.copy, a.x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    };
    if (!in_graphs) contenders.push_back({"copy", copy, 2.0 * n * sizeof(float)});
    compete(contenders, {n, "floats", blocks, kBlock}, in_graphs);
    free_arrays(a);
}

float host_us(const std::function<void()>& work) {
    auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<float, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

// The cost of allocating the block sums for each launch, measured by the host's clock until the result is available.
void allocate(CUmodule module, int n, int blocks) {
    Arrays a = make_arrays(n, blocks);
    auto kept = launch(module, "sum_last_block", a, n, blocks);
    auto made_anew = [&](cudaStream_t stream) {
        Arrays fresh = a;
        check(cudaMalloc(&fresh.sums, blocks * sizeof(float)));
        launch(module, "sum_last_block", fresh, n, blocks)(stream);
        check(cudaFree(fresh.sums));
    };
    std::vector<Contender> contenders = {{"memory kept", kept, 0}, {"memory made anew", made_anew, 0}};
    for (int round = 0; round <= kRounds; round++) {
        for (Contender& contender : contenders) {
            float us = host_us([&] {
                contender.work(nullptr);
                check(cudaDeviceSynchronize());
            });
            if (round > 0) contender.times_us.push_back(us);
        }
    }
    print({static_cast<size_t>(n), "floats", blocks, kBlock}, "by the host's clock", contenders);
    free_arrays(a);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) fail("name the PTX: beside_cub kernels/ptx/sum.sm_70.ptx");
    int blocks = begin_contest().multiProcessorCount * kBlocksPerMultiprocessor;
    CUmodule module;
    check(cuModuleLoad(&module, argv[1]), argv[1]);
    for (size_t n : {size_t{100000000}, size_t{1} << 30}) {
        compare(module, n, blocks, false);
        compare(module, n, blocks, true);
    }
    allocate(module, 1 << 20, blocks);
    check(cuModuleUnload(module), "unload");
    end_contest();
}
