// `__shared__`, `extern __shared__`, `__constant__`, `__device__`, arrays in registers and in local memory.
__constant__ int c[2] = {1, 2};
__device__ int d;
extern __shared__ int e[];
__global__ void k(int* x) {
    __shared__ int s[4];
    int l[3] = {1, 2, 3};
    s[0] = c[x[0]];
    e[1] = l[x[1]];
    d = s[0] + e[1];
}
