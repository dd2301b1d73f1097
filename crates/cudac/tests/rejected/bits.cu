// `bmma_sync`.
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k() {
    fragment<accumulator, 8, 8, 32, int> a;
    experimental::bmma_sync(a, a, a, a);
}
