// Atomic operations: updates of one place that happen one after the other, whichever threads make them.
//
//   count_shared_plain   Every thread adds one to a counter of its block in shared memory, by a load and a store.
//   count_shared_atomic  The same by atomicAdd.
//   apply_int            Each operation that CUDA has for int, once, on a cell of its own.
//   apply_unsigned       The same for unsigned, the only type that has inc and dec.
//   apply_long           The same for unsigned integers of 64 bits.
//   apply_long_signed    The two operations whose result depends on the sign, for signed integers of 64 bits.
//   apply_float          The operations for float.
//   apply_double         The operation for double.
//   hand_out             Each old value that atomicAdd returns goes to one thread only, so each place is taken once.
//   exchange_chain       Every thread puts its number into a cell and takes out what was there.
//   cas_one_wins         All threads try to replace the same 0; those that come too late get the winner's number.
//   exch_last_wins       The same by an exchange, which always replaces: no thread learns which number stays.
//   max_float_as_int     The greatest float, by the integer atomicMax on its bits: right for positive ones only.
//   max_float_cas        The greatest float by compare-and-swap, with which a loop can do any operation.
//   tally_global         All threads add to a few counters in global memory.
//   tally_shared         The same in shared memory; at the end each block adds its counters to those in global memory.
//   add_double_built_in  A sum in double precision by atomicAdd, which takes doubles since sm_60.
//   add_double_bits      The same by a loop on compare-and-swap, which compares bits.
//   add_double_note      The same loop as it is often printed: a plain first load, and it compares doubles.
//   add_double_compare   The same with a corrected first load: it still compares doubles.
//   add_zero_bits        One thread turns -0 into +0 between the others' load and their exchange; bits are compared.
//   add_zero_compare     The same, but doubles are compared, and -0 equals +0.
//
// Launch: one-dimensional. apply_*: one block with a thread for each value. count_shared_*, exchange_chain, *_wins and
// add_zero_*: one block. The other kernels with an n: a grid that covers n. tally_*: any grid, and tally_shared with at
// most 1024 slots.
// Preconditions: count has an element for each block. cell of apply_* has twice as many elements for each thread as
// there are operations: first the cells that they change, then room for what they return. next, taken, result,
// cells, gave_up and the cell of exchange_chain and of *_wins are zero; the result of exchange_chain has one
// element more than there are threads. greatest holds x[0]. slots is a power of two. `patience` is how often
// add_double_note and add_double_compare try, and gave_up counts the threads that gave up.
// A line that is part of a race says so at its end.
//
// builds: sm_70

__device__ int thread_in_grid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ANCHOR: count_shared_plain
extern "C" __global__ void count_shared_plain(int* count) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    found += 1;  // race
    __syncthreads();
    if (threadIdx.x == 0) count[blockIdx.x] = found;
}
// ANCHOR_END: count_shared_plain

// ANCHOR: count_shared_atomic
extern "C" __global__ void count_shared_atomic(int* count) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    atomicAdd(&found, 1);
    __syncthreads();
    if (threadIdx.x == 0) count[blockIdx.x] = found;
}
// ANCHOR_END: count_shared_atomic

// ANCHOR: apply_int
extern "C" __global__ void apply_int(const int* values, int* cell) {
    int value = values[threadIdx.x];
    cell += threadIdx.x * 20;
    int start = cell[0], *old = cell + 10;
    old[0] = atomicAdd(&cell[0], value);
    old[1] = atomicSub(&cell[1], value);
    old[2] = atomicMin(&cell[2], value);
    old[3] = atomicMax(&cell[3], value);
    old[4] = atomicAnd(&cell[4], value);
    old[5] = atomicOr(&cell[5], value);
    old[6] = atomicXor(&cell[6], value);
    old[7] = atomicExch(&cell[7], value);
    old[8] = atomicCAS(&cell[8], start, value);
    old[9] = atomicCAS(&cell[9], start + 1, value);
}
// ANCHOR_END: apply_int

