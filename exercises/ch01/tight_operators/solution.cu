// Neighbours change places.
//
// The elements 0 and 1 are pair 0, the elements 2 and 3 are pair 1, and so on.
// out has the elements of in with the two of each pair exchanged, but
//
//   - the last element of an odd number of elements has no partner: it stays;
//   - a pair whose bit in fixed is 1 stays. There are 32 bits in each word of
//     fixed: pair p has bit p % 32 of word p / 32.
//
// Each thread writes one element. i ^ 1 is the partner's number: i with its
// lowest bit flipped.

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
