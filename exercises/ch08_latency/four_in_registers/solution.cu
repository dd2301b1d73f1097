// The sales of each shop by season.
//
// There are as many shops as threads, and a number of sales for each quarter of
// a year: sales[quarter * shops + shop]. The seasons take turns, so quarter k is
// in season k % 4. total[season * shops + shop] becomes the sum of the shop's
// sales in that season, over all quarters.

extern "C" __global__ void four_in_registers(const int* sales, int* total,
                                             int quarters, int shops) {
    int shop = blockIdx.x * blockDim.x + threadIdx.x;
    if (shop >= shops) return;
    int sum[4] = {0, 0, 0, 0};

//= solution
#pragma unroll 1
    for (int year = 0; year < quarters; year += 4) {
        for (int season = 0; season < 4; season++) {
            int quarter = year + season;
            if (quarter < quarters) sum[season] += sales[quarter * shops + shop];
        }
    }
//= starter
//    for (int quarter = 0; quarter < quarters; quarter++) {
//        sum[quarter % 4] += sales[quarter * shops + shop];
//    }
//= wrong counted_round
//    int season = 0;
//    for (int quarter = 0; quarter < quarters; quarter++) {
//        sum[season] += sales[quarter * shops + shop];
//        season = season == 3 ? 0 : season + 1;
//    }
//= wrong whole_years
//    for (int quarter = 0; quarter + 3 < quarters; quarter += 4) {
//        for (int season = 0; season < 4; season++) {
//            sum[season] += sales[(quarter + season) * shops + shop];
//        }
//    }
//= wrong past_the_end
//    for (int quarter = 0; quarter < quarters; quarter += 4) {
//        for (int season = 0; season < 4; season++) {
//            sum[season] += sales[(quarter + season) * shops + shop];
//        }
//    }
//= wrong in_shared_memory
//    __shared__ int sums[4][64];
//    for (int season = 0; season < 4; season++) sums[season][threadIdx.x] = 0;
//    for (int quarter = 0; quarter < quarters; quarter++) {
//        sums[quarter % 4][threadIdx.x] += sales[quarter * shops + shop];
//    }
//    for (int season = 0; season < 4; season++) sum[season] = sums[season][threadIdx.x];
//= wrong straight_to_memory
//    for (int season = 0; season < 4; season++) total[season * shops + shop] = 0;
//    for (int quarter = 0; quarter < quarters; quarter++) {
//        total[quarter % 4 * shops + shop] += sales[quarter * shops + shop];
//    }
//    for (int season = 0; season < 4; season++) sum[season] = total[season * shops + shop];
//= end

    for (int season = 0; season < 4; season++) {
        total[season * shops + shop] = sum[season];
    }
}
