// It should print "all equal" after comparing with a prefix sum on the host.
#include <stdio.h>
#include <stdlib.h>

__global__ void prefix(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int sum = 0;
        for (int k = 0; k <= i; k++)
            sum += in[k];
        out[i] = sum;
    }
}

void cpuPrefix(const int *in, int *out, int n)
{
    out[0] = in[0];
    for (int i = 1; i < n; i++)
        out[i] = out[i - 1] + in[i];
}

int main()
{
    const int n = 300;
    int *in = (int *)malloc(n * sizeof(int));
    int *ref = (int *)malloc(n * sizeof(int));
    int *out = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        in[i] = rand() % 10;
    cpuPrefix(in, ref, n);

    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice);
    prefix<<<(n + 63) / 64, 64>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < n; i++)
        if (out[i] != ref[i])
            bad++;
    if (bad)
        printf("%d differ\n", bad);
    else
        printf("all equal\n");
    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(ref);
    free(out);
    return bad != 0;
}
