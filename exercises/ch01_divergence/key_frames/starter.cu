// Key frames.
//
// Every eighth frame of a film is a key frame: 0, 8, 16 and so on. A key frame
// takes long, and any other frame a single step. Each thread computes one frame,
// and this kernel decides which thread computes which frame.
//
// Given: n frames, of which keys are key frames (n / 8, rounded up), and at least
// n threads, in blocks whose size is a multiple of 32.
//
// Each frame must be computed by exactly one thread, in the same steps as now.

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
