// Clocks, as far as typical listings use them. They advance by a microsecond with each look at them.
// Written from: C++17, [time].
namespace std {
struct nano { static constexpr double nanoseconds = 1.0; };
struct micro { static constexpr double nanoseconds = 1000.0; };
struct milli { static constexpr double nanoseconds = 1000000.0; };
struct __one { static constexpr double nanoseconds = 1000000000.0; };
namespace chrono {
struct __difference {
    long long nanoseconds;
    long long count() const { return nanoseconds; }
};
template <typename R, typename P = __one>
struct duration {
    R ticks;
    duration() : ticks(0) {}
    explicit duration(R count) : ticks(count) {}
    duration(__difference of) : ticks((R)(of.nanoseconds / P::nanoseconds)) {}
    R count() const { return ticks; }
};
using nanoseconds = duration<long long, nano>;
using microseconds = duration<long long, micro>;
using milliseconds = duration<long long, milli>;
using seconds = duration<long long, __one>;
struct __time_point {
    long long nanoseconds;
    __difference time_since_epoch() const { return __difference{nanoseconds}; }
    __difference operator-(__time_point other) const { return __difference{nanoseconds - other.nanoseconds}; }
};
struct steady_clock {
    typedef __time_point time_point;
    static __time_point now() { return __time_point{1000 * __host_now()}; }
};
typedef steady_clock high_resolution_clock;
typedef steady_clock system_clock;
template <typename D>
D duration_cast(__difference of) { return D(of); }
}
}
