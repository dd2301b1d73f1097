// `try`.
__global__ void k() { try {} catch (...) {} }
