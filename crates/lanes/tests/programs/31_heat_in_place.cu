// It should print the temperature of the middle after 20 steps.
#include <cstdio>
#include <vector>
#include <algorithm>

__global__ void step(float *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        float left = t[i - 1], here = t[i], right = t[i + 1];
        t[i] = here + 0.25f * (left - 2.0f * here + right);
    }
}

int main()
{
    const int n = 512;
    std::vector<float> t(n, 0.0f);
    t[n / 2] = 100.0f;

    float *d_t, *d_next;
    cudaMalloc(&d_t, n * sizeof(float));
    cudaMalloc(&d_next, n * sizeof(float));
    cudaMemcpy(d_t, t.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int s = 0; s < 20; s++) {
        step<<<n / 128, 128>>>(d_t, n);
    }
    cudaMemcpy(t.data(), d_t, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("middle: %f\n", t[n / 2]);
    cudaFree(d_t);
    cudaFree(d_next);
    return 0;
}
