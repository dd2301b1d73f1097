// Structs with members, methods, constructors, operators and conversions; unions.
struct V {
    float x;
    __device__ V(float x) : x(x) {}
    __device__ V operator*(V o) const { return V(x * o.x); }
    __device__ operator float() const { return x; }
};
union U { float f; int i; };
__global__ void k(float* x, int* y) { V v(2); x[0] = v * v; U u; u.f = x[1]; y[0] = u.i; }
