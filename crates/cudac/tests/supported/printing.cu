// `printf` of numbers and texts, and `assert`.
#include <assert.h>
__global__ void k(int* x) { assert(x[0] > 0); printf("%s: %d %f\n", "a text", x[0], 1.5f); }
