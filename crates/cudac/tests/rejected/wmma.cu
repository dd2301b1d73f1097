// the header `mma.h`.
#include <mma.h>
__global__ void k(nvcuda::wmma::fragment<int>* x) {}
