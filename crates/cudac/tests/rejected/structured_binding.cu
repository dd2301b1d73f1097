// a structured binding.
__global__ void k(float* x) { auto [a, b] = make_float2(1, 2); x[0] = a + b; }
