// the header `cuda/pipeline`.
#include <cuda/pipeline>
__global__ void k() { cuda::pipeline<cuda::thread_scope_thread> p = cuda::make_pipeline(); }
