// Collect, then work.
//
// A value below threshold has to be refined, which takes long. Any other value
// is increased by 1. About one value in sixteen is below threshold, anywhere in
// the array, so nearly every warp has one, and all of its lanes wait for it.
//
// Given: n values, and at least n threads in blocks of 256. In shared memory
// there are list, with a place for each thread, and count, which is 0 at first.
//
//   atomicAdd(&count, 1)  adds 1 and returns what count was before, which is a
//                         different number for each thread, in no fixed order;
//   __syncthreads()       lets a thread of the block continue only when all of
//                         them have arrived. What they wrote can then be read.

__device__ unsigned refine(unsigned value, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        value = value * 1664525u + 1013904223u;
        value ^= value >> 15;
    }
    return value;
}

extern "C" __global__ void refine_some(const unsigned* in, unsigned* out,
                                       unsigned threshold, int rounds, int n) {
    __shared__ int list[256];
    __shared__ int count;
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    if (t == 0) count = 0;
    __syncthreads();

//= solution
    if (i < n) {
        if (in[i] < threshold) {
            list[atomicAdd(&count, 1)] = i;
        } else {
            out[i] = in[i] + 1;
        }
    }
    __syncthreads();

    if (t < count) {
        out[list[t]] = refine(in[list[t]], rounds);
    }
//= starter
//    if (i < n) {
//        if (in[i] < threshold) {
//            out[i] = refine(in[i], rounds);
//        } else {
//            out[i] = in[i] + 1;
//        }
//    }
//= wrong nobody_waits
//    if (i < n) {
//        if (in[i] < threshold) {
//            list[atomicAdd(&count, 1)] = i;
//        } else {
//            out[i] = in[i] + 1;
//        }
//    }
//    if (t < count) {
//        out[list[t]] = refine(in[list[t]], rounds);
//    }
//= wrong counts_by_hand
//    if (i < n) {
//        if (in[i] < threshold) {
//            list[count++] = i;
//        } else {
//            out[i] = in[i] + 1;
//        }
//    }
//    __syncthreads();
//    if (t < count) {
//        out[list[t]] = refine(in[list[t]], rounds);
//    }
//= wrong one_lane_works
//    if (i < n) {
//        if (in[i] < threshold) {
//            list[atomicAdd(&count, 1)] = i;
//        } else {
//            out[i] = in[i] + 1;
//        }
//    }
//    __syncthreads();
//    if (t == 0) {
//        for (int k = 0; k < count; k++) {
//            out[list[k]] = refine(in[list[k]], rounds);
//        }
//    }
//= wrong one_warp_works
//    if (i < n) {
//        if (in[i] < threshold) {
//            list[atomicAdd(&count, 1)] = i;
//        } else {
//            out[i] = in[i] + 1;
//        }
//    }
//    __syncthreads();
//    if (t < 32 && t < count) {
//        out[list[t]] = refine(in[list[t]], rounds);
//    }
//= wrong place_in_the_block
//    if (i < n) {
//        if (in[i] < threshold) {
//            list[atomicAdd(&count, 1)] = t;
//        } else {
//            out[i] = in[i] + 1;
//        }
//    }
//    __syncthreads();
//    if (t < count) {
//        out[list[t]] = refine(in[list[t]], rounds);
//    }
//= wrong all_of_the_list
//    if (i < n) {
//        if (in[i] < threshold) {
//            list[atomicAdd(&count, 1)] = i;
//        } else {
//            out[i] = in[i] + 1;
//        }
//    }
//    __syncthreads();
//    if (t <= count) {
//        out[list[t]] = refine(in[list[t]], rounds);
//    }
//= end
}
