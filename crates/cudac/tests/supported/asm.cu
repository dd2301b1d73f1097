// Inline `asm` with operands.
__global__ void k(int* x) {
    int r;
    asm volatile("add.s32 %0, %1, %2;" : "=r"(r) : "r"(x[0]), "r"(1));
    x[0] = r;
}
