// The product of n floats. There is no atomic that multiplies, so a loop makes
// one: compute the product with the value that was found, and swap it in if
// that value is still there.
//
// product holds the bits of a float, those of 1 at the beginning. Among the
// numbers there may be any float, 0 and -0 and NaN too.
extern "C" __global__ void product_of_floats(const float* x, unsigned* product,
                                             int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float found = __uint_as_float(*(volatile unsigned*)product), expected;
    do {
        expected = found;
        float value = expected * x[i];
        found = __uint_as_float(atomicCAS(product, __float_as_uint(expected),
                                          __float_as_uint(value)));
    } while (found != expected);
}
