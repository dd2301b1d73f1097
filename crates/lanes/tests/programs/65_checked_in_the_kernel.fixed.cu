// It should print the sum of the first ten table entries, 55.
#include <cassert>
#include <cstdio>

__global__ void lookup(const int *table, const int *index, int *sum, int entries)
{
    int at = index[threadIdx.x];
    assert(at >= 0 && at < entries);
    atomicAdd(sum, table[at]);
}

int main()
{
    int table[10], index[10], sum = 0;
    for (int i = 0; i < 10; i++) {
        table[i] = i + 1;
        index[i] = 9 - i;
    }
    int *d_table, *d_index, *d_sum;
    cudaMalloc(&d_table, sizeof(table));
    cudaMalloc(&d_index, sizeof(index));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemcpy(d_table, table, sizeof(table), cudaMemcpyHostToDevice);
    cudaMemcpy(d_index, index, sizeof(index), cudaMemcpyHostToDevice);
    cudaMemcpy(d_sum, &sum, sizeof(int), cudaMemcpyHostToDevice);
    lookup<<<1, 10>>>(d_table, d_index, d_sum, 10);
    cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", sum);
    cudaFree(d_table);
    cudaFree(d_index);
    cudaFree(d_sum);
    return 0;
}
