// The sums of the columns of a matrix.
//
// matrix: `height` rows of `width` numbers, row after row.
// sums:   one place for each column.
// part:   shared memory with a place for each thread.
// Launch: blocks of 32 x 8 threads, so the 32 threads of a row of the block are a
//         warp. A block has 32 columns, and the last block may have fewer.

extern "C" __global__ void column_sums(const int* matrix, int* sums, int width,
                                       int height) {
    __shared__ int part[8][32];
    int tx = threadIdx.x, ty = threadIdx.y;

//= solution
    int column = blockIdx.x * 32 + tx;
    int sum = 0;
    if (column < width) {
        for (int row = ty; row < height; row += 8) {
            sum += matrix[row * width + column];
        }
    }
    part[ty][tx] = sum;
    __syncthreads();

    if (ty == 0 && column < width) {
        for (int other = 1; other < 8; other++) sum += part[other][tx];
        sums[column] = sum;
    }
//= starter
//    // TODO: add up the columns of this block.
//= wrong down_the_columns
//    for (int k = ty; k < 32; k += 8) {
//        int column = blockIdx.x * 32 + k;
//        int sum = 0;
//        for (int row = tx; row < height && column < width; row += 32) {
//            sum += matrix[row * width + column];
//        }
//        part[ty][tx] = sum;
//        __syncwarp();
//        for (int half = 16; half > 0; half /= 2) {
//            if (tx < half) part[ty][tx] += part[ty][tx + half];
//            __syncwarp();
//        }
//        if (tx == 0 && column < width) sums[column] = part[ty][0];
//    }
//= wrong all_rows_each
//    int column = blockIdx.x * 32 + tx;
//    if (column < width) {
//        int sum = 0;
//        for (int row = 0; row < height; row++) {
//            sum += matrix[row * width + column];
//        }
//        sums[column] = sum;
//    }
//= wrong leaves_early
//    int column = blockIdx.x * 32 + tx;
//    if (column >= width) return;
//    int sum = 0;
//    for (int row = ty; row < height; row += 8) {
//        sum += matrix[row * width + column];
//    }
//    part[ty][tx] = sum;
//    __syncthreads();
//    if (ty == 0) {
//        for (int other = 1; other < 8; other++) sum += part[other][tx];
//        sums[column] = sum;
//    }
//= wrong no_wait
//    int column = blockIdx.x * 32 + tx;
//    int sum = 0;
//    if (column < width) {
//        for (int row = ty; row < height; row += 8) {
//            sum += matrix[row * width + column];
//        }
//    }
//    part[ty][tx] = sum;
//    if (ty == 0 && column < width) {
//        for (int other = 1; other < 8; other++) sum += part[other][tx];
//        sums[column] = sum;
//    }
//= wrong barrier_of_the_warp
//    int column = blockIdx.x * 32 + tx;
//    int sum = 0;
//    if (column < width) {
//        for (int row = ty; row < height; row += 8) {
//            sum += matrix[row * width + column];
//        }
//    }
//    part[ty][tx] = sum;
//    __syncwarp();
//    if (ty == 0 && column < width) {
//        for (int other = 1; other < 8; other++) sum += part[other][tx];
//        sums[column] = sum;
//    }
//= wrong height_as_width
//    int column = blockIdx.x * 32 + tx;
//    int sum = 0;
//    if (column < width) {
//        for (int row = ty; row < height; row += 8) {
//            sum += matrix[column * height + row];
//        }
//    }
//    part[ty][tx] = sum;
//    __syncthreads();
//    if (ty == 0 && column < width) {
//        for (int other = 1; other < 8; other++) sum += part[other][tx];
//        sums[column] = sum;
//    }
//= wrong first_eight_rows
//    int column = blockIdx.x * 32 + tx;
//    bool has_number = column < width && ty < height;
//    part[ty][tx] = has_number ? matrix[ty * width + column] : 0;
//    __syncthreads();
//    if (ty == 0 && column < width) {
//        int sum = 0;
//        for (int other = 0; other < 8; other++) sum += part[other][tx];
//        sums[column] = sum;
//    }
//= wrong wait_in_the_guard
//    int column = blockIdx.x * 32 + tx;
//    if (column < width) {
//        int sum = 0;
//        for (int row = ty; row < height; row += 8) {
//            sum += matrix[row * width + column];
//        }
//        part[ty][tx] = sum;
//        __syncthreads();
//        if (ty == 0) {
//            for (int other = 1; other < 8; other++) sum += part[other][tx];
//            sums[column] = sum;
//        }
//    }
//= wrong all_to_memory
//    int column = blockIdx.x * 32 + tx;
//    if (ty == 0 && column < width) sums[column] = 0;
//    __syncthreads();
//    if (column < width) {
//        for (int row = ty; row < height; row += 8) {
//            atomicAdd(&sums[column], matrix[row * width + column]);
//        }
//    }
//= end
}
