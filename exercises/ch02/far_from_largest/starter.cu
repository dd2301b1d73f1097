// How far each number is from the largest one of its block.
//
// x:    128 numbers for each block.
// down: one place for each number: the largest number of its block, less the
//       number itself.
// Launch: blocks of 128 threads, a thread for each number.

extern "C" __global__ void down_from_largest(const int* x, int* down) {
    __shared__ int part[128];
    int i = threadIdx.x;
    int own = x[blockIdx.x * 128 + i];

    part[i] = own;
    __syncthreads();

    // TODO: see to it that the threads wait where they have to.
    for (int half = 64; half > 0; half /= 2) {
        if (i < half) {
            part[i] = max(part[i], part[i + half]);
            __syncthreads();
        }
    }

    down[blockIdx.x * 128 + i] = part[0] - own;
}
