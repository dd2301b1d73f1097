// The ends of containers and arrays.
// Written from: C++17, [iterator.range].
namespace std {
template <typename C>
inline auto begin(C& all) { return all.begin(); }
template <typename C>
inline auto end(C& all) { return all.end(); }
template <typename T, int N>
inline constexpr T* begin(T (&all)[N]) { return all; }
template <typename T, int N>
inline constexpr T* end(T (&all)[N]) { return all + N; }
template <typename C>
inline size_t size(const C& all) { return all.size(); }
template <typename T, int N>
inline constexpr size_t size(const T (&all)[N]) { return N; }
}
