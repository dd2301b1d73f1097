// y = A x. A has 8 columns and 128 rows for each block of 32 threads, and lane l
// has rows 4l to 4l + 3 of them. All arrays are aligned to 16 bytes.

extern "C" __global__ void shelves_turned(const int* a, const int* x, int* y) {
    int lane = threadIdx.x;
    a += blockIdx.x * 1024, y += blockIdx.x * 128;
    int sums[4] = {};

//= solution
    __shared__ __align__(16) int tile[8][132];
    for (int i = 0; i < 1024; i += 32) tile[lane % 8][(i + lane) / 8] = a[i + lane];
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        int4 four = *(const int4*)&tile[k][4 * lane];
        sums[0] += four.x * x[k], sums[1] += four.y * x[k];
        sums[2] += four.z * x[k], sums[3] += four.w * x[k];
    }
//= starter
//    __shared__ int tile[128][8];
//    for (int i = 0; i < 1024; i += 32) tile[(i + lane) / 8][lane % 8] = a[i + lane];
//    __syncthreads();
//#pragma unroll 1
//    for (int k = 0; k < 8; k++) {
//        for (int j = 0; j < 4; j++) sums[j] += tile[4 * lane + j][k] * x[k];
//    }
//= wrong no_padding
//    __shared__ __align__(16) int tile[8][128];
//    for (int i = 0; i < 1024; i += 32) tile[lane % 8][(i + lane) / 8] = a[i + lane];
//    __syncthreads();
//    for (int k = 0; k < 8; k++) {
//        int4 four = *(const int4*)&tile[k][4 * lane];
//        sums[0] += four.x * x[k], sums[1] += four.y * x[k];
//        sums[2] += four.z * x[k], sums[3] += four.w * x[k];
//    }
//= wrong one_int_of_padding
//    __shared__ __align__(16) int tile[8][129];
//    for (int i = 0; i < 1024; i += 32) tile[lane % 8][(i + lane) / 8] = a[i + lane];
//    __syncthreads();
//    for (int k = 0; k < 8; k++) {
//        int4 four = *(const int4*)&tile[k][4 * lane];
//        sums[0] += four.x * x[k], sums[1] += four.y * x[k];
//        sums[2] += four.z * x[k], sums[3] += four.w * x[k];
//    }
//= wrong not_turned
//    __shared__ __align__(16) int tile[8][132];
//    for (int i = 0; i < 1024; i += 32) tile[i / 128][i % 128 + lane] = a[i + lane];
//    __syncthreads();
//    for (int k = 0; k < 8; k++) {
//        int4 four = *(const int4*)&tile[k][4 * lane];
//        sums[0] += four.x * x[k], sums[1] += four.y * x[k];
//        sums[2] += four.z * x[k], sums[3] += four.w * x[k];
//    }
//= end
    for (int j = 0; j < 4; j++) y[4 * lane + j] = sums[j];
}
