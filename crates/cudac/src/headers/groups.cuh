// Cooperative groups: blocks, tiles, coalesced groups, reductions and scans.
// Written from: CUDA C++ Programming Guide, cooperative groups.
namespace cooperative_groups {

inline __device__ unsigned __lane() {
    unsigned result;
    asm("mov.u32 %0, %%laneid;" : "=r"(result));
    return result;
}

inline __device__ unsigned __below() {
    unsigned result;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(result));
    return result;
}

inline __device__ unsigned __thread_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

struct thread_block {
    __device__ static void sync() { __syncthreads(); }
    __device__ static unsigned thread_rank() { return __thread_in_block(); }
    __device__ static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ static unsigned num_threads() { return size(); }
    __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ static dim3 dim_threads() { return group_dim(); }
};

// Shuffles of any type, word by word; those of numbers are one instruction or two.
#define SHUFFLE(name, D) \
    template <typename T> inline __device__ T __any##name(unsigned mask, T value, D by, int width) { \
        unsigned words[(sizeof(T) + 3) / 4]; \
        memcpy(words, &value, sizeof(T)); \
        for (unsigned i = 0; i < (sizeof(T) + 3) / 4; ++i) words[i] = name(mask, words[i], by, width); \
        memcpy(&value, words, sizeof(T)); \
        return value; \
    } \
    SHUFFLE_OF(int, name, D) SHUFFLE_OF(unsigned, name, D) SHUFFLE_OF(float, name, D) SHUFFLE_OF(double, name, D) \
    SHUFFLE_OF(long, name, D) SHUFFLE_OF(unsigned long, name, D) \
    SHUFFLE_OF(long long, name, D) SHUFFLE_OF(unsigned long long, name, D)
#define SHUFFLE_OF(T, name, D) \
    inline __device__ T __any##name(unsigned mask, T value, D by, int width) { return name(mask, value, by, width); }
SHUFFLE(__shfl_sync, int)
SHUFFLE(__shfl_up_sync, unsigned)
SHUFFLE(__shfl_down_sync, unsigned)
SHUFFLE(__shfl_xor_sync, int)

inline __device__ thread_block this_thread_block() { return thread_block(); }

// The blocks that have arrived, and how often all have left.
inline __device__ unsigned __arrived;
inline __device__ unsigned __left;

// Whether the launch is an ordinary one, in which the blocks of a grid cannot wait for each other. Who launches sets it.
inline __device__ unsigned __is_ordinary;

// A load of a word that other blocks write. Unlike an atomic, it passes on nothing that its own thread knows.
inline __device__ unsigned __read(const unsigned* word) {
    unsigned result;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(result) : "l"(word) : "memory");
    return result;
}

