// Moves particles by their velocities, and prints where the last one is.
#include <cstdio>
#include <cuda_runtime.h>

struct Particles {
    int count;
    float *position;
    float *velocity;
};

__global__ void setUp(Particles p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.count) {
        p.position[i] = i;
        p.velocity[i] = 0.25f * i;
    }
}

__global__ void moveAll(Particles p, float time)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.count)
        p.position[i] += p.velocity[i] * time;
}

int main()
{
    Particles p;
    p.count = 100;
    cudaMalloc(&p.position, p.count * sizeof(float));
    cudaMalloc(&p.velocity, p.count * sizeof(float));
    setUp<<<2, 64>>>(p);
    for (int step = 0; step < 4; step++)
        moveAll<<<2, 64>>>(p, 0.5f);
    cudaDeviceSynchronize();
    float last;
    cudaMemcpy(&last, &p.position[p.count - 1], sizeof(float), cudaMemcpyDeviceToHost);
    printf("last particle at %.2f\n", last);
    cudaFree(p.position);
    cudaFree(p.velocity);
    return 0;
}
