// Shared by the programs that time kernels of this book beside CUB's: errors, the driver's modules, contenders and
// rounds.
//
// Each round runs every contender once between two events; a round that is not timed comes first. The result buffer of
// a contender is filled with wrong values before it runs and checked afterwards, outside the time. Contenders are
// called as a program calls them, or from a graph, so that the time does not include the host's preparation of a
// launch. The programs print JSON, in which `record::Contest` says what each number means.

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

// What all contenders of a table have in common.
struct Title {
    size_t elements;
    const char* kind;
    int blocks, threads;
};

// Prints a table. A comma goes before every table and every row but the first. Without bytes there is no rate.
inline void print(const Title& title, const char* how, std::vector<Contender>& contenders) {
    static const char* before_table = "";
    std::printf("%s\n{\"elements\": %zu, \"kind\": \"%s\", \"blocks\": %d, \"threads\": %d, \"how\": \"%s\", \"rows\": {",
                before_table, title.elements, title.kind, title.blocks, title.threads, how);
    before_table = ",";
    for (Contender& contender : contenders) std::sort(contender.times_us.begin(), contender.times_us.end());
    for (const Contender& contender : contenders) {
        float median = contender.median();
        std::printf("%s\n  \"%s\": {\"median_us\": %.1f, \"min_us\": %.1f, \"max_us\": %.1f",
                    &contender == &contenders[0] ? "" : ",", contender.name.c_str(), median,
                    contender.times_us.front(), contender.times_us.back());
        if (contender.bytes > 0) {
            std::printf(", \"gb_s\": %.0f, \"cub_over_this\": %.3f", contender.bytes / 1e3 / median,
                        contenders[0].median() / median);
        }
        std::printf("}");
    }
    std::printf("\n}}");
}

// Runs all rounds of the contenders, the first of which is CUB's, and prints their table.
inline void compete(std::vector<Contender> contenders, const Title& title, bool in_graphs) {
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
    print(title, in_graphs ? "out of graphs" : "as launched", contenders);
}

// Prints what everything runs on, and makes the context for the driver's calls.
inline cudaDeviceProp begin_contest() {
    cudaDeviceProp about;
    check(cudaGetDeviceProperties(&about, 0));
    check(cudaFree(nullptr));
    int driver = 0;
    check(cudaDriverGetVersion(&driver));
    std::printf("{\"machine\": \"%s, %d multiprocessors, driver for CUDA %d.%d, CUB %d.%d.%d\", \"rounds\": %d, \"tables\": [",
                about.name, about.multiProcessorCount, driver / 1000, driver % 1000 / 10, CUB_MAJOR_VERSION,
                CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, kRounds);
    return about;
}

inline void end_contest() { std::printf("\n]}\n"); }
