// The half of the runtime that is in the process: it asks the emulator, which is at the other end of a socket. While a call waits
// for its result, it reads and writes the memory of the process for the emulator, so no other way into the process is needed.
//
// A call is a row of words (64 bits, in the order of the machine): how many bytes its texts have together, how many values, the
// number of the thread, the line, the lengths of three texts (the function, the file, the arguments), the values; then the texts. An answer is three
// words: what it is (below) and two numbers. Nothing of CUDA is known here.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef unsigned long long Word;
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };

enum { RESULT = 0, READ = 1, WRITE = 2, PRINT = 3, ALLOCATE = 4, MAP = 5, UNMAP = 6, DIGEST = 7 };

static pthread_mutex_t turn;
static int connection = -1;
static __thread const char* at_file = "";
static __thread const char* at_arguments = "";
static __thread int at_line = 0;
static Word threads = 0;
static __thread Word number_of_thread = 0;
static __thread struct { dim3 grid, block; size_t shared; void* stream; } configured;

// The emulator has gone, so nothing can go on.
static void give_up() { _exit(1); }

static void send_all(const void* from, size_t bytes) {
    while (bytes > 0) {
        const ssize_t sent = write(connection, from, bytes);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) give_up();
        from = (const char*)from + sent;
        bytes -= (size_t)sent;
    }
}

static void receive_all(void* to, size_t bytes) {
    while (bytes > 0) {
        const ssize_t got = read(connection, to, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) give_up();
        to = (char*)to + got;
        bytes -= (size_t)got;
    }
}

// What the process may use of something. At the first bound it gets a signal that says so, and at the second it ends.
static void limit(int of, const char* name, rlim_t more) {
    const char* text = getenv(name);
    if (!text) return;
    const rlim_t most = strtoull(text, 0, 10);
    const rlimit both = {most, most + more};
    setrlimit(of, &both);
    unsetenv(name);
}

static void connect_once() {
    const char* path = getenv("LANES_SOCKET");
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (!path || strlen(path) >= sizeof(address.sun_path)) {
        fprintf(stderr, "this program is run by `lanes`\n");
        _exit(2);
    }
    strcpy(address.sun_path, path);
    connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connection < 0 || connect(connection, (sockaddr*)&address, sizeof(address)) != 0) _exit(2);
    limit(RLIMIT_CPU, "LANES_SECONDS", 1);
    limit(RLIMIT_DATA, "LANES_BYTES", 0);
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    unsetenv("LANES_SOCKET");
#ifdef __linux__
    // If the emulator is killed, so is this process.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    pthread_mutexattr_t again;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&turn, &again);
    // What it prints before a crash is seen.
    setvbuf(stdout, 0, _IOLBF, 1 << 16);
}

// Whether all pages of a range are there.
static bool is_mapped(Word address, Word bytes) {
    if (bytes == 0) return true;
    const Word page = (Word)sysconf(_SC_PAGESIZE);
    const Word start = address / page * page;
    if (address + bytes < address) return false;
    return msync((void*)start, address + bytes - start, MS_ASYNC) == 0;
}

static Word mixed(Word number, Word word) { return ((number << 23 | number >> 41) ^ word) * 0x9e3779b97f4a7c15ull; }

// A number for bytes: the same function as `digest` in `shared.rs` of cuda-host.
static Word digest(const unsigned char* from, Word bytes) {
    Word numbers[4] = {1, 2, 3, 4}, row[4], all = 0;
    for (; bytes >= sizeof(row); from += sizeof(row), bytes -= sizeof(row)) {
        memcpy(row, from, sizeof(row));
        for (int i = 0; i < 4; ++i) numbers[i] = mixed(numbers[i], row[i]);
    }
    for (int i = 0; i < 4; ++i) all = mixed(all, numbers[i]);
    for (; bytes > 0; from += sizeof(Word)) {
        const Word some = bytes < sizeof(Word) ? bytes : sizeof(Word);
        row[0] = 0;
        memcpy(row, from, some);
        all = mixed(all, row[0]);
        bytes -= some;
    }
    return all;
}

static void print(Word bytes) {
    char part[4096];
    while (bytes > 0) {
        const size_t some = bytes < sizeof(part) ? bytes : sizeof(part);
        receive_all(part, some);
        fwrite(part, 1, some, stdout);
        bytes -= some;
    }
    fflush(stdout);
}

static void skip(Word bytes) {
    char part[4096];
    for (; bytes > 0; bytes -= bytes < sizeof(part) ? bytes : sizeof(part)) {
        receive_all(part, bytes < sizeof(part) ? bytes : sizeof(part));
    }
}

