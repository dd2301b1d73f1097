// It should print the mean of 64 values, 31.50.
#include <cstdio>
#include <cstdlib>

struct Series {
    int length;
    float *values;
};

__global__ void mean(const Series *s, float *out)
{
    float sum = 0.0f;
    for (int i = 0; i < s->length; i++)
        sum += s->values[i];
    *out = sum / s->length;
}

int main()
{
    Series h_series;
    h_series.length = 64;
    h_series.values = (float *)malloc(64 * sizeof(float));
    for (int i = 0; i < 64; i++)
        h_series.values[i] = i;

    Series *d_series;
    float *d_out, out;
    cudaMalloc(&d_series, sizeof(Series));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_series, &h_series, sizeof(Series), cudaMemcpyHostToDevice);

    mean<<<1, 1>>>(d_series, d_out);

    cudaError_t e = cudaMemcpy(&out, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess)
        printf("failed: %s\n", cudaGetErrorString(e));
    else
        printf("mean: %.2f\n", out);
    cudaFree(d_series);
    cudaFree(d_out);
    free(h_series.values);
    return 0;
}
