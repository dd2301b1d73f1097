// a text outside of `printf`.
__global__ void k(const char** x) { x[0] = "a"; }
