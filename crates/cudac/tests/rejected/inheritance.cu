// inheritance.
struct A {}; struct B : A {};
