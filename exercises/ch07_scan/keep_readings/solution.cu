// Keep the readings above a limit, in their order, in a single launch.
//
// A tile is 32 readings, and a block of 32 threads works on one tile. kept
// becomes the list of the readings that are kept. Before a block can write, it
// has to know how many readings the tiles before its own keep.
//
// A tile publishes two numbers, one after the other, in a word of its own:
// first how many readings it keeps itself, as 4 * number + COUNT, and later how
// many all tiles up to its end keep, as 4 * number + PREFIX. Afterwards every
// word is a PREFIX. words and drawn are zero before, kept has room for n
// readings. A block that has looked `patience` times without success gives up.
#include <cuda/atomic>

#define FULL 0xffffffff
#define NOTHING 0
#define COUNT 1
#define PREFIX 2

using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;

// Publishes both numbers of a tile that keeps `own` readings. Returns how many
// the tiles before it keep, or -1 if it gives up. One lane calls it.
__device__ int look_back(int* words, int tile, int own, int patience) {
    cuda::memory_order relaxed = cuda::memory_order_relaxed;
    Word mine(words[tile]);
//= solution
    mine.store(4 * own + COUNT, relaxed);
    int before = 0, other = tile - 1;
    while (other >= 0) {
        int word = Word(words[other]).load(relaxed);
        if (word == NOTHING) {
            if (--patience == 0) return -1;
            continue;
        }
        before += word / 4;
        if (word % 4 == PREFIX) break;
        other -= 1;
    }
    mine.store(4 * (before + own) + PREFIX, relaxed);
    return before;
//= starter
//    mine.store(4 * own + COUNT, relaxed);
//    // TODO: look back at the tiles before this one, from the nearest on.
//    return 0;
//= wrong past_a_prefix
//    mine.store(4 * own + COUNT, relaxed);
//    int before = 0, other = tile - 1;
//    while (other >= 0) {
//        int word = Word(words[other]).load(relaxed);
//        if (word == NOTHING) {
//            if (--patience == 0) return -1;
//            continue;
//        }
//        before += word / 4;
//        other -= 1;
//    }
//    mine.store(4 * (before + own) + PREFIX, relaxed);
//    return before;
//= wrong skips_what_is_missing
//    mine.store(4 * own + COUNT, relaxed);
//    int before = 0;
//    for (int other = tile - 1; other >= 0; other--) {
//        int word = Word(words[other]).load(relaxed);
//        before += word / 4;
//        if (word % 4 == PREFIX) break;
//    }
//    mine.store(4 * (before + own) + PREFIX, relaxed);
//    return before;
//= wrong nothing_kept_is_nothing
//    mine.store(4 * own + COUNT, relaxed);
//    int before = 0, other = tile - 1;
//    while (other >= 0) {
//        int word = Word(words[other]).load(relaxed);
//        if (word / 4 == 0) {
//            if (--patience == 0) return -1;
//            continue;
//        }
//        before += word / 4;
//        if (word % 4 == PREFIX) break;
//        other -= 1;
//    }
//    mine.store(4 * (before + own) + PREFIX, relaxed);
//    return before;
//= wrong without_its_own
//    mine.store(4 * own + COUNT, relaxed);
//    int before = 0, other = tile - 1;
//    while (other >= 0) {
//        int word = Word(words[other]).load(relaxed);
//        if (word == NOTHING) {
//            if (--patience == 0) return -1;
//            continue;
//        }
//        before += word / 4;
//        if (word % 4 == PREFIX) break;
//        other -= 1;
//    }
//    mine.store(4 * before + PREFIX, relaxed);
//    return before;
//= wrong no_prefix
//    mine.store(4 * own + COUNT, relaxed);
//    int before = 0, other = tile - 1;
//    while (other >= 0) {
//        int word = Word(words[other]).load(relaxed);
//        if (word == NOTHING) {
//            if (--patience == 0) return -1;
//            continue;
//        }
//        before += word / 4;
//        other -= 1;
//    }
//    return before;
//= wrong plain_loads
//    mine.store(4 * own + COUNT, relaxed);
//    int before = 0, other = tile - 1;
//    while (other >= 0) {
//        int word = words[other];
//        if (word == NOTHING) {
//            if (--patience == 0) return -1;
//            continue;
//        }
//        before += word / 4;
//        if (word % 4 == PREFIX) break;
//        other -= 1;
//    }
//    mine.store(4 * (before + own) + PREFIX, relaxed);
//    return before;
//= end
}

extern "C" __global__ void keep_readings(const int* x, int* kept, int* words,
                                         int* drawn, int n, int limit,
                                         int patience) {
    int lane = threadIdx.x, tile = 0;
    if (lane == 0) tile = atomicAdd(drawn, 1);
    tile = __shfl_sync(FULL, tile, 0);

    int i = 32 * tile + lane;
    bool keeps = i < n && x[i] > limit;
    unsigned votes = __ballot_sync(FULL, keeps);
    int before = 0;
    if (lane == 0) before = look_back(words, tile, __popc(votes), patience);
    before = __shfl_sync(FULL, before, 0);
    if (before < 0) return;

    if (keeps) kept[before + __popc(votes & ((1u << lane) - 1))] = x[i];
}
