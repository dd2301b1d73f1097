// The outermost block of a loop or a function declares what the parentheses before it have declared.
extern "C" __global__ void kernel(int* x, int n) {
    int n = 3;
    for (int i = 0; i < n; ++i) { float i = 2; x[0] += i; }
    for (int i = 0; i < n; ++i) int i = 3;
    int all[2] = {1, 2};
    for (int one : all) { int one = 4; x[1] += one; }
    auto add = [](int a) { int a = 5; return a; };
    x[2] = add(1);
    __shared__ int tile[4];
    __shared__ int tile[4];
    static const int SIZE = 4;
    int SIZE = 5;
    enum { FIRST };
    static int FIRST = 1;
    { __shared__ int tile[2]; extern __shared__ int rest[]; extern __shared__ int rest[]; tile[0] = rest[0] = SIZE; }
}
__device__ int twice;
extern __device__ int twice;
__constant__ int twice = 3;
const int LAST = 1;
const int LAST = 2;
