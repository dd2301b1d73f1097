// The reductions of kernels/reduction.cu and kernels/reduction_steps.cu, word by word, in OpenCL C 1.2.
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
