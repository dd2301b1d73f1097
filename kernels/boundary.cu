// Boundaries: a grid consists of whole blocks, but the data can end anywhere.
//
//   add_guarded       One dimension. The threads past the end of the arrays do nothing.
//   brighten_guarded  Two dimensions. The blocks overhang the picture on the right and at the bottom.
//
// Launch: add_guarded, one thread for each element, one-dimensional; brighten_guarded, one thread for each pixel,
// in blocks of 16 x 16, so that a warp covers two rows of its block.
// Preconditions: the arrays have n elements; the pictures have width * height pixels, one row after the other.
//
// Neither guard has an else: the threads outside end, and the others do their work. In PTX each guard is one branch
// to the end of the kernel.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: add_guarded
extern "C" __global__ void add_guarded(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
// ANCHOR_END: add_guarded

// ANCHOR: brighten_guarded
extern "C" __global__ void brighten_guarded(const float* picture, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int pixel = y * width + x;
        out[pixel] = 2.0f * picture[pixel];
    }
}
// ANCHOR_END: brighten_guarded
