// Macros with `#` and `##`, conditionals, `#pragma unroll`.
#define CAT(a, b) a##b
#if __CUDA_ARCH__ >= 700
__global__ void k(int* CAT(x, y)) {
#pragma unroll 4
    for (int i = 0; i < 4; i++) xy[i] = i;
}
#endif
