// The kernel of this project.
#pragma once

#include "print.h"

// Counts the letters of a text in `counts`, small and capital ones together.
__global__ void count_letters(const char* text, int length, int* counts);
