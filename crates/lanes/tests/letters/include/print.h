// What the host code of this project shares.
#pragma once

const int LETTERS = 26;

// Prints the letters that a text has, and how often.
void print(const int* counts);
