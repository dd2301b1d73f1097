// Places by digit: the inner step of a radix sort.
//
// One warp has a row of 32 digits, each 0 to 7. next[8 * row + digit] is the
// next free place for that digit in that row. Every element gets a place of its
// own: elements with the same digit get neighbouring places, in the order of
// their lanes. Afterwards next is past the places that were given away.
//
// Given: other threads change next at the same time, so atomics have to change
// it. Here these are warps without a row of their own, which count their visits
// in the upper 16 bits.

#define FULL 0xffffffff

extern "C" __global__ void places_by_digit(
    const int* digits, int* next, int* places, int rows
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int row = i / 32;
    if (row >= rows) {  // whole warps
        if (lane < 8) atomicAdd(&next[8 * (row - rows) + lane], 1 << 16);
        return;
    }

    int digit = digits[i];
    int* free_place = &next[8 * row + digit];
    int place = 0;
    for (int turn = 0; turn < 32; ++turn) {
        if (lane == turn) place = atomicAdd(free_place, 1);
        __syncwarp();  // one after another, so that they keep their order
    }
    places[i] = place & 0xffff;
}
