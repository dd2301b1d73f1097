// Breadth, 3 of 6: kinds of memory. One block, and thread i works on element i.
//
//   vectors          z[i] = twice x[i] for float4, and n[i] = m[i] with its two parts exchanged for int2.
//   vector_bytes     z[i] = x[i] with its four bytes in reverse order.
//   local_array      z[i] = the sum of squares of 0 to 15, less the square of x[i] & 15; the array is indexed with
//                    a value known only at run time, so it cannot be kept in registers.
//   constant_table   z[i] = primes[i % 8], from constant memory.
//   module_variables z[i] = offset + weights[i % 4], variables that start with 1000 and {1, 2, 4, 8}; then
//                    total += blockDim.x, by thread 0, so that it counts threads over several launches; z[blockDim.x]
//                    is set to it.
//   dynamic_shared   z[i] = x[blockDim.x - 1 - i], through shared memory sized by the launch (4 bytes per thread).
//   static_shared    z[i] = x[i] + (i % 2 ? 0.5 : 0.25) through two shared arrays of different types; at most 256
//                    threads.
//   shared_tile      z = the transpose of x, 32 x 32, with a padded tile; a block of 32 x 8.
//   generic_pointer  z[i] = x[i] for even i and -x[i] for odd i, read through a pointer that points to global memory
//                    in some lanes and to shared memory in others; at most 256 threads.
//   read_only        z[i] = x[i] + y[i], x read through the read-only cache, y with a hint for the second-level cache.
//   volatile_flag    z[i] = x[i] + 1, through volatile memory: three loads of x[i] and one store.
//   fences           z[i] = x[i] after a fence of each scope.
//
// builds: sm_70, sm_60, sm_75, sm_70-debug

extern "C" __global__ void vectors(const float4* x, float4* z, const int2* m, int2* n) {
    int i = threadIdx.x;
    float4 v = x[i];
    z[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    int2 w = m[i];
    n[i] = make_int2(w.y, w.x);
}

extern "C" __global__ void vector_bytes(const uchar4* x, uchar4* z) {
    int i = threadIdx.x;
    uchar4 v = x[i];
    z[i] = make_uchar4(v.w, v.z, v.y, v.x);
}

extern "C" __global__ void local_array(const int* x, int* z) {
    int i = threadIdx.x;
    int squares[16];
    for (int k = 0; k < 16; k++) {
        squares[k] = k * k;
    }
    squares[x[i] & 15] = 0;
    int sum = 0;
    for (int k = 0; k < 16; k++) {
        sum += squares[(k + x[i]) & 15];
    }
    z[i] = sum;
}

__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

extern "C" __global__ void constant_table(int* z) {
    int i = threadIdx.x;
    z[i] = primes[i % 8];
}

__device__ int offset = 1000;
__device__ float weights[4] = {1.0f, 2.0f, 4.0f, 8.0f};
__device__ int total;

extern "C" __global__ void module_variables(float* z) {
    int i = threadIdx.x;
    z[i] = offset + weights[i % 4];
    if (i == 0) {
        total += blockDim.x;
        z[blockDim.x] = total;
    }
}

extern "C" __global__ void dynamic_shared(const int* x, int* z) {
    extern __shared__ int buffer[];
    int i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    z[i] = buffer[blockDim.x - 1 - i];
}

extern "C" __global__ void static_shared(const int* x, double* z) {
    __shared__ int whole[256];
    __shared__ double part[2];
    int i = threadIdx.x;
    whole[i] = x[i];
    if (i < 2) {
        part[i] = i % 2 ? 0.5 : 0.25;
    }
    __syncthreads();
    z[i] = whole[i] + part[i % 2];
}

extern "C" __global__ void shared_tile(const float* x, float* z) {
    __shared__ float tile[32][33];  // one extra column, so that the rows of a column are in 32 different banks
    for (int row = threadIdx.y; row < 32; row += blockDim.y) {
        tile[row][threadIdx.x] = x[row * 32 + threadIdx.x];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < 32; row += blockDim.y) {
        z[row * 32 + threadIdx.x] = tile[threadIdx.x][row];
    }
}

extern "C" __global__ void generic_pointer(const int* x, int* z) {
    __shared__ int negative[256];
    int i = threadIdx.x;
    negative[i] = -x[i];
    __syncthreads();
    const int* from = i % 2 ? &negative[i] : &x[i];
    z[i] = *from;
}

extern "C" __global__ void read_only(const int* __restrict__ x, const int* y, int* z) {
    int i = threadIdx.x;
    z[i] = __ldg(&x[i]) + __ldcg(&y[i]);
}

extern "C" __global__ void volatile_flag(volatile int* x, volatile int* z) {
    int i = threadIdx.x;
    z[i] = x[i] - x[i] + x[i] + 1;
}

extern "C" __global__ void fences(const int* x, int* z) {
    int i = threadIdx.x;
    int value = x[i];
    __threadfence_block();
    z[i] = value - 1;
    __threadfence();
    z[i] = value + 1;
    __threadfence_system();
    z[i] = value;
}
