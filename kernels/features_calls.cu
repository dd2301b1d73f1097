// Breadth, 1 of 6: functions that the compiler does not inline, and what a kernel can print or report.
//
// These kernels test the emulator: each uses one feature and has a result that can be written down.
//
//   call_scalar     z[i] = 3 * x[i] + 1, through a call.
//   call_struct     z[2 * i], z[2 * i + 1] = the smaller and the larger of x[2 * i], x[2 * i + 1]; structures are
//                   passed and returned.
//   call_pointer    z[i] = x[i] + i, through a pointer to a local variable.
//   call_in_branch  z[i] = 3 * x[i] + 1 for odd i, -x[i] for even i: half a warp makes the call.
//   call_recursive  z[i] = the Fibonacci number i % 10 (0, 1, 1, 2, 3, 5, 8, 13, 21, 34).
//   kernel_struct   z[i] = box.scale * i + box.shift[i % 3]; the kernel's parameter is a structure of 16 bytes.
//   print_lanes     Each thread below n prints its number, half of it, a letter and a word.
//   trap_negative   Stops the whole launch if any x[i] is negative, otherwise z[i] = x[i].
//
// Launch: one block, one thread for each element (call_struct: one for each pair).
//
// builds: sm_70, sm_60, sm_75, sm_70-debug

__noinline__ __device__ int triple_and_one(int value) {
    return 3 * value + 1;
}

extern "C" __global__ void call_scalar(const int* x, int* z) {
    int i = threadIdx.x;
    z[i] = triple_and_one(x[i]);
}

struct Pair {
    int low, high;
};

__noinline__ __device__ Pair in_order(Pair pair) {
    Pair result = pair;
    if (pair.low > pair.high) {
        result.low = pair.high;
        result.high = pair.low;
    }
    return result;
}

extern "C" __global__ void call_struct(const int* x, int* z) {
    int i = threadIdx.x;
    Pair pair = in_order(Pair{x[2 * i], x[2 * i + 1]});
    z[2 * i] = pair.low;
    z[2 * i + 1] = pair.high;
}

__noinline__ __device__ void add_to(int* target, int amount) {
    *target += amount;
}

extern "C" __global__ void call_pointer(const int* x, int* z) {
    int i = threadIdx.x;
    int value = x[i];
    add_to(&value, i);
    z[i] = value;
}

extern "C" __global__ void call_in_branch(const int* x, int* z) {
    int i = threadIdx.x;
    if (i % 2 == 1) {
        z[i] = triple_and_one(x[i]);
    } else {
        z[i] = -x[i];
    }
}

__noinline__ __device__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void call_recursive(int* z) {
    int i = threadIdx.x;
    z[i] = fibonacci(i % 10);
}

struct Box {
    int scale;
    int shift[3];
};

extern "C" __global__ void kernel_struct(Box box, int* z) {
    int i = threadIdx.x;
    z[i] = box.scale * i + box.shift[i % 3];
}

extern "C" __global__ void print_lanes(int n) {
    int i = threadIdx.x;
    if (i < n) {
        printf("thread %d: %.2f %c %s\n", i, i / 2.0, 'a' + i % 26, i % 2 ? "odd" : "even");
    }
}

extern "C" __global__ void trap_negative(const int* x, int* z) {
    int i = threadIdx.x;
    if (x[i] < 0) {
        __trap();
    }
    z[i] = x[i];
}
