// It should print "ones".
#include <stdio.h>
#include <stdlib.h>

int main()
{
    const int n = 512;
    int *d;
    cudaMalloc((void **)&d, n * sizeof(int));
    cudaMemset(d, 1, n * sizeof(int));
    int *h = (int *)malloc(n * sizeof(int));
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    for (int i = 0; i < n; i++) {
        if (h[i] != 1) {
            printf("h[%d] is %d\n", i, h[i]);
            return EXIT_FAILURE;
        }
    }
    printf("ones\n");
    free(h);
    return 0;
}
