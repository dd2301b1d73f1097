// A jump to nowhere, and a label that is there twice.
extern "C" __global__ void kernel(int* x) {
again:
    x[0] += 1;
    if (x[0] < 10) goto agian;
again:
    x[1] = 2;
}
