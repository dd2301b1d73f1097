// Range-based `for` over arrays and over types with `begin()` and `end()`
struct Numbers { int* first; int count; __device__ int* begin() const { return first; } __device__ int* end() const { return first + count; } };
extern "C" __global__ void kernel(int* y, int n) {
    int a[4] = {1, 2, 3, 4}, sum = 0;
    for (int& x : a) x *= 2;
    for (auto x : Numbers{y, n}) sum += x;
    for (const auto& x : a) sum += x;
    y[threadIdx.x] = sum;
}
