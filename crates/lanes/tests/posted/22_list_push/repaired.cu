// Builds linked lists of 200 numbers by their last digit, all threads at once, and walks them on the host.
#include <cstdio>
#include <cuda_runtime.h>

const int N = 200;
const int LISTS = 10;

__global__ void push(int *head, int *next)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= N)
        return;
    int *first = &head[me % LISTS];
    int seen = atomicAdd(first, 0);
    next[me] = seen;
    int old;
    while ((old = atomicCAS(first, seen, me)) != seen) {
        seen = old;
        next[me] = seen;
    }
}

int main()
{
    int head[LISTS], next[N];
    int *d_head, *d_next;
    cudaMalloc(&d_head, sizeof(head));
    cudaMalloc(&d_next, sizeof(next));
    cudaMemset(d_head, 0xff, sizeof(head));
    push<<<4, 64>>>(d_head, d_next);
    cudaMemcpy(head, d_head, sizeof(head), cudaMemcpyDeviceToHost);
    cudaMemcpy(next, d_next, sizeof(next), cudaMemcpyDeviceToHost);

    for (int list = 0; list < LISTS; list += 3) {
        int length = 0, sum = 0;
        for (int node = head[list]; node >= 0; node = next[node]) {
            length++;
            sum += node;
        }
        printf("list %d: %d numbers, sum %d\n", list, length, sum);
    }
    cudaFree(d_head);
    cudaFree(d_next);
    return 0;
}
