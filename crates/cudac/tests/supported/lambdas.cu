// Lambdas with captures by copy and by reference, also generic ones.
__global__ void k(int* x) {
    int a = 1;
    auto f = [=](auto y) { return y + a; };
    auto g = [&](int y) { a += y; };
    g(3);
    x[0] = f(a);
}
