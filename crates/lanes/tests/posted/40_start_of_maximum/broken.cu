// One reduction for several operations: each brings the value to start from. The results are compared with the host's.
#include <cstdio>
#include <cuda_runtime.h>

struct Sum {
    __host__ __device__ static int apply(int a, int b) { return a + b; }
};
struct Max {
    __host__ __device__ static int apply(int a, int b) { return a > b ? a : b; }
};

template <typename Op>
__host__ __device__ int start() { return 0; }

template <typename Op>
__global__ void reduce(const int *x, int n, int *result)
{
    __shared__ int s[128];
    int mine = start<Op>();
    for (int i = threadIdx.x; i < n; i += 128)
        mine = Op::apply(mine, x[i]);
    s[threadIdx.x] = mine;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            s[threadIdx.x] = Op::apply(s[threadIdx.x], s[threadIdx.x + half]);
    }
    if (threadIdx.x == 0)
        *result = s[0];
}

int main()
{
    const int n = 1000;
    int *x, *result, sum = 0, most = -1000000;
    cudaMallocManaged(&x, n * sizeof(int));
    cudaMallocManaged(&result, 2 * sizeof(int));
    for (int i = 0; i < n; i++) {
        x[i] = -5 - i * 7 % 997;
        sum += x[i];
        most = Max::apply(most, x[i]);
    }
    reduce<Sum><<<1, 128>>>(x, n, &result[0]);
    reduce<Max><<<1, 128>>>(x, n, &result[1]);
    cudaDeviceSynchronize();
    bool isRight = result[0] == sum && result[1] == most;
    printf("sum %d, maximum %d\n", result[0], result[1]);
    cudaFree(x);
    cudaFree(result);
    return isRight ? 0 : 1;
}
