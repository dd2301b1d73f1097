// Kernels of kernels/reduction.cu, kernels/reduction_steps.cu, kernels/laplace.cu and kernels/benchmarks.cu, word by word,
// in OpenCL C 1.2.
//
// A work-item is a thread, a work-group a block, local memory shared memory. Ideas and preconditions are in the CUDA
// files. The wrong kernels are left out except for one, which shows that a checker of races finds something.

kernel void reduce_neighbored(global int* x, global int* sums, uint n) {
    uint first = get_group_id(0) * get_local_size(0);
    uint length = min((uint)get_local_size(0), n - first);
    global int* part = x + first;
    uint i = get_local_id(0);

    for (uint stride = 1; stride < length; stride *= 2) {
        if (i % (2 * stride) == 0 && i + stride < length) {
            part[i] += part[i + stride];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    if (i == 0) {
        sums[get_group_id(0)] = part[0];
    }
}

kernel void reduce_neighbored_less(global int* x, global int* sums, uint n) {
    uint first = get_group_id(0) * get_local_size(0);
    uint length = min((uint)get_local_size(0), n - first);
    global int* part = x + first;

    for (uint stride = 1; stride < length; stride *= 2) {
        uint i = 2 * stride * get_local_id(0);
        if (i + stride < length) {
            part[i] += part[i + stride];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = part[0];
    }
}

kernel void reduce_interleaved(global int* x, global int* sums, uint n) {
    uint first = get_group_id(0) * get_local_size(0);
    uint length = min((uint)get_local_size(0), n - first);
    global int* part = x + first;
    uint i = get_local_id(0);

    for (uint half_length; length > 1; length = half_length) {
        half_length = (length + 1) / 2;
        if (i + half_length < length) {
            part[i] += part[i + half_length];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    if (i == 0) {
        sums[get_group_id(0)] = part[0];
    }
}

// The sum of up to eight elements, beginning with the thread's own, each a block's width after the one before.
int add_eight(global const int* x, uint n) {
    uint own = 8 * get_group_id(0) * get_local_size(0) + get_local_id(0);
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        uint i = own + k * get_local_size(0);
        if (i < n) sum += x[i];
    }
    return sum;
}

kernel void reduce_shared(global const int* x, global int* sums, uint n) {
    local int part[1024];
    uint i = get_local_id(0);

    part[i] = add_eight(x, n);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint length = get_local_size(0), half_length; length > 1; length = half_length) {
        half_length = (length + 1) / 2;
        if (i + half_length < length) {
            part[i] += part[i + half_length];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) {
        sums[get_group_id(0)] = part[0];
    }
}

float mean(global const float* restrict u, int at, int pitch) {
    return 0.25f * (u[at - 1] + u[at + 1] + u[at - pitch] + u[at + pitch]);
}

bool is_on_border(int x, int y, int width, int height) {
    return x == 0 || x == width - 1 || y == 0 || y == height - 1;
}

kernel void jacobi_whole(int width, int height, global const float* restrict u, global float* restrict next) {
    int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
    int at = y * width + x;
    if (is_on_border(x, y, width, height)) {
        next[at] = u[at];
    } else {
        next[at] = mean(u, at, width);
    }
}

kernel void bench_divergent(global const uint* x, global uint* steps, uint limit, int n) {
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i >= n) return;

    uint value = x[i], count = 0;
    while (value > 1 && count < limit) {
        if (value % 2 == 0) {
            value /= 2;
        } else {
            value = 3 * value + 1;
        }
        count++;
    }
    steps[i] = count;
}

// WRONG. No thread waits for the sums of the round before.
kernel void reduce_interleaved_no_barrier(global int* x, global int* sums, uint n) {
    uint first = get_group_id(0) * get_local_size(0);
    uint length = min((uint)get_local_size(0), n - first);
    global int* part = x + first;
    uint i = get_local_id(0);

    for (uint half_length; length > 1; length = half_length) {
        half_length = (length + 1) / 2;
        if (i + half_length < length) {
            part[i] += part[i + half_length];  // race
        }
    }
    if (i == 0) {
        sums[get_group_id(0)] = part[0];
    }
}
