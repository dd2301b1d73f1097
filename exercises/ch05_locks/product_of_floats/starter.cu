// The product of n floats. There is no atomic that multiplies, so a loop does
// it: it computes the product with the value that it found, and swaps the
// result in if that value is still there.
//
// product holds the bits of a float. Both this float and the numbers may have
// any value, including 0, -0 and NaN.
extern "C" __global__ void product_of_floats(const float* x, unsigned* product,
                                             int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float factor = x[i];

    float found = __uint_as_float(*(volatile unsigned*)product), expected;
    do {
        expected = found;
        float value = expected * factor;
        found = __uint_as_float(atomicCAS(product, __float_as_uint(expected),
                                          __float_as_uint(value)));
    } while (found != expected);
}
