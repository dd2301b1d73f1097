// One half of the warp waits for flags that the other half raises. A lane that
// waits looks a thousand times at most, and then gives up.
//
// Launch: one block of 32 threads. `flag` holds 2 zeros, `seen` 32 zeros.

extern "C" __global__ void two_flags(volatile int* flag, int* seen) {
    int quarter = threadIdx.x / 8, looks = 1000;

    if (quarter < 2) {
        while (flag[quarter] == 0 && looks > 0) looks--;   // (A)
    } else if (quarter == 2) {
        flag[0] = 1;                                       // (B)
    }
    __syncwarp();                                          // (C)
    if (quarter == 3) flag[1] = 1;                         // (D)
    seen[threadIdx.x] = quarter < 2 && looks > 0;
}
