// A matrix product by warpgroups whose tiles are stored by threads, in the swizzled layout that the unit for tensors would make.
// A and B are bfloat16, C is float; all are n times n, row after row, and n is a multiple of 256.
//
// Launch: (n / 256, n / 128) blocks of 256 threads. A warpgroup has 64 rows of a tile of C.

constexpr int ROWS = 128, COLUMNS = 256, DEPTH = 64;

typedef unsigned short Half;  // the bits of a bfloat16

struct Stage {
    Half a[ROWS][DEPTH];
    Half b[COLUMNS / DEPTH][DEPTH][DEPTH];  // boxes side by side, each with rows of B
};

__device__ unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Rows of 128 bytes, and of eight groups of rows each 1024 bytes; `apart` is the distance of boxes side by side.
__device__ unsigned long long matrix(const Half* first, int apart) {
    return (shared_address(first) & 0x3ffff) >> 4 | (unsigned long long)(apart >> 4) << 16 | 64ull << 32 | 1ull << 62;
}

__device__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

template <int LEFT>
__device__ void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(LEFT) : "memory"); }

#define EIGHT(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), \
    "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define THIRTY_TWO(d, i) EIGHT(d, i), EIGHT(d, i + 8), EIGHT(d, i + 16), EIGHT(d, i + 24)

__device__ void wgmma(float (&d)[128], unsigned long long a, unsigned long long b, int adds) {
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %130, 0;"
        " wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, adds, 1, 1, 0, 1; }"
        : THIRTY_TWO(d, 0), THIRTY_TWO(d, 32), THIRTY_TWO(d, 64), THIRTY_TWO(d, 96) : "l"(a), "l"(b), "r"(adds));
}

// Stores `rows` rows of 64 numbers, of which the one at `from` is the first; 16 bytes at a time change places within a row.
__device__ void load(Half* to, const Half* from, int rows, int n) {
    for (int i = threadIdx.x; i < rows * 8; i += blockDim.x) {
        int row = i / 8, unit = i % 8;
        uint4 value = *reinterpret_cast<const uint4*>(from + row * n + unit * 8);
        *reinterpret_cast<uint4*>(to + row * DEPTH + (unit ^ row % 8) * 8) = value;
    }
}

__device__ void load(Stage& stage, const Half* a, const Half* b, int row, int column, int k, int n) {
    load(stage.a[0], a + row * n + k, ROWS, n);
    for (int box = 0; box < COLUMNS / DEPTH; box++) load(stage.b[box][0], b + k * n + column + box * DEPTH, DEPTH, n);
    // What the products read does not come through this proxy.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(256, 1) product(const Half* a, const Half* b, float* c, int n) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Stage* stages = reinterpret_cast<Stage*>(memory);
    int row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS, group = threadIdx.x / 128, lane = threadIdx.x % 32;
    float sums[128];
    load(stages[0], a, b, row, column, 0, n);
    __syncthreads();
    for (int k = 0, s = 0; k < n; k += DEPTH, s ^= 1) {
        Stage& stage = stages[s];
        wgmma_fence();
#pragma unroll
        for (int inner = 0; inner < DEPTH; inner += 16) {
            wgmma(sums, matrix(&stage.a[group * 64][inner], 16), matrix(stage.b[0][inner], DEPTH * 128), k + inner);
        }
        wgmma_commit();
        wgmma_wait<1>();  // WAIT: the products of the last round are done
        __syncthreads();
        if (k + DEPTH < n) load(stages[s ^ 1], a, b, row, column, k + DEPTH, n);
        __syncthreads();
    }
    wgmma_wait<0>();
    row += threadIdx.x / 32 * 16 + lane / 4;
    column += lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < COLUMNS / 8; j++) {
        float* to = c + row * n + column + j * 8;
        *reinterpret_cast<float2*>(to) = make_float2(sums[j * 4], sums[j * 4 + 1]);
        *reinterpret_cast<float2*>(to + 8 * n) = make_float2(sums[j * 4 + 2], sums[j * 4 + 3]);
    }
}
