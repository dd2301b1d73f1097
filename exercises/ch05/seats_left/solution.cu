// 64 visitors want 20 seats. Each takes one off the number that is left, and
// looks at what the atomic gave back.
//
// left is 20 and seated is 0 at the beginning; one block of two warps.
extern "C" __global__ void seats_left(int* left, int* seated) {
    int before = atomicSub(left, 1);  // (A)
    if (before > 0) {
        atomicAdd(seated, 1);  // (B)
    }
}
