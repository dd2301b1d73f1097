// It should print the mean of the squares of 0 to 9, 28.5.
#include <iostream>

__global__ void square(float *x)
{
    x[threadIdx.x] *= x[threadIdx.x];
}

int main()
{
    float h[10], *d, sum;
    for (int i = 0; i < 10; i++)
        h[i] = i;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    square<<<1, 10>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 10; i++)
        sum += h[i];
    std::cout << sum / 10 << std::endl;
    cudaFree(d);
    return 0;
}
