// The sums of kernels/sum.cu beside CUB's and beside a copy, in turn, on the same data.
//
// It loads the committed PTX through the driver, as the chapters do, so that what is timed is what the book shows. Each
// round runs every contender once between two events; a round that is not timed comes first. Contenders are called as a
// program calls them, and then out of a graph, where nobody is timed while the host prepares a launch; a copy is not,
// because in a graph it is another and slower one. Results are compared with a sum in double precision. It also times
// what an allocation costs that is made anew for each launch. It leaves out clocks, settings, and tuning for any card
// but the size of the grid, which follows the number of multiprocessors.
//
//   nvcc -O3 -std=c++17 -arch=native -o beside_cub benches/gpu/beside_cub.cu -lcuda
//   ./beside_cub kernels/ptx/sum.sm_70.ptx

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cub/cub.cuh>
#include <cuda.h>

namespace {

constexpr int kRounds = 20;
constexpr int kBlock = 512;
constexpr int kBlocksPerMultiprocessor = 4;
// Sums of 32-bit floats in a tree of this depth or less differ from the exact sum by this much at most, relatively.
constexpr double kBound = 1e-4;

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    std::exit(2);
}

void check(cudaError_t error) {
    if (error != cudaSuccess) fail(cudaGetErrorString(error));
}

void check(CUresult result, const char* what) {
    const char* text = "unknown error";
    if (result == CUDA_SUCCESS) return;
    cuGetErrorString(result, &text);
    fail(std::string(what) + ": " + text);
}

using Work = std::function<void(cudaStream_t)>;

struct Contender {
    std::string name;
    Work work;
    double bytes;
    bool leaves_a_sum;
    cudaGraphExec_t graph = nullptr;
    std::vector<float> times_us = {};

    float median() const { return (times_us[kRounds / 2 - 1] + times_us[kRounds / 2]) / 2; }
};

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
    CUfunction kernel;
    check(cuModuleGetFunction(&kernel, module, name), name);
    return [=](cudaStream_t stream) {
        Arrays arrays = a;
        int count = n;
        void* arguments[] = {&arrays.x, &arrays.sums, &arrays.tickets, &arrays.total, &count};
        check(cuLaunchKernel(kernel, blocks, 1, 1, kBlock, 1, 1, 0, stream, arguments, nullptr), "launch");
    };
}

cudaGraphExec_t capture(const Work& work, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    work(stream);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&ready, graph, 0));
    check(cudaGraphDestroy(graph));
    return ready;
}

void run_once(Contender& contender, const Arrays& a, bool is_timed, cudaStream_t stream, cudaEvent_t begin,
              cudaEvent_t end) {
    check(cudaMemsetAsync(a.total, 0xff, sizeof(float), stream));  // a NaN: who writes nothing is found out
    check(cudaEventRecord(begin, stream));
    if (contender.graph) {
        check(cudaGraphLaunch(contender.graph, stream));
    } else {
        contender.work(stream);
    }
    check(cudaEventRecord(end, stream));
    check(cudaStreamSynchronize(stream));
    float ms = 0, total = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (is_timed) contender.times_us.push_back(ms * 1000);
    check(cudaMemcpy(&total, a.total, sizeof(float), cudaMemcpyDeviceToHost));
    if (contender.leaves_a_sum && !(std::fabs(total - a.exact) <= kBound * a.exact)) {
        fail(contender.name + " came to " + std::to_string(total) + " instead of " + std::to_string(a.exact));
    }
}

