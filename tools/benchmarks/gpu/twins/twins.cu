// Runs kernels of `crates/simt/tests/ptx/pass` on a GPU: each is the twin of one that is wrong, and says in its header what it
// is to be given and what it must leave in `out`. One line for each file: its name, whether the result is the expected one, and
// how many elements differ. Files that expect nothing only have to end.
//
//     nvcc -o twins twins.cu -lcuda && ./twins FILE...

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using Words = std::vector<unsigned>;

static void check(CUresult result, const char* what, const std::string& file) {
    if (result == CUDA_SUCCESS) return;
    const char* name = "?";
    cuGetErrorName(result, &name);
    std::fprintf(stderr, "%s: %s: %s\n", file.c_str(), what, name);
    std::exit(2);
}

// Words, ranges (`0..32`) and repetitions (`7*32`), separated by blanks.
static Words numbers(const std::string& text) {
    Words all;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        size_t dots = word.find(".."), star = word.find('*');
        if (dots != std::string::npos) {
            unsigned end = std::stoul(word.substr(dots + 2));
            for (unsigned number = std::stoul(word.substr(0, dots)); number < end; number++) all.push_back(number);
        } else if (star != std::string::npos) {
            all.insert(all.end(), std::stoul(word.substr(star + 1)), (unsigned)std::stoll(word.substr(0, star)));
        } else {
            all.push_back((unsigned)std::stoll(word));
        }
    }
    return all;
}

struct Case {
    unsigned grid = 1, block = 32, cluster = 1, shared = 0;
    std::vector<Words> buffers;
    Words expected;
    bool expects = false;
};

static Case read_header(const std::string& text) {
    Case found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line) && line.rfind("//", 0) == 0;) {
        size_t colon = line.find(": ");
        if (colon == std::string::npos || colon < 3) continue;
        std::string key = line.substr(3, colon - 3), value = line.substr(colon + 2);
        if (key == "out" || key == "uninitialized") found.buffers.push_back(Words(numbers(value)[0], 0));
        if (key == "in") found.buffers.push_back(numbers(value));
        if (key == "expect") {
            found.expected = numbers(value);
            found.expects = true;
        }
        if (key == "launch") {
            std::istringstream words(value);
            unsigned number;
            for (std::string word; words >> word >> number;) {
                if (word == "grid") found.grid = number;
                if (word == "cluster") found.cluster = number;
                if (word == "block") found.block = number;
                if (word == "shared") found.shared = number;
            }
        }
    }
    return found;
}

int main(int count, char** files) {
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "cuInit", "driver");
    check(cuDeviceGet(&device, 0), "cuDeviceGet", "driver");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain", "driver");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent", "driver");
    std::puts("kernel,result,differing");
    for (int index = 1; index < count; index++) {
        std::string file = files[index];
        std::ifstream stream(file);
        std::string text((std::istreambuf_iterator<char>(stream)), {});
        Case test = read_header(text);
        CUmodule module;
        CUfunction kernel;
        check(cuModuleLoadData(&module, text.c_str()), "cuModuleLoadData", file);
        check(cuModuleGetFunction(&kernel, module, "kernel"), "cuModuleGetFunction", file);
        std::vector<CUdeviceptr> places(test.buffers.size());
        std::vector<void*> arguments;
        for (size_t buffer = 0; buffer < places.size(); buffer++) {
            size_t bytes = 4 * test.buffers[buffer].size();
            check(cuMemAlloc(&places[buffer], bytes), "cuMemAlloc", file);
            check(cuMemcpyHtoD(places[buffer], test.buffers[buffer].data(), bytes), "cuMemcpyHtoD", file);
            arguments.push_back(&places[buffer]);
        }
        CUlaunchAttribute cluster = {};
        cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        cluster.value.clusterDim.x = test.cluster;
        cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
        CUlaunchConfig config = {};
        config.gridDimX = test.grid;
        config.gridDimY = config.gridDimZ = 1;
        config.blockDimX = test.block;
        config.blockDimY = config.blockDimZ = 1;
        config.sharedMemBytes = test.shared;
        config.attrs = &cluster;
        config.numAttrs = test.cluster > 1 ? 1 : 0;
        check(cuLaunchKernelEx(&config, kernel, arguments.data(), nullptr), "cuLaunchKernelEx", file);
        check(cuCtxSynchronize(), "cuCtxSynchronize", file);
        size_t differing = 0;
        if (test.expects) {
            Words found(test.buffers[0].size());
            check(cuMemcpyDtoH(found.data(), places[0], 4 * found.size()), "cuMemcpyDtoH", file);
            for (size_t i = 0; i < test.expected.size(); i++) differing += found[i] != test.expected[i];
        }
        const char* result = !test.expects ? "ends" : differing == 0 ? "right" : "wrong";
        size_t folder = file.rfind('/', file.rfind('/') - 1);
        std::printf("%s,%s,%zu\n", file.substr(folder + 1).c_str(), result, differing);
        for (CUdeviceptr place : places) check(cuMemFree(place), "cuMemFree", file);
        check(cuModuleUnload(module), "cuModuleUnload", file);
    }
}
