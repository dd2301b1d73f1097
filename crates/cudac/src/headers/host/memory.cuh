// Pointers that own what they point to.
// Written from: C++17, [unique.ptr].
namespace std {
template <typename T>
struct unique_ptr {
    T* owned;
    unique_ptr() : owned(nullptr) {}
    explicit unique_ptr(T* pointer) : owned(pointer) {}
    unique_ptr(unique_ptr&& other) : owned(other.owned) { other.owned = nullptr; }
    unique_ptr& operator=(unique_ptr&& other) {
        reset(other.release());
        return *this;
    }
    ~unique_ptr() { if (owned) delete owned; }
    T& operator*() const { return *owned; }
    T* operator->() const { return owned; }
    T* get() const { return owned; }
    explicit operator bool() const { return owned != nullptr; }
    T* release() {
        T* given = owned;
        owned = nullptr;
        return given;
    }
    void reset(T* pointer = nullptr) {
        T* old = owned;
        owned = pointer;
        if (old) delete old;
    }
};
template <typename T>
struct unique_ptr<T[]> {
    T* owned;
    unique_ptr() : owned(nullptr) {}
    explicit unique_ptr(T* pointer) : owned(pointer) {}
    unique_ptr(unique_ptr&& other) : owned(other.owned) { other.owned = nullptr; }
    unique_ptr& operator=(unique_ptr&& other) {
        T* given = other.owned;
        other.owned = nullptr;
        reset(given);
        return *this;
    }
    ~unique_ptr() { if (owned) delete[] owned; }
    T& operator[](size_t i) const { return owned[i]; }
    T* get() const { return owned; }
    void reset(T* pointer = nullptr) {
        T* old = owned;
        owned = pointer;
        if (old) delete[] old;
    }
};
}
namespace std {
inline void* align(size_t align, size_t bytes, void*& pointer, size_t& room) {
    const size_t skipped = (align - (size_t)pointer % align) % align;
    if (skipped + bytes > room) return nullptr;
    room -= skipped;
    pointer = (void*)((char*)pointer + skipped);
    return pointer;
}
template <typename T>
inline unique_ptr<T> make_unique() { return unique_ptr<T>(new T()); }
template <typename T>
struct __host_made {
    template <typename A>
    static T* from(A a) { return new T(a); }
};
template <typename T>
struct __host_made<T[]> {
    static T* from(size_t count) { return new T[count](); }
};
template <typename T, typename A>
inline unique_ptr<T> make_unique(A a) { return unique_ptr<T>(__host_made<T>::from(a)); }
template <typename T, typename A, typename B>
inline unique_ptr<T> make_unique(A a, B b) { return unique_ptr<T>(new T(a, b)); }
}
