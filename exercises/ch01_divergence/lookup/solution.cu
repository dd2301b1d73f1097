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
//= solution
    if (k >= 0 && k < entries) value = table[k];
//= starter
//    // TODO: set value to the table's entry, if there is one.
//= wrong lower_end_only
//    if (k >= 0) value = table[k];
//= wrong read_then_choose
//    int entry = table[k];
//    value = k >= 0 && k < entries ? entry : missing;
//= wrong clamped
//    int inside = min(max(k, 0), entries - 1);
//    value = table[inside];
//= wrong up_to_entries
//    if (k >= 0 && k <= entries) value = table[k];
//= end
    out[i] = value;
}
