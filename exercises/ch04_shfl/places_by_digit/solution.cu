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
//= solution
    unsigned same = __match_any_sync(FULL, digit);
    int leader = __ffs(same) - 1;
    int rank = __popc(same & ((1u << lane) - 1));
    if (lane == leader) place = atomicAdd(free_place, __popc(same));
    place = __shfl_sync(FULL, place, leader) + rank;
//= starter
//    for (int turn = 0; turn < 32; ++turn) {
//        if (lane == turn) place = atomicAdd(free_place, 1);
//        __syncwarp();  // one after another, so that they keep their order
//    }
//= wrong all_at_once
//    place = atomicAdd(free_place, 1);
//= wrong digit_by_digit
//    for (int turn = 0; turn < 8; ++turn) {
//        unsigned same = __ballot_sync(FULL, digit == turn);
//        int leader = __ffs(same) - 1;
//        if (lane == leader) place = atomicAdd(free_place, __popc(same));
//        int first = __shfl_sync(FULL, place, leader & 31);
//        if (digit == turn) place = first + __popc(same & ((1u << lane) - 1));
//    }
//= wrong without_an_atomic
//    unsigned same = __match_any_sync(FULL, digit);
//    int leader = __ffs(same) - 1;
//    int rank = __popc(same & ((1u << lane) - 1));
//    if (lane == leader) {
//        place = *free_place;
//        *free_place = place + __popc(same);
//    }
//    place = __shfl_sync(FULL, place, leader) + rank;
//= wrong from_lane_0
//    unsigned same = __match_any_sync(FULL, digit);
//    int leader = __ffs(same) - 1;
//    int rank = __popc(same & ((1u << lane) - 1));
//    if (lane == leader) place = atomicAdd(free_place, __popc(same));
//    place = __shfl_sync(FULL, place, 0) + rank;
//= wrong everybody_draws_for_all
//    unsigned same = __match_any_sync(FULL, digit);
//    int rank = __popc(same & ((1u << lane) - 1));
//    place = atomicAdd(free_place, __popc(same)) + rank;
//= end
    places[i] = place & 0xffff;
}
