// a bit field.
struct A { int x : 3; };