// ANCHOR: apply_unsigned
extern "C" __global__ void apply_unsigned(const unsigned* values, unsigned* cell) {
    unsigned value = values[threadIdx.x];
    cell += threadIdx.x * 24;
    unsigned start = cell[0], *old = cell + 12;
    old[0] = atomicAdd(&cell[0], value);
    old[1] = atomicSub(&cell[1], value);
    old[2] = atomicMin(&cell[2], value);
    old[3] = atomicMax(&cell[3], value);
    old[4] = atomicAnd(&cell[4], value);
    old[5] = atomicOr(&cell[5], value);
    old[6] = atomicXor(&cell[6], value);
    old[7] = atomicExch(&cell[7], value);
    old[8] = atomicCAS(&cell[8], start, value);
    old[9] = atomicCAS(&cell[9], start + 1, value);
    old[10] = atomicInc(&cell[10], value);
    old[11] = atomicDec(&cell[11], value);
}
// ANCHOR_END: apply_unsigned

// ANCHOR: apply_long
extern "C" __global__ void apply_long(const unsigned long long* values, unsigned long long* cell) {
    unsigned long long value = values[threadIdx.x];
    cell += threadIdx.x * 18;
    unsigned long long start = cell[0], *old = cell + 9;
    old[0] = atomicAdd(&cell[0], value);
    old[1] = atomicMin(&cell[1], value);
    old[2] = atomicMax(&cell[2], value);
    old[3] = atomicAnd(&cell[3], value);
    old[4] = atomicOr(&cell[4], value);
    old[5] = atomicXor(&cell[5], value);
    old[6] = atomicExch(&cell[6], value);
    old[7] = atomicCAS(&cell[7], start, value);
    old[8] = atomicCAS(&cell[8], start + 1, value);
}
// ANCHOR_END: apply_long

// ANCHOR: apply_long_signed
extern "C" __global__ void apply_long_signed(const long long* values, long long* cell) {
    long long value = values[threadIdx.x];
    cell += threadIdx.x * 4;
    long long* old = cell + 2;
    old[0] = atomicMin(&cell[0], value);
    old[1] = atomicMax(&cell[1], value);
}
// ANCHOR_END: apply_long_signed

// ANCHOR: apply_float
extern "C" __global__ void apply_float(const float* values, float* cell) {
    float value = values[threadIdx.x];
    cell += threadIdx.x * 4;
    float* old = cell + 2;
    old[0] = atomicAdd(&cell[0], value);
    old[1] = atomicExch(&cell[1], value);
}
// ANCHOR_END: apply_float

// ANCHOR: apply_double
extern "C" __global__ void apply_double(const double* values, double* cell) {
    double value = values[threadIdx.x];
    cell += threadIdx.x * 2;
    double* old = cell + 1;
    old[0] = atomicAdd(&cell[0], value);
}
// ANCHOR_END: apply_double

// ANCHOR: hand_out
extern "C" __global__ void hand_out(int* next, int* taken) {
    int place = atomicAdd(next, 1);
    taken[place] += 1;
}
// ANCHOR_END: hand_out

// ANCHOR: exchange_chain
extern "C" __global__ void exchange_chain(int* cell, int* result) {
    int old = atomicExch(cell, threadIdx.x + 1);
    result[old] += 1;
    __syncthreads();
    if (threadIdx.x == 0) result[*cell] += 1;  // the last number is still in the cell
}
// ANCHOR_END: exchange_chain

// ANCHOR: cas_one_wins
extern "C" __global__ void cas_one_wins(int* cell, int* result) {
    int old = atomicCAS(cell, 0, threadIdx.x + 1);
    __syncthreads();
    int winner = *cell;
    if (old == 0 && winner == threadIdx.x + 1) atomicAdd(&result[0], 1);
    if (old == winner) atomicAdd(&result[1], 1);
}
// ANCHOR_END: cas_one_wins

// ANCHOR: exch_last_wins
extern "C" __global__ void exch_last_wins(int* cell, int* result) {
    int old = atomicExch(cell, threadIdx.x + 1);
    __syncthreads();
    int winner = *cell;
    if (old == 0 && winner == threadIdx.x + 1) atomicAdd(&result[0], 1);
    if (old == winner) atomicAdd(&result[1], 1);
}
// ANCHOR_END: exch_last_wins

// ANCHOR: max_float_as_int
extern "C" __global__ void max_float_as_int(const float* x, float* greatest, int n) {
    int i = thread_in_grid();
    if (i < n) atomicMax((int*)greatest, __float_as_int(x[i]));
}
// ANCHOR_END: max_float_as_int

// ANCHOR: max_float_cas
extern "C" __global__ void max_float_cas(const float* x, float* greatest, int n) {
    int i = thread_in_grid();
    if (i >= n) return;
    int* bits = (int*)greatest;
    int old = *(volatile int*)bits;
    // An exchange fails only if another thread's has succeeded, so there are at most as many turns as threads.
    while (x[i] > __int_as_float(old)) {
        int assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(x[i]));
        if (old == assumed) break;
    }
}
// ANCHOR_END: max_float_cas

