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
//= solution
    // Entries before `first` are less than k, and those from `last` on are not.
    int last = entries;
    while (first < last) {
        int middle = (first + last) / 2;
        if (table[middle] < k) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
//= starter
//    // TODO: set first to the place of k.
//= wrong one_by_one
//    while (first < entries && table[first] < k) first++;
//= wrong looks_before_it_asks
//    while (table[first] < k && first < entries) first++;
//= wrong last_entry
//    int last = entries - 1;
//    while (first < last) {
//        int middle = (first + last) / 2;
//        if (table[middle] < k) {
//            first = middle + 1;
//        } else {
//            last = middle;
//        }
//    }
//= wrong after_its_equals
//    int last = entries;
//    while (first < last) {
//        int middle = (first + last) / 2;
//        if (table[middle] <= k) {
//            first = middle + 1;
//        } else {
//            last = middle;
//        }
//    }
//= wrong any_of_its_equals
//    int last = entries;
//    while (first < last) {
//        int middle = (first + last) / 2;
//        if (table[middle] == k) {
//            first = last = middle;
//        } else if (table[middle] < k) {
//            first = middle + 1;
//        } else {
//            last = middle;
//        }
//    }
//= wrong keeps_the_middle
//    int last = entries;
//    while (first < last) {
//        int middle = (first + last) / 2;
//        if (table[middle] < k) {
//            first = middle;
//        } else {
//            last = middle;
//        }
//    }
//= wrong one_too_far
//    int last = entries;
//    while (first <= last) {
//        int middle = (first + last) / 2;
//        if (table[middle] < k) {
//            first = middle + 1;
//        } else {
//            last = middle - 1;
//        }
//    }
//= end
    place[i] = first;
}
