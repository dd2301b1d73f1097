// `long double`.
__global__ void k(long double x) {}
