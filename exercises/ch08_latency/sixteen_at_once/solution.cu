// y[i] = 3 * x[i] + 1 for n readings.
//
// x, y: n readings each; both arrays begin at a multiple of 16 bytes.
// Launch: blocks of 64 threads, a thread for each four readings.

extern "C" __global__ void scale_by_four(const int* x, int* y, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);

//= solution
    if (i + 3 < n) {
        int4 four = *(const int4*)(x + i);
        four.x = 3 * four.x + 1;
        four.y = 3 * four.y + 1;
        four.z = 3 * four.z + 1;
        four.w = 3 * four.w + 1;
        *(int4*)(y + i) = four;
    } else {
        for (; i < n; i++) y[i] = 3 * x[i] + 1;
    }
//= starter
//    // TODO: the readings i to i + 3, as far as there are that many, with one load and one store of sixteen bytes
//    // wherever a thread has all four.
//= wrong one_by_one
//    for (int k = 0; k < 4; k++) {
//        if (i + k < n) y[i + k] = 3 * x[i + k] + 1;
//    }
//= wrong two_at_once
//    for (int k = 0; k < 4; k += 2) {
//        if (i + k + 1 < n) {
//            int2 two = *(const int2*)(x + i + k);
//            *(int2*)(y + i + k) = make_int2(3 * two.x + 1, 3 * two.y + 1);
//        } else if (i + k < n) {
//            y[i + k] = 3 * x[i + k] + 1;
//        }
//    }
//= wrong loads_only
//    if (i + 3 < n) {
//        int4 four = *(const int4*)(x + i);
//        y[i] = 3 * four.x + 1;
//        y[i + 1] = 3 * four.y + 1;
//        y[i + 2] = 3 * four.z + 1;
//        y[i + 3] = 3 * four.w + 1;
//    } else {
//        for (; i < n; i++) y[i] = 3 * x[i] + 1;
//    }
//= wrong past_the_end
//    if (i < n) {
//        int4 four = *(const int4*)(x + i);
//        four.x = 3 * four.x + 1;
//        four.y = 3 * four.y + 1;
//        four.z = 3 * four.z + 1;
//        four.w = 3 * four.w + 1;
//        *(int4*)(y + i) = four;
//    }
//= wrong drops_the_rest
//    if (i + 3 < n) {
//        int4 four = *(const int4*)(x + i);
//        four.x = 3 * four.x + 1;
//        four.y = 3 * four.y + 1;
//        four.z = 3 * four.z + 1;
//        four.w = 3 * four.w + 1;
//        *(int4*)(y + i) = four;
//    }
//= end
}
