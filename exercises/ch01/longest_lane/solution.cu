// Two loops whose lanes do not all take as many turns.
//
// One block of 128 threads: four warps. In both loops, 16 threads take no
// turn, 16 take one, 16 take two, and so on up to seven turns, so that the
// threads together take the same number of turns in both.
//
// Each turn stores into an element of its own.

extern "C" __global__ void take_turns(int* first, int* second) {
    int t = threadIdx.x;

#pragma unroll 1
    for (int turn = 0; turn < t / 16; turn++) {
        first[turn * 128 + t] = 1;  // (A)
    }

#pragma unroll 1
    for (int turn = 0; turn < t % 8; turn++) {
        second[turn * 128 + t] = 1; // (B)
    }
}
