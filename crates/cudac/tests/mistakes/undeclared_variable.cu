// The name of a variable is misspelt.
extern "C" __global__ void kernel(int* values, int n) {
    int index = threadIdx.x;
    if (idnex < n) values[index] = 0;
}
