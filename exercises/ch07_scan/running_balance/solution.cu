// The balance of an account after each of n bookings.
//
// One block works through a list of any length, with one booking for each
// thread at a time. balance[i] becomes the sum of the bookings 0 to i.

#define FULL 0xffffffff

// The sum of the values of all lanes up to this one.
__device__ int scan_of_warp(int sum) {
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(FULL, sum, d);
        if (lane >= d) sum += left;
    }
    return sum;
}

extern "C" __global__ void running_balance(
    const int* bookings, int* balance, int n
) {
    __shared__ int sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int warps = blockDim.x / 32;
    int before = 0;  // the sum of all pieces before this one

    for (int first = 0; first < n; first += blockDim.x) {
        int i = first + threadIdx.x;
        int sum = scan_of_warp(i < n ? bookings[i] : 0);
        if (lane == 31) sums[warp] = sum;
        __syncthreads();
        if (warp == 0) sums[lane] = scan_of_warp(lane < warps ? sums[lane] : 0);
        __syncthreads();
        int own = before + sum + (warp > 0 ? sums[warp - 1] : 0);
        if (i < n) balance[i] = own;

//= solution
        before += sums[31];
        __syncthreads();
//= starter
//        before = own;
//= wrong no_barrier
//        before += sums[31];
//= wrong barrier_of_the_warp
//        before += sums[31];
//        __syncwarp();
//= wrong barrier_too_early
//        __syncthreads();
//        before += sums[31];
//= wrong own_balance
//        before = own;
//        __syncthreads();
//= wrong this_piece_only
//        before = sums[31];
//        __syncthreads();
//= wrong sum_of_the_warp
//        before += __shfl_sync(FULL, sum, 31);
//        __syncthreads();
//= end
    }
}
