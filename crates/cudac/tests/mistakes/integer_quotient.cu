// A quotient of integers where a part of one is meant.
__global__ void mean(const int* v, float* sum, int n) {
    float weight = 1 / n;
    double third = 1 / 3;
    double zero = 0 / n, two = 100 / 50, large = 0x8000000000000000ULL / -1;
    atomicAdd(sum, weight * v[threadIdx.x] + third + zero + two + large);
}
