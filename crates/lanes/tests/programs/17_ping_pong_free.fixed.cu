// It should print the number of live cells after 5 generations, 5.
#include <iostream>
#include <cstring>

const int W = 32, H = 32;

__global__ void life(const unsigned char *now, unsigned char *next)
{
    int x = threadIdx.x, y = blockIdx.x;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0)
                alive += now[((y + dy + H) % H) * W + (x + dx + W) % W];
    unsigned char cell = now[y * W + x];
    next[y * W + x] = alive == 3 || (cell && alive == 2);
}

int main()
{
    unsigned char world[W * H];
    memset(world, 0, sizeof(world));
    world[1 * W + 2] = world[2 * W + 3] = world[3 * W + 1] = world[3 * W + 2] = world[3 * W + 3] = 1;

    unsigned char *d_a, *d_b;
    cudaMalloc(&d_a, sizeof(world));
    cudaMalloc(&d_b, sizeof(world));
    cudaMemcpy(d_a, world, sizeof(world), cudaMemcpyHostToDevice);

    unsigned char *now = d_a, *next = d_b;
    for (int g = 0; g < 5; g++) {
        life<<<H, W>>>(now, next);
        unsigned char *tmp = now;
        now = next;
        next = tmp;
    }
    cudaMemcpy(world, now, sizeof(world), cudaMemcpyDeviceToHost);

    int alive = 0;
    for (int i = 0; i < W * H; i++)
        alive += world[i];
    std::cout << "after 5 generations: " << alive << " alive" << std::endl;

    cudaFree(now);
    cudaFree(next);
    return 0;
}
