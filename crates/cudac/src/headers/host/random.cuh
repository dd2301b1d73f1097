// Random numbers, with the sequences that GCC's library makes.
// Written from: C++17, [rand], and what programs compiled with GCC 12 print.
#include <limits.h>
namespace std {
struct mt19937 {
    typedef unsigned result_type;
    unsigned state[624];
    int next;
    mt19937() { seed(5489u); }
    explicit mt19937(unsigned value) { seed(value); }
    void seed(unsigned value = 5489u) {
        state[0] = value;
        for (int i = 1; i < 624; i++) state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
        next = 624;
    }
    static constexpr unsigned min() { return 0u; }
    static constexpr unsigned max() { return 4294967295u; }
    void refill() {
        for (int i = 0; i < 624; i++) {
            unsigned y = (state[i] & 0x80000000u) | (state[(i + 1) % 624] & 0x7fffffffu);
            state[i] = state[(i + 397) % 624] ^ (y >> 1) ^ (y & 1u ? 0x9908b0dfu : 0u);
        }
        next = 0;
    }
    unsigned operator()() {
        if (next >= 624) refill();
        unsigned y = state[next++];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        return y ^ (y >> 18);
    }
    void discard(unsigned long long count) { while (count-- > 0) (*this)(); }
};
struct mt19937_64 {
    typedef unsigned long result_type;
    unsigned long state[312];
    int next;
    mt19937_64() { seed(5489ul); }
    explicit mt19937_64(unsigned long value) { seed(value); }
    void seed(unsigned long value = 5489ul) {
        state[0] = value;
        for (int i = 1; i < 312; i++) state[i] = 6364136223846793005ul * (state[i - 1] ^ (state[i - 1] >> 62)) + i;
        next = 312;
    }
    static constexpr unsigned long min() { return 0ul; }
    static constexpr unsigned long max() { return 18446744073709551615ul; }
    unsigned long operator()() {
        if (next >= 312) {
            for (int i = 0; i < 312; i++) {
                unsigned long y = (state[i] & 0xffffffff80000000ul) | (state[(i + 1) % 312] & 0x7ffffffful);
                state[i] = state[(i + 156) % 312] ^ (y >> 1) ^ (y & 1ul ? 0xb5026f5aa96619e9ul : 0ul);
            }
            next = 0;
        }
        unsigned long y = state[next++];
        y ^= (y >> 29) & 0x5555555555555555ul;
        y ^= (y << 17) & 0x71d67fffeda60000ul;
        y ^= (y << 37) & 0xfff7eee000000000ul;
        return y ^ (y >> 43);
    }
    void discard(unsigned long long count) { while (count-- > 0) (*this)(); }
};
template <unsigned long A>
struct __linear_engine {
    typedef unsigned long result_type;
    unsigned long state;
    __linear_engine() { seed(1); }
    explicit __linear_engine(unsigned long value) { seed(value); }
    void seed(unsigned long value = 1) {
        state = value % 2147483647ul;
        if (state == 0) state = 1;
    }
    static constexpr unsigned long min() { return 1ul; }
    static constexpr unsigned long max() { return 2147483646ul; }
    unsigned long operator()() { return state = state * A % 2147483647ul; }
    void discard(unsigned long long count) { while (count-- > 0) (*this)(); }
};
typedef __linear_engine<16807ul> minstd_rand0;
typedef __linear_engine<48271ul> minstd_rand;
typedef __linear_engine<16807ul> default_random_engine;
// Not random here, so that two runs are equal.
struct random_device {
    typedef unsigned result_type;
    unsigned count;
    random_device() : count(0) {}
    static constexpr unsigned min() { return 0u; }
    static constexpr unsigned max() { return 4294967295u; }
    unsigned operator()() { return 2654435769u * ++count; }
};
inline int __log2_of(double range) {
    int count = 0;
    while (range >= 2) {
        range /= 2;
        count++;
    }
    return count;
}
template <typename R, typename G>
inline R __canonical(G& engine) {
    const unsigned long last = engine.max() - engine.min();
    const double range = last == 18446744073709551615ul ? 18446744073709551616.0 : (double)(last + 1);
    const int digits = sizeof(R) == 4 ? 24 : 53, bits = __log2_of(range);
    int times = (digits + bits - 1) / bits;
    if (times < 1) times = 1;
    R sum = 0, scale = 1;
    for (; times > 0; times--) {
        sum += (R)(engine() - engine.min()) * scale;
        scale = (R)(scale * range);
    }
    R result = sum / scale;
    if (result >= (R)1) result = sizeof(R) == 4 ? (R)0.999999940395355f : (R)0.99999999999999988898;
    return result;
}
template <typename G>
inline unsigned long __below(G& engine, unsigned long last) {
    const unsigned long own = engine.max() - engine.min();
    if (own == last) return engine() - engine.min();
    if (own > last) {
        const unsigned long count = last + 1;
        if (own == 4294967295ul) {
            unsigned long product = (unsigned long)engine() * count;
            unsigned low = (unsigned)product;
            if (low < (unsigned)count) {
                const unsigned least = (0u - (unsigned)count) % (unsigned)count;
                while (low < least) {
                    product = (unsigned long)engine() * count;
                    low = (unsigned)product;
                }
            }
            return product >> 32;
        }
        if (own == 18446744073709551615ul) {
            unsigned long drawn = engine();
            if (drawn * count < count) {
                const unsigned long least = (0ul - count) % count;
                while (drawn * count < least) drawn = engine();
            }
            return __cudac_mulhi(drawn, count);
        }
        const unsigned long scale = own / count, past = count * scale;
        unsigned long drawn;
        do drawn = engine() - engine.min(); while (drawn >= past);
        return drawn / scale;
    }
    const unsigned long each = own == 18446744073709551615ul ? 1 : own + 1;
    unsigned long high, sum;
    do {
        high = each * __below(engine, last / each);
        sum = high + (engine() - engine.min());
    } while (sum > last || sum < high);
    return sum;
}
template <typename T = int>
struct uniform_int_distribution {
    typedef T result_type;
    T least, most;
    uniform_int_distribution() : least(0), most(2147483647) {}
    explicit uniform_int_distribution(T a, T b = 2147483647) : least(a), most(b) {}
    T a() const { return least; }
    T b() const { return most; }
    T min() const { return least; }
    T max() const { return most; }
    void reset() {}
    template <typename G>
    T operator()(G& engine) { return (T)((unsigned long)least + __below(engine, (unsigned long)most - (unsigned long)least)); }
};
template <typename T = double>
struct uniform_real_distribution {
    typedef T result_type;
    T least, most;
    uniform_real_distribution() : least(0), most(1) {}
    explicit uniform_real_distribution(T a, T b = 1) : least(a), most(b) {}
    T a() const { return least; }
    T b() const { return most; }
    T min() const { return least; }
    T max() const { return most; }
    void reset() {}
    template <typename G>
    T operator()(G& engine) { return __canonical<T>(engine) * (most - least) + least; }
};
template <typename T = double>
struct normal_distribution {
    typedef T result_type;
    T middle, width, saved;
    bool is_saved;
    normal_distribution() : middle(0), width(1), saved(0), is_saved(false) {}
    explicit normal_distribution(T mean, T stddev = 1) : middle(mean), width(stddev), saved(0), is_saved(false) {}
    T mean() const { return middle; }
    T stddev() const { return width; }
    void reset() { is_saved = false; }
    template <typename G>
    T operator()(G& engine) {
        T result;
        if (is_saved) {
            is_saved = false;
            result = saved;
        } else {
            T x, y, square;
            do {
                x = (T)((T)2 * __canonical<T>(engine) - 1.0);
                y = (T)((T)2 * __canonical<T>(engine) - 1.0);
                square = x * x + y * y;
            } while (square > 1 || square == 0);
            const T factor = sqrt(-2 * log(square) / square);
            saved = x * factor;
            is_saved = true;
            result = y * factor;
        }
        return result * width + middle;
    }
};
template <typename T = double>
struct exponential_distribution {
    typedef T result_type;
    T rate;
    explicit exponential_distribution(T lambda = 1) : rate(lambda) {}
    template <typename G>
    T operator()(G& engine) { return -log((T)1 - __canonical<T>(engine)) / rate; }
};
struct bernoulli_distribution {
    typedef bool result_type;
    double chance;
    explicit bernoulli_distribution(double p = 0.5) : chance(p) {}
    template <typename G>
    bool operator()(G& engine) { return __canonical<double>(engine) < chance; }
};
template <typename I, typename G>
inline void shuffle(I first, I last, G&& engine) {
    const unsigned long count = last - first;
    if (count < 2) return;
    const unsigned long own = engine.max() - engine.min();
    unsigned long i = 1;
    if (own / count >= count) {
        if (count % 2 == 0) swap(first[i++], first[__below(engine, 1)]);
        while (i < count) {
            const unsigned long drawn = __below(engine, (i + 1) * (i + 2) - 1), width = i + 2;
            swap(first[i], first[drawn / width]);
            i++;
            swap(first[i], first[drawn % width]);
            i++;
        }
        return;
    }
    for (; i < count; i++) swap(first[i], first[__below(engine, i)]);
}
}
