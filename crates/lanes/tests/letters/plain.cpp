// Prints the counts in the order of the alphabet.

#include <stdio.h>

#include "print.h"

void print(const int* counts)
{
    for (int letter = 0; letter < LETTERS; letter++) {
        if (counts[letter] > 0) printf("%c %d\n", 'a' + letter, counts[letter]);
    }
}