struct grid_group {
    __device__ unsigned long long size() const {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * (blockDim.x * blockDim.y * blockDim.z);
    }
    __device__ unsigned long long num_threads() const { return size(); }
    __device__ unsigned long long thread_rank() const {
        unsigned long long block = (unsigned long long)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * (blockDim.x * blockDim.y * blockDim.z) + __thread_in_block();
    }
    __device__ dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ unsigned long long block_rank() const {
        return (unsigned long long)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    // The blocks count themselves, and the last one tells the others in a word that changes only then, so that reading it again
    // and again costs little.
    __device__ void sync() const {
        __syncthreads();
        if (__thread_in_block() == 0) {
            if (__is_ordinary) {
                // Reading this register is how the emulator knows such a trap.
                unsigned shared;
                asm volatile("mov.u32 %0, %%envreg2;" : "=r"(shared));
                __trap();
            }
            const unsigned before = __read(&__left);
            __threadfence();
            if (atomicAdd(&__arrived, 1u) == (unsigned)num_blocks() - 1) {
                atomicExch(&__arrived, 0u);
                __threadfence();
                atomicAdd(&__left, 1u);
            } else {
                while (__read(&__left) == before) __nanosleep(32);
            }
            __threadfence();
        }
        __syncthreads();
    }
    __device__ bool is_valid() const { return !__is_ordinary; }
    __device__ dim3 group_index() const { return dim3(0, 0, 0); }
    __device__ unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
};

inline __device__ grid_group this_grid() { return grid_group(); }

#if __CUDA_ARCH__ >= 900
struct cluster_group {
    struct arrival_token {};
    __device__ static arrival_token barrier_arrive() {
        asm volatile("barrier.cluster.arrive;" : : : "memory");
        return arrival_token();
    }
    __device__ static void barrier_wait() { asm volatile("barrier.cluster.wait;" : : : "memory"); }
    __device__ static void barrier_wait(const arrival_token&) { barrier_wait(); }
    __device__ static void sync() {
        barrier_arrive();
        barrier_wait();
    }
    __device__ static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    __device__ static unsigned block_rank() { return __clusterRelativeBlockRank(); }
    __device__ static dim3 dim_blocks() { return __clusterDim(); }
    __device__ static unsigned num_blocks() { return __clusterSizeInBlocks(); }
    __device__ static dim3 thread_index() {
        const dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y, block.z * blockDim.z + threadIdx.z);
    }
    __device__ static unsigned thread_rank() { return block_rank() * thread_block::size() + __thread_in_block(); }
    __device__ static dim3 dim_threads() {
        const dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    __device__ static unsigned num_threads() { return num_blocks() * thread_block::size(); }
    __device__ static unsigned size() { return num_threads(); }
    __device__ static unsigned query_shared_rank(const void* address) { return __cluster_query_shared_rank(address); }
    template <typename T> __device__ static T* map_shared_rank(T* address, int rank) {
        return (T*)__cluster_map_shared_rank(address, (unsigned)rank);
    }
};

inline __device__ cluster_group this_cluster() { return cluster_group(); }
#endif

template <unsigned N, typename Parent = thread_block>
struct thread_block_tile {
    __device__ static constexpr unsigned size() { return N; }
    __device__ static constexpr unsigned num_threads() { return N; }
    __device__ static unsigned thread_rank() { return __thread_in_block() & (N - 1); }
    __device__ static unsigned meta_group_rank() { return __thread_in_block() / N; }
    __device__ static unsigned meta_group_size() { return (blockDim.x * blockDim.y * blockDim.z + N - 1) / N; }
    __device__ static unsigned __mask() {
        if constexpr (N == 32) return 0xffffffff;
        else return ((1u << (N & 31)) - 1) << (__lane() & ~(N - 1));
    }
    __device__ static void sync() { __syncwarp(__mask()); }
    template <typename T> __device__ static T shfl(T value, int rank) { return __any__shfl_sync(__mask(), value, rank, (int)N); }
    template <typename T> __device__ static T shfl_up(T value, unsigned delta) { return __any__shfl_up_sync(__mask(), value, delta, (int)N); }
    template <typename T> __device__ static T shfl_down(T value, unsigned delta) { return __any__shfl_down_sync(__mask(), value, delta, (int)N); }
    template <typename T> __device__ static T shfl_xor(T value, unsigned mask) { return __any__shfl_xor_sync(__mask(), value, (int)mask, (int)N); }
    __device__ static int any(int predicate) { return __any_sync(__mask(), predicate); }
    __device__ static int all(int predicate) { return __all_sync(__mask(), predicate); }
    __device__ static unsigned ballot(int predicate) {
        if constexpr (N == 32) return __ballot_sync(0xffffffff, predicate);
        else return __ballot_sync(__mask(), predicate) >> (__lane() & ~(N - 1));
    }
    template <typename T> __device__ static unsigned match_any(T value) {
        return __match_any_sync(__mask(), value) >> (__lane() & ~(N - 1) & 31);
    }
};

template <unsigned N>
inline __device__ thread_block_tile<N, thread_block> tiled_partition(const thread_block& block) {
    return thread_block_tile<N, thread_block>();
}
template <unsigned N, unsigned M, typename P>
inline __device__ thread_block_tile<N, thread_block_tile<M, P>> tiled_partition(const thread_block_tile<M, P>& tile) {
    return thread_block_tile<N, thread_block_tile<M, P>>();
}

struct coalesced_group {
    unsigned mask;
    __device__ unsigned size() const { return __popc(mask); }
    __device__ unsigned num_threads() const { return size(); }
    __device__ unsigned thread_rank() const { return __popc(mask & __below()); }
    __device__ unsigned meta_group_rank() const { return 0; }
    __device__ unsigned meta_group_size() const { return 1; }
    __device__ void sync() const { __syncwarp(mask); }
    __device__ unsigned __nth(unsigned rank) const {
        return rank == 0 ? __ffs(mask) - 1 : size() == 32 ? rank : __fns(mask, 0, (int)rank + 1);
    }
    template <typename T> __device__ T shfl(T value, unsigned rank) const { return __any__shfl_sync(mask, value, (int)__nth(rank), 32); }
    template <typename T> __device__ T shfl_down(T value, unsigned delta) const {
        if (size() == 32) return __any__shfl_down_sync(0xffffffff, value, delta, 32);
        unsigned lane = __fns(mask, __lane(), (int)delta + 1);
        return __any__shfl_sync(mask, value, (int)(lane >= 32 ? __lane() : lane), 32);
    }
    template <typename T> __device__ T shfl_up(T value, int delta) const {
        if (size() == 32) return __any__shfl_up_sync(0xffffffff, value, (unsigned)delta, 32);
        unsigned lane = __fns(mask, __lane(), -(delta + 1));
        return __any__shfl_sync(mask, value, (int)(lane >= 32 ? __lane() : lane), 32);
    }
    __device__ int any(int predicate) const { return __ballot_sync(mask, predicate) != 0; }
    __device__ int all(int predicate) const { return __ballot_sync(mask, predicate) == mask; }
    __device__ unsigned __packed(unsigned lanes) const {
        if (size() == 32) return lanes;
        unsigned result = 0;
        unsigned rest = mask;
        for (unsigned rank = 0; rest != 0; rank++) {
            unsigned lane = __ffs(rest) - 1;
            result |= (lanes >> lane & 1) << rank;
            rest &= rest - 1;
        }
        return result;
    }
    __device__ unsigned ballot(int predicate) const { return __packed(__ballot_sync(mask, predicate)); }
};

inline __device__ coalesced_group coalesced_threads() { return coalesced_group{__activemask()}; }

inline __device__ coalesced_group __those_that(unsigned mask, bool predicate) {
    unsigned holds = __ballot_sync(mask, predicate);
    return coalesced_group{predicate ? holds : mask & ~holds};
}
inline __device__ coalesced_group binary_partition(const coalesced_group& group, bool predicate) {
    return __those_that(group.mask, predicate);
}
template <unsigned N, typename P>
inline __device__ coalesced_group binary_partition(const thread_block_tile<N, P>& tile, bool predicate) {
    return __those_that(tile.__mask(), predicate);
}
template <typename T> inline __device__ coalesced_group labeled_partition(const coalesced_group& group, T label) {
    return coalesced_group{__match_any_sync(group.mask, label)};
}
template <unsigned N, typename P, typename T>
inline __device__ coalesced_group labeled_partition(const thread_block_tile<N, P>& tile, T label) {
    return coalesced_group{__match_any_sync(tile.__mask(), label)};
}

struct thread_group {
    unsigned kind, first, count;
    __device__ thread_group(const thread_block& block) : kind(0), first(0), count(block.size()) {}
    template <unsigned N, typename P>
    __device__ thread_group(const thread_block_tile<N, P>& tile) : kind(1), first(__thread_in_block() & ~(N - 1)), count(N) {}
    __device__ thread_group(unsigned first, unsigned count) : kind(1), first(first), count(count) {}
    __device__ unsigned size() const { return count; }
    __device__ unsigned num_threads() const { return count; }
    __device__ unsigned thread_rank() const { return kind == 0 ? __thread_in_block() : __thread_in_block() - first; }
    __device__ void sync() const {
        if (kind == 0) __syncthreads();
        else __syncwarp((count == 32 ? 0xffffffffu : (1u << count) - 1) << (first & 31));
    }
};

inline __device__ thread_group tiled_partition(const thread_block& block, unsigned count) {
    return thread_group(__thread_in_block() & ~(count - 1), count);
}
inline __device__ thread_group tiled_partition(const thread_group& group, unsigned count) {
    return thread_group(__thread_in_block() & ~(count - 1), count);
}

template <typename Group> inline __device__ void sync(const Group& group) { group.sync(); }

template <typename T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };

