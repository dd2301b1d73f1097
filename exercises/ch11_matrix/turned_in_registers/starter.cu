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
    // TODO: a word of x, and the one of y
}
