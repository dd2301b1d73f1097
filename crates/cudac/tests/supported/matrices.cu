// `nvcuda::wmma` from sm_80 on: `half`, `__nv_bfloat16`, `tf32`, `double`, integers of 8 and 4 bits.
#include <mma.h>
using namespace nvcuda;
// ANCHOR: scaled_product
__global__ void scaled_product(const half* a, const half* b, float* c, float alpha) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < 4; i++) {
        wmma::load_matrix_sync(fa, a + i * 16, 64);
        wmma::load_matrix_sync(fb, b + i * 16, 64);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= alpha;
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
// ANCHOR_END: scaled_product
__global__ void rounded(const float* a, float* b) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::col_major> f;
    wmma::load_matrix_sync(f, a, 16);
    for (int i = 0; i < f.num_elements; i++) f.x[i] = wmma::__float_to_tf32(f.x[i]);
    b[threadIdx.x] = f.x[0];
}
