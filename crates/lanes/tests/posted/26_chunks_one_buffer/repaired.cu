// Sends numbers to the device in four chunks through one pinned buffer, and adds them up there.
#include <cstdio>
#include <cuda_runtime.h>

const int CHUNK = 256;
const int CHUNKS = 4;

__global__ void add(const int *x, unsigned long long *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, (unsigned long long)x[i]);
}

int main()
{
    int *buffer, *x;
    unsigned long long *d_sum, sum = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&buffer, CHUNK * sizeof(int));
    cudaMalloc(&x, CHUNK * CHUNKS * sizeof(int));
    cudaMalloc(&d_sum, sizeof(*d_sum));
    cudaMemset(d_sum, 0, sizeof(*d_sum));

    for (int c = 0; c < CHUNKS; c++) {
        for (int i = 0; i < CHUNK; i++)
            buffer[i] = c * CHUNK + i;
        int *part = x + c * CHUNK;
        cudaMemcpyAsync(part, buffer, CHUNK * sizeof(int), cudaMemcpyHostToDevice, stream);
        add<<<CHUNK / 64, 64, 0, stream>>>(part, d_sum);
        cudaStreamSynchronize(stream);
    }
    cudaStreamSynchronize(stream);
    cudaMemcpy(&sum, d_sum, sizeof(sum), cudaMemcpyDeviceToHost);
    printf("%llu\n", sum);

    cudaFreeHost(buffer);
    cudaFree(x);
    cudaFree(d_sum);
    cudaStreamDestroy(stream);
    return 0;
}