// ANCHOR: tally_global
extern "C" __global__ void tally_global(const int* x, int* cells, int slots, int n) {
    int thread = thread_in_grid(), threads = gridDim.x * blockDim.x;
    int* cell = &cells[thread & (slots - 1)];
    for (int i = thread; i < n; i += threads) {
        atomicAdd(cell, x[i]);
    }
}
// ANCHOR_END: tally_global

// ANCHOR: tally_shared
extern "C" __global__ void tally_shared(const int* x, int* cells, int slots, int n) {
    __shared__ int parts[1024];
    for (int slot = threadIdx.x; slot < slots; slot += blockDim.x) parts[slot] = 0;
    __syncthreads();

    int thread = thread_in_grid(), threads = gridDim.x * blockDim.x;
    int* part = &parts[thread & (slots - 1)];
    for (int i = thread; i < n; i += threads) {
        atomicAdd(part, x[i]);
    }

    __syncthreads();
    for (int slot = threadIdx.x; slot < slots; slot += blockDim.x) atomicAdd(&cells[slot], parts[slot]);
}
// ANCHOR_END: tally_shared

// ANCHOR: add_double_built_in
extern "C" __global__ void add_double_built_in(double* sum, const double* x, int* gave_up, int n, int patience) {
    int i = thread_in_grid();
    if (i < n) atomicAdd(sum, x[i]);
}
// ANCHOR_END: add_double_built_in

// ANCHOR: add_double_bits
extern "C" __global__ void add_double_bits(double* sum, const double* x, int* gave_up, int n, int patience) {
    int i = thread_in_grid();
    if (i >= n) return;
    unsigned long long* bits = (unsigned long long*)sum;
    unsigned long long found = *(volatile unsigned long long*)bits, expected;
    // An exchange fails only if another thread's has succeeded, so there are at most n turns.
    do {
        expected = found;
        found = atomicCAS(bits, expected, __double_as_longlong(__longlong_as_double(expected) + x[i]));
    } while (found != expected);
}
// ANCHOR_END: add_double_bits

__device__ double exchange(double* sum, double expected, double value) {
    unsigned long long before = __double_as_longlong(expected), wanted = __double_as_longlong(expected + value);
    return __longlong_as_double(atomicCAS((unsigned long long*)sum, before, wanted));
}

// ANCHOR: add_double_note
extern "C" __global__ void add_double_note(double* sum, const double* x, int* gave_up, int n, int patience) {
    int i = thread_in_grid();
    if (i >= n) return;
    double found = *sum, expected;  // race
    do {
        expected = found;
        found = exchange(sum, expected, x[i]);  // race
    } while (expected != found && --patience > 0);
    if (expected != found) atomicAdd(gave_up, 1);
}
// ANCHOR_END: add_double_note

// ANCHOR: add_double_compare
extern "C" __global__ void add_double_compare(double* sum, const double* x, int* gave_up, int n, int patience) {
    int i = thread_in_grid();
    if (i >= n) return;
    double found = *(volatile double*)sum, expected;
    do {
        expected = found;
        found = exchange(sum, expected, x[i]);
    } while (expected != found && --patience > 0);
    if (expected != found) atomicAdd(gave_up, 1);
}
// ANCHOR_END: add_double_compare

// ANCHOR: add_zero_bits
extern "C" __global__ void add_zero_bits(double* sum, double value) {
    double found = *sum, expected;
    __syncthreads();
    if (threadIdx.x == 0) exchange(sum, found, 0.0);
    __syncthreads();
    if (threadIdx.x == 0) return;
    do {
        expected = found;
        found = exchange(sum, expected, value);
    } while (__double_as_longlong(expected) != __double_as_longlong(found));
}
// ANCHOR_END: add_zero_bits

// ANCHOR: add_zero_compare
extern "C" __global__ void add_zero_compare(double* sum, double value) {
    double found = *sum, expected;
    __syncthreads();
    if (threadIdx.x == 0) exchange(sum, found, 0.0);
    __syncthreads();
    if (threadIdx.x == 0) return;
    do {
        expected = found;
        found = exchange(sum, expected, value);
    } while (expected != found);
}
// ANCHOR_END: add_zero_compare
