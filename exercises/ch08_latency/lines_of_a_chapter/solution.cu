// How many lines end in a chapter of a book?
//
// text holds the book, one byte for each character, and begins at a multiple of
// 16 bytes. The chapter is the characters from `from` to `to` - 1, and a line
// ends with '\n'. lines is zero before. A thread looks at up to 16 characters,
// and there are enough threads for 16 more than the chapter has.

// How many of four characters end a line.
__device__ int line_ends(unsigned four) {
    int ends = 0;
    for (int k = 0; k < 4; k++) ends += (four >> 8 * k & 255) == '\n';
    return ends;
}

extern "C" __global__ void lines_of_a_chapter(const unsigned char* text,
                                              int from, int to, int* lines) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int ends = 0;

//= solution
    int first = from / 16 * 16 + 16 * thread;
    if (first >= from && first + 16 <= to) {
        uint4 all = *(const uint4*)(text + first);
        ends = line_ends(all.x) + line_ends(all.y) + line_ends(all.z) + line_ends(all.w);
    } else {
        for (int i = max(first, from); i < min(first + 16, to); i++) ends += text[i] == '\n';
    }
//= starter
//    int first = from + 16 * thread;
//    for (int i = first; i < first + 16 && i < to; i++) {
//        ends += text[i] == '\n';
//    }
//= wrong from_the_chapter_on
//    int first = from + 16 * thread;
//    if (first + 16 <= to) {
//        uint4 all = *(const uint4*)(text + first);
//        ends = line_ends(all.x) + line_ends(all.y) + line_ends(all.z) + line_ends(all.w);
//    } else {
//        for (int i = first; i < to; i++) ends += text[i] == '\n';
//    }
//= wrong four_characters
//    int first = from / 16 * 16 + 16 * thread;
//    if (first >= from && first + 16 <= to) {
//        for (int k = 0; k < 16; k += 4) ends += line_ends(*(const unsigned*)(text + first + k));
//    } else {
//        for (int i = max(first, from); i < min(first + 16, to); i++) ends += text[i] == '\n';
//    }
//= wrong what_is_before
//    int first = from / 16 * 16 + 16 * thread;
//    if (first + 16 <= to) {
//        uint4 all = *(const uint4*)(text + first);
//        ends = line_ends(all.x) + line_ends(all.y) + line_ends(all.z) + line_ends(all.w);
//    } else {
//        for (int i = first; i < to; i++) ends += text[i] == '\n';
//    }
//= wrong whole_sixteens
//    int first = (from + 15) / 16 * 16 + 16 * thread;
//    if (first + 16 <= to) {
//        uint4 all = *(const uint4*)(text + first);
//        ends = line_ends(all.x) + line_ends(all.y) + line_ends(all.z) + line_ends(all.w);
//    }
//= wrong past_the_book
//    int first = from / 16 * 16 + 16 * thread;
//    if (first < to) {
//        uint4 all = *(const uint4*)(text + first);
//        unsigned words[4] = {all.x, all.y, all.z, all.w};
//        for (int k = 0; k < 16; k++) {
//            bool inside = first + k >= from && first + k < to;
//            ends += inside && (words[k / 4] >> 8 * (k % 4) & 255) == '\n';
//        }
//    }
//= end

    atomicAdd(lines, ends);
}
