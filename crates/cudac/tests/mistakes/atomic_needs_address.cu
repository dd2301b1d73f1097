// An atomic function gets a value and not an address.
extern "C" __global__ void kernel(int* count) {
    atomicAdd(count[0], 1);
}
