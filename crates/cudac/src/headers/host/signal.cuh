// Signals, of which none ever comes: a handler is kept, and `raise` ends the program as the signal would.
// Written from: C++17, [support.signal]; POSIX.1-2017, <signal.h>.
typedef int sig_atomic_t;
typedef void (*__host_handler)(int);
#define SIG_DFL ((__host_handler)0)
#define SIG_IGN ((__host_handler)1)
#define SIG_ERR ((__host_handler)-1)
#define SIGINT 2
#define SIGILL 4
#define SIGABRT 6
#define SIGFPE 8
#define SIGSEGV 11
#define SIGTERM 15
__host_handler __host_handlers[32];
inline __host_handler signal(int number, __host_handler handler) {
    if (number < 1 || number > 31) return SIG_ERR;
    __host_handler before = __host_handlers[number];
    __host_handlers[number] = handler;
    return before;
}
inline int raise(int number) {
    if (number < 1 || number > 31) return -1;
    if (__host_handlers[number] == SIG_IGN) return 0;
    if (__host_handlers[number] == SIG_DFL) exit(128 + number);
    __host_handlers[number](number);
    return 0;
}
namespace std {
using ::sig_atomic_t;
using ::signal;
using ::raise;
}