// Does what the emulator asks for, until the result comes.
static Word wait_for_result() {
    for (;;) {
        Word words[3];
        receive_all(words, sizeof(words));
        const Word address = words[1], bytes = words[2];
        Word answer = 1;
        switch (words[0]) {
            case RESULT: return words[1];
            case READ:
                answer = is_mapped(address, bytes);
                send_all(&answer, sizeof(answer));
                if (answer) send_all((const void*)address, bytes);
                continue;
            case DIGEST:
                answer = is_mapped(address, bytes);
                send_all(&answer, sizeof(answer));
                if (!answer) continue;
                answer = digest((const unsigned char*)address, bytes);
                break;
            case WRITE:
                answer = is_mapped(address, bytes);
                if (answer) receive_all((void*)address, bytes);
                else skip(bytes);
                break;
            case PRINT: print(bytes); break;
            case ALLOCATE: answer = (Word)calloc(bytes ? bytes : 1, 1); break;
            case MAP: {
                const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
                void* const got = mmap((void*)address, bytes ? bytes : 1, PROT_READ | PROT_WRITE, how, -1, 0);
                answer = got == (void*)address;
                if (!answer && got != MAP_FAILED) munmap(got, bytes ? bytes : 1);
                break;
            }
            case UNMAP: answer = munmap((void*)address, bytes ? bytes : 1) == 0; break;
            default: give_up();
        }
        send_all(&answer, sizeof(answer));
    }
}

extern "C" Word __lanes_call(const char* name, int count, const Word* values) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, connect_once);
    pthread_mutex_lock(&turn);
    if (!number_of_thread) number_of_thread = ++threads;
    const Word lengths[] = {strlen(name), strlen(at_file), strlen(at_arguments)};
    const Word words[] = {lengths[0] + lengths[1] + lengths[2], (Word)count, number_of_thread, (Word)at_line, lengths[0], lengths[1], lengths[2]};
    send_all(words, sizeof(words));
    send_all(values, sizeof(Word) * (size_t)count);
    send_all(name, lengths[0]);
    send_all(at_file, lengths[1]);
    send_all(at_arguments, lengths[2]);
    const Word result = wait_for_result();
    pthread_mutex_unlock(&turn);
    return result;
}

extern "C" void __lanes_at(const char* file, int line, const char* arguments) {
    at_file = file;
    at_line = line;
    at_arguments = arguments;
}

// With a stack without a bound, Linux puts memory where the emulator has that of the device, so such a process starts again with one,
// before anything else.
__attribute__((constructor(101))) static void bound_stack(int, char** words) {
#ifdef __GLIBC__
    rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur != RLIM_INFINITY) return;
    stack.rlim_cur = (rlim_t)1 << 30;
    if (setrlimit(RLIMIT_STACK, &stack) == 0) execv("/proc/self/exe", words);
#endif
}

// A program without any call of CUDA is connected as well, so that its limits are set.
__attribute__((constructor)) static void begin() { __lanes_call("__lanes_begin", 0, 0); }

extern "C" void __lanes_configure(dim3 grid, dim3 block, size_t shared, void* stream) {
    configured = {grid, block, shared, stream};
}

extern "C" unsigned __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    *grid = configured.grid;
    *block = configured.block;
    *shared = configured.shared;
    *(void**)stream = configured.stream;
    return 0;
}

extern "C" unsigned cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream) {
    const Word values[] = {(Word)kernel, (Word)&grid, (Word)&block, (Word)arguments, shared, (Word)stream};
    return (unsigned)__lanes_call("__lanes_launch", 6, values);
}

// Each source's binary is a text with the number of the source, which its kernels and variables are registered with.
struct Binary { int magic, version; const char* number; void* unused; };
extern "C" void** __cudaRegisterFatBinary(void* binary) { return (void**)((Binary*)binary)->number; }
extern "C" void __cudaRegisterFatBinaryEnd(void**) {}
extern "C" void __cudaUnregisterFatBinary(void**) {}

extern "C" void __cudaRegisterFunction(void** number, const char* function, char*, const char* name, int, void*, void*, void*, void*, int*) {
    const Word values[] = {(Word)function, (Word)name, strtoull((const char*)number, 0, 10)};
    __lanes_call("__lanes_kernel", 3, values);
}

// Variables with `__managed__` are in a section of their own.
extern "C" {
extern char __start_lanes_managed[] __attribute__((weak));
extern char __stop_lanes_managed[] __attribute__((weak));
}

extern "C" void __cudaRegisterVar(void** number, char* variable, char*, const char* name, int, size_t, int, int) {
    const bool is_managed = variable >= __start_lanes_managed && variable < __stop_lanes_managed;
    const Word values[] = {(Word)variable, (Word)name, is_managed, strtoull((const char*)number, 0, 10)};
    __lanes_call("__lanes_variable", 4, values);
}
