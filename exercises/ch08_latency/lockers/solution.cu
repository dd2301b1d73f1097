// A trail of notes: how many notes lead from each locker to the end of the trail?
//
// There are n lockers in a row, and in each of them is a note. The note in
// locker i says to go back by back[i] lockers, which is at least 1. The trail
// ends as soon as that leads out of the row, to a number below 0. notes[i]
// becomes the number of notes on the trail that begins at locker i.
//
// Launch: one block with a thread for each locker, and at most 512 threads.

extern "C" __global__ void lockers(const int* back, int* notes, int n) {
    int i = threadIdx.x;

//= solution
    __shared__ int next[512], count[512];
    int to = i < n ? i - back[i] : -1;
    int read = 1;
    for (int known = 1; known < n; known *= 2) {
        next[i] = to;
        count[i] = read;
        __syncthreads();
        if (to >= 0) {
            read += count[to];
            to = next[to];
        }
        __syncthreads();
    }
//= starter
//    int read = 0;
//    for (int at = i; at >= 0 && i < n; at -= back[at]) read += 1;
//= wrong walks_in_shared_memory
//    __shared__ int steps[512];
//    steps[i] = i < n ? back[i] : 1;
//    __syncthreads();
//    int read = 0;
//    for (int at = i; at >= 0; at -= steps[at]) read += 1;
//= wrong one_barrier
//    __shared__ int next[512], count[512];
//    int to = i < n ? i - back[i] : -1;
//    int read = 1;
//    for (int known = 1; known < n; known *= 2) {
//        next[i] = to;
//        count[i] = read;
//        __syncthreads();
//        if (to >= 0) {
//            read += count[to];
//            to = next[to];
//        }
//    }
//= wrong goes_before_it_counts
//    __shared__ int next[512], count[512];
//    int to = i < n ? i - back[i] : -1;
//    int read = 1;
//    for (int known = 1; known < n; known *= 2) {
//        next[i] = to;
//        count[i] = read;
//        __syncthreads();
//        if (to >= 0) {
//            to = next[to];
//            if (to >= 0) read += count[to];
//        }
//        __syncthreads();
//    }
//= wrong one_round_too_few
//    __shared__ int next[512], count[512];
//    int to = i < n ? i - back[i] : -1;
//    int read = 1;
//    for (int known = 2; known < n; known *= 2) {
//        next[i] = to;
//        count[i] = read;
//        __syncthreads();
//        if (to >= 0) {
//            read += count[to];
//            to = next[to];
//        }
//        __syncthreads();
//    }
//= wrong adds_its_own
//    __shared__ int next[512];
//    int to = i < n ? i - back[i] : -1;
//    int read = 1;
//    for (int known = 1; known < n; known *= 2) {
//        next[i] = to;
//        __syncthreads();
//        if (to >= 0) {
//            read += read;
//            to = next[to];
//        }
//        __syncthreads();
//    }
//= end

    if (i < n) notes[i] = read;
}
