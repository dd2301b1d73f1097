// Two trees over the numbers of one block, one after the other.
//
// near, far: the same numbers twice, one for each thread. Both arrays end with
//            the sum in element 0.
// third_near, third_far: zeros at first. A thread that adds in the third round
//                        of a tree stores a one there.

extern "C" __global__ void two_trees(int* near, int* far, int* third_near,
                                     int* third_far) {
    unsigned i = threadIdx.x;

    unsigned round = 1;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (i % (2 * stride) == 0) {
            near[i] += near[i + stride];  // (A)
            if (round == 3) {
                third_near[i] = 1;  // (B)
            }
        }
        round++;
        __syncthreads();
    }

    round = 1;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (i < half) {
            far[i] += far[i + half];
            if (round == 3) {
                third_far[i] = 1;  // (C)
            }
        }
        round++;
        __syncthreads();
    }
}
