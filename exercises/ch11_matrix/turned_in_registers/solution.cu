// y becomes the transposed matrices of x: 8 times 8 elements of two bytes, row after
// row, one matrix for each block of a warp. Built for sm_80.

// The transposed matrix; each lane passes two neighbours of a row.
__device__ unsigned turned(unsigned two) {
    unsigned result;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(two));
    return result;
}

extern "C" __global__ void turned_in_registers(const short* x, short* y) {
    const unsigned* from = (const unsigned*)x;
    unsigned* to = (unsigned*)y;
//= solution
    int word = blockIdx.x * 32 + threadIdx.x;
    to[word] = turned(from[word]);
//= starter
//    // TODO: a word of x, and the one of y
//= wrong turned_twice
//    int word = blockIdx.x * 32 + threadIdx.x;
//    to[word] = turned(turned(from[word]));
//= wrong first_matrix_only
//    int word = threadIdx.x;
//    if (blockIdx.x == 0) to[word] = turned(from[word]);
//    else turned(from[word]);
//= wrong not_turned
//    int word = blockIdx.x * 32 + threadIdx.x;
//    to[word] = from[word];
//= end
}
