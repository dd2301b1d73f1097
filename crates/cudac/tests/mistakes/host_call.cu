// A function of the host's library.
extern "C" __global__ void kernel(int** x) {
    cudaMalloc(x, 100);
}
