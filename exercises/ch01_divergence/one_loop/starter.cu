// Two recipes, each with a long part.
//
// An element is stirred for a number of rounds, and each round adds a spice.
// Even values are stirred by one recipe, and odd values by another. The recipes
// have the same spices, but different numbers a and c in the step
//
//     value = value * a + c + spice[r]
//
// The values are in no particular order, so nearly every warp has both even and
// odd values.
//
// Given: n elements, at least n threads, and a spice for each round. The loop in
// stir is not unrolled, so that one round is one turn.

__device__ unsigned stir(unsigned value, unsigned a, unsigned c,
                         const unsigned* spice, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        value = value * a + c + spice[r];
    }
    return value;
}

extern "C" __global__ void two_recipes(const unsigned* in, unsigned* out,
                                       const unsigned* spice, int rounds,
                                       int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned value = in[i];
    if (value % 2 == 0) {
        out[i] = stir(value, 1664525u, 1013904223u, spice, rounds);
    } else {
        out[i] = stir(value, 22695477u, 1u, spice, rounds);
    }
}