template <unsigned N, typename P, typename T, typename Op>
inline __device__ T __reduce_by_shuffles(const thread_block_tile<N, P>& tile, T value, Op op) {
    for (unsigned mask = N / 2; mask > 0; mask /= 2) value = op(value, tile.shfl_xor(value, mask));
    return value;
}

template <unsigned N, typename P, typename T, typename Op>
inline __device__ T reduce(const thread_block_tile<N, P>& tile, T value, Op op) {
    return __reduce_by_shuffles(tile, value, op);
}
#if __CUDA_ARCH__ >= 800
#define BY_REDUX(Op, T, name) \
    template <unsigned N, typename P> \
    inline __device__ T reduce(const thread_block_tile<N, P>& tile, T value, Op<T> op) { return name(tile.__mask(), value); }
BY_REDUX(plus, int, __reduce_add_sync)
BY_REDUX(plus, unsigned, __reduce_add_sync)
BY_REDUX(less, int, __reduce_min_sync)
BY_REDUX(less, unsigned, __reduce_min_sync)
BY_REDUX(greater, int, __reduce_max_sync)
BY_REDUX(greater, unsigned, __reduce_max_sync)
BY_REDUX(bit_and, unsigned, __reduce_and_sync)
BY_REDUX(bit_or, unsigned, __reduce_or_sync)
BY_REDUX(bit_xor, unsigned, __reduce_xor_sync)
#endif

