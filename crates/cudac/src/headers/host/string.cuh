// `std::string`, as far as typical listings use it. An empty one has no memory of its own: `room` is 0 then, and else
// the bytes of its memory, of which the zero at the end is one.
// Written from: C++17, [string.classes].
namespace std {
static char __no_text[1] = {0};
struct string {
    char* text;
    size_t count;
    size_t room;
    static constexpr size_t npos = 18446744073709551615ul;
    string() : text(__no_text), count(0), room(0) {}
    string(const char* other) : text(__no_text), count(0), room(0) { assign(other, strlen(other)); }
    string(const char* other, size_t n) : text(__no_text), count(0), room(0) { assign(other, n); }
    string(const string& other, size_t from, size_t n = 18446744073709551615ul) : text(__no_text), count(0), room(0) {
        const size_t rest = from < other.count ? other.count - from : 0;
        assign(other.text + from, n < rest ? n : rest);
    }
    string(const char* from, const char* to) : text(__no_text), count(0), room(0) { assign(from, to - from); }
    string(size_t n, char value) : text((char*)calloc(n + 1, 1)), count(n), room(n + 1) { memset(text, value, n); }
    string(const string& other) : text(__no_text), count(0), room(0) { assign(other.text, other.count); }
    string(string&& other) : text(other.text), count(other.count), room(other.room) {
        other.text = __no_text;
        other.count = other.room = 0;
    }
    ~string() { if (room) free(text); }
    string& assign(const char* other, size_t n) {
        if (n >= room && n > 0) {
            char* kept = (char*)calloc(n + 16, 1);
            memcpy(kept, other, n);
            if (room) free(text);
            text = kept;
            room = n + 16;
        } else if (n > 0) {
            memmove(text, other, n);
        }
        count = n;
        text[n] = 0;
        return *this;
    }
    string& operator=(const string& other) {
        if (this != &other) assign(other.text, other.count);
        return *this;
    }
    string& operator=(string&& other) {
        string kept(static_cast<string&&>(other));
        swap(kept);
        return *this;
    }
    string& operator=(const char* other) { return assign(other, strlen(other)); }
    string& operator=(char value) { return assign(&value, 1); }
    void swap(string& other) {
        char* old = text;
        text = other.text;
        other.text = old;
        const size_t size = count, space = room;
        count = other.count, room = other.room;
        other.count = size, other.room = space;
    }
    size_t capacity() const { return room ? room - 1 : 0; }
    void reserve(size_t n) { if (n >= room && n > 0) __resettle(n + 1); }
    void __resettle(size_t n) {
        char* kept = (char*)calloc(n, 1);
        memcpy(kept, text, count);
        if (room) free(text);
        text = kept;
        room = n;
    }
    string& append(const char* other, size_t n) {
        if (count + n >= room && n > 0) {
            char* kept = (char*)calloc(2 * (count + n) + 16, 1);
            memcpy(kept, text, count);
            memcpy(kept + count, other, n);
            if (room) free(text);
            text = kept;
            room = 2 * (count + n) + 16;
        } else if (n > 0) {
            memmove(text + count, other, n);
        }
        count += n;
        text[count] = 0;
        return *this;
    }
    string& append(const string& other) { return append(other.text, other.count); }
    string& operator+=(const string& other) { return append(other.text, other.count); }
    string& operator+=(const char* other) { return append(other, strlen(other)); }
    string& operator+=(char value) { return append(&value, 1); }
    void push_back(char value) { append(&value, 1); }
    void pop_back() { text[--count] = 0; }
    const char* c_str() const { return text; }
    const char* data() const { return text; }
    size_t size() const { return count; }
    size_t length() const { return count; }
    bool empty() const { return count == 0; }
    void clear() {
        count = 0;
        text[0] = 0;
    }
    char& operator[](size_t i) { return text[i]; }
    const char& operator[](size_t i) const { return text[i]; }
    char& at(size_t i) {
        assert(i < count);
        return text[i];
    }
    char& front() { return text[0]; }
    char& back() { return text[count - 1]; }
    char* begin() { return text; }
    char* end() { return text + count; }
    const char* begin() const { return text; }
    const char* end() const { return text + count; }
    int compare(const string& other) const {
        const size_t least = count < other.count ? count : other.count;
        const int found = memcmp(text, other.text, least);
        return found != 0 ? found : count < other.count ? -1 : count > other.count ? 1 : 0;
    }
    string substr(size_t from, size_t n = 18446744073709551615ul) const {
        const size_t rest = from < count ? count - from : 0;
        return string(text + from, n < rest ? n : rest);
    }
    size_t find(const char* other, size_t from = 0) const {
        const size_t n = strlen(other);
        for (size_t i = from; i + n <= count; i++) if (memcmp(text + i, other, n) == 0) return i;
        return npos;
    }
    size_t find(const string& other, size_t from = 0) const { return find(other.text, from); }
    size_t find(char value, size_t from = 0) const {
        for (size_t i = from; i < count; i++) if (text[i] == value) return i;
        return npos;
    }
};
inline string operator+(const string& a, const string& b) { string sum = a; sum += b; return sum; }
inline string operator+(const string& a, const char* b) { string sum = a; sum += b; return sum; }
inline string operator+(const char* a, const string& b) { string sum = a; sum += b; return sum; }
inline string operator+(string&& a, const string& b) { a += b; return static_cast<string&&>(a); }
inline string operator+(string&& a, const char* b) { a += b; return static_cast<string&&>(a); }
inline string operator+(const string& a, char b) { string sum = a; sum += b; return sum; }
inline bool operator==(const string& a, const string& b) { return a.compare(b) == 0; }
inline bool operator==(const string& a, const char* b) { return strcmp(a.text, b) == 0; }
inline bool operator==(const char* a, const string& b) { return strcmp(a, b.text) == 0; }
inline bool operator!=(const string& a, const string& b) { return a.compare(b) != 0; }
inline bool operator!=(const string& a, const char* b) { return strcmp(a.text, b) != 0; }
inline bool operator<(const string& a, const string& b) { return a.compare(b) < 0; }
inline bool operator>(const string& a, const string& b) { return a.compare(b) > 0; }
inline string __of_number(unsigned long value, bool is_negative) {
    char digits[24];
    int at = 23;
    digits[at] = 0;
    do digits[--at] = '0' + value % 10; while ((value /= 10) > 0);
    if (is_negative) digits[--at] = '-';
    return string(digits + at);
}
inline string to_string(int value) { return __of_number(value < 0 ? 0ul - (long)value : (unsigned long)value, value < 0); }
inline string to_string(long value) { return __of_number(value < 0 ? 0ul - value : (unsigned long)value, value < 0); }
inline string to_string(long long value) { return to_string((long)value); }
inline string to_string(unsigned value) { return __of_number(value, false); }
inline string to_string(unsigned long value) { return __of_number(value, false); }
inline string to_string(unsigned long long value) { return __of_number(value, false); }
inline string to_string(double value) {
    char text[340];
    sprintf(text, "%f", value);
    return string(text);
}
inline string to_string(float value) { return to_string((double)value); }
inline int stoi(const string& text) { return atoi(text.text); }
inline long stol(const string& text) { return atol(text.text); }
inline unsigned long stoul(const string& text) { return (unsigned long)atol(text.text); }
inline double stod(const string& text) { return atof(text.text); }
inline float stof(const string& text) { return (float)atof(text.text); }
}
