//! What host code may use without declaring it, as texts of this crate.
//!
//! A function without a body is carried out by the executor. The CUDA runtime and C's functions need no header, as with
//! `nvcc`, which includes most of them by itself; what is in `std::` needs the header that C++ requires. The texts are
//! in `headers/host/`; a chunk of `runtime.cuh` or `c.cuh` is read when one of its names is used, as in
//! [`super::headers`]. Containers are ordinary C++ there, so that the executor's checks of memory apply to them.

use std::sync::LazyLock;

use crate::source::map::Map;

/// They are not stripped of comments: no web page is loaded with them.
const FAMILIES: [&str; 3] = [
    include_str!("../headers/host/runtime.cuh"),
    include_str!("../headers/host/c.cuh"),
    include_str!("../headers/host/stdio.cuh"),
];

const IOSTREAM: &str = include_str!("../headers/host/iostream.cuh");
const VECTOR: &str = include_str!("../headers/host/vector.cuh");
const LEAST: &str = include_str!("../headers/host/least.cuh");
const ALGORITHM: &str = include_str!("../headers/host/algorithm.cuh");
const CMATH: &str = include_str!("../headers/host/cmath.cuh");
const CHRONO: &str = include_str!("../headers/host/chrono.cuh");
const STRING: &str = include_str!("../headers/host/string.cuh");
const RANDOM: &str = include_str!("../headers/host/random.cuh");
const LIMITS: &str = include_str!("../headers/host/numeric_limits.cuh");
const RANGE: &str = include_str!("../headers/host/range.cuh");
const GETOPT: &str = include_str!("../headers/host/getopt.cuh");
const ARRAY: &str = include_str!("../headers/host/array.cuh");
const MEMORY: &str = include_str!("../headers/host/memory.cuh");
const CSTRING: &str = include_str!("../headers/host/cstring.cuh");
const CSTDLIB: &str = include_str!("../headers/host/cstdlib.cuh");
const STDDEF: &str = include_str!("../headers/host/stddef.cuh");
const OMP: &str = include_str!("../headers/host/omp.cuh");
const SIGNAL: &str = include_str!("../headers/host/signal.cuh");
const TIME: &str = include_str!("../headers/host/time.cuh");
const FSTREAM: &str = include_str!("../headers/host/fstream.cuh");
const CSTDIO: &str = include_str!("../headers/host/cstdio.cuh");
const ERRNO: &str = include_str!("../headers/host/errno.cuh");
const NVTX: &str = include_str!("../headers/host/nvtx.cuh");
const COMPLEX: &str = include_str!("../headers/host/complex.cuh");
const CUBLAS: &str = include_str!("../headers/host/cublas.cuh");

/// Macros that host code finds defined.
pub(crate) const MACROS: [(&str, &str); 44] = [
    ("EXIT_SUCCESS", "0"),
    ("EXIT_FAILURE", "1"),
    ("RAND_MAX", "2147483647"),
    // Headers of NVIDIA's samples ask whether the runtime's header was read, as it always is.
    ("__DRIVER_TYPES_H__", "1"),
    ("__CUDA_RUNTIME_H__", "1"),
    ("__CUDA_RUNTIME_API_H__", "1"),
    ("__linux__", "1"),
    ("__unix__", "1"),
    ("__x86_64__", "1"),
    ("EOF", "(-1)"),
    // `FILE_BASE` in `host`, and how far from it they are.
    ("stdin", "((FILE*)0x60000000000)"),
    ("stdout", "((FILE*)0x60000000040)"),
    ("stderr", "((FILE*)0x60000000080)"),
    ("SEEK_SET", "0"),
    ("SEEK_CUR", "1"),
    ("SEEK_END", "2"),
    ("BUFSIZ", "8192"),
    ("FILENAME_MAX", "4096"),
    ("_IOFBF", "0"),
    ("_IOLBF", "1"),
    ("_IONBF", "2"),
    ("CLOCKS_PER_SEC", "1000000"),
    ("CUDART_CB", ""),
    ("CUDART_VERSION", "12000"),
    ("cudaStreamLegacy", "((cudaStream_t)1)"),
    ("cudaStreamPerThread", "((cudaStream_t)2)"),
    ("cudaStreamTailLaunch", "((cudaStream_t)3)"),
    ("cudaStreamFireAndForget", "((cudaStream_t)4)"),
    // Of the headers that nvcc includes by itself.
    ("INFINITY", "__int_as_float(0x7f800000)"),
    ("NAN", "__int_as_float(0x7fffffff)"),
    ("HUGE_VAL", "__longlong_as_double(0x7ff0000000000000)"),
    ("HUGE_VALF", "__int_as_float(0x7f800000)"),
    ("M_PI", "3.14159265358979323846"),
    ("M_PI_2", "1.57079632679489661923"),
    ("M_PI_4", "0.78539816339744830962"),
    ("M_E", "2.7182818284590452354"),
    ("M_SQRT2", "1.41421356237309504880"),
    ("INT_MIN", "(-2147483647 - 1)"),
    ("INT_MAX", "2147483647"),
    ("UINT_MAX", "4294967295u"),
    ("LONG_MAX", "9223372036854775807L"),
    ("LONG_MIN", "(-9223372036854775807L - 1)"),
    ("LLONG_MAX", "9223372036854775807LL"),
    ("ULLONG_MAX", "18446744073709551615ULL"),
];

