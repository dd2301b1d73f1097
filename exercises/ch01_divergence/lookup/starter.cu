// A lookup with keys that have no entry.
//
// Each thread has a key, and writes the table's entry for it to out. A key that
// is negative, or not less than entries, has no entry, and its result is the
// parameter missing. No lane may read outside the table, not even a value that
// it then does not use.
//
// Given: n keys and n results, a table of entries numbers, at least n threads.

extern "C" __global__ void look_up(const int* key, const int* table, int* out,
                                   int missing, int entries, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int k = key[i];
    int value = missing;
    // TODO: set value to the table's entry, if there is one.
    out[i] = value;
}
