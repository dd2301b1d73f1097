// How far each number is from the largest number of its block.
//
// x:    128 numbers for each block.
// down: one place for each number, for the largest number of its block minus
//       the number itself.
// Launch: blocks of 128 threads, one thread for each number.

extern "C" __global__ void down_from_largest(const int* x, int* down) {
    __shared__ int part[128];
    int i = threadIdx.x;
    int own = x[blockIdx.x * 128 + i];

    part[i] = own;
    __syncthreads();

//= solution
    for (int half = 64; half > 0; half /= 2) {
        if (i < half) {
            part[i] = max(part[i], part[i + half]);
        }
        __syncthreads();
    }
//= starter
//    // TODO: make the threads wait where they have to.
//    for (int half = 64; half > 0; half /= 2) {
//        if (i < half) {
//            part[i] = max(part[i], part[i + half]);
//            __syncthreads();
//        }
//    }
//= wrong none_at_all
//    for (int half = 64; half > 0; half /= 2) {
//        if (i < half) {
//            part[i] = max(part[i], part[i + half]);
//        }
//    }
//= wrong before_each_round
//    for (int half = 64; half > 0; half /= 2) {
//        __syncthreads();
//        if (i < half) {
//            part[i] = max(part[i], part[i + half]);
//        }
//    }
//= wrong warp_only
//    for (int half = 64; half > 0; half /= 2) {
//        if (i < half) {
//            part[i] = max(part[i], part[i + half]);
//        }
//        __syncwarp();
//    }
//    __syncthreads();
//= wrong wait_elsewhere
//    for (int half = 64; half > 0; half /= 2) {
//        if (i >= half) break;
//        part[i] = max(part[i], part[i + half]);
//        __syncthreads();
//    }
//    __syncthreads();
//= wrong volatile_in_the_warp
//    volatile int* seen = part;
//    for (int half = 64; half > 0; half /= 2) {
//        if (i < half) seen[i] = max(seen[i], seen[i + half]);
//        if (half > 32) __syncthreads();
//    }
//    __syncthreads();
//= end

    down[blockIdx.x * 128 + i] = part[0] - own;
}
