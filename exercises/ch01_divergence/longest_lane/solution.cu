// Two loops in which threads take different numbers of turns.
//
// One block of 128 threads, which are four warps. In both loops, 16 threads
// take no turn, 16 take one, 16 take two, and so on up to seven. So all threads
// together take the same number of turns in both loops.
//
// Each turn of each thread stores to an element of its own.

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
