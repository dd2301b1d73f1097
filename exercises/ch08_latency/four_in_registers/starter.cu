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

    for (int quarter = 0; quarter < quarters; quarter++) {
        sum[quarter % 4] += sales[quarter * shops + shop];
    }

    for (int season = 0; season < 4; season++) {
        total[season * shops + shop] = sum[season];
    }
}
