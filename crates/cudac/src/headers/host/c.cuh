// Functions of C that the executor of host code carries out.
// Written from: ISO C17, library.

//: malloc calloc free
void* malloc(size_t bytes);
void* calloc(size_t count, size_t bytes);
void free(void* pointer);

//: __host_new
void* __host_new(size_t bytes);

//: __host_delete
void __host_delete(void* pointer);

//: memmove
void* memmove(void* to, const void* from, size_t bytes);

//: exit abort
void exit(int status);
void abort();

//: rand srand
int rand();
void srand(unsigned seed);

//: random srandom
inline long random() { return rand(); }
inline void srandom(unsigned seed) { srand(seed); }

//: time
inline long time(void* result) {
    if (result) *(long*)result = 0;
    return 0;
}

//: __host_now
long long __host_now();

//: puts putchar
int puts(const char* text);
int putchar(int character);

//: strlen
inline size_t strlen(const char* text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

//: atoi
inline int atoi(const char* text) {
    int value = 0;
    bool is_negative = *text == '-';
    if (is_negative) text++;
    while (*text >= '0' && *text <= '9') value = 10 * value + (*text++ - '0');
    return is_negative ? -value : value;
}

//: __host_put_text __host_put_bytes __host_put_integer __host_put_unsigned __host_put_float __host_put_character
void __host_put_text(void* stream, const char* text);
void __host_put_bytes(void* stream, const char* text, size_t count);
void __host_put_integer(void* stream, long long value);
void __host_put_unsigned(void* stream, unsigned long long value);
void __host_put_float(void* stream, double value);
void __host_put_character(void* stream, int character);

//: __host_text_new __host_text_delete __host_text_size __host_text_copy __host_text_set
int __host_text_new();
void __host_text_delete(int stream);
size_t __host_text_size(int stream);
void __host_text_copy(int stream, char* to);
void __host_text_set(int stream, const char* from, size_t count);

//: __host_put
void __host_put(int stream, const char* text, size_t count);

//: __host_aligned aligned_alloc posix_memalign memalign
void* __host_aligned(size_t align, size_t bytes);
inline void* aligned_alloc(size_t align, size_t bytes) { return __host_aligned(align, bytes); }
inline void* memalign(size_t align, size_t bytes) { return __host_aligned(align, bytes); }
inline int posix_memalign(void** pointer, size_t align, size_t bytes) {
    *pointer = __host_aligned(align, bytes);
    return 0;
}

//: realloc
inline void* realloc(void* old, size_t bytes) {
    void* made = malloc(bytes);
    if (old) {
        const size_t had = __host_block_bytes(old);
        memcpy(made, old, had < bytes ? had : bytes);
        free(old);
    }
    return made;
}

//: qsort bsearch __host_qsort
inline void __host_qsort(char* first, char* kept, size_t count, size_t size, int (*compare)(const void*, const void*)) {
    if (count < 2) return;
    const size_t half = count / 2;
    __host_qsort(first, kept, half, size, compare);
    __host_qsort(first + half * size, kept, count - half, size, compare);
    memcpy(kept, first, half * size);
    size_t left = 0, right = half, at = 0;
    while (left < half && right < count) {
        const bool is_right = compare(first + right * size, kept + left * size) < 0;
        const char* from = is_right ? first + right * size : kept + left * size;
        memmove(first + at * size, from, size);
        at++;
        if (is_right) right++; else left++;
    }
    memcpy(first + at * size, kept + left * size, (half - left) * size);
}
inline void qsort(void* first, size_t count, size_t size, int (*compare)(const void*, const void*)) {
    void* kept = malloc(count * size);
    __host_qsort((char*)first, (char*)kept, count, size, compare);
    free(kept);
}
inline void* bsearch(const void* key, const void* first, size_t count, size_t size, int (*compare)(const void*, const void*)) {
    size_t least = 0, most = count;
    while (least < most) {
        const size_t middle = (least + most) / 2;
        char* at = (char*)first + middle * size;
        const int found = compare(key, at);
        if (found == 0) return at;
        if (found < 0) most = middle; else least = middle + 1;
    }
    return nullptr;
}

//: __sync_fetch_and_add __sync_fetch_and_and __sync_fetch_and_or __sync_fetch_and_xor __sync_lock_test_and_set __sync_val_compare_and_swap
template <typename T, typename U>
inline T __sync_fetch_and_add(T* at, U value) { T old = *at; *at = old + value; return old; }
template <typename T, typename U>
inline T __sync_fetch_and_and(T* at, U value) { T old = *at; *at = old & value; return old; }
template <typename T, typename U>
inline T __sync_fetch_and_or(T* at, U value) { T old = *at; *at = old | value; return old; }
template <typename T, typename U>
inline T __sync_fetch_and_xor(T* at, U value) { T old = *at; *at = old ^ value; return old; }
template <typename T, typename U>
inline T __sync_lock_test_and_set(T* at, U value) { T old = *at; *at = value; return old; }
template <typename T, typename U, typename V>
inline T __sync_val_compare_and_swap(T* at, U wanted, V value) {
    T old = *at;
    if (old == wanted) *at = value;
    return old;
}

//: time_t
typedef long time_t;

//: isdigit isspace isalpha toupper tolower
inline int isdigit(int c) { return c >= '0' && c <= '9'; }
inline int isspace(int c) { return c == 32 || c >= 9 && c <= 13; }
inline int isalpha(int c) { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'; }
inline int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }
inline int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

//: strchr
inline const char* strchr(const char* text, int wanted) {
    while (*text != (char)wanted) {
        if (*text++ == 0) return nullptr;
    }
    return text;
}

//: strrchr
inline const char* strrchr(const char* text, int wanted) {
    const char* found = nullptr;
    for (; *text; text++) {
        if (*text == (char)wanted) found = text;
    }
    return wanted ? found : text;
}

//: strstr
inline const char* strstr(const char* text, const char* wanted) {
    for (;; text++) {
        const char *a = text, *b = wanted;
        while (*b && *a == *b) {
            a++;
            b++;
        }
        if (!*b) return text;
        if (!*a) return nullptr;
    }
}

//: strcmp strncmp memcmp
inline int strcmp(const char* a, const char* b) {
    while (*a && *a == *b) a++, b++;
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}
inline int strncmp(const char* a, const char* b, size_t most) {
    while (most > 0 && *a && *a == *b) a++, b++, most--;
    return most == 0 ? 0 : (int)(unsigned char)*a - (int)(unsigned char)*b;
}
inline int memcmp(const void* a, const void* b, size_t bytes) {
    const unsigned char* x = (const unsigned char*)a;
    const unsigned char* y = (const unsigned char*)b;
    for (size_t i = 0; i < bytes; i++) {
        if (x[i] != y[i]) return (int)x[i] - (int)y[i];
    }
    return 0;
}

//: strcpy strcat strncpy
inline char* strcpy(char* to, const char* from) {
    char* at = to;
    while ((*at++ = *from++)) {}
    return to;
}
inline char* strcat(char* to, const char* from) {
    strcpy(to + strlen(to), from);
    return to;
}
inline char* strncpy(char* to, const char* from, size_t bytes) {
    size_t i = 0;
    for (; i < bytes && from[i]; i++) to[i] = from[i];
    for (; i < bytes; i++) to[i] = 0;
    return to;
}

//: atol atoll strtol strtoul
inline long atol(const char* text) {
    long value = 0;
    while (*text == 32) text++;
    bool is_negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    while (*text >= '0' && *text <= '9') value = 10 * value + (*text++ - '0');
    return is_negative ? -value : value;
}
inline long long atoll(const char* text) { return atol(text); }
inline long strtol(const char* text, char** end, int base) {
    long value = 0;
    while (*text == 32) text++;
    bool is_negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    if ((base == 0 || base == 16) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        text += 2;
        base = 16;
    }
    if (base == 0) base = 10;
    while (true) {
        const char c = *text;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
        if (digit >= base) break;
        value = value * base + digit;
        text++;
    }
    if (end) *end = (char*)text;
    return is_negative ? -value : value;
}
inline unsigned long strtoul(const char* text, char** end, int base) { return (unsigned long)strtol(text, end, base); }

//: atof strtod strtof
inline double atof(const char* text) {
    double value = 0;
    sscanf(text, "%lf", &value);
    return value;
}
inline double strtod(const char* text, char** end) {
    double value = 0;
    sscanf(text, "%lf", &value);
    if (end) {
        while (*text == '-' || *text == '+' || *text == '.' || *text == 'e' || *text == 'E' || *text >= '0' && *text <= '9') text++;
        *end = (char*)text;
    }
    return value;
}
inline float strtof(const char* text, char** end) { return (float)strtod(text, end); }

//: labs
inline long labs(long value) { return value < 0 ? -value : value; }

//: __host_new_array __host_new_zeros
template <typename T>
inline T* __host_new_array(size_t count) {
    T* made = (T*)__host_new(count * sizeof(T));
    if constexpr (__cudac_constructs(made)) {
        for (size_t i = 0; i < count; i++) new (made + i) T();
    }
    return made;
}
template <typename T>
inline T* __host_new_zeros(size_t count) {
    T* made = (T*)__host_new(count * sizeof(T));
    if constexpr (__cudac_constructs(made)) {
        for (size_t i = 0; i < count; i++) new (made + i) T();
    } else {
        memset((void*)made, 0, count * sizeof(T));
    }
    return made;
}

//: __host_varying __host_array
// The elements of an array whose length is known when its declaration is executed. What it is given comes first; without
// an initialiser nothing is, and numbers stay unset.
void* __host_array(long long count, size_t bytes, size_t given);
template <typename T>
struct __host_varying {
    T* data;
    size_t count;
    explicit __host_varying(long long n) : data((T*)__host_array(n, sizeof(T), 0)), count(n) {
        __construct(0);
    }
    __host_varying(long long n, size_t given, T* values)
        : data((T*)__host_array(n, sizeof(T), given)), count(n) {
        if constexpr (__cudac_copies(data)) {
            for (size_t i = 0; i < given; i++) new (data + i) T(values[i]);
        } else if (given > 0) {
            memcpy((void*)data, (void*)values, given * sizeof(T));
        }
        if (given < count) memset((void*)(data + given), 0, (count - given) * sizeof(T));
        __construct(given);
    }
    __host_varying(const __host_varying&) = delete;
    ~__host_varying() {
        if constexpr (__cudac_destroys(data)) {
            for (size_t i = count; i > 0; i--) data[i - 1].~T();
        }
        __host_delete((void*)data);
    }
    void __construct(size_t from) {
        if constexpr (__cudac_constructs(data)) {
            for (size_t i = from; i < count; i++) new (data + i) T();
        }
    }
};

//: __host_destroy __host_destroy_array __host_block_bytes
size_t __host_block_bytes(const void* pointer);
template <typename T>
inline void __host_destroy(T* pointer) {
    if constexpr (__cudac_destroys(pointer)) {
        if (pointer) pointer->~T();
    }
    __host_delete((void*)pointer);
}
template <typename T>
inline void __host_destroy_array(T* pointer) {
    if constexpr (__cudac_destroys(pointer)) {
        for (size_t i = __host_block_bytes(pointer) / sizeof(T); i > 0; i--) pointer[i - 1].~T();
    }
    __host_delete((void*)pointer);
}

//: getenv setenv putenv unsetenv __host_variable __host_variables __host_find_variable
// The environment, which is empty at first, so that a program does the same everywhere.
struct __host_variable {
    char* name;
    char* value;
    __host_variable* next;
};
__host_variable* __host_variables = nullptr;
inline __host_variable* __host_find_variable(const char* name) {
    __host_variable* found = __host_variables;
    while (found && strcmp(found->name, name) != 0) found = found->next;
    return found;
}
inline char* getenv(const char* name) {
    const __host_variable* found = __host_find_variable(name);
    return found ? found->value : nullptr;
}
inline int setenv(const char* name, const char* value, int replaces) {
    if (!name[0] || strchr(name, '=')) return -1;
    __host_variable* found = __host_find_variable(name);
    if (found && found->value && !replaces) return 0;
    if (!found) {
        found = (__host_variable*)malloc(sizeof(__host_variable));
        found->name = strdup(name);
        found->value = nullptr;
        found->next = __host_variables;
        __host_variables = found;
    }
    if (found->value) free(found->value);
    found->value = strdup(value);
    return 0;
}
inline int unsetenv(const char* name) {
    __host_variable* found = __host_find_variable(name);
    if (found && found->value) {
        free(found->value);
        found->value = nullptr;
    }
    return 0;
}
inline int putenv(char* text) {
    char* equals = strchr(text, '=');
    if (!equals) return unsetenv(text);
    *equals = 0;
    const int failed = setenv(text, equals + 1, 1);
    *equals = '=';
    return failed;
}

//: strdup strndup
inline char* strdup(const char* text) { return (char*)memcpy(malloc(strlen(text) + 1), text, strlen(text) + 1); }
inline char* strndup(const char* text, size_t most) {
    size_t count = 0;
    while (count < most && text[count]) count++;
    char* made = (char*)memcpy(malloc(count + 1), text, count);
    made[count] = 0;
    return made;
}

//: drand48 erand48 lrand48 mrand48 srand48 __host_random_48 __host_next_48
// A linear congruential generator of 48 bits. Written from: POSIX.1-2017, drand48.
unsigned long long __host_random_48 = 0;
inline unsigned long long __host_next_48() {
    return __host_random_48 = (__host_random_48 * 0x5deece66dull + 0xb) & 0xffffffffffffull;
}
inline void srand48(long seed) { __host_random_48 = ((unsigned long long)seed << 16 | 0x330e) & 0xffffffffffffull; }
inline double drand48() { return __host_next_48() / 281474976710656.0; }
inline long lrand48() { return (long)(__host_next_48() >> 17); }
inline long mrand48() { return (long)(int)(__host_next_48() >> 16); }
