// Times the matrix products of this book beside cuBLAS's, and checks each of them.
//
//   products FOLDER CASES SIZE...             prints a table; FOLDER has the compiled kernels, FILE.cubin
//   products FOLDER CASES --once SIZE NAME...  launches these kernels once each, or all of them, for the profiler
//
// CASES has a line for each kernel, whose columns its first line names. `inputs` is f32 or bf16. `grid` is tiles (columns by rows), down (rows by columns), or all (as many blocks
// as there are multiprocessors). The last columns are the shared memory in bytes and, if the kernel takes tensor maps of A and
// B in place of their addresses, their boxes.
//
// A and B are random numbers from -1 to 1, and per cents are of cuBLAS with the same types: f32 without TF32, or bf16 into f32. An error is the norm of the difference to a product in double precision over the norm of
// that. C is not a number before each check. In a round every contender is launched several times in a row, each time between
// two events, and the median is over all rounds; a first round is not counted. A kernel that takes long is launched less often,
// and not at all if it takes longer than a second.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <cublas_v2.h>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kRounds = 12;
constexpr float kRoundMs = 4, kAllMs = 150, kMostMs = 1000;

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    std::exit(2);
}

void check(cudaError_t error) {
    if (error != cudaSuccess) fail(cudaGetErrorString(error));
}

void check(CUresult result, const std::string& what) {
    const char* text = "unknown error";
    if (result == CUDA_SUCCESS) return;
    cuGetErrorString(result, &text);
    fail(what + ": " + text);
}

void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) fail(cublasGetStatusString(status));
}

template <class T>
T* allocate(size_t count) {
    T* memory;
    check(cudaMalloc(&memory, count * sizeof(T)));
    return memory;
}

__global__ void fill(float* x, __nv_bfloat16* x16, double* x64, double* x16_64, size_t count, unsigned seed) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
        unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        x[i] = static_cast<float>(z >> 40) / (1 << 23) - 1;
        x16[i] = __float2bfloat16(x[i]);
        x64[i] = x[i];
        x16_64[i] = __bfloat162float(x16[i]);
    }
}

template <class T>
__global__ void norms(const T* c, const double* exact, size_t count, double* sums) {
    double difference = 0, all = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
        double d = static_cast<double>(static_cast<float>(c[i])) - exact[i];
        difference += d * d;
        all += exact[i] * exact[i];
    }
    atomicAdd(&sums[0], difference);
    atomicAdd(&sums[1], all);
}

struct Data {
    int n;
    float *a, *b, *c;
    __nv_bfloat16 *a16, *b16;
    double *exact, *exact16, *sums;

    size_t count() const { return size_t(n) * n; }
};

Data make(int n, cublasHandle_t blas) {
    Data d{n};
    size_t count = d.count();
    d.a = allocate<float>(count), d.b = allocate<float>(count), d.c = allocate<float>(count);
    d.a16 = allocate<__nv_bfloat16>(count), d.b16 = allocate<__nv_bfloat16>(count);
    d.exact = allocate<double>(count), d.exact16 = allocate<double>(count), d.sums = allocate<double>(2);
    double *a = allocate<double>(count), *b = allocate<double>(count), one = 1, zero = 0;
    double *a16 = allocate<double>(count), *b16 = allocate<double>(count);
    fill<<<1024, 256>>>(d.a, d.a16, a, a16, count, 1);
    fill<<<1024, 256>>>(d.b, d.b16, b, b16, count, 2);
    // cuBLAS stores column after column, and then row after row is the product of B and A.
    check(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, d.exact, n));
    check(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b16, n, a16, n, &zero, d.exact16, n));
    check(cudaDeviceSynchronize());
    for (double* memory : {a, b, a16, b16}) check(cudaFree(memory));
    return d;
}

void release(const Data& d) {
    for (void* memory : {(void*)d.a, (void*)d.b, (void*)d.c, (void*)d.a16, (void*)d.b16, (void*)d.exact, (void*)d.exact16, (void*)d.sums}) {
        check(cudaFree(memory));
    }
}

struct Case {
    std::string name, file, kernel, inputs, grid;
    int block_x, block_y, rows, columns, shared_bytes, box_a_x, box_a_y, box_b_x, box_b_y;
};

