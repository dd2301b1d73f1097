// A lookup that knows what is not there.
//
// Each thread has a key, and out is to have the table's entry for it. A key
// that is negative, or not less than entries, is in no table: its result is
// missing. Nobody may read outside of the table, not even for a value that is
// then not used.
//
// Given: n keys and n results, entries entries, at least n threads.

extern "C" __global__ void look_up(const int* key, const int* table, int* out,
                                   int missing, int entries, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int k = key[i];
    int value = missing;
//= solution
    if (k >= 0 && k < entries) value = table[k];
//= starter
//    // TODO: value becomes the table's entry, where there is one.
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
