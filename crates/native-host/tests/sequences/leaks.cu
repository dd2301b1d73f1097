// Rounds of calls of the runtime, some of which fail. After some rounds the process has all the memory that it will ever have: what
// later rounds take they give back.
#include <cstdio>
#include <cstdlib>
#include <malloc.h>

__device__ int counter;
__managed__ int shared[16];

__global__ void add(int* data, int n, int much) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += much;
    if (i == 0) atomicAdd(&counter, 1);
}

static unsigned state;
static unsigned below(unsigned most) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % most;
}

static void* allocated(unsigned kind, size_t bytes) {
    void* at = nullptr;
    const cudaError_t error = kind == 0   ? cudaMalloc(&at, bytes)
                              : kind == 1 ? cudaMallocManaged(&at, bytes)
                              : kind == 2 ? cudaMallocHost(&at, bytes)
                                          : cudaHostAlloc(&at, bytes, cudaHostAllocMapped);
    if (error != cudaSuccess) exit(3);
    return at;
}

static void round_of_calls() {
    const unsigned kind = below(4);
    const int n = 1 + (int)below(3000);
    int* const data = (int*)allocated(kind, n * sizeof(int));
    static int host[3000];
    for (int i = 0; i < n; i++) host[i] = i;
    const bool is_registered = below(4) == 0;
    if (is_registered) cudaHostRegister(host, n * sizeof(int), cudaHostRegisterDefault);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaMemcpyAsync(data, host, n * sizeof(int), cudaMemcpyHostToDevice, stream);
    if (below(8) == 0) {
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        add<<<1 + n / 128, 128, 0, stream>>>(data, n, 1);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&executable, graph, 0);
        cudaGraphLaunch(executable, stream);
        cudaStreamSynchronize(stream);
        cudaGraphExecDestroy(executable);
        cudaGraphDestroy(graph);
    } else {
        add<<<1 + n / 128, 128, 0, stream>>>(data, n, 1);
    }
    cudaEventRecord(event, stream);
    // What fails takes nothing.
    void* none = nullptr;
    if (cudaMalloc(&none, (size_t)1 << 50) == cudaSuccess) exit(4);
    if (cudaFree(&none) == cudaSuccess || cudaStreamQuery((cudaStream_t)0x77) == cudaSuccess) exit(5);
    add<<<1, 2048>>>(data, n, 1);
    const char* const why = cudaGetErrorString(cudaGetLastError());
    if (!why || !*why) exit(6);
    int many = 0;
    cudaMemcpyFromSymbol(&many, counter, sizeof(many));
    shared[below(16)] = many;
    cudaEventSynchronize(event);
    cudaMemcpy(host, data, n * sizeof(int), cudaMemcpyDefault);
    cudaDeviceSynchronize();
    if (is_registered) cudaHostUnregister(host);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    if (kind < 2) cudaFree(data);
    else cudaFreeHost(data);
}

// What the process has of its heap, and how many parts its address space has.
static size_t used() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static int mappings() {
    FILE* const maps = fopen("/proc/self/maps", "r");
    int lines = 0;
    for (int letter; (letter = fgetc(maps)) != EOF;) lines += letter == '\n';
    fclose(maps);
    return lines;
}

int main(int, char** argv) {
    state = (unsigned)atoi(argv[1]) * 2654435761u + 12345u;
    const int rounds = atoi(argv[2]);
    for (int i = 0; i < 100; i++) round_of_calls();
    const int parts = mappings();
    const size_t bytes = used();
    for (int i = 0; i < rounds; i++) round_of_calls();
    printf("%lld bytes and %d parts more\n", (long long)(used() - bytes), mappings() - parts);
}
