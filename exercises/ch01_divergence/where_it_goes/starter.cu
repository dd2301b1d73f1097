// Where each key goes in a sorted table.
//
// A key goes to the place before which all entries are less than the key, and
// from which none is. So it goes in front of entries that are equal to it, and
// to the place `entries` if it is greater than all of them.
//
// Given: n keys and n places, a table of `entries` numbers in ascending order,
// in which numbers may be repeated, and at least n threads. The table may be
// empty.

extern "C" __global__ void find_places(const int* key, const int* table,
                                       int* place, int entries, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int k = key[i];
    int first = 0;
    // TODO: set first to the place of k.
    place[i] = first;
}
