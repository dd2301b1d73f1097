// `printf` of numbers, and `assert`.
#include <assert.h>
__global__ void k(int* x) { assert(x[0] > 0); printf("%d %f\n", x[0], 1.5f); }
