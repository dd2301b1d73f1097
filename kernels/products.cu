// A matrix product C = A B, one step after another: the same sums in the same order, and each time fewer bytes to wait for.
//
//   product_down       One thread for each element of C; neighbouring threads are in neighbouring rows.
//   product_across     The same, but neighbouring threads are in neighbouring columns: loads of B and stores coalesce.
//   product_tile       A block loads a tile of A and a tile of B into shared memory, and each value is used 32 times.
//   product_tile_no_first   The same without the barrier between the loads of the tiles and their use.
//   product_tile_no_second  The same without the barrier between the use of the tiles and the next loads.
//   product_registers  A thread has 8 times 8 elements in registers: 16 loads from shared memory for 64 products.
//   product_wide       Loads of 16 bytes everywhere, for which the tile of A is transposed in shared memory.
//
// Launch: two-dimensional. product_down: blocks of 32 times 8 threads, (n / 32, n / 8) of them. product_across: the same.
// product_tile*: blocks of 32 times 32, (n / 32, n / 32) of them. product_registers, product_wide: blocks of 16 times 16,
// (n / 128, n / 128) of them.
// Preconditions: a, b and c are n times n floats, row after row, at addresses of a multiple of 16; n is a multiple of
// 128. For product_down, product_across and product_tile* a multiple of 32 will do.
// A line that takes part in a race says so at its end.
//
// builds: sm_70

// ANCHOR: product_down
extern "C" __global__ void product_down(const float* a, const float* b, float* c, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
// ANCHOR_END: product_down

// ANCHOR: product_across
extern "C" __global__ void product_across(const float* a, const float* b, float* c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
// ANCHOR_END: product_across

// ANCHOR: product_tile
constexpr int SIDE = 32;

extern "C" __global__ void product_tile(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
    float sum = 0;
    for (int first = 0; first < n; first += SIDE) {
        tile_a[y][x] = a[row * n + first + x];
        tile_b[y][x] = b[(first + y) * n + column];
        __syncthreads();
        for (int k = 0; k < SIDE; k++) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
// ANCHOR_END: product_tile

// ANCHOR: product_tile_no_first
extern "C" __global__ void product_tile_no_first(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
    float sum = 0;
    for (int first = 0; first < n; first += SIDE) {
        tile_a[y][x] = a[row * n + first + x];                                   // race
        tile_b[y][x] = b[(first + y) * n + column];                                 // race
        for (int k = 0; k < SIDE; k++) sum += tile_a[y][k] * tile_b[k][x];  // race
        __syncthreads();
    }
    c[row * n + column] = sum;
}
// ANCHOR_END: product_tile_no_first

// ANCHOR: product_tile_no_second
extern "C" __global__ void product_tile_no_second(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
    float sum = 0;
    for (int first = 0; first < n; first += SIDE) {
        tile_a[y][x] = a[row * n + first + x];       // race
        tile_b[y][x] = b[(first + y) * n + column];  // race
        __syncthreads();
        for (int k = 0; k < SIDE; k++) sum += tile_a[y][k] * tile_b[k][x];  // race
    }
    c[row * n + column] = sum;
}
// ANCHOR_END: product_tile_no_second

// ANCHOR: product_registers
constexpr int TILE = 128;   // rows and columns of C for a block
constexpr int DEPTH = 8;    // columns of A and rows of B at a time
constexpr int THREADS = 16; // in each direction
constexpr int OWN = 8;      // rows and columns of C for a thread

extern "C" __global__ void product_registers(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[TILE][DEPTH], tile_b[DEPTH][TILE];
    int x = threadIdx.x, y = threadIdx.y, thread = y * THREADS + x;
    a += blockIdx.y * TILE * n;
    b += blockIdx.x * TILE;
    c += blockIdx.y * TILE * n + blockIdx.x * TILE;
    float sums[OWN][OWN] = {};
    for (int first = 0; first < n; first += DEPTH) {
        for (int i = thread; i < TILE * DEPTH; i += THREADS * THREADS) {
            tile_a[i / DEPTH][i % DEPTH] = a[i / DEPTH * n + first + i % DEPTH];
            tile_b[i / TILE][i % TILE] = b[(first + i / TILE) * n + i % TILE];
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
            float of_a[OWN], of_b[OWN];
            for (int i = 0; i < OWN; i++) of_a[i] = tile_a[y + THREADS * i][k];
            for (int j = 0; j < OWN; j++) of_b[j] = tile_b[k][x + THREADS * j];
            for (int i = 0; i < OWN; i++) {
                for (int j = 0; j < OWN; j++) sums[i][j] += of_a[i] * of_b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < OWN; i++) {
        for (int j = 0; j < OWN; j++) c[(y + THREADS * i) * n + x + THREADS * j] = sums[i][j];
    }
}
// ANCHOR_END: product_registers

// ANCHOR: product_wide
__device__ float4& four(float& first) { return *reinterpret_cast<float4*>(&first); }
__device__ const float4& four(const float& first) { return *reinterpret_cast<const float4*>(&first); }

extern "C" __global__ void product_wide(const float* a, const float* b, float* c, int n) {
    // Four floats more to a row of the transposed tile, or two lanes would store to each bank.
    __shared__ __align__(16) float tile_a[DEPTH][TILE + 4], tile_b[DEPTH][TILE];
    int x = threadIdx.x, y = threadIdx.y, thread = y * THREADS + x;
    a += blockIdx.y * TILE * n + thread / 2 * n + thread % 2 * 4;
    b += blockIdx.x * TILE + thread / 32 * n + thread % 32 * 4;
    c += blockIdx.y * TILE * n + blockIdx.x * TILE;
    float sums[OWN][OWN] = {};
    for (int first = 0; first < n; first += DEPTH) {
        float4 of_row = four(a[first]);
        tile_a[thread % 2 * 4 + 0][thread / 2] = of_row.x;
        tile_a[thread % 2 * 4 + 1][thread / 2] = of_row.y;
        tile_a[thread % 2 * 4 + 2][thread / 2] = of_row.z;
        tile_a[thread % 2 * 4 + 3][thread / 2] = of_row.w;
        four(tile_b[thread / 32][thread % 32 * 4]) = four(b[first * n]);
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
            // Two pieces of four rows, and of four columns, half a tile apart.
            float of_a[OWN], of_b[OWN];
            for (int half = 0; half < 2; half++) {
                four(of_a[half * 4]) = four(tile_a[k][half * TILE / 2 + y * 4]);
                four(of_b[half * 4]) = four(tile_b[k][half * TILE / 2 + x * 4]);
            }
            for (int i = 0; i < OWN; i++) {
                for (int j = 0; j < OWN; j++) sums[i][j] += of_a[i] * of_b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < OWN; i++) {
        int row = i / 4 * TILE / 2 + y * 4 + i % 4;
        for (int half = 0; half < 2; half++) {
            four(c[row * n + half * TILE / 2 + x * 4]) = four(sums[i][half * 4]);
        }
    }
}
// ANCHOR_END: product_wide
