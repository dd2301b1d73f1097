// It should print "OK" when the filtered signal equals the host's.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TAPS 9
#define N 512

__constant__ float taps[TAPS];

__global__ void fir(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0.0f;
    for (int t = 0; t < TAPS; t++)
        if (i >= t)
            acc += taps[t] * in[i - t];
    out[i] = acc;
}

void setTaps(const float *h_taps)
{
    cudaMemcpyToSymbol(taps, h_taps, sizeof(h_taps));
}

int main()
{
    float h_taps[TAPS] = {0.05f, 0.1f, 0.1f, 0.15f, 0.2f, 0.15f, 0.1f, 0.1f, 0.05f};
    float in[N], out[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)(rand() % 100);

    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    setTaps(h_taps);
    fir<<<N / 128, 128>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);

    for (int i = 0; i < N; i++) {
        float want = 0.0f;
        for (int t = 0; t < TAPS && t <= i; t++)
            want += h_taps[t] * in[i - t];
        if (fabsf(want - out[i]) > 1e-3f) {
            printf("wrong at %d: %f instead of %f\n", i, out[i], want);
            return 1;
        }
    }
    printf("OK\n");
    return 0;
}