/// What nvcc includes by itself, of which a program may use the names in `std`.
pub(crate) const PRELUDE: &str = "#include <cmath>\n#include <cstdlib>\n#include <cstring>\n#include <cudac_utility>\n#include <cudac_least>\n";

/// Headers of the host that others do not have: what is included, the name that it is known by, and its texts, of which
/// each is read once. Names that begin with `cudac_` are parts that several headers share.
const HEADERS: &[(&str, &str, &str)] = &[
    ("iostream", "iostream", "#include <string>\n#include <cudac_iostream>\n"),
    ("iomanip", "iostream", "#include <string>\n#include <cudac_iostream>\n"),
    ("ios", "iostream", "#include <string>\n#include <cudac_iostream>\n"),
    ("istream", "iostream", "#include <string>\n#include <cudac_iostream>\n"),
    ("ostream", "iostream", "#include <string>\n#include <cudac_iostream>\n"),
    ("sstream", "iostream", "#include <string>\n#include <cudac_iostream>\n"),
    ("cudac_iostream", "cudac_iostream", IOSTREAM),
    ("string", "string", "#include <cudac_stddef>\n#include <cudac_range>\n#include <cudac_string>\n"),
    ("cudac_string", "cudac_string", STRING),
    ("random", "random", "#include <algorithm>\n#include <cudac_random>\n"),
    ("cudac_random", "cudac_random", RANDOM),
    ("limits", "limits", LIMITS),
    ("array", "array", "#include <cudac_stddef>\n#include <cudac_range>\n#include <cudac_array>\n"),
    ("cudac_array", "cudac_array", ARRAY),
    ("cudac_range", "cudac_range", RANGE),
    ("getopt.h", "getopt.h", GETOPT),
    ("memory", "memory", "#include <algorithm>\n#include <cudac_memory>\n"),
    ("cudac_memory", "cudac_memory", MEMORY),
    ("vector", "vector", "#include <cudac_stddef>\n#include <cudac_range>\n#include <cudac_vector>\n"),
    ("cudac_vector", "cudac_vector", VECTOR),
    (
        "algorithm",
        "algorithm",
        "#include <cudac_stddef>\n#include <cudac_utility>\n#include <cudac_least>\n#include <limits>\n#include <cudac_range>\n#include <cudac_algorithm>\n",
    ),
    ("cudac_algorithm", "cudac_algorithm", ALGORITHM),
    ("cudac_least", "cudac_least", LEAST),
    ("cstddef", "cstdlib", CSTDLIB),
    ("numeric", "numeric", "#include <algorithm>\n"),
    ("utility", "utility", "#include <algorithm>\n"),
    ("functional", "functional", "#include <algorithm>\n"),
    ("iterator", "iterator", "#include <algorithm>\n"),
    ("cmath", "cmath", CMATH),
    ("math.h", "cmath", CMATH),
    ("string.h", "string.h", ""),
    ("cudac_stddef", "cudac_stddef", STDDEF),
    ("cstddef", "cstddef", "#include <cudac_stddef>\n"),
    ("cstdio", "cstdio", "#include <cudac_stddef>\n#include <cudac_cstdio>\n"),
    ("cudac_cstdio", "cudac_cstdio", CSTDIO),
    ("errno.h", "errno.h", ERRNO),
    ("cerrno", "errno.h", ERRNO),
    ("cstring", "cstring", "#include <cudac_stddef>\n#include <cudac_cstring>\n"),
    ("cudac_cstring", "cudac_cstring", CSTRING),
    ("cstdlib", "cstdlib", "#include <cudac_stddef>\n#include <cudac_cstdlib>\n"),
    ("cudac_cstdlib", "cudac_cstdlib", CSTDLIB),
    ("fstream", "fstream", "#include <string>\n#include <cudac_iostream>\n#include <cudac_fstream>\n"),
    ("cudac_fstream", "cudac_fstream", FSTREAM),
    ("strings.h", "string.h", ""),
    ("initializer_list", "initializer_list", "#include <vector>\n"),
    ("chrono", "chrono", CHRONO),
    ("ratio", "chrono", CHRONO),
    ("sys/time.h", "sys/time.h", TIME),
    ("omp.h", "omp.h", OMP),
    ("signal.h", "signal.h", SIGNAL),
    ("csignal", "signal.h", SIGNAL),
    ("memory.h", "string.h", ""),
    ("time.h", "time.h", ""),
    ("ctime", "time.h", ""),
    ("unistd.h", "unistd.h", ""),
    ("ctype.h", "ctype.h", ""),
    ("cctype", "ctype.h", ""),
    ("malloc.h", "malloc.h", ""),
    ("nvToolsExt.h", "nvToolsExt.h", NVTX),
    ("nvtx3/nvToolsExt.h", "nvToolsExt.h", NVTX),
    ("cuComplex.h", "cuComplex.h", COMPLEX),
    ("cublas_v2.h", "cublas_v2.h", CUBLAS),
    ("cublas.h", "cublas_v2.h", CUBLAS),
    ("cublasLt.h", "cublas_v2.h", CUBLAS),
];

