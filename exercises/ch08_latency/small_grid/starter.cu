// How often is one of n readings lower than the one before it?
//
// falls is zero before. Launch: four blocks of 64 threads, for any n.

extern "C" __global__ void count_falls(const int* x, int* falls, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int own = 0;

    // TODO: be right for any n, however few threads there are.
    int i = thread + 1;
    if (i < n && x[i] < x[i - 1]) own += 1;

    atomicAdd(falls, own);
}
