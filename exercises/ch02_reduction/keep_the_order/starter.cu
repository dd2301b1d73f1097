// A chain of 256 steps, joined into one step.
//
// Step i turns y into (scale[i] * y + shift[i]) % PRIME, and step 0 comes first.
// Two steps in a row can be joined into one step of the same kind, and it matters
// which of them comes first.
//
// scale, shift: 256 steps for each block.
// joined_scale, joined_shift: one place for each block, for its joined step.
// Launch: blocks of 256 threads.

#define PRIME 65521

extern "C" __global__ void join_steps(const unsigned* scale, const unsigned* shift,
                                      unsigned* joined_scale,
                                      unsigned* joined_shift) {
    __shared__ unsigned a[256];
    __shared__ unsigned b[256];
    unsigned t = threadIdx.x;
    a[t] = scale[blockIdx.x * 256 + t];
    b[t] = shift[blockIdx.x * 256 + t];
    __syncthreads();

    // TODO: let whole warps skip the later rounds' body.
    for (unsigned stride = 1; stride < 256; stride *= 2) {
        unsigned i = t;
        unsigned next = i + stride;
        if (i % (2 * stride) == 0) {
            // First the step at i, then the step at next.
            b[i] = (a[next] * b[i] + b[next]) % PRIME;
            a[i] = a[next] * a[i] % PRIME;
        }
        __syncthreads();
    }

    if (t == 0) {
        joined_scale[blockIdx.x] = a[0];
        joined_shift[blockIdx.x] = b[0];
    }
}
