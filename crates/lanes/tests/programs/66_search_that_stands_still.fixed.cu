// It should print where 34 is in a sorted table, 17.
#include <stdio.h>

__global__ void find(const int *table, int n, const int *wanted, int *place)
{
    int low = 0, high = n;
    int key = wanted[threadIdx.x];
    while (low < high) {
        int middle = (low + high) / 2;
        if (table[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    place[threadIdx.x] = low - 1;
}

int main()
{
    const int n = 64;
    int table[n], wanted = 34, place = -1;
    for (int i = 0; i < n; i++)
        table[i] = 2 * i;
    int *d_table, *d_wanted, *d_place;
    cudaMalloc(&d_table, sizeof(table));
    cudaMalloc(&d_wanted, sizeof(int));
    cudaMalloc(&d_place, sizeof(int));
    cudaMemcpy(d_table, table, sizeof(table), cudaMemcpyHostToDevice);
    cudaMemcpy(d_wanted, &wanted, sizeof(int), cudaMemcpyHostToDevice);
    find<<<1, 1>>>(d_table, n, d_wanted, d_place);
    cudaMemcpy(&place, d_place, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", place);
    cudaFree(d_table);
    cudaFree(d_wanted);
    cudaFree(d_place);
    return 0;
}
