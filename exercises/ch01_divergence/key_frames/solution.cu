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

//= solution
    // The first threads compute the key frames, and the others the frames in
    // between: seven frames after each key frame.
    int between = t - keys;
    int f = t < keys ? 8 * t : between / 7 * 8 + between % 7 + 1;
    bool is_key = t < keys;
//= starter
//    int f = t;  // this thread's frame
//    bool is_key = f % 8 == 0;
//= wrong other_frames
//    int f = t;  // this thread's frame
//    bool is_key = f < keys;
//= wrong seven_for_eight
//    int between = t - keys;
//    int f = t < keys ? 8 * t : between / 8 * 8 + between % 8 + 1;
//    bool is_key = t < keys;
//= wrong block_by_block
//    // The first threads of each block compute the key frames of the block.
//    int base = blockIdx.x * blockDim.x, j = threadIdx.x;
//    int keys_here = (min(n - base, (int)blockDim.x) + 7) / 8;
//    int between = j - keys_here;
//    bool is_key = j < keys_here;
//    int f = base + (is_key ? 8 * j : between / 7 * 8 + between % 7 + 1);
//= wrong whole_tiles_only
//    // Eight warps share 256 frames, and the first warp has all key frames.
//    int f = t / 256 * 256 + t % 32 * 8 + t / 32 % 8;
//    if (f >= n) return;
//    bool is_key = f % 8 == 0;
//= end

    if (is_key) {
        out[f] = key_frame(in[f], rounds);
    } else {
        out[f] = in[f] + 1;
    }
}
