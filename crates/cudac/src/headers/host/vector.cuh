// `std::vector`, as far as typical listings use it. Elements that need no functions are moved by their bytes.
// Written from: C++17, [vector].
namespace std {
template <typename T>
struct initializer_list {
    const T* first;
    size_t count;
    size_t size() const { return count; }
    const T* begin() const { return first; }
    const T* end() const { return first + count; }
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
    explicit vector(size_t n) : first((T*)calloc(n, sizeof(T))), count(n), room(n) {
        if constexpr (__cudac_constructs(first)) {
            for (size_t i = 0; i < n; i++) new (first + i) T();
        }
    }
    vector(size_t n, const T& value) : first((T*)malloc(n * sizeof(T))), count(n), room(n) {
        for (size_t i = 0; i < n; i++) new (first + i) T(value);
    }
    vector(initializer_list<T> list) : first(nullptr), count(0), room(0) { __append(list.first, list.count); }
    vector(const T* from, const T* to) : first(nullptr), count(0), room(0) { __append(from, to - from); }
    vector(const vector& other) : first(nullptr), count(0), room(0) { __append(other.first, other.count); }
    vector(vector&& other) : first(other.first), count(other.count), room(other.room) {
        other.first = nullptr;
        other.count = other.room = 0;
    }
    ~vector() {
        if constexpr (__cudac_destroys(first)) __end(first, count);
        if (first) free((void*)first);
    }
    vector& operator=(const vector& other) {
        if (this == &other) return *this;
        if constexpr (__cudac_destroys(first) || __cudac_copies(first)) {
            vector kept(other);
            swap(kept);
        } else {
            count = 0;
            __append(other.first, other.count);
        }
        return *this;
    }
    vector& operator=(vector&& other) {
        vector kept(static_cast<vector&&>(other));
        swap(kept);
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
    const T* cbegin() const { return first; }
    const T* cend() const { return first + count; }
    T& front() { return first[0]; }
    T& back() { return first[count - 1]; }
    const T& front() const { return first[0]; }
    const T& back() const { return first[count - 1]; }
    size_t capacity() const { return room; }
    void shrink_to_fit() { if (count < room) __resettle(count); }
    void emplace_back() { push_back(T()); }
    template <typename A>
    void emplace_back(A&& a) { push_back(T(static_cast<A&&>(a))); }
    template <typename A, typename B>
    void emplace_back(A&& a, B&& b) { push_back(T(static_cast<A&&>(a), static_cast<B&&>(b))); }
    template <typename A, typename B, typename C>
    void emplace_back(A&& a, B&& b, C&& c) {
        push_back(T(static_cast<A&&>(a), static_cast<B&&>(b), static_cast<C&&>(c)));
    }
    T* insert(const T* at, const T& value) {
        const size_t place = at - first;
        push_back(value);
        for (size_t i = count - 1; i > place; i--) __exchange(first[i], first[i - 1]);
        return first + place;
    }
    void insert(const T* at, const T* from, const T* to) {
        const size_t place = at - first, old = count;
        __append(from, to - from);
        __reverse(place, old);
        __reverse(old, count);
        __reverse(place, count);
    }
    T* erase(const T* at) { return erase(at, at + 1); }
    T* erase(const T* from, const T* to) {
        const size_t place = from - first, n = to - from;
        for (size_t i = place; n > 0 && i + n < count; i++) first[i] = static_cast<T&&>(first[i + n]);
        __end(first + (count - n), n);
        count -= n;
        return first + place;
    }
    void swap(vector& other) {
        T* old = first;
        first = other.first;
        other.first = old;
        const size_t size = count, space = room;
        count = other.count, room = other.room;
        other.count = size, other.room = space;
    }
    bool operator==(const vector& other) const {
        if (count != other.count) return false;
        for (size_t i = 0; i < count; i++) if (!(first[i] == other.first[i])) return false;
        return true;
    }
    bool operator!=(const vector& other) const { return !(*this == other); }
    size_t size() const { return count; }
    bool empty() const { return count == 0; }
    void clear() {
        __end(first, count);
        count = 0;
    }
    void reserve(size_t n) { if (n > room) __resettle(n); }
    void resize(size_t n) {
        if (n > room) __resettle(n);
        for (; count < n; count++) new (first + count) T();
        __cut(n);
    }
    void resize(size_t n, const T& value) {
        if (n > count) {
            const T kept = value;
            if (n > room) __resettle(n);
            for (; count < n; count++) new (first + count) T(kept);
        }
        __cut(n);
    }
    void assign(size_t n, const T& value) {
        const T kept = value;
        clear();
        resize(n, kept);
    }
    void assign(const T* from, const T* to) {
        vector kept(from, to);
        swap(kept);
    }
    T& at(size_t i) {
        assert(i < count);
        return first[i];
    }
    const T& at(size_t i) const {
        assert(i < count);
        return first[i];
    }
    void push_back(const T& value) {
        if (count == room) {
            T kept = value;
            __resettle(room ? 2 * room : 4);
            new (first + count++) T(static_cast<T&&>(kept));
            return;
        }
        new (first + count++) T(value);
    }
    void push_back(T&& value) {
        if (count == room) {
            T kept = static_cast<T&&>(value);
            __resettle(room ? 2 * room : 4);
            new (first + count++) T(static_cast<T&&>(kept));
            return;
        }
        new (first + count++) T(static_cast<T&&>(value));
    }
    void pop_back() {
        count--;
        __end(first + count, 1);
    }
    static void __end(T* from, size_t n) {
        if constexpr (__cudac_destroys(from)) {
            for (size_t i = 0; i < n; i++) from[i].~T();
        }
    }
    static void __exchange(T& a, T& b) {
        T kept = static_cast<T&&>(a);
        a = static_cast<T&&>(b);
        b = static_cast<T&&>(kept);
    }
    void __reverse(size_t from, size_t to) {
        for (; from + 1 < to; from++) __exchange(first[from], first[--to]);
    }
    void __cut(size_t n) {
        if (n >= count) return;
        __end(first + n, count - n);
        count = n;
    }
    void __resettle(size_t n) {
        T* larger = (T*)malloc(n * sizeof(T));
        if constexpr (__cudac_destroys(first) || __cudac_copies(first)) {
            for (size_t i = 0; i < count; i++) new (larger + i) T(static_cast<T&&>(first[i]));
            __end(first, count);
        } else {
            if (count > 0) memmove((void*)larger, (const void*)first, count * sizeof(T));
        }
        if (first) free((void*)first);
        first = larger;
        room = n;
    }
    void __append(const T* from, size_t n) {
        if (n == 0) return;
        if (count + n > room) {
            vector kept;
            kept.__resettle(count + n);
            kept.__append(first, count);
            kept.__append(from, n);
            swap(kept);
            return;
        }
        if constexpr (__cudac_copies(first)) {
            for (size_t i = 0; i < n; i++) new (first + count + i) T(from[i]);
        } else {
            memmove((void*)(first + count), (const void*)from, n * sizeof(T));
        }
        count += n;
    }
};
template <typename T>
inline void swap(vector<T>& a, vector<T>& b) { a.swap(b); }
}
