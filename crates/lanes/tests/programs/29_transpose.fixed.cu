// It should print "transpose ok" for a matrix of 48 rows and 80 columns.
#include <iostream>
#include <vector>

__global__ void transpose(const int *in, int *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}

int main()
{
    const int rows = 48, cols = 80;
    std::vector<int> h_in(rows * cols), h_out(rows * cols);
    for (int i = 0; i < rows * cols; i++)
        h_in[i] = i;

    int *d_in = nullptr, *d_out = nullptr;
    const size_t bytes = sizeof(int) * rows * cols;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemset(d_out, 0, bytes);
    cudaMemcpy(d_in, h_in.data(), bytes, cudaMemcpyHostToDevice);

    dim3 threads(16, 16);
    dim3 grid(cols / 16, rows / 16);
    transpose<<<grid, threads>>>(d_in, d_out, rows, cols);
    cudaMemcpy(h_out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);

    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            if (h_out[c * rows + r] != h_in[r * cols + c]) {
                std::cerr << "mismatch at " << r << "," << c << std::endl;
                return 1;
            }
    std::cout << "transpose ok" << std::endl;
    return 0;
}
