// Streams of files. Each has a stream for reading, or for writing, or both, as members, and converts to a reference to one.
// Written from: C++17, [file.streams]. Left out: `rdbuf`, and exceptions.
namespace std {
// The mode of `fopen` that belongs to one of streams.
inline const char* __file_mode(int mode) {
    switch (mode & 57) {
    case 16: case 48: return "w";
    case 1: case 17: return "a";
    case 8: return "r";
    case 24: return "r+";
    case 56: return "w+";
    case 9: case 25: return "a+";
    default: return "";
    }
}
inline FILE* __open_file(const char* path, int mode) {
    FILE* file = fopen(path, __file_mode(mode));
    if (file && (mode & 2)) fseek(file, 0, SEEK_END);
    return file;
}
struct ifstream {
    static constexpr int app = 1;
    static constexpr int ate = 2;
    static constexpr int binary = 4;
    static constexpr int in = 8;
    static constexpr int out = 16;
    static constexpr int trunc = 32;
    FILE* file;
    istream from;
    ifstream() : file(nullptr), from{nullptr, 0, 0} {}
    explicit ifstream(const char* path, int mode = 8) : file(nullptr), from{nullptr, 0, 0} { open(path, mode); }
    explicit ifstream(const string& path, int mode = 8) : file(nullptr), from{nullptr, 0, 0} { open(path.text, mode); }
    ~ifstream() { if (file) fclose(file); }
    void open(const char* path, int mode = 8) {
        if (file) {
            from.state = from.state | 4;
            return;
        }
        file = __open_file(path, mode | 8);
        from.file = file;
        from.state = file ? 0 : 4;
    }
    void open(const string& path, int mode = 8) { open(path.text, mode); }
    bool is_open() const { return file != nullptr; }
    void close() {
        if (file) fclose(file);
        else from.state = from.state | 4;
        file = nullptr;
        from.file = nullptr;
    }
    operator istream&() { return from; }
    explicit operator bool() const { return !from.fail(); }
    bool operator!() const { return from.fail(); }
    bool good() const { return from.good(); }
    bool fail() const { return from.fail(); }
    bool bad() const { return from.bad(); }
    bool eof() const { return from.eof(); }
    int rdstate() const { return from.state; }
    void clear(int bits = 0) { from.state = bits; }
    template <typename T>
    istream& operator>>(T& value) { return from >> value; }
    int get() { return from.get(); }
    istream& get(char& value) { return from.get(value); }
    int peek() { return from.peek(); }
    istream& unget() { return from.unget(); }
    istream& putback(char value) { return from.putback(value); }
    istream& ignore(streamsize most = 1, int end = -1) { return from.ignore(most, end); }
    istream& read(char* to, streamsize bytes) { return from.read(to, bytes); }
    istream& getline(char* to, streamsize room, char end = 10) { return from.getline(to, room, end); }
    streamsize gcount() const { return from.gcount(); }
    istream& seekg(streamoff distance, int origin = 0) { return from.seekg(distance, origin); }
    streampos tellg() { return from.tellg(); }
};
struct ofstream {
    static constexpr int app = 1;
    static constexpr int ate = 2;
    static constexpr int binary = 4;
    static constexpr int in = 8;
    static constexpr int out = 16;
    static constexpr int trunc = 32;
    FILE* file;
    ostream to;
    ofstream() : file(nullptr), to{0, 6, 0, 0, 32, 0} {}
    explicit ofstream(const char* path, int mode = 16) : file(nullptr), to{0, 6, 0, 0, 32, 0} { open(path, mode); }
    explicit ofstream(const string& path, int mode = 16) : file(nullptr), to{0, 6, 0, 0, 32, 0} { open(path.text, mode); }
    ~ofstream() { if (file) fclose(file); }
    void open(const char* path, int mode = 16) {
        if (file) {
            to.state = to.state | 4;
            return;
        }
        file = __open_file(path, mode | 16);
        to.number = file ? __host_file_number(file) : 0;
        to.state = file ? 0 : 4;
    }
    void open(const string& path, int mode = 16) { open(path.text, mode); }
    bool is_open() const { return file != nullptr; }
    void close() {
        if (file) fclose(file);
        else to.state = to.state | 4;
        file = nullptr;
        to.number = 0;
    }
    operator ostream&() { return to; }
    explicit operator bool() const { return !to.fail(); }
    bool operator!() const { return to.fail(); }
    bool good() const { return to.good(); }
    bool fail() const { return to.fail(); }
    bool bad() const { return to.bad(); }
    bool eof() const { return to.eof(); }
    int rdstate() const { return to.state; }
    void clear(int bits = 0) { to.state = bits; }
    template <typename T>
    ostream& operator<<(const T& value) { return to << value; }
    ostream& put(char value) { return to.put(value); }
    ostream& write(const char* from, streamsize bytes) { return to.write(from, bytes); }
    ostream& flush() { return to.flush(); }
    int precision() const { return to.digits; }
    int precision(int digits) { return to.precision(digits); }
    ostream& seekp(streamoff distance, int origin = 0) {
        if (file && !to.fail() && fseek(file, distance, origin) != 0) to.state = 4;
        return to;
    }
    streampos tellp() { return !file || to.fail() ? -1 : ftell(file); }
};
struct fstream {
    static constexpr int app = 1;
    static constexpr int ate = 2;
    static constexpr int binary = 4;
    static constexpr int in = 8;
    static constexpr int out = 16;
    static constexpr int trunc = 32;
    FILE* file;
    istream from;
    ostream to;
    fstream() : file(nullptr), from{nullptr, 0, 0}, to{0, 6, 0, 0, 32, 0} {}
    explicit fstream(const char* path, int mode = 24) : file(nullptr), from{nullptr, 0, 0}, to{0, 6, 0, 0, 32, 0} { open(path, mode); }
    explicit fstream(const string& path, int mode = 24) : file(nullptr), from{nullptr, 0, 0}, to{0, 6, 0, 0, 32, 0} { open(path.text, mode); }
    ~fstream() { if (file) fclose(file); }
    void open(const char* path, int mode = 24) {
        if (file) {
            from.state = from.state | 4;
            return;
        }
        file = __open_file(path, mode);
        from.file = file;
        to.number = file ? __host_file_number(file) : 0;
        from.state = to.state = file ? 0 : 4;
    }
    void open(const string& path, int mode = 24) { open(path.text, mode); }
    bool is_open() const { return file != nullptr; }
    void close() {
        if (file) fclose(file);
        else from.state = from.state | 4;
        file = nullptr;
        from.file = nullptr;
        to.number = 0;
    }
    operator istream&() { return from; }
    operator ostream&() { return to; }
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
    bool good() const { return rdstate() == 0; }
    bool fail() const { return (rdstate() & 5) != 0; }
    bool bad() const { return (rdstate() & 1) != 0; }
    bool eof() const { return (rdstate() & 2) != 0; }
    int rdstate() const { return from.state | to.state; }
    void clear(int bits = 0) { from.state = to.state = bits; }
    template <typename T>
    istream& operator>>(T& value) { return from >> value; }
    template <typename T>
    ostream& operator<<(const T& value) { return to << value; }
    int get() { return from.get(); }
    istream& get(char& value) { return from.get(value); }
    int peek() { return from.peek(); }
    istream& ignore(streamsize most = 1, int end = -1) { return from.ignore(most, end); }
    istream& read(char* where, streamsize bytes) { return from.read(where, bytes); }
    istream& getline(char* where, streamsize room, char end = 10) { return from.getline(where, room, end); }
    streamsize gcount() const { return from.gcount(); }
    ostream& put(char value) { return to.put(value); }
    ostream& write(const char* what, streamsize bytes) { return to.write(what, bytes); }
    ostream& flush() { return to.flush(); }
    istream& seekg(streamoff distance, int origin = 0) { return from.seekg(distance, origin); }
    streampos tellg() { return from.tellg(); }
    ostream& seekp(streamoff distance, int origin = 0) {
        from.seekg(distance, origin);
        return to;
    }
    streampos tellp() { return from.tellg(); }
};
inline istream& getline(ifstream& from, string& line, char end = 10) { return getline(from.from, line, end); }
inline istream& getline(fstream& from, string& line, char end = 10) { return getline(from.from, line, end); }
}
