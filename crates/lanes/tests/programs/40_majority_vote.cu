// It should print the winner of the first row, 3.
#include <stdio.h>
#include <stdlib.h>

#define CLASSES 5
#define VOTERS 9

// k-nearest neighbours: every row votes for a class
__global__ void vote(const int *labels, int *winner, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int votes[CLASSES];
    for (int v = 0; v < VOTERS; v++)
        votes[labels[row * VOTERS + v]]++;
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
        if (votes[c] > votes[best])
            best = c;
    winner[row] = best;
}

int main()
{
    const int rows = 200;
    int *h_labels = (int *)malloc(rows * VOTERS * sizeof(int));
    int h_winner[rows];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VOTERS; v++)
            h_labels[r * VOTERS + v] = v < 4 ? v : (r + 3) % CLASSES;

    int *d_labels, *d_winner;
    cudaMalloc(&d_labels, rows * VOTERS * sizeof(int));
    cudaMalloc(&d_winner, rows * sizeof(int));
    cudaMemcpy(d_labels, h_labels, rows * VOTERS * sizeof(int), cudaMemcpyHostToDevice);
    vote<<<(rows + 127) / 128, 128>>>(d_labels, d_winner, rows);
    cudaMemcpy(h_winner, d_winner, rows * sizeof(int), cudaMemcpyDeviceToHost);
    printf("row 0: class %d, row 1: class %d\n", h_winner[0], h_winner[1]);
    cudaFree(d_labels);
    cudaFree(d_winner);
    free(h_labels);
    return 0;
}
