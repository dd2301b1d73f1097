// It should print "scaled".
#include <stdio.h>

__constant__ float scale;

__global__ void apply(float *x)
{
    x[threadIdx.x] *= scale;
}

int main()
{
    float h[32], *d;
    for (int i = 0; i < 32; i++)
        h[i] = i + 1;
    const float wanted = 2.5f;
    float kept = wanted;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    apply<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(d);
    for (int i = 0; i < 32; i++)
        if (h[i] != wanted * (i + 1)) {
            printf("element %d: %f\n", i, h[i]);
            return 1;
        }
    printf("scaled\n");
    return 0;
}
