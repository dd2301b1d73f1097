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

    int read = 0;
    for (int at = i; at >= 0 && i < n; at -= back[at]) read += 1;

    if (i < n) notes[i] = read;
}
