// Scales the runs of a list, each by its own factor. The runs are of very
// different lengths, so the blocks do not share them in advance: a block that
// has nothing to do draws the number of the next run.
//
// x:      the numbers. Run r has those from begin[r] up to but not including
//         begin[r + 1], which may be none at all.
// next:   the number of the run that is drawn next, 0 before. Each block draws
//         until it gets a number of which there is no run, so afterwards next is
//         the number of runs plus the number of blocks.
// Launch: any number of blocks of 64 threads.

extern "C" __global__ void scale_runs(int* x, const int* begin,
                                      const int* factor, int* next, int runs) {
    __shared__ int drawn;

    // TODO: draw a run, let all threads of the block scale it, and so on.
}
