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

    // TODO: make the threads wait where they have to.
    for (int half = 64; half > 0; half /= 2) {
        if (i < half) {
            part[i] = max(part[i], part[i + half]);
            __syncthreads();
        }
    }

    down[blockIdx.x * 128 + i] = part[0] - own;
}
