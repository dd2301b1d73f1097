// It should print how many of 4096 slots were hit at least once.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define SLOTS 4096

__global__ void scatter(int *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    // Knuth's multiplicative hash
    int slot = (int)(i * 2654435761u) % SLOTS;
    atomicAdd(&table[slot], 1);
}

int main()
{
    int h_table[SLOTS];
    int *d_table;
    cudaMalloc(&d_table, SLOTS * sizeof(int));
    cudaMemset(d_table, 0, SLOTS * sizeof(int));

    int n = 10000;
    scatter<<<(n + 255) / 256, 256>>>(d_table, n);
    cudaDeviceSynchronize();
    cudaMemcpy(h_table, d_table, sizeof(h_table), cudaMemcpyDeviceToHost);

    int used = 0, total = 0;
    for (int s = 0; s < SLOTS; s++) {
        if (h_table[s] > 0)
            used++;
        total += h_table[s];
    }
    printf("%d of %d slots used, %d keys in total\n", used, SLOTS, total);
    cudaFree(d_table);
    return 0;
}
