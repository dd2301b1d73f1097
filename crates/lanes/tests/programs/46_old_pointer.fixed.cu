// It should print the sum of four numbers, 10.
#include <iostream>
#include <vector>

__global__ void add_up(const int *x, int n, int *sum)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    *sum = s;
}

int main()
{
    std::vector<int> numbers;
    numbers.reserve(2);
    numbers.push_back(1);
    numbers.push_back(2);
    numbers.push_back(3);
    numbers.push_back(4);
    int *first = numbers.data();
    int *d, *d_sum, sum;
    cudaMalloc(&d, 4 * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemcpy(d, first, 4 * sizeof(int), cudaMemcpyHostToDevice);
    add_up<<<1, 1>>>(d, 4, d_sum);
    cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << sum << std::endl;
    cudaFree(d);
    cudaFree(d_sum);
    return 0;
}
