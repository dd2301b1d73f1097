// `lgammaf`.
__global__ void k(float* x) { x[0] = lgammaf(x[0]); }
