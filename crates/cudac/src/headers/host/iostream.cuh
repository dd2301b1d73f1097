// Streams, as far as typical listings use them. The executor knows the first six members of `ostream`;
// those that are 3 and more are texts, and the files of `fstream`, as numbers.
// Written from: C++17, [ostream.formatted], [istream.formatted], [std.manip].
namespace std {
typedef long streamsize;
typedef long streamoff;
typedef long streampos;
struct ios {
    typedef int openmode;
    typedef int iostate;
    typedef int seekdir;
    typedef int fmtflags;
    static constexpr int app = 1;
    static constexpr int ate = 2;
    static constexpr int binary = 4;
    static constexpr int in = 8;
    static constexpr int out = 16;
    static constexpr int trunc = 32;
    static constexpr int goodbit = 0;
    static constexpr int badbit = 1;
    static constexpr int eofbit = 2;
    static constexpr int failbit = 4;
    static constexpr int beg = 0;
    static constexpr int cur = 1;
    static constexpr int end = 2;
    static bool sync_with_stdio(bool is_wanted = true) { return true; }
};
typedef ios ios_base;
struct __end_of_line { int flush; };
struct __digits { int count; };
struct __width { int count; };
struct __filler { int character; };
struct __flags { int set; int cleared; };
struct ostream {
    int number = __host_text_new();
    int digits = 6;
    int width = 0;
    int flags = 0;
    int filler = 32;
    int state = 0;
    ~ostream() { if (number > 2) __host_text_delete(number); }
    ostream& operator<<(const char* text) { __host_put_text(this, text); return *this; }
    ostream& operator<<(const string& text) { __host_put_bytes(this, text.text, text.count); return *this; }
    ostream& operator<<(char value) { __host_put_character(this, value); return *this; }
    ostream& operator<<(bool value) {
        if (flags & 8) __host_put_text(this, value ? "true" : "false");
        else __host_put_integer(this, value);
        return *this;
    }
    ostream& operator<<(short value) { __host_put_integer(this, value); return *this; }
    ostream& operator<<(unsigned short value) { __host_put_unsigned(this, value); return *this; }
    ostream& operator<<(int value) {
        if (flags & 16) __host_put_unsigned(this, (unsigned)value);
        else __host_put_integer(this, value);
        return *this;
    }
    ostream& operator<<(long value) { __host_put_integer(this, value); return *this; }
    ostream& operator<<(long long value) { __host_put_integer(this, value); return *this; }
    ostream& operator<<(unsigned char value) { __host_put_character(this, value); return *this; }
    ostream& operator<<(unsigned value) { __host_put_unsigned(this, value); return *this; }
    ostream& operator<<(unsigned long value) { __host_put_unsigned(this, value); return *this; }
    ostream& operator<<(unsigned long long value) { __host_put_unsigned(this, value); return *this; }
    ostream& operator<<(float value) { __host_put_float(this, value); return *this; }
    ostream& operator<<(double value) { __host_put_float(this, value); return *this; }
    ostream& operator<<(const void* value) {
        const int kept = flags;
        flags = flags | 16;
        __host_put_text(this, "0x");
        __host_put_unsigned(this, (unsigned long)value);
        flags = kept;
        return *this;
    }
    ostream& operator<<(__end_of_line value) { __host_put_character(this, 10); return *this; }
    ostream& operator<<(__digits value) { digits = value.count; return *this; }
    ostream& operator<<(__width value) { width = value.count; return *this; }
    ostream& operator<<(__filler value) { filler = value.character; return *this; }
    ostream& operator<<(__flags value) {
        flags = (flags & ~value.cleared) | value.set;
        return *this;
    }
    ostream& flush() { return *this; }
    ostream& put(char value) { return write(&value, 1); }
    ostream& write(const char* from, streamsize count) {
        if (number == 0) state = state | 1;
        if (state == 0) __host_put(number, from, (size_t)count);
        return *this;
    }
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
    bool good() const { return state == 0; }
    bool fail() const { return (state & 5) != 0; }
    bool bad() const { return (state & 1) != 0; }
    bool eof() const { return (state & 2) != 0; }
    int rdstate() const { return state; }
    int precision() const { return digits; }
    int precision(int count) {
        const int old = digits;
        digits = count;
        return old;
    }
    string str() const {
        string made(__host_text_size(number), ' ');
        __host_text_copy(number, made.text);
        return made;
    }
    void str(const string& text) { __host_text_set(number, text.text, text.count); }
    void clear(int bits = 0) { state = bits; }
};
typedef ostream ostringstream;
typedef ostream stringstream;
static ostream cout = {1, 6, 0, 0, 32, 0};
static ostream cerr = {2, 6, 0, 0, 32, 0};
static ostream clog = {2, 6, 0, 0, 32, 0};
static __end_of_line endl = {1};
static __flags flush = {0, 0};
static __flags fixed = {1, 2};
static __flags scientific = {2, 1};
static __flags defaultfloat = {0, 3};
static __flags left = {4, 0};
static __flags right = {0, 4};
static __flags internal = {0, 4};
static __flags boolalpha = {8, 0};
static __flags noboolalpha = {0, 8};
static __flags hex = {16, 0};
static __flags dec = {0, 16};
static __flags showpoint = {0, 0};
inline __digits setprecision(int count) { return __digits{count}; }
inline __width setw(int count) { return __width{count}; }
inline __filler setfill(char character) { return __filler{character}; }
struct istream {
    FILE* file;
    int state;
    size_t count;
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
    bool good() const { return state == 0; }
    bool fail() const { return (state & 5) != 0; }
    bool bad() const { return (state & 1) != 0; }
    bool eof() const { return (state & 2) != 0; }
    int rdstate() const { return state; }
    void clear(int bits = 0) { state = bits; }
    void setstate(int bits) { state = state | bits; }
    void* tie(void* other) { return nullptr; }
    // Whether something can be read. Nothing is read from a stream whose end was reached.
    bool ready() {
        count = 0;
        if (state != 0 || !file) state = state | 4;
        return state == 0;
    }
    // Notes what came of reading.
    istream& done(bool is_read) {
        if (!is_read) state = state | 4;
        if (feof(file)) state = state | 2;
        return *this;
    }
    istream& operator>>(short& value) { return ready() ? done(fscanf(file, "%hd", &value) == 1) : *this; }
    istream& operator>>(unsigned short& value) { return ready() ? done(fscanf(file, "%hu", &value) == 1) : *this; }
    istream& operator>>(int& value) { return ready() ? done(fscanf(file, "%d", &value) == 1) : *this; }
    istream& operator>>(unsigned& value) { return ready() ? done(fscanf(file, "%u", &value) == 1) : *this; }
    istream& operator>>(long& value) { return ready() ? done(fscanf(file, "%ld", &value) == 1) : *this; }
    istream& operator>>(unsigned long& value) { return ready() ? done(fscanf(file, "%lu", &value) == 1) : *this; }
    istream& operator>>(long long& value) { return ready() ? done(fscanf(file, "%lld", &value) == 1) : *this; }
    istream& operator>>(unsigned long long& value) { return ready() ? done(fscanf(file, "%llu", &value) == 1) : *this; }
    istream& operator>>(float& value) { return ready() ? done(fscanf(file, "%f", &value) == 1) : *this; }
    istream& operator>>(double& value) { return ready() ? done(fscanf(file, "%lf", &value) == 1) : *this; }
    istream& operator>>(char& value) { return ready() ? done(fscanf(file, " %c", &value) == 1) : *this; }
    istream& operator>>(bool& value) {
        int number = 0;
        if (!ready()) return *this;
        done(fscanf(file, "%d", &number) == 1);
        value = number != 0;
        return *this;
    }
    istream& operator>>(string& value) {
        if (!ready()) return *this;
        value.clear();
        int next = fgetc(file);
        while (isspace(next)) next = fgetc(file);
        const bool is_there = next >= 0;
        while (next >= 0 && !isspace(next)) {
            value.push_back((char)next);
            next = fgetc(file);
        }
        if (next >= 0) ungetc(next, file);
        return done(is_there);
    }
    int get() {
        if (!ready()) return -1;
        const int next = fgetc(file);
        count = next >= 0;
        done(next >= 0);
        return next;
    }
    istream& get(char& value) {
        const int next = get();
        if (next >= 0) value = (char)next;
        return *this;
    }
    int peek() {
        if (!ready()) return -1;
        const int next = fgetc(file);
        if (next < 0) state = state | 2;
        else ungetc(next, file);
        return next;
    }
    istream& unget() {
        state = state & ~2;
        if (ready() && fseek(file, -1, SEEK_CUR) != 0) state = 1;
        return *this;
    }
    istream& putback(char value) {
        state = state & ~2;
        if (ready() && ungetc((unsigned char)value, file) < 0) state = 1;
        return *this;
    }
    istream& ignore(streamsize most = 1, int end = -1) {
        if (!ready()) return *this;
        while ((streamsize)count < most) {
            const int next = fgetc(file);
            if (next < 0) {
                state = state | 2;
                break;
            }
            count++;
            if (next == end) break;
        }
        return *this;
    }
    istream& read(char* to, streamsize bytes) {
        if (!ready()) return *this;
        count = fread(to, 1, (size_t)bytes, file);
        if (count < (size_t)bytes) state = 6;
        return *this;
    }
    istream& getline(char* to, streamsize room, char end = 10) {
        if (!ready()) return *this;
        const size_t bytes = __host_line_bytes(file, (unsigned char)end);
        const size_t fits = bytes < (size_t)room ? bytes : (size_t)room - 1;
        count = fread(to, 1, fits, file);
        const bool is_ended = count > 0 && to[count - 1] == end;
        to[is_ended ? count - 1 : count] = 0;
        if (count < bytes) {
            // The end of the line alone is no reason to fail.
            const int next = fgetc(file);
            if (next != (unsigned char)end) ungetc(next, file);
            state = state | (next == (unsigned char)end ? 0 : 4);
            return *this;
        }
        return is_ended ? *this : done(count > 0);
    }
    streamsize gcount() const { return (streamsize)count; }
    istream& seekg(streamoff distance, int from = 0) {
        state = state & ~2;
        if (ready() && fseek(file, distance, from) != 0) state = 4;
        return *this;
    }
    streampos tellg() { return fail() || !file ? -1 : ftell(file); }
};
static istream cin = {stdin, 0, 0};
inline istream& getline(istream& from, string& line, char end = 10) {
    if (!from.ready()) return from;
    line.clear();
    const size_t bytes = __host_line_bytes(from.file, (unsigned char)end);
    line.reserve(bytes);
    line.count = fread(line.text, 1, bytes, from.file);
    const bool is_ended = bytes > 0 && line.text[bytes - 1] == end;
    if (is_ended) line.count = line.count - 1;
    line.text[line.count] = 0;
    return is_ended ? from : from.done(bytes > 0);
}
// C's function, which `using namespace std` would hide otherwise.
inline long getline(char** line, size_t* room, FILE* file) { return ::getline(line, room, file); }
}
