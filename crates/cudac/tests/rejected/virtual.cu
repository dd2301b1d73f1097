// `virtual`.
struct A { virtual void f(); };
