// `std::array`.
// Written from: C++17, [array].
namespace std {
template <typename T, size_t N>
struct array {
    T elements[N];
    __host__ __device__ T& operator[](size_t i) { return elements[i]; }
    __host__ __device__ const T& operator[](size_t i) const { return elements[i]; }
    T& at(size_t i) {
        assert(i < N);
        return elements[i];
    }
    __host__ __device__ T* data() { return elements; }
    __host__ __device__ const T* data() const { return elements; }
    __host__ __device__ T* begin() { return elements; }
    __host__ __device__ T* end() { return elements + N; }
    __host__ __device__ const T* begin() const { return elements; }
    __host__ __device__ const T* end() const { return elements + N; }
    T& front() { return elements[0]; }
    T& back() { return elements[N - 1]; }
    __host__ __device__ constexpr size_t size() const { return N; }
    constexpr bool empty() const { return N == 0; }
    bool operator==(const array& other) const {
        for (size_t i = 0; i < N; i++) if (!(elements[i] == other.elements[i])) return false;
        return true;
    }
    bool operator<(const array& other) const {
        for (size_t i = 0; i < N; i++) {
            if (elements[i] < other.elements[i]) return true;
            if (other.elements[i] < elements[i]) return false;
        }
        return false;
    }
    bool operator!=(const array& other) const { return !(*this == other); }
    void fill(const T& value) { for (size_t i = 0; i < N; i++) elements[i] = value; }
};
}
