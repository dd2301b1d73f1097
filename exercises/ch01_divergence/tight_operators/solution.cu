// Neighbours change places.
//
// Elements 0 and 1 are pair 0, elements 2 and 3 are pair 1, and so on. The
// kernel copies in to out, and exchanges the two elements of each pair, but
//
//   - if n is odd, the last element has no partner and stays where it is;
//   - a pair whose bit in fixed is 1 stays as it is. Each word of fixed has 32
//     bits, and pair p has bit p % 32 of word p / 32.
//
// Each thread writes one element. i ^ 1 is the number of its partner, which is
// i with the lowest bit flipped.

extern "C" __global__ void exchange(const int* in, const unsigned* fixed,
                                    int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int pair = i / 2;
    unsigned word = fixed[pair / 32];
//= solution
    bool has_partner = (i ^ 1) < n;
    bool is_fixed = word >> (pair & 31) & 1;
//= starter
//    bool has_partner = i ^ 1 < n;
//    bool is_fixed = word >> pair & 31 & 1;
//= wrong one_of_two
//    bool has_partner = (i ^ 1) < n;
//    bool is_fixed = word >> pair & 31 & 1;
//= wrong all_behind_the_shift
//    bool has_partner = (i ^ 1) < n;
//    bool is_fixed = word >> (pair & 31 & 1);
//= wrong next_element
//    bool has_partner = i + 1 < n;
//    bool is_fixed = word >> (pair & 31) & 1;
//= wrong up_to_n
//    bool has_partner = (i ^ 1) <= n;
//    bool is_fixed = word >> (pair & 31) & 1;
//= end

    if (has_partner && !is_fixed) {
        out[i] = in[i ^ 1];
    } else {
        out[i] = in[i];
    }
}
