// A quotient of integers where a part of one is meant.
__global__ void mean(const int* v, float* sum, int n) {
    float weight = 1 / n;
    atomicAdd(sum, weight * v[threadIdx.x] + 100 / 50);
}
