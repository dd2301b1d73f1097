// Shared by the programs that time kernels of this book beside CUB's: errors, the driver's modules, contenders and
// rounds.
//
// Each round runs every contender once between two events; a round that is not timed comes first. The result buffer of
// a contender is filled with wrong values before it runs and checked afterwards, outside the time. Contenders are
// called as a program calls them, or from a graph, so that the time does not include the host's preparation of a
// launch.

#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cub/cub.cuh>
#include <cuda.h>

constexpr int kRounds = 20;

[[noreturn]] inline void fail(const std::string& what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    std::exit(2);
}

inline void check(cudaError_t error) {
    if (error != cudaSuccess) fail(cudaGetErrorString(error));
}

inline void check(CUresult result, const char* what) {
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
    // Called before it runs and after it; empty for a contender that is not checked.
    Work poison = [](cudaStream_t) {};
    std::function<void()> verify = [] {};
    cudaGraphExec_t graph = nullptr;
    std::vector<float> times_us = {};

    float median() const { return (times_us[kRounds / 2 - 1] + times_us[kRounds / 2]) / 2; }
};

inline CUfunction kernel_of(CUmodule module, const char* name) {
    CUfunction kernel;
    check(cuModuleGetFunction(&kernel, module, name), name);
    return kernel;
}

inline cudaGraphExec_t capture(const Work& work, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    work(stream);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&ready, graph, 0));
    check(cudaGraphDestroy(graph));
    return ready;
}

inline void run_once(Contender& contender, bool is_timed, cudaStream_t stream, cudaEvent_t begin, cudaEvent_t end) {
    contender.poison(stream);
    check(cudaEventRecord(begin, stream));
    if (contender.graph) {
        check(cudaGraphLaunch(contender.graph, stream));
    } else {
        contender.work(stream);
    }
    check(cudaEventRecord(end, stream));
    check(cudaStreamSynchronize(stream));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (is_timed) contender.times_us.push_back(ms * 1000);
    contender.verify();
}

inline void print(const std::string& title, const std::vector<Contender>& contenders) {
    std::printf("\n%s\n", title.c_str());
    std::printf("%-16s %10s %10s %10s %8s %9s\n", "", "median us", "min us", "max us", "GB/s", "cub/this");
    for (const Contender& contender : contenders) {
        float median = contender.median();
        std::printf("%-16s %10.1f %10.1f %10.1f %8.0f %9.3f\n", contender.name.c_str(), median,
                    contender.times_us.front(), contender.times_us.back(), contender.bytes / 1e3 / median,
                    contenders[0].median() / median);
    }
}

// Runs all rounds of the contenders, the first of which is CUB's, and prints their table.
inline void compete(std::vector<Contender> contenders, const std::string& title, bool in_graphs) {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    check(cudaStreamCreate(&stream));
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    for (Contender& contender : contenders) {
        if (in_graphs) contender.graph = capture(contender.work, stream);
    }
    for (int round = 0; round <= kRounds; round++) {
        for (Contender& contender : contenders) run_once(contender, round > 0, stream, begin, end);
    }
    for (Contender& contender : contenders) std::sort(contender.times_us.begin(), contender.times_us.end());
    print(title + (in_graphs ? ", out of graphs" : ", as launched"), contenders);
}

// Prints what everything runs on, and makes the context for the driver's calls.
inline cudaDeviceProp begin_contest() {
    cudaDeviceProp about;
    check(cudaGetDeviceProperties(&about, 0));
    check(cudaFree(nullptr));
    int driver = 0;
    check(cudaDriverGetVersion(&driver));
    std::printf("%s, %d multiprocessors, driver for CUDA %d.%d, CUB %d.%d.%d, %d rounds\n", about.name,
                about.multiProcessorCount, driver / 1000, driver % 1000 / 10, CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
                CUB_SUBMINOR_VERSION, kRounds);
    return about;
}