/// This compiler's own functions for the device that the executor carries out on the host: those that are instructions
/// of PTX, and `assert`.
const REPLACED: [&str; 18] = [
    "memcpy", "memset", "__trap", "sqrt", "sqrtf", "rsqrt", "rsqrtf", "floor", "floorf", "ceil", "ceilf",
    "rint", "rintf", "trunc", "truncf", "fma", "fmaf", "clock",
];

/// What reaches out of the program, which is refused by name.
const REFUSED: [(&[&str], &str); 4] = [
    (&["freopen", "fdopen", "opendir", "mmap", "mkstemp"], "reaches files in another way than `fopen`"),
    (&["system", "popen", "fork", "execv", "execl", "execvp"], "starts a process"),
    (&["socket", "connect", "bind", "listen"], "opens a socket"),
    (&["pthread_create", "thread", "async", "jthread"], "starts a thread"),
];

/// Headers of C, C++, POSIX and compilers that this compiler has no text for. A program may include one and use nothing
/// of it that matters here.
const OF_SYSTEM: &str = "\
    alloca.h any arpa/inet.h atomic bits/stdc++.h bitset byteswap.h cfenv charconv cinttypes clocale codecvt \
    complex complex.h condition_variable csetjmp cstdarg cwchar cwctype deque direct.h dirent.h dlfcn.h \
    emmintrin.h endian.h err.h exception execution fcntl.h features.h fenv.h filesystem forward_list future \
    glob.h immintrin.h inttypes.h io.h iosfwd libgen.h list locale locale.h map memory_resource mutex netdb.h \
    netinet/in.h new optional poll.h pthread.h pwd.h queue regex sched.h semaphore.h set setjmp.h shared_mutex \
    stack stdarg.h stdexcept streambuf string_view sys/file.h sys/ioctl.h sys/ipc.h sys/mman.h sys/param.h \
    sys/resource.h sys/select.h sys/shm.h sys/socket.h sys/stat.h sys/syscall.h sys/sysinfo.h sys/times.h \
    sys/types.h sys/utsname.h sys/wait.h sysexits.h system_error termios.h tgmath.h thread tuple typeindex \
    typeinfo unordered_map unordered_set valarray values.h variant wchar.h wctype.h windows.h x86intrin.h \
    xmmintrin.h";

/// Whether a header is one of the system's that this compiler has no text for.
pub(crate) fn is_of_system(name: &str) -> bool {
    OF_SYSTEM.split_whitespace().any(|known| known == name)
}

/// What a name does that host code may not do here.
pub(crate) fn refused(name: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(names, _)| names.contains(&name)).map(|(_, does)| *does)
}

/// Whether the executor carries out one of this compiler's own functions.
pub(crate) fn is_replaced(name: &str) -> bool {
    REPLACED.contains(&name)
}

/// The text of a header that is included, and the name that it is known by.
pub(crate) fn find(path: &str) -> Option<(&'static str, &'static str)> {
    HEADERS.iter().find(|(name, ..)| *name == path).map(|(_, known, text)| (*known, *text))
}

/// The chunks of the families, by the names that they declare.
static CHUNKS: LazyLock<Map<&str, (&str, &str)>> = LazyLock::new(|| {
    let mut found = Map::default();
    for chunk in FAMILIES.iter().flat_map(|family| family.split("//: ").skip(1)) {
        let (names, text) = chunk.split_once('\n').unwrap_or((chunk, ""));
        let title = names.split(' ').next().unwrap_or(names);
        for name in names.split_whitespace() {
            found.insert(name, (title, text));
        }
    }
    found
});

/// The title and the text of what declares a name.
pub(crate) fn own(name: &str) -> Option<(&'static str, &'static str)> {
    CHUNKS.get(name).copied()
}
