// a destructor.
struct A { __device__ ~A() {} };
