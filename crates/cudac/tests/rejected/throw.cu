// `throw`.
__global__ void k() { throw 1; }
