//! Members that are defined outside of their type.

use super::{check, refused};

const TYPES: &str = "
    class Pair {
    public:
        typedef int number;
        struct Half { number x; __device__ number twice() const; };
        __device__ Pair(number a = 1, number b = 2);
        __device__ number sum() const;
        __device__ number& at(int nth);
        __device__ number at(int nth) const;
        __device__ operator float() const;
        __device__ Half half(int more = 5) const;
        __device__ Pair operator+(const Pair& other) const;
        template <class F> __device__ void each(F f);
        static __device__ int count();
        static const int few;
        static __constant__ int table[2];
        static int of_the_host;
    private:
        number own[2];
    };
    __device__ int added(int a, int b) { return a + b; }
    const int Pair::few = 3;
    __constant__ int Pair::table[2] = {4, 9};
    int Pair::of_the_host = 7;
    __device__ Pair::Pair(number a, number b) { own[0] = a; own[1] = b; }
    __device__ Pair::number Pair::sum() const { return added(own[0], own[1]); }
    __device__ int& Pair::at(int nth) { return own[nth]; }
    __device__ int Pair::at(int nth) const { return 100 + own[nth]; }
    __device__ Pair::operator float() const { return sum() / 2.0f; }
    __device__ Pair::Half Pair::half(int more) const { Half made; made.x = own[0] + more; return made; }
    __device__ auto Pair::operator+(const Pair& other) const -> Pair { return Pair(own[0] + other.own[0], own[1]); }
    template <class F> __device__ void Pair::each(F f) { for (int k = 0; k < count(); k++) f(own[k]); }
    __device__ int Pair::count() { return 2; }
    __device__ int Pair::Half::twice() const { return 2 * x; }";

#[test]
fn a_member_is_the_same_wherever_it_is_defined() {
    check(TYPES, "Pair p(i); y[i] = p.sum() + Pair::few;", |i| i + 5);
    check(TYPES, "Pair p(i); p.at(0)++; const Pair& q = p; y[i] = q.at(0) + Pair::table[1];", |i| i + 110);
    check(TYPES, "Pair p(i, 4); float f = p; y[i] = 2 * f;", |i| i + 4);
    check(TYPES, "Pair p(i); y[i] = p.half().twice() + p.half(1).twice();", |i| 4 * i + 12);
    check(TYPES, "Pair p(i), q = p + p; q.each([] __device__ (int& x) { x *= 3; }); y[i] = q.sum();", |i| {
        3 * (2 * i + 2)
    });
}

const TEMPLATES: &str = "
    namespace tools {
        __device__ int last(int n);
        template <typename T, int N> struct Stack {
            T items[N]; int top;
            struct Mark { int at; __device__ int next() { return at++; } };
            __device__ Stack();
            __device__ bool push(const T& item);
            __device__ T pop();
            template <class U> __device__ U as(int nth) const;
            __device__ Mark mark() const;
            static const int most = N;
        };
    }
    template <typename T, int N> __device__ tools::Stack<T, N>::Stack() : top(0) {}
    template <typename V, int M> __device__ bool tools::Stack<V, M>::push(const V& item) {
        if (top == M) return false;
        items[top++] = item;
        return true;
    }
    namespace tools {
        template <typename T, int N> __device__ T Stack<T, N>::pop() { return items[last(top--)]; }
        template <typename T, int N> template <class U> __device__ U Stack<T, N>::as(int nth) const { return U(items[nth]); }
        template <typename T, int N> __device__ typename Stack<T, N>::Mark Stack<T, N>::mark() const { Mark m; m.at = top; return m; }
        template <> __device__ short Stack<short, 2>::pop() { return -1; }
    }
    __device__ int tools::last(int n) { return n - 1; }
    template <class T> struct Only { __device__ int which(); };
    template <> struct Only<float> { __device__ int which(); };
    template <class T> __device__ int Only<T>::which() { return 1; }
    __device__ int Only<float>::which() { return 2; }";

#[test]
fn members_of_templates_are_for_all_instances() {
    let stack = "tools::Stack<int, 2> s; bool all = s.push(i) && s.push(8); bool more = s.push(1);";
    check(TEMPLATES, &format!("{stack} y[i] = 100 * all + 1000 * more + s.pop() + s.pop();"), |i| 108 + i);
    check(TEMPLATES, &format!("{stack} y[i] = s.as<float>(0) + s.mark().next() + s.most;"), |i| i + 4);
    check(TEMPLATES, "tools::Stack<short, 2> s; s.push(i); y[i] = s.pop();", |_| -1);
    check(TEMPLATES, "Only<int> a; Only<float> b; y[i] = 10 * a.which() + b.which();", |_| 12);
}

#[test]
fn what_is_not_declared_so_is_refused() {
    let of = |definition: &str| {
        format!(
            "struct S {{ __device__ int f(int a) const; __device__ int g() {{ return 1; }} static int n; }}; {definition}"
        )
    };
    for (definition, said) in [
        ("__device__ int S::h() { return 1; }", "`S` does not declare `h`"),
        ("__device__ int S::f(int a) { return a; }", "`S` declares `f` with other parameters only"),
        ("__device__ int S::f(float a) const { return 1; }", "`S` declares `f` with other parameters only"),
        ("__device__ int S::g() { return 2; }", "`g` is defined twice with the same parameters"),
        ("int S::m = 3;", "`S` has no static member `m`"),
        ("__device__ int T::g() { return 2; }", "the type `T` is unknown"),
        ("struct T; __device__ int T::g() { return 2; }", "whose members are not known here"),
        (
            "template <class T> struct B { __device__ int f(); }; template <class T> __device__ int B<T*>::f() { return 1; }",
            "a special case outside of it",
        ),
    ] {
        refused(&of(definition), said);
    }
    refused(&of("__global__ void k(int* y) { S s; *y = s.f(1); }"), "`f` is declared, but has no body");
}
