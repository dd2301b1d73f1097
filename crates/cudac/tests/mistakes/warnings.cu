// What can be compiled and is probably wrong.
__device__ int sign(int x) {
    if (x > 0) return 1;
    if (x < 0) return -1;
}

__shared__ int part[32];

extern "C" __global__ void kernel(int* x) {
    int part[4] = {1, 2, 3, 4};
    x[0] = part[6] + (x[1] << 40) + sign(x[2]);
    x[3] == 5;
    if (x[4] = 2) x[5] = 0;
    if (x[6] > 0);
    printf("%d %d\n", x[7]);
}
