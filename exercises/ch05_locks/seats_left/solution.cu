// 64 visitors want 20 seats. Each takes one off the number of seats left, and
// looks at the old value, which the atomic returns.
//
// left is 20 and seated is 0 before. There is one block of two warps.
extern "C" __global__ void seats_left(int* left, int* seated) {
    int before = atomicSub(left, 1);  // (A)
    if (before > 0) {
        atomicAdd(seated, 1);  // (B)
    }
}