std::vector<Case> read(const char* path) {
    std::ifstream file(path);
    if (!file) fail(std::string("cannot open ") + path);
    std::vector<Case> cases;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        Case c{};
        words >> c.name >> c.file >> c.kernel >> c.inputs >> c.grid >> c.block_x >> c.block_y >> c.rows >> c.columns >> c.shared_bytes;
        if (!words) fail("cannot read the case " + line);
        words >> c.box_a_x >> c.box_a_y >> c.box_b_x >> c.box_b_y;
        cases.push_back(c);
    }
    return cases;
}

bool fits(const Case& k, int n) { return n % k.rows == 0 && n % k.columns == 0; }

struct Contender {
    std::string name, inputs;
    std::function<void()> work;
    bool has_half_results = false;
    std::vector<float> times_us = {};
    double error = 0;
    int each_round = 1, rounds = kRounds;

    float median() {
        if (times_us.empty()) return 0;
        std::sort(times_us.begin(), times_us.end());
        return (times_us[(times_us.size() - 1) / 2] + times_us[times_us.size() / 2]) / 2;
    }
};

// A matrix of n times n, which is copied in boxes. If their rows have 128 bytes, they are swizzled.
CUtensorMap map_of(const void* matrix, bool is_half, int n, int box_x, int box_y) {
    static PFN_cuTensorMapEncodeTiled_v12000 encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (!encode) check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void**)&encode, 12000, cudaEnableDefault, &found));
    CUtensorMap map;
    cuuint64_t sizes[] = {cuuint64_t(n), cuuint64_t(n)}, pitches[] = {cuuint64_t(n) * (is_half ? 2 : 4)};
    cuuint32_t box[] = {cuuint32_t(box_x), cuuint32_t(box_y)}, steps[] = {1, 1};
    CUtensorMapSwizzle swizzle = box_x * (is_half ? 2 : 4) == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE;
    check(encode(&map, is_half ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void*)matrix, sizes, pitches, box, steps,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE), "tensor map");
    return map;
}

std::function<void()> launch(const std::string& folder, const Case& k, const Data& d) {
    CUmodule module;
    CUfunction kernel;
    check(cuModuleLoad(&module, (folder + "/" + k.file + ".cubin").c_str()), k.file);
    check(cuModuleGetFunction(&kernel, module, k.kernel.c_str()), k.kernel);
    check(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k.shared_bytes), k.name);
    int n = d.n;
    unsigned x = k.grid == "down" ? n / k.rows : n / k.columns, y = k.grid == "down" ? n / k.columns : n / k.rows;
    if (k.grid == "all") {
        cudaDeviceProp about;
        check(cudaGetDeviceProperties(&about, 0));
        x = about.multiProcessorCount, y = 1;
    }
    bool is_half = k.inputs.rfind("bf16", 0) == 0;
    const void *a = is_half ? (void*)d.a16 : (void*)d.a, *b = is_half ? (void*)d.b16 : (void*)d.b;
    if (k.box_a_x > 0) {
        CUtensorMap map_a = map_of(a, is_half, n, k.box_a_x, k.box_a_y), map_b = map_of(b, is_half, n, k.box_b_x, k.box_b_y);
        return [=]() mutable {
            void* arguments[] = {&map_a, &map_b, (void*)&d.c, (void*)&d.n};
            check(cuLaunchKernel(kernel, x, y, 1, k.block_x, k.block_y, 1, k.shared_bytes, nullptr, arguments, nullptr), k.name);
        };
    }
    return [=]() mutable {
        void* arguments[] = {&a, &b, (void*)&d.c, (void*)&d.n};
        check(cuLaunchKernel(kernel, x, y, 1, k.block_x, k.block_y, 1, k.shared_bytes, nullptr, arguments, nullptr), k.name);
    };
}

std::function<void()> blas_of(cublasHandle_t blas, const Data& d, cudaDataType_t in, cudaDataType_t out, cublasComputeType_t compute) {
    return [=] {
        float one = 1, zero = 0;
        const void *a = in == CUDA_R_32F ? (void*)d.a : (void*)d.a16, *b = in == CUDA_R_32F ? (void*)d.b : (void*)d.b16;
        int n = d.n;
        check(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, in, n, a, in, n, &zero, d.c, out, n, compute, CUBLAS_GEMM_DEFAULT));
    };
}