std::vector<Contender> contenders_of(CUmodule module, const Arrays& a, size_t n, int blocks) {
    double bytes = static_cast<double>(n) * sizeof(float);
    auto cub = [=](cudaStream_t stream) {
        size_t size = a.temporary_bytes;
        check(cub::DeviceReduce::Sum(a.temporary, size, a.x, a.total, n, stream));
    };
    auto copy = [=](cudaStream_t stream) {
        check(cudaMemcpyAsync(a.copy, a.x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    };
    std::vector<Contender> contenders = {{"cub", cub, bytes, true}};
    for (const char* name : {"sum_narrow", "sum_wide", "sum_last_block"}) {
        contenders.push_back({name, launch(module, name, a, static_cast<int>(n), blocks), bytes, true});
    }
    contenders.push_back({"copy", copy, 2 * bytes, false});
    return contenders;
}

void print(const char* how, size_t n, int blocks, const std::vector<Contender>& contenders) {
    std::printf("\n%zu floats, %d blocks of %d threads, %s\n", n, blocks, kBlock, how);
    std::printf("%-16s %10s %10s %10s %8s %9s\n", "", "median us", "min us", "max us", "GB/s", "cub/this");
    for (const Contender& contender : contenders) {
        float median = contender.median();
        std::printf("%-16s %10.1f %10.1f %10.1f %8.0f %9.3f\n", contender.name.c_str(), median,
                    contender.times_us.front(), contender.times_us.back(), contender.bytes / 1e3 / median,
                    contenders[0].median() / median);
    }
}

void compare(CUmodule module, size_t n, int blocks, bool in_graphs) {
    Arrays a = make_arrays(n, blocks);
    std::vector<Contender> contenders = contenders_of(module, a, n, blocks);
    cudaStream_t stream;
    cudaEvent_t begin, end;
    check(cudaStreamCreate(&stream));
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    if (in_graphs) {
        contenders.pop_back();
        for (Contender& contender : contenders) contender.graph = capture(contender.work, stream);
    }
    for (int round = 0; round <= kRounds; round++) {
        for (Contender& contender : contenders) run_once(contender, a, round > 0, stream, begin, end);
    }
    for (Contender& contender : contenders) std::sort(contender.times_us.begin(), contender.times_us.end());
    print(in_graphs ? "out of graphs" : "as launched", n, blocks, contenders);
    free_arrays(a);
}

float host_us(const std::function<void()>& work) {
    auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<float, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

// What it costs to allocate the block sums for each launch anew, by the host's clock, until the result is there.
void allocate(CUmodule module, int n, int blocks) {
    Arrays a = make_arrays(n, blocks);
    auto kept = launch(module, "sum_last_block", a, n, blocks);
    auto made_anew = [&] {
        Arrays fresh = a;
        check(cudaMalloc(&fresh.sums, blocks * sizeof(float)));
        launch(module, "sum_last_block", fresh, n, blocks)(nullptr);
        check(cudaFree(fresh.sums));
    };
    std::vector<std::pair<std::string, std::vector<float>>> rows = {{"memory kept", {}}, {"memory made anew", {}}};
    for (int round = 0; round <= kRounds; round++) {
        for (auto& [name, times_us] : rows) {
            bool keeps = &times_us == &rows[0].second;
            float us = host_us([&] {
                if (keeps) kept(nullptr); else made_anew();
                check(cudaDeviceSynchronize());
            });
            if (round > 0) times_us.push_back(us);
        }
    }
    std::printf("\nby the host's clock, %d floats, %d bytes for the sums of blocks\n", n, blocks * 4);
    std::printf("%-16s %10s %10s %10s\n", "", "median us", "min us", "max us");
    for (auto& [name, times_us] : rows) {
        std::sort(times_us.begin(), times_us.end());
        std::printf("%-16s %10.1f %10.1f %10.1f\n", name.c_str(), times_us[kRounds / 2], times_us.front(),
                    times_us.back());
    }
    free_arrays(a);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) fail("name the PTX: beside_cub kernels/ptx/sum.sm_70.ptx");
    cudaDeviceProp about;
    check(cudaGetDeviceProperties(&about, 0));
    check(cudaFree(nullptr));  // makes the context that the driver's calls use
    int driver = 0, blocks = about.multiProcessorCount * kBlocksPerMultiprocessor;
    check(cudaDriverGetVersion(&driver));
    CUmodule module;
    check(cuModuleLoad(&module, argv[1]), argv[1]);
    std::printf("%s, %d multiprocessors, driver for CUDA %d.%d, CUB %d.%d.%d, %d rounds\n", about.name,
                about.multiProcessorCount, driver / 1000, driver % 1000 / 10, CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
                CUB_SUBMINOR_VERSION, kRounds);
    for (size_t n : {size_t{100000000}, size_t{1} << 30}) {
        compare(module, n, blocks, false);
        compare(module, n, blocks, true);
    }
    allocate(module, 1 << 20, blocks);
    check(cuModuleUnload(module), "unload");
}
