// `goto`.
__global__ void k(int* x) { goto end; }
