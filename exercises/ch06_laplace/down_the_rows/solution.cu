// How steep a picture is: each point minus the point above it. The points of
// the first row have nothing above them and get 0.
//
// `u` and `steep` hold `width * height` floats, row after row.
// Launch: blocks of 16 x 16 threads, `gridDim.x` of them down the picture and
// `gridDim.y` across it.
extern "C" __global__ void steepness(const float* u, float* steep, int width,
                                     int height) {
//= solution
    int x = blockIdx.y * 16 + threadIdx.x;
    int y = blockIdx.x * 16 + threadIdx.y;
//= starter
//    int x = blockIdx.y * 16 + threadIdx.y;
//    int y = blockIdx.x * 16 + threadIdx.x;
//= wrong blocks_too
//    int x = blockIdx.x * 16 + threadIdx.x;
//    int y = blockIdx.y * 16 + threadIdx.y;
//= wrong turned_array
//    int x = blockIdx.y * 16 + threadIdx.y;
//    int y = blockIdx.x * 16 + threadIdx.x;
//= wrong backwards
//    int x = blockIdx.y * 16 + threadIdx.y;
//    int y = blockIdx.x * 16 + 15 - threadIdx.x;
//= end
    if (x >= width || y >= height) return;

//= solution
    int at = y * width + x;
//= wrong turned_array
//    int at = x * height + y;
//= end
    steep[at] = y == 0 ? 0.0f : u[at] - u[at - width];
}
