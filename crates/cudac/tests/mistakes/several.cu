// Several mistakes in one text.
extern "C" __global__ void kernel(int* x, int n) {
    int i = threadIdx.x;
    x[i] = undeclared;
    float y = &x;
    __syncthread();
    x[i].value = 3;
}
