// It should print the sum of the 1024 samples after a header of one float.
#include <cstdio>
#include <cstdlib>

// buffer = [count, sample0, sample1, ...]
__global__ void sum4(const float *buffer, float *out, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        const float4 *samples = reinterpret_cast<const float4 *>(buffer + 1);
        float4 v = samples[i];
        out[i] = v.x + v.y + v.z + v.w;
    }
}

int main()
{
    const int count = 1024;
    float *h = new float[count + 1];
    h[0] = count;
    for (int i = 0; i < count; i++)
        h[i + 1] = 0.25f;

    float *d_buffer, *d_out;
    cudaMalloc(&d_buffer, (count + 1) * sizeof(float));
    cudaMalloc(&d_out, count / 4 * sizeof(float));
    cudaMemcpy(d_buffer, h, (count + 1) * sizeof(float), cudaMemcpyHostToDevice);

    sum4<<<2, 128>>>(d_buffer, d_out, count / 4);
    cudaMemcpy(h, d_out, count / 4 * sizeof(float), cudaMemcpyDeviceToHost);
    float total = 0;
    for (int i = 0; i < count / 4; i++)
        total += h[i];
    printf("total = %g\n", total);

    cudaFree(d_buffer);
    cudaFree(d_out);
    delete[] h;
    return 0;
}
