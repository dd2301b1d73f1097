// `std::vector`, as far as typical listings use it. Nothing is freed, because there are no destructors.
// Written from: C++17, [vector].
namespace std {
template <typename T>
struct initializer_list {
    const T* first;
    size_t count;
};
template <typename T>
struct vector {
    T* first;
    size_t count;
    size_t room;
    typedef T value_type;
    typedef T* iterator;
    typedef const T* const_iterator;
    vector() : first(nullptr), count(0), room(0) {}
    explicit vector(size_t n) : first((T*)calloc(n + 1, sizeof(T))), count(n), room(n) {}
    vector(size_t n, const T& value) : first((T*)calloc(n + 1, sizeof(T))), count(n), room(n) {
        for (size_t i = 0; i < n; i++) first[i] = value;
    }
    vector(initializer_list<T> list) : first((T*)calloc(list.count + 1, sizeof(T))), count(list.count), room(list.count) {
        for (size_t i = 0; i < count; i++) first[i] = list.first[i];
    }
    vector(const T* from, const T* to) : first((T*)calloc(to - from + 1, sizeof(T))), count(to - from), room(to - from) {
        for (size_t i = 0; i < count; i++) first[i] = from[i];
    }
    vector(const vector& other) : first((T*)calloc(other.count + 1, sizeof(T))), count(other.count), room(other.count) {
        for (size_t i = 0; i < count; i++) first[i] = other.first[i];
    }
    vector& operator=(const vector& other) {
        if (this == &other) return *this;
        count = 0;
        reserve(other.count);
        count = other.count;
        for (size_t i = 0; i < count; i++) first[i] = other.first[i];
        return *this;
    }
    T& operator[](size_t i) { return first[i]; }
    const T& operator[](size_t i) const { return first[i]; }
    T* data() { return first; }
    const T* data() const { return first; }
    T* begin() { return first; }
    T* end() { return first + count; }
    const T* begin() const { return first; }
    const T* end() const { return first + count; }
    T& front() { return first[0]; }
    T& back() { return first[count - 1]; }
    const T& front() const { return first[0]; }
    const T& back() const { return first[count - 1]; }
    size_t capacity() const { return room; }
    void shrink_to_fit() {}
    template <typename A>
    void emplace_back(A a) { push_back(T(a)); }
    template <typename A, typename B>
    void emplace_back(A a, B b) { push_back(T(a, b)); }
    void insert(T* at, const T* from, const T* to) {
        const size_t place = at - first, n = to - from;
        reserve(count + n);
        for (size_t i = count; i > place; i--) first[i + n - 1] = first[i - 1];
        for (size_t i = 0; i < n; i++) first[place + i] = from[i];
        count += n;
    }
    void erase(T* at) {
        for (T* next = at + 1; next != first + count; next++) next[-1] = *next;
        count--;
    }
    void swap(vector& other) {
        vector kept;
        kept.first = first, kept.count = count, kept.room = room;
        first = other.first, count = other.count, room = other.room;
        other.first = kept.first, other.count = kept.count, other.room = kept.room;
    }
    bool operator==(const vector& other) const {
        if (count != other.count) return false;
        for (size_t i = 0; i < count; i++) if (!(first[i] == other.first[i])) return false;
        return true;
    }
    size_t size() const { return count; }
    bool empty() const { return count == 0; }
    void clear() { count = 0; }
    void reserve(size_t n) {
        if (n <= room) return;
        T* larger = (T*)calloc(n + 1, sizeof(T));
        for (size_t i = 0; i < count; i++) larger[i] = first[i];
        if (first) free(first);
        first = larger;
        room = n;
    }
    void resize(size_t n) {
        reserve(n);
        for (size_t i = count; i < n; i++) first[i] = T();
        count = n;
    }
    void resize(size_t n, const T& value) {
        reserve(n);
        for (size_t i = count; i < n; i++) first[i] = value;
        count = n;
    }
    void assign(size_t n, const T& value) {
        count = 0;
        resize(n, value);
    }
    T& at(size_t i) {
        assert(i < count);
        return first[i];
    }
    void push_back(const T& value) {
        if (count == room) {
            const T kept = value;
            reserve(room ? 2 * room : 4);
            first[count++] = kept;
            return;
        }
        first[count++] = value;
    }
    void pop_back() { count--; }
};
}
