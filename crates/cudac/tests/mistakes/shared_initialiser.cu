// Shared memory with an initialiser.
extern "C" __global__ void kernel(int* x) {
    __shared__ int sum = 0;
    atomicAdd(&sum, x[threadIdx.x]);
    __syncthreads();
    x[0] = sum;
}
