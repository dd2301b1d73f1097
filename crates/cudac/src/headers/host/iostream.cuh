// Streams, as far as typical listings use them. The executor knows the first five members of `ostream`.
// Written from: C++17, [ostream.formatted], [istream.formatted], [std.manip].
namespace std {
typedef long streamsize;
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
    void clear() {}
};
typedef ostream ostringstream;
typedef ostream stringstream;
static ostream cout = {1, 6, 0, 0, 32};
static ostream cerr = {2, 6, 0, 0, 32};
static ostream clog = {2, 6, 0, 0, 32};
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
    int is_good;
    explicit operator bool() const { return is_good != 0; }
    bool operator!() const { return is_good == 0; }
    bool good() const { return is_good != 0; }
    bool fail() const { return is_good == 0; }
    bool eof() const { return is_good == 0; }
    istream& operator>>(int& value) { is_good = is_good && scanf("%d", &value) == 1; return *this; }
    istream& operator>>(unsigned& value) { is_good = is_good && scanf("%u", &value) == 1; return *this; }
    istream& operator>>(long& value) { is_good = is_good && scanf("%ld", &value) == 1; return *this; }
    istream& operator>>(unsigned long& value) { is_good = is_good && scanf("%lu", &value) == 1; return *this; }
    istream& operator>>(float& value) { is_good = is_good && scanf("%f", &value) == 1; return *this; }
    istream& operator>>(double& value) { is_good = is_good && scanf("%lf", &value) == 1; return *this; }
    istream& operator>>(char& value) { is_good = is_good && scanf(" %c", &value) == 1; return *this; }
    istream& operator>>(string& value) {
        value.clear();
        int next = __host_read_byte();
        while (next == 32 || next >= 9 && next <= 13) next = __host_read_byte();
        is_good = is_good && next >= 0;
        while (next > 32) {
            value.push_back((char)next);
            next = __host_read_byte();
        }
        if (next >= 0) __host_unread_byte(next);
        return *this;
    }
};
static istream cin = {1};
inline istream& getline(istream& from, string& line) {
    line.clear();
    int next = __host_read_byte();
    if (next < 0) from.is_good = 0;
    while (next >= 0 && next != 10) {
        line.push_back((char)next);
        next = __host_read_byte();
    }
    return from;
}
}
