// A brace is missing.
extern "C" __global__ void kernel(int* x, int n) {
    for (int i = 0; i < n; i++) {
        x[i] = i;
}
