// The sum of a warp in one instruction, which exists for integers from sm_80 on.
//
//   lanes_redux  Every lane gets the sum of its warp, for which lanes_xor of block_sums.cu takes five shuffles and five
//                additions.
//
// Launch: one-dimensional blocks of whole warps. Preconditions: x and y hold an element for each thread.
//
// builds: sm_80

// ANCHOR: lanes_redux
extern "C" __global__ void lanes_redux(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __reduce_add_sync(0xffffffff, x[i]);
}
// ANCHOR_END: lanes_redux
