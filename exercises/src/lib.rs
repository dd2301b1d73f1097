//! Exercises in the terminal.
