// A picture in a mirror: left and right change places.
//
// The picture has height rows of width pixels, one row after the other. In out,
// the pixels of each row are in the opposite order. The blocks are 32 by 8
// threads, and they cover the picture, so there can be threads without a pixel:
// beyond its right edge, below its last row, or both.

extern "C" __global__ void mirror(const int* picture, int* out,
                                  int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y * width + x >= width * height) return;

    int row = y * width;
    out[row + width - 1 - x] = picture[row + x];
}
