// It should print the number of hits below 0.5, 5000.
#include <cstdio>
#include <cstdlib>

__global__ void countHits(const float *samples, int n, int *hits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (samples[i] < 0.5f)
            (*hits)++;
    }
}

int main(int argc, char *argv[])
{
    int n = 10000;
    float *h_samples = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++)
        h_samples[i] = (i % 2) ? 0.75f : 0.25f;

    float *d_samples;
    int *d_hits;
    int hits = 0;
    cudaMalloc(&d_samples, n * sizeof(float));
    cudaMalloc(&d_hits, sizeof(int));
    cudaMemcpy(d_samples, h_samples, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_hits, &hits, sizeof(int), cudaMemcpyHostToDevice);

    countHits<<<(n + 127) / 128, 128>>>(d_samples, n, d_hits);

    cudaMemcpy(&hits, d_hits, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d hits, should be %d\n", hits, n / 2);

    free(h_samples);
    cudaFree(d_samples);
    cudaFree(d_hits);
    return 0;
}
