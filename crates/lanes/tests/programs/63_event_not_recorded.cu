// It should print "timed".
#include <stdio.h>

__global__ void work(float *x)
{
    x[threadIdx.x] = sqrtf((float)threadIdx.x);
}

int main()
{
    float *d, ms = -1.0f;
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMalloc(&d, 256 * sizeof(float));
    cudaEventRecord(start);
    work<<<1, 256>>>(d);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    printf("%s\n", ms >= 0 ? "timed" : "not timed");
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(d);
    return 0;
}
