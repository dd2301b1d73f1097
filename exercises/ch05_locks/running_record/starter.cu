// A record of all measurements: their number, their sum, and the greatest one.
// These three words change together, so a lock guards them, which is zero while
// it is free. In each block one thread enters `rounds` numbers, one at a time.
//
// record and gave_up are zero before. So is lock, except in one of the tests,
// where it is never free. No number is negative. A block that has not got the
// lock after `patience` tries gives up.
extern "C" __global__ void running_record(const int* x, int* lock, int* record,
                                          int* gave_up, int rounds,
                                          int patience) {
    if (threadIdx.x != 0) return;
    for (int round = 0; round < rounds; round++) {
        int value = x[blockIdx.x * rounds + round];
        int tries = patience;
        while (atomicCAS(lock, 0, 1) != 0) {
            if (--tries > 0) continue;
            atomicAdd(gave_up, 1);
            return;
        }
        record[0] += 1;
        record[1] += value;
        if (record[2] < value) record[2] = value;
        *lock = 0;
    }
}
