// It should print the sum of each of 10 frames and returns all memory.
#include <cstdio>
#include <cstdlib>

#define FRAME 1024

__global__ void brighten(const float *in, float *out, float gain)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * gain;
}

static float process(const float *frame, float gain)
{
    float *d_in, *d_out;
    float *result = (float *)malloc(FRAME * sizeof(float));
    cudaMalloc(&d_in, FRAME * sizeof(float));
    cudaMalloc(&d_out, FRAME * sizeof(float));
    cudaMemcpy(d_in, frame, FRAME * sizeof(float), cudaMemcpyHostToDevice);
    brighten<<<FRAME / 256, 256>>>(d_in, d_out, gain);
    cudaMemcpy(result, d_out, FRAME * sizeof(float), cudaMemcpyDeviceToHost);

    float sum = 0.0f;
    for (int i = 0; i < FRAME; i++)
        sum += result[i];
    free(result);
    cudaFree(d_in);
    return sum;
}

int main()
{
    float frame[FRAME];
    for (int f = 0; f < 10; f++) {
        for (int i = 0; i < FRAME; i++)
            frame[i] = (float)f;
        printf("frame %d: %.1f\n", f, process(frame, 1.5f));
    }
    return 0;
}
