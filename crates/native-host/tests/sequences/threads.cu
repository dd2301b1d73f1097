// Four threads that allocate, copy, launch and free at the same time, each in a stream of its own.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

__global__ void add(int* data, int n, int much) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += much;
}

static std::atomic<int> wrong;
static void expect(bool is_right) { wrong += !is_right; }

static void work(unsigned seed) {
    cudaStream_t stream;
    expect(cudaStreamCreate(&stream) == cudaSuccess);
    std::vector<int> sent(64), got(64);
    for (int turn = 0; turn < 8; turn++) {
        seed = seed * 1664525u + 1013904223u;
        const int n = 1 + (int)(seed >> 8) % 64, much = (int)(seed >> 16) % 100;
        for (int i = 0; i < n; i++) sent[i] = i * turn;
        int* data;
        expect(cudaMalloc(&data, n * sizeof(int)) == cudaSuccess);
        expect(cudaMemcpyAsync(data, sent.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream) == cudaSuccess);
        add<<<2, 32, 0, stream>>>(data, n, much);
        expect(cudaGetLastError() == cudaSuccess);
        // The error of another thread's call is not this one's.
        if (turn % 3 == 0) expect(cudaStreamQuery(stream) == cudaSuccess || cudaGetLastError() == cudaErrorNotReady);
        if (turn % 3 == 1) { expect(cudaFree((void*)&seed) == cudaErrorInvalidValue); expect(cudaGetLastError() == cudaErrorInvalidValue); }
        expect(cudaGetLastError() == cudaSuccess);
        expect(cudaMemcpyAsync(got.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost, stream) == cudaSuccess);
        expect(cudaStreamSynchronize(stream) == cudaSuccess);
        for (int i = 0; i < n; i++) expect(got[i] == i * turn + much);
        expect(cudaFree(data) == cudaSuccess);
    }
    expect(cudaStreamDestroy(stream) == cudaSuccess);
}

int main(int, char** argv) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; i++) threads.emplace_back(work, (unsigned)atoi(argv[1]) * 4u + i);
    for (std::thread& thread : threads) thread.join();
    printf("%d threads, %d wrong\n", (int)threads.size(), (int)wrong);
}
