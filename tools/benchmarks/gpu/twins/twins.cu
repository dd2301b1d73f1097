// Runs kernels of `crates/simt/tests/ptx/pass` on a GPU: each is the twin of one that is wrong, and says in its header what it
// is to be given and what it must leave in `out`. One line for each file: its name, whether the result is the expected one, and
// how many elements differ. Files that expect nothing only have to end. Of a kernel that fails, the line has the driver's error.
// Loops that wait for a barrier end with a trap after a million turns.
//
//     nvcc -o twins twins.cu -lcuda && ./twins FILE...

#include <cuda.h>

#include <algorithm>
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

// What a kernel is given: a buffer with these words, or the map of a buffer.
struct Argument {
    Words words;
    std::string map;
};

struct Case {
    unsigned grid = 1, block = 32, cluster = 1, shared = 0;
    std::vector<Argument> arguments;
    Words expected;
    bool expects = false;
};

static std::vector<cuuint64_t> list(const std::string& text) {
    std::vector<cuuint64_t> all;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) all.push_back(std::stoull(word));
    return all;
}

// `1 f32 sizes 16,8 box 8,4 swizzle 128 steps 1,2 nan`: the tensor map of buffer 1, whose rows lie tightly.
static CUtensorMap tensor_map(const std::string& text, const std::vector<CUdeviceptr>& buffers) {
    std::istringstream words(text);
    size_t buffer;
    std::string type, word, value;
    words >> buffer >> type;
    const std::vector<std::pair<std::string, CUtensorMapDataType>> types = {
        {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32}, {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
        {"f32_ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ}, {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32}};
    auto known = std::find_if(types.begin(), types.end(), [&](const auto& one) { return one.first == type; });
    if (known == types.end()) {
        std::fprintf(stderr, "no element `%s`\n", type.c_str());
        std::exit(2);
    }
    std::vector<cuuint64_t> sizes, strides;
    std::vector<unsigned> box, steps;
    int swizzle = CU_TENSOR_MAP_SWIZZLE_NONE, fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    while (words >> word) {
        if (word == "nan") {
            fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
            continue;
        }
        words >> value;
        std::vector<cuuint64_t> values = list(value);
        if (word == "sizes") sizes = values;
        if (word == "box") box.assign(values.begin(), values.end());
        if (word == "steps") steps.assign(values.begin(), values.end());
        if (word == "swizzle") swizzle = values[0] == 32 ? 1 : values[0] == 64 ? 2 : values[0] == 128 ? 3 : 0;
    }
    steps.resize(sizes.size(), 1);
    cuuint64_t bytes = 4;
    for (size_t dim = 0; dim + 1 < sizes.size(); dim++) strides.push_back(bytes *= sizes[dim]);
    CUtensorMap map;
    check(cuTensorMapEncodeTiled(&map, known->second,
                                 sizes.size(), (void*)buffers[buffer], sizes.data(), strides.data(), box.data(), steps.data(),
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 (CUtensorMapFloatOOBfill)fill),
          "cuTensorMapEncodeTiled", text);
    return map;
}

// The text with a count of the turns of loops that wait.
static std::string bounded(const std::string& text) {
    std::string result, line;
    std::istringstream lines(text);
    for (bool inside = false; std::getline(lines, line);) {
        size_t wait = line.find("mbarrier.t");
        if (inside && wait != std::string::npos && line.find("_wait") != std::string::npos) {
            result += "\tadd.u32 %turns, %turns, 1;\n\tsetp.gt.u32 %too_many, %turns, 1000000;\n\t@%too_many trap;\n";
        }
        result += line + "\n";
        if (!inside && line == "{") {
            result += "\t.reg .b32 %turns;\n\t.reg .pred %too_many;\n\tmov.u32 %turns, 0;\n";
            inside = true;
        }
    }
    return result;
}

static Case read_header(const std::string& text) {
    Case found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line) && line.rfind("//", 0) == 0;) {
        size_t colon = line.find(": ");
        if (colon == std::string::npos || colon < 3) continue;
        std::string key = line.substr(3, colon - 3), value = line.substr(colon + 2);
        if (key == "out" || key == "uninitialized") found.arguments.push_back({Words(numbers(value)[0], 0), ""});
        if (key == "in") found.arguments.push_back({numbers(value), ""});
        if (key == "map") found.arguments.push_back({{}, value});
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

// Runs a kernel; returns what the launch or its end failed with.
static CUresult run(const std::string& file, const std::string& text, const Case& test, size_t* differing) {
    CUmodule module;
    CUfunction kernel;
    check(cuModuleLoadData(&module, bounded(text).c_str()), "cuModuleLoadData", file);
    check(cuModuleGetFunction(&kernel, module, "kernel"), "cuModuleGetFunction", file);
    std::vector<CUdeviceptr> buffers;
    for (const Argument& argument : test.arguments) {
        if (!argument.map.empty()) continue;
        CUdeviceptr place;
        size_t bytes = 4 * argument.words.size();
        check(cuMemAlloc(&place, bytes), "cuMemAlloc", file);
        check(cuMemcpyHtoD(place, argument.words.data(), bytes), "cuMemcpyHtoD", file);
        buffers.push_back(place);
    }
    // Arguments stay where they are until the launch.
    std::vector<CUtensorMap> maps(test.arguments.size());
    std::vector<void*> arguments;
    size_t buffer = 0;
    for (size_t index = 0; index < test.arguments.size(); index++) {
        const std::string& map = test.arguments[index].map;
        if (map.empty()) {
            arguments.push_back(&buffers[buffer++]);
        } else {
            maps[index] = tensor_map(map, buffers);
            arguments.push_back(&maps[index]);
        }
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
    CUresult result = cuLaunchKernelEx(&config, kernel, arguments.data(), nullptr);
    if (result == CUDA_SUCCESS) result = cuCtxSynchronize();
    if (result != CUDA_SUCCESS) return result;
    *differing = 0;
    if (test.expects) {
        Words found(test.arguments[0].words.size());
        check(cuMemcpyDtoH(found.data(), buffers[0], 4 * found.size()), "cuMemcpyDtoH", file);
        for (size_t i = 0; i < test.expected.size(); i++) *differing += found[i] != test.expected[i];
    }
    for (CUdeviceptr place : buffers) check(cuMemFree(place), "cuMemFree", file);
    check(cuModuleUnload(module), "cuModuleUnload", file);
    return CUDA_SUCCESS;
}

int main(int count, char** files) {
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "cuInit", "driver");
    check(cuDeviceGet(&device, 0), "cuDeviceGet", "driver");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain", "driver");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent", "driver");
    for (int index = 1; index < count; index++) {
        std::string file = files[index];
        std::ifstream stream(file);
        std::string text((std::istreambuf_iterator<char>(stream)), {});
        Case test = read_header(text);
        size_t differing = 0;
        CUresult failure = run(file, text, test, &differing);
        const char* result = !test.expects ? "ends" : differing == 0 ? "right" : "wrong";
        if (failure != CUDA_SUCCESS) cuGetErrorName(failure, &result);
        size_t folder = file.rfind('/', file.rfind('/') - 1);
        std::printf("%s,%s,%zu\n", file.substr(folder + 1).c_str(), result, differing);
        // The process can do nothing more.
        if (failure != CUDA_SUCCESS) return 1;
    }
}
