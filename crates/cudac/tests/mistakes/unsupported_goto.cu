// What is not supported is named.
extern "C" __global__ void kernel(int* x) {
again:
    x[0] += 1;
    if (x[0] < 10) goto again;
}