template <typename T, typename Op>
inline __device__ T reduce(const coalesced_group& group, T value, Op op) {
    for (unsigned delta = 1; delta < group.size(); delta *= 2) {
        T other = group.shfl_down(value, delta);
        if (group.thread_rank() + delta < group.size()) value = op(value, other);
    }
    return group.shfl(value, 0);
}

template <unsigned N, typename P, typename T, typename Op>
inline __device__ T inclusive_scan(const thread_block_tile<N, P>& tile, T value, Op op) {
    for (unsigned delta = 1; delta < N; delta *= 2) {
        T before = tile.shfl_up(value, delta);
        if (tile.thread_rank() >= delta) value = op(before, value);
    }
    return value;
}
template <unsigned N, typename P, typename T>
inline __device__ T inclusive_scan(const thread_block_tile<N, P>& tile, T value) {
    return inclusive_scan(tile, value, plus<T>());
}
template <unsigned N, typename P, typename T, typename Op>
inline __device__ T exclusive_scan(const thread_block_tile<N, P>& tile, T value, Op op) {
    T before = tile.shfl_up(inclusive_scan(tile, value, op), 1);
    return tile.thread_rank() == 0 ? T() : before;
}
template <unsigned N, typename P, typename T>
inline __device__ T exclusive_scan(const thread_block_tile<N, P>& tile, T value) {
    return exclusive_scan(tile, value, plus<T>());
}

template <typename Group, typename F>
inline __device__ void invoke_one(const Group& group, F f) {
    if (group.thread_rank() == 0) f();
}
template <typename Group, typename F>
inline __device__ auto invoke_one_broadcast(const Group& group, F f) {
    decltype(f()) result{};
    if (group.thread_rank() == 0) result = f();
    return group.shfl(result, 0);
}
template <typename Group> inline __device__ void synchronize(const Group& group) { group.sync(); }
}
