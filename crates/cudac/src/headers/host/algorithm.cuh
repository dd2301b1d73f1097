// Algorithms on ranges, as far as typical listings use them.
// Written from: C++17, [algorithms], [numeric.ops], [pairs].
namespace std {
template <typename A, typename B>
struct pair {
    A first;
    B second;
    pair() : first(), second() {}
    pair(const A& a, const B& b) : first(a), second(b) {}
    bool operator==(const pair& other) const { return first == other.first && second == other.second; }
    bool operator<(const pair& other) const {
        return first < other.first || !(other.first < first) && second < other.second;
    }
};
template <typename A, typename B>
inline pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }
template <typename T = void>
struct less { bool operator()(const T& a, const T& b) const { return a < b; } };
template <typename T = void>
struct greater { bool operator()(const T& a, const T& b) const { return b < a; } };
template <typename T = void>
struct plus { T operator()(const T& a, const T& b) const { return a + b; } };
template <typename T = void>
struct multiplies { T operator()(const T& a, const T& b) const { return a * b; } };
struct __any_less {
    template <typename T>
    bool operator()(const T& a, const T& b) const { return a < b; }
};
template <typename I, typename T>
inline void fill(I first, I last, const T& value) {
    for (; first != last; ++first) *first = value;
}
template <typename I, typename N, typename T>
inline I fill_n(I first, N count, const T& value) {
    for (; count > 0; --count) *first++ = value;
    return first;
}
template <typename I, typename F>
inline void generate(I first, I last, F make) {
    for (; first != last; ++first) *first = make();
}
template <typename I, typename N, typename F>
inline void generate_n(I first, N count, F make) {
    for (; count > 0; --count) *first++ = make();
}
template <typename I, typename F>
inline F for_each(I first, I last, F each) {
    for (; first != last; ++first) each(*first);
    return each;
}
template <typename I, typename O>
inline O copy(I first, I last, O to) {
    for (; first != last; ++first) *to++ = *first;
    return to;
}
template <typename I, typename N, typename O>
inline O copy_n(I first, N count, O to) {
    for (; count > 0; --count) *to++ = *first++;
    return to;
}
template <typename I, typename O, typename F>
inline O transform(I first, I last, O to, F change) {
    for (; first != last; ++first) *to++ = change(*first);
    return to;
}
template <typename I, typename J, typename O, typename F>
inline O transform(I first, I last, J other, O to, F change) {
    for (; first != last; ++first) *to++ = change(*first, *other++);
    return to;
}
template <typename I, typename T>
inline I find(I first, I last, const T& value) {
    while (first != last && !(*first == value)) ++first;
    return first;
}
template <typename I, typename F>
inline I find_if(I first, I last, F holds) {
    while (first != last && !holds(*first)) ++first;
    return first;
}
template <typename I, typename T>
inline long count(I first, I last, const T& value) {
    long found = 0;
    for (; first != last; ++first) found += *first == value;
    return found;
}
template <typename I, typename F>
inline long count_if(I first, I last, F holds) {
    long found = 0;
    for (; first != last; ++first) found += holds(*first) ? 1 : 0;
    return found;
}
template <typename I, typename F>
inline bool all_of(I first, I last, F holds) {
    for (; first != last; ++first) if (!holds(*first)) return false;
    return true;
}
template <typename I, typename F>
inline bool any_of(I first, I last, F holds) {
    for (; first != last; ++first) if (holds(*first)) return true;
    return false;
}
template <typename I, typename J>
inline bool equal(I first, I last, J other) {
    for (; first != last; ++first) if (!(*first == *other++)) return false;
    return true;
}
template <typename I>
inline constexpr I min_element(I first, I last) {
    I best = first;
    for (; first != last; ++first) if (*first < *best) best = first;
    return best;
}
template <typename I>
inline constexpr I max_element(I first, I last) {
    I best = first;
    for (; first != last; ++first) if (*best < *first) best = first;
    return best;
}
template <typename I>
inline void reverse(I first, I last) {
    while (first != last && first != --last) swap(*first++, *last);
}
template <typename I, typename T>
inline I lower_bound(I first, I last, const T& value) {
    long count = last - first;
    while (count > 0) {
        long half = count / 2;
        if (first[half] < value) {
            first = first + half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}
template <typename I, typename T>
inline I upper_bound(I first, I last, const T& value) {
    long count = last - first;
    while (count > 0) {
        long half = count / 2;
        if (!(value < first[half])) {
            first = first + half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}
template <typename T, typename F>
inline void __sort_parts(T* first, T* kept, long count, F less) {
    if (count <= 8) {
        for (long i = 1; i < count; i++) {
            T value = static_cast<T&&>(first[i]);
            long at = i;
            for (; at > 0 && less(value, first[at - 1]); at--) first[at] = static_cast<T&&>(first[at - 1]);
            first[at] = static_cast<T&&>(value);
        }
        return;
    }
    const long half = count / 2;
    __sort_parts(first, kept, half, less);
    __sort_parts(first + half, kept, count - half, less);
    for (long i = 0; i < half; i++) new (kept + i) T(static_cast<T&&>(first[i]));
    long left = 0, right = half, at = 0;
    while (left < half && right < count) {
        if (less(first[right], kept[left])) first[at++] = static_cast<T&&>(first[right++]);
        else first[at++] = static_cast<T&&>(kept[left++]);
    }
    while (left < half) first[at++] = static_cast<T&&>(kept[left++]);
    if constexpr (__cudac_destroys(kept)) {
        for (long i = 0; i < half; i++) kept[i].~T();
    }
}
template <typename T, typename F>
inline void sort(T* first, T* last, F less) {
    if (last - first < 2) return;
    T* kept = (T*)malloc(((last - first) / 2 + 1) * sizeof(T));
    __sort_parts(first, kept, (long)(last - first), less);
    free((void*)kept);
}
template <typename T>
inline void sort(T* first, T* last) { sort(first, last, __any_less()); }
template <typename T, typename F>
inline void stable_sort(T* first, T* last, F less) { sort(first, last, less); }
template <typename T>
inline void stable_sort(T* first, T* last) { sort(first, last, __any_less()); }
template <typename I>
inline bool is_sorted(I first, I last) {
    if (first == last) return true;
    for (I next = first + 1; next != last; ++first, ++next) if (*next < *first) return false;
    return true;
}
template <typename I>
inline I unique(I first, I last) {
    if (first == last) return last;
    I kept = first;
    for (++first; first != last; ++first) {
        if (*kept == *first) continue;
        if (++kept != first) *kept = *first;
    }
    return ++kept;
}
template <typename I>
inline I next(I at, long count = 1) { return at + count; }
template <typename I>
inline I prev(I at, long count = 1) { return at - count; }
template <typename I>
inline long distance(I first, I last) { return last - first; }
template <typename I>
inline void advance(I& at, long count) { at += count; }
template <typename I, typename T>
inline void iota(I first, I last, T value) {
    for (; first != last; ++first) *first = value++;
}
template <typename I, typename T>
inline T accumulate(I first, I last, T sum) {
    for (; first != last; ++first) sum = sum + *first;
    return sum;
}
template <typename I, typename T, typename F>
inline T accumulate(I first, I last, T sum, F add) {
    for (; first != last; ++first) sum = add(sum, *first);
    return sum;
}
template <typename I, typename J, typename T>
inline T inner_product(I first, I last, J other, T sum) {
    for (; first != last; ++first) sum = sum + *first * *other++;
    return sum;
}
template <typename I, typename O>
inline O partial_sum(I first, I last, O to) {
    if (first == last) return to;
    auto sum = *first;
    *to++ = sum;
    for (++first; first != last; ++first) {
        sum = sum + *first;
        *to++ = sum;
    }
    return to;
}
}
