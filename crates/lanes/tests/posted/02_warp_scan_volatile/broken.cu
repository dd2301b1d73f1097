// Replaces the numbers of each row of 32 by their running sums, a warp for each row.
#include <cstdio>
#include <cuda_runtime.h>

const int ROWS = 8;
const int WARPS = 4;

__global__ void scanRows(const int *in, int *out)
{
    volatile __shared__ int row[WARPS][32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    row[warp][lane] = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int before = lane >= d ? row[warp][lane - d] : 0;
        row[warp][lane] = row[warp][lane] + before;
    }
    out[i] = row[warp][lane];
}

int main()
{
    int h[ROWS * 32];
    for (int i = 0; i < ROWS * 32; i++)
        h[i] = i % 5 + 1;

    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(h));
    cudaMalloc(&d_out, sizeof(h));
    cudaMemcpy(d_in, h, sizeof(h), cudaMemcpyHostToDevice);
    scanRows<<<ROWS / WARPS, WARPS * 32>>>(d_in, d_out);
    cudaMemcpy(h, d_out, sizeof(h), cudaMemcpyDeviceToHost);

    for (int r = 0; r < ROWS; r++)
        printf("row %d ends with %d\n", r, h[r * 32 + 31]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
