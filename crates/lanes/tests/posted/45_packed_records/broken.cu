// Reads the numbers of records of one byte and one word each, which stand side by side without padding.
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

const int RECORD = 5;

__global__ void unpack(const unsigned char *records, int n, int *number)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned char *record = records + i * RECORD;
    int value = *(const int *)(record + 1);
    number[i] = record[0] == 'n' ? -value : value;
}

int main()
{
    const int n = 64;
    std::vector<unsigned char> h(n * RECORD);
    for (int i = 0; i < n; i++) {
        int value = 1000 * i;
        h[i * RECORD] = i % 2 ? 'n' : 'p';
        memcpy(&h[i * RECORD + 1], &value, sizeof(value));
    }
    unsigned char *records;
    int *number, result[n];
    cudaMalloc(&records, h.size());
    cudaMalloc(&number, sizeof(result));
    cudaMemcpy(records, h.data(), h.size(), cudaMemcpyHostToDevice);
    unpack<<<1, n>>>(records, n, number);
    cudaMemcpy(result, number, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", result[1], result[2], result[63]);
    cudaFree(records);
    cudaFree(number);
    return 0;
}
