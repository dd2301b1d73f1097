// Random sequences of calls of the runtime, some of them wrong, whose results are printed.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ int counter;
__constant__ int weights[8];

__global__ void add(int* data, int n, int much) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += much;
}
__global__ void count() { atomicAdd(&counter, weights[threadIdx.x % 8]); }

static unsigned state;
static unsigned below(unsigned most) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % most;
}

enum { SLOTS = 6 };
// The kind is 0 for none, 1 for the device, 2 for managed and 3 for pinned memory.
struct Block { int* at; size_t bytes; int kind; bool is_set; };
static Block blocks[SLOTS];
static cudaStream_t streams[3];
static cudaEvent_t events[3];
static int heap[64];

static void say(const char* what, cudaError_t error) { printf("%s %d\n", what, (int)error); }

static void* some_pointer() {
    switch (below(8)) {
        case 0: return nullptr;
        case 1: return heap;
        case 2: return (void*)(size_t)0x1234;
        default: return blocks[below(SLOTS)].at;
    }
}

// Natively it is not known whether memory of the host is initialised, so nothing else is copied there.
static void filled(Block& block, cudaError_t error, int kind) {
    if (error == cudaSuccess) memset(block.at, 0, block.bytes);
    block.kind = kind;
    block.is_set = true;
}

static cudaStream_t some_stream() { return below(2) ? (cudaStream_t)0 : streams[below(3)]; }

static void step() {
    Block& block = blocks[below(SLOTS)];
    switch (below(20)) {
        case 0: if (!block.kind) { block.bytes = 4 * below(100); say("malloc", cudaMalloc(&block.at, block.bytes)); block.kind = 1; block.is_set = false; } break;
        case 1: if (!block.kind) { block.bytes = 4 + 4 * below(100); filled(block, cudaMallocManaged(&block.at, block.bytes), 2); } break;
        case 2: if (!block.kind) { block.bytes = 4 + 4 * below(100); filled(block, cudaMallocHost(&block.at, block.bytes), 3); } break;
        case 3: say("free", block.kind == 3 ? cudaFreeHost(block.at) : cudaFree(block.at)); if (below(3)) block = {nullptr, 0, 0, true}; else block.kind = 0; break;
        case 4: say("free other", cudaFree(some_pointer())); break;
        case 5: { unsigned part = 1 + below(2); say("memset", cudaMemset(block.at, (int)below(256), block.bytes / part)); block.is_set |= part == 1; break; }
        case 6: say("memset far", cudaMemset(block.at, 1, block.bytes + 4 * below(3))); block.is_set = true; break;
        case 7: say("to device", cudaMemcpy(block.at, heap, block.bytes < 256 ? block.bytes : 256, cudaMemcpyHostToDevice)); break;
        case 8: if (block.is_set) say("to host", cudaMemcpy(heap, block.at, block.bytes < 256 ? block.bytes : 256, cudaMemcpyDeviceToHost)); break;
        case 9: { Block& other = blocks[below(SLOTS)]; size_t n = block.bytes < other.bytes ? block.bytes : other.bytes; if (other.is_set) say("copy", cudaMemcpy(block.at, other.at, n, (cudaMemcpyKind)below(6))); break; }
        case 10: say("stream", cudaStreamCreate(&streams[below(3)])); break;
        case 11: { int n = (int)below(3); say("stream destroy", cudaStreamDestroy(streams[n])); if (below(3)) streams[n] = 0; break; }
        case 12: say("event", cudaEventCreate(&events[below(3)])); break;
        case 13: { int n = (int)below(3); say("event destroy", cudaEventDestroy(events[n])); if (below(3)) events[n] = 0; break; }
        case 14: say("record", cudaEventRecord(events[below(3)], some_stream())); break;
        case 15: say("wait", cudaStreamWaitEvent(some_stream(), events[below(3)], 0)); break;
        case 16: say("query", cudaEventQuery(events[below(3)])); say("sync event", cudaEventSynchronize(events[below(3)])); break;
        case 17: if (block.kind && block.bytes) { add<<<1 + below(2), 32 * below(3), 0, some_stream()>>>(block.at, (int)(block.bytes / 4), 1); say("launch", cudaGetLastError()); } break;
        case 18: {
            int w[12] = {1, 2, 3}; say("symbol", cudaMemcpyToSymbol(weights, w, below(2) ? sizeof(weights) : 4 * below(12)));
            count<<<1, 32>>>(); say("count", cudaPeekAtLastError());
            break;
        }
        default: {
            say("sync", below(2) ? cudaDeviceSynchronize() : cudaStreamSynchronize(some_stream()));
            cudaPointerAttributes a; cudaError_t e = cudaPointerGetAttributes(&a, some_pointer()); say("attributes", e); if (e == cudaSuccess) printf("type %d\n", (int)a.type);
            int device; say("device", cudaSetDevice((int)below(3))); cudaGetDevice(&device); printf("device %d\n", device);
            break;
        }
    }
    if (below(4) == 0) say("last", cudaGetLastError());
}

int main(int argc, char** argv) {
    state = (unsigned)atoi(argv[1]) * 2654435761u + 12345u;
    for (int i = 0; i < 40; i++) step();
    say("end", cudaDeviceSynchronize());
    // What is left over is found, or not: half of the sequences clean up.
    if (below(2)) return 0;
    for (Block& block : blocks) {
        if (block.kind == 3) say("free", cudaFreeHost(block.at));
        else if (block.kind) say("free", cudaFree(block.at));
    }
    for (cudaStream_t stream : streams) if (stream) say("stream destroy", cudaStreamDestroy(stream));
    for (cudaEvent_t event : events) if (event) say("event destroy", cudaEventDestroy(event));
}
