// Which lanes are active on which line?
//
// One block of 50 threads, which are two warps; the second is not full. All
// conditions depend on the thread's own number t and on nothing else.

extern "C" __global__ void sort_parcels(const int* weight, int* light,
                                        int* heavy, int* all) {
    int t = threadIdx.x;
    if (t >= 44) return;

    if (t % 4 == 0) {
        if (t < 20) {
            light[t] = 7 * weight[t];   // (A)
        } else {
            heavy[t] = weight[t] + 100; // (B)
        }
    }
    all[t] = weight[t]; // (C)
}
