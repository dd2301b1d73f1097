// Launches the cases of cases.txt one after another, for a profiler to count: each operation with each pattern of
// offsets.
//
// It contains only the launches; run.sh puts the profiler's counts beside their names, and
// crates/simt/tests/atomic_counters.rs compares these with the emulator's. The names of the launches are written in order to
// the last file.
//
//   nvcc -O2 -std=c++17 -o atomics tools/benchmarks/gpu/atomics/atomics.cu -lcuda
//   ./atomics tools/benchmarks/gpu/atomics/kernel.ptx tools/benchmarks/gpu/atomics/cases.txt names.txt

#include <cuda.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr unsigned kLanes = 32;
constexpr size_t kMemoryBytes = 16384;
constexpr uint32_t kNoPart = 0xffffffff;

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    std::exit(2);
}

void check(CUresult result, const std::string& what) {
    const char* text = "unknown error";
    if (result == CUDA_SUCCESS) return;
    cuGetErrorString(result, &text);
    fail(what + ": " + text);
}

struct Operation {
    std::string name;
    uint32_t bytes;
    std::string instruction;
};

struct Pattern {
    std::string name;
    uint32_t step, bend, modulus, start, mask;

    std::array<uint32_t, kLanes> offsets(uint32_t bytes) const {
        std::array<uint32_t, kLanes> all;
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            uint32_t element = start + (lane * step + lane * lane * bend) % modulus;
            all[lane] = (mask >> lane & 1) != 0 ? element * bytes : kNoPart;
        }
        return all;
    }
};

std::string text_of(const char* path) {
    std::ifstream file(path);
    if (!file) fail(std::string("cannot read ") + path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

void read_cases(const char* path, std::vector<Operation>& operations, std::vector<Pattern>& patterns) {
    std::istringstream lines(text_of(path));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "operation") {
            Operation read;
            words >> read.name >> read.bytes;
            std::getline(words, read.instruction);
            operations.push_back(read);
        } else if (kind == "pattern") {
            Pattern read;
            words >> read.name >> read.step >> read.bend >> read.modulus >> read.start >> std::hex >> read.mask;
            if (!words) fail("cannot understand " + line);
            patterns.push_back(read);
        }
    }
}

CUfunction load(std::string text, const Operation& operation) {
    const std::string place = "\nOPERATION\n";
    text.replace(text.find(place), place.size(), "\n" + operation.instruction + "\n");
    CUmodule module;
    CUfunction kernel;
    check(cuModuleLoadData(&module, text.c_str()), operation.name);
    check(cuModuleGetFunction(&kernel, module, "kernel"), operation.name);
    return kernel;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) fail("usage: atomics KERNEL.ptx CASES.txt NAMES.txt");
    std::vector<Operation> operations;
    std::vector<Pattern> patterns;
    read_cases(arguments[2], operations, patterns);
    const std::string text = text_of(arguments[1]);
    std::ofstream names(arguments[3]);

    CUdevice device;
    CUcontext context;
    check(cuInit(0), "no driver");
    check(cuDeviceGet(&device, 0), "no device");
    check(cuDevicePrimaryCtxRetain(&context, device), "no context");
    check(cuCtxSetCurrent(context), "no context");
    CUdeviceptr offsets, memory, results;
    check(cuMemAlloc(&offsets, kLanes * sizeof(uint32_t)), "no memory");
    check(cuMemAlloc(&memory, kMemoryBytes), "no memory");
    check(cuMemAlloc(&results, kLanes * sizeof(uint64_t)), "no memory");

    for (const Operation& operation : operations) {
        CUfunction kernel = load(text, operation);
        for (const Pattern& pattern : patterns) {
            check(cuMemcpyHtoD(offsets, pattern.offsets(operation.bytes).data(), kLanes * sizeof(uint32_t)), "copy");
            check(cuMemsetD8(memory, 0, kMemoryBytes), "clear");
            void* parameters[] = {&offsets, &memory, &results};
            check(cuLaunchKernel(kernel, 1, 1, 1, kLanes, 1, 1, 0, nullptr, parameters, nullptr), operation.name);
            check(cuCtxSynchronize(), operation.name + " " + pattern.name);
            names << operation.name << "," << pattern.name << "\n";
        }
    }
    return 0;
}
