// Jumps to where a variable is visible, past the declaration that gives it a value.
struct Pair {
    int a = 1, b = 2;
};
extern "C" __global__ void kernel(int* x) {
    if (x[0] > 1) goto end;
    int i = 2;
    x[i] = 1;
end:
    x[1] = 2;
    goto inside;
    {
        const int j = 3;
        x[j] = 1;
    inside:
        x[2] = 3;
    }
    for (int k = 0; k < 2; ++k) {
    loop:
        x[3] = k;
    }
    if (x[3] == 4) goto loop;
    switch (x[4]) {
    case 1:
        int m = 4;
        x[m] = 1;
        break;
    case 2:
        x[5] = 2;
    }
    switch (x[6]) {
    case 3:
        Pair pair;
        x[6] = pair.a;
    default:
        x[7] = 3;
    }
}
