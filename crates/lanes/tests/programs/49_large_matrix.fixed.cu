// It should print the last element of a matrix that is set to 7.
#include <stdio.h>

__global__ void set_last(char *m, size_t bytes)
{
    m[bytes - 1] = 7;
}

int main()
{
    int rows = 60000, columns = 40000;
    char *d, last = 0;
    size_t bytes = (size_t)rows * columns;
    cudaMalloc(&d, bytes);
    set_last<<<1, 1>>>(d, bytes);
    cudaMemcpy(&last, d + bytes - 1, 1, cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    cudaFree(d);
    return 0;
}
