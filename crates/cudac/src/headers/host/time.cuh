// The time of day, which is that of a clock that advances by a microsecond with each look at it.
// Written from: POSIX.1-2017, <sys/time.h>.
struct timeval {
    long tv_sec;
    long tv_usec;
};
struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};
inline int gettimeofday(timeval* now, void* zone) {
    long long microseconds = __host_now();
    now->tv_sec = microseconds / 1000000;
    now->tv_usec = microseconds % 1000000;
    return 0;
}
