// `new`.
__global__ void k() { int* p = new int; }
