// Key frames.
//
// Every eighth frame of a film is a key frame: 0, 8, 16 and so on. A key frame
// takes long, any other one a single step. Each thread does one frame, and it
// is this kernel that decides which thread does which.
//
// Given: n frames, of which keys are key frames (n / 8, rounded up); at least n
// threads, in blocks that are a multiple of 32.
//
// Each frame has to be done by one thread, in the same steps as now.

__device__ unsigned key_frame(unsigned frame, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        frame = frame * 1664525u + 1013904223u;
        frame ^= frame >> 15;
    }
    return frame;
}

extern "C" __global__ void render(const unsigned* in, unsigned* out,
                                  int rounds, int keys, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;

    int f = t;  // this thread's frame
    bool is_key = f % 8 == 0;

    if (is_key) {
        out[f] = key_frame(in[f], rounds);
    } else {
        out[f] = in[f] + 1;
    }
}
