// Prints the letters by their counts, the most frequent ones first.

#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "print.h"

// ANCHOR: print
void print(const int* counts)
{
    std::map<int, std::string, std::greater<int>> letters;
    for (int letter = 0; letter < LETTERS; letter++) {
        if (counts[letter] > 0) letters[counts[letter]] += char('a' + letter);
    }
    for (const auto& [count, of] : letters) std::cout << count << ": " << of << '\n';
}
// ANCHOR_END: print
