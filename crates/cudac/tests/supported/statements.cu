// `if`, `for`, `while`, `do`, `switch` with `[[fallthrough]]`, `break`, `continue`, `return`, `?:`.
__global__ void k(int* x, int n) {
    for (int i = 0; i < n; i++) { if (i == 3) continue; x[i] = i > 4 ? 1 : 2; }
    do { n--; } while (n > 0);
    while (x[1] > 0) { x[1]--; if (x[2]) break; }
again:
    if (x[1]++ < 3) goto again;
    switch (x[0]) { case 1: x[1] = 2; break; case 2: x[1] = 3; [[fallthrough]]; default: return; }
}
