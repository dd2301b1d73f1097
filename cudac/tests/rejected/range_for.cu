// a range-based `for`.
__global__ void k(int* x) { int a[3]; for (int i : a) x[0] = i; }
