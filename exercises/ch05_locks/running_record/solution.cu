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
//= solution
        __threadfence();
//= starter
//= wrong fence_in_front_only
//        __threadfence();
//= wrong fence_behind_only
//= wrong fences_of_the_block
//        __threadfence_block();
//= wrong atomic_release_only
//= wrong volatile_record
//        volatile int* record_now = record;
//= wrong atomic_record
//= end
//= solution
        record[0] += 1;
        record[1] += value;
        if (record[2] < value) record[2] = value;
//= wrong volatile_record
//        record_now[0] += 1;
//        record_now[1] += value;
//        if (record_now[2] < value) record_now[2] = value;
//= wrong atomic_record
//        atomicExch(&record[0], atomicAdd(&record[0], 0) + 1);
//        atomicExch(&record[1], atomicAdd(&record[1], 0) + value);
//        if (atomicAdd(&record[2], 0) < value) atomicExch(&record[2], value);
//= end
//= solution
        __threadfence();
        atomicExch(lock, 0);
//= starter
//        *lock = 0;
//= wrong fence_in_front_only
//        atomicExch(lock, 0);
//= wrong fences_of_the_block
//        __threadfence_block();
//        atomicExch(lock, 0);
//= wrong atomic_release_only
//        atomicExch(lock, 0);
//= wrong volatile_record
//        atomicExch(lock, 0);
//= wrong atomic_record
//        atomicExch(lock, 0);
//= wrong plain_release
//        __threadfence();
//        *lock = 0;
//= end
    }
}