float timed_us(const Contender& contender) {
    static cudaEvent_t begin = nullptr, end = nullptr;
    if (!begin) check(cudaEventCreate(&begin)), check(cudaEventCreate(&end));
    check(cudaEventRecord(begin));
    contender.work();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    return ms * 1000;
}

void verify(Contender& contender, const Data& d) {
    check(cudaMemset(d.c, 0xff, d.count() * sizeof(float)));
    contender.work();
    check(cudaMemset(d.sums, 0, 2 * sizeof(double)));
    const double* exact = contender.inputs == "f32" ? d.exact : d.exact16;
    if (contender.has_half_results) norms<<<1024, 256>>>((const __nv_bfloat16*)d.c, exact, d.count(), d.sums);
    else norms<<<1024, 256>>>(d.c, exact, d.count(), d.sums);
    double sums[2];
    check(cudaMemcpy(sums, d.sums, sizeof sums, cudaMemcpyDeviceToHost));
    contender.error = std::sqrt(sums[0] / sums[1]);
    float ms = timed_us(contender) / 1000;
    contender.each_round = std::clamp(int(kRoundMs / ms), 1, 20);
    contender.rounds = ms > kMostMs ? 0 : std::clamp(int(kAllMs / (ms * contender.each_round)), 3, kRounds);
}

void print(std::vector<Contender>& contenders, int n) {
    double operations = 2.0 * n * n * n;
    auto of_blas = [&](const std::string& inputs) {
        for (Contender& c : contenders) {
            if (c.name == "cublas_" + inputs) return c.median();
        }
        return 0.0f;
    };
    for (Contender& c : contenders) {
        float median = c.median();
        if (c.times_us.empty()) {
            std::printf("%d,%s,,,,0,,,%.1e\n", n, c.name.c_str(), c.error);
            continue;
        }
        std::printf("%d,%s,%.1f,%.1f,%.1f,%zu,%.0f,%.1f,%.1e\n", n, c.name.c_str(), median, c.times_us.front(), c.times_us.back(),
                    c.times_us.size(), operations / median / 1e3, 100 * of_blas(c.inputs) / median, c.error);
    }
    std::fflush(stdout);
}

void compare(const std::string& folder, const std::vector<Case>& cases, int n, cublasHandle_t blas) {
    Data d = make(n, blas);
    std::vector<Contender> contenders;
    auto add = [&](const char* inputs) {
        for (const Case& k : cases) {
            if (k.inputs.rfind(inputs, 0) == 0 && fits(k, n)) contenders.push_back({k.name, inputs, launch(folder, k, d)});
        }
    };
    contenders.push_back({"cublas_tf32", "f32", blas_of(blas, d, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32)});
    contenders.push_back({"cublas_f32", "f32", blas_of(blas, d, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F)});
    add("f32");
    contenders.push_back({"cublas_bf16_to_bf16", "bf16", blas_of(blas, d, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F), true});
    contenders.push_back({"cublas_bf16", "bf16", blas_of(blas, d, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F)});
    add("bf16");
    for (Contender& contender : contenders) verify(contender, d);
    for (int round = -1; round < kRounds; round++) {
        for (Contender& contender : contenders) {
            for (int i = 0; round < contender.rounds && i < contender.each_round; i++) {
                float us = timed_us(contender);
                if (round >= 0) contender.times_us.push_back(us);
            }
        }
    }
    print(contenders, n);
    release(d);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) fail("say FOLDER CASES SIZE..., or FOLDER CASES --once SIZE NAME...");
    std::vector<Case> cases = read(argv[2]);
    check(cudaFree(nullptr));
    cublasHandle_t blas;
    check(cublasCreate(&blas));
    if (std::strcmp(argv[3], "--once") == 0) {
        if (argc < 5) fail("say FOLDER CASES --once SIZE NAME...");
        Data d = make(std::atoi(argv[4]), blas);
        for (const Case& k : cases) {
            bool is_named = std::find(argv + 5, argv + argc, k.name) != argv + argc;
            if ((argc == 5 || is_named) && fits(k, d.n)) launch(argv[1], k, d)();
        }
        check(cudaDeviceSynchronize());
        return 0;
    }
    std::printf("n,product,median_us,min_us,max_us,launches,gflop_s,percent_of_cublas,error\n");
    for (int i = 3; i < argc; i++) compare(argv[1], cases, std::atoi(argv[i]), blas);
}
