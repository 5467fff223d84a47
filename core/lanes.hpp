// Lanes: 32 bytes of numbers that go through a kernel side by side.
//
// The order of additions is fixed by the kernel, so a sum in lanes has the same bits with every instruction set and for
// rows in batches of any sizes. Rows of any width take the same instructions: the last columns are read as whole lanes,
// too, and what does not belong to the row is masked.
#pragma once

#include <cstring>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "numbers.hpp"

namespace ridgeway {
namespace {

constexpr i64 LANE_BYTES = 32;
constexpr i64 CACHE_LINE_BYTES = 64;

template <class T>
constexpr i64 lane_count = LANE_BYTES / static_cast<i64>(sizeof(T));

#if defined(__GNUC__)

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
    typedef float type __attribute__((vector_size(32)));
    typedef std::int32_t mask __attribute__((vector_size(32)));
    typedef std::int32_t mask_element;
};
template <>
struct VectorOf<double> {
    typedef double type __attribute__((vector_size(32)));
    typedef std::int64_t mask __attribute__((vector_size(32)));
    typedef std::int64_t mask_element;
};
template <class T>
using Lanes = typename VectorOf<T>::type;

template <class T>
inline Lanes<T> spread(T number) {
    return number - Lanes<T>{};
}

// The first `count` lanes; the others become 0, whatever they held.
template <class T>
inline Lanes<T> first_lanes(Lanes<T> lanes, i64 count) {
    using Mask = typename VectorOf<T>::mask;
    using Element = typename VectorOf<T>::mask_element;
    constexpr i64 n = lane_count<T>;
    constexpr Element also = n == 8 ? -1 : 0;
    static constexpr Element ONES_THEN_ZEROS[16] = {-1, -1, -1, -1, also, also, also, also};
    Mask wanted;
    std::memcpy(&wanted, ONES_THEN_ZEROS + n - count, sizeof wanted);
    return reinterpret_cast<Lanes<T>>(reinterpret_cast<Mask>(lanes) & wanted);
}

inline float lane_sum(Lanes<float> v) {
    typedef float Four __attribute__((vector_size(16)));
    const Four half = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    return (half[0] + half[2]) + (half[1] + half[3]);
}

inline double lane_sum(Lanes<double> v) { return (v[0] + v[2]) + (v[1] + v[3]); }

// Sums of the lanes of four vectors at once, in half the instructions of four times lane_sum.
inline void lane_sums(Lanes<float> a, Lanes<float> b, Lanes<float> c, Lanes<float> d, float* sums) {
    typedef float Four __attribute__((vector_size(16)));
    const Lanes<float> ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) +
                            __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const Lanes<float> cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13) +
                            __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    const Lanes<float> all = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
                             __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    const Four four = __builtin_shufflevector(all, all, 0, 1, 2, 3) + __builtin_shufflevector(all, all, 4, 5, 6, 7);
    for (int i = 0; i < 4; ++i) {
        sums[i] = four[i];
    }
}

inline void lane_sums(Lanes<double> a, Lanes<double> b, Lanes<double> c, Lanes<double> d, double* sums) {
    const Lanes<double> ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Lanes<double> cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    const Lanes<double> all = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    for (int i = 0; i < 4; ++i) {
        sums[i] = all[i];
    }
}

// Four floats in the lanes of doubles.
inline Lanes<double> widened(const float* from) {
    typedef float Four __attribute__((vector_size(16)));
    Four four;
    std::memcpy(&four, from, sizeof four);
#if defined(__AVX__)
    return reinterpret_cast<Lanes<double>>(_mm256_cvtps_pd(reinterpret_cast<__m128>(four)));  // GCC takes them by twos
#else
    return __builtin_convertvector(four, Lanes<double>);
#endif
}

inline void ask_second_level(const void* address) { __builtin_prefetch(address, 0, 2); }
inline void ask_first_level(const void* address) { __builtin_prefetch(address, 0, 3); }

#else  // A compiler without vectors: plain arrays, added in the same order.

template <class T>
struct Lanes {
    T at[lane_count<T>];
    T operator[](i64 i) const { return at[i]; }
    friend Lanes operator+(Lanes a, const Lanes& b) {
        for (i64 i = 0; i < lane_count<T>; ++i) a.at[i] += b.at[i];
        return a;
    }
    friend Lanes operator-(Lanes a, const Lanes& b) {
        for (i64 i = 0; i < lane_count<T>; ++i) a.at[i] -= b.at[i];
        return a;
    }
    friend Lanes operator*(Lanes a, const Lanes& b) {
        for (i64 i = 0; i < lane_count<T>; ++i) a.at[i] *= b.at[i];
        return a;
    }
    Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
};

template <class T>
inline Lanes<T> spread(T number) {
    Lanes<T> lanes;
    for (i64 i = 0; i < lane_count<T>; ++i) lanes.at[i] = number;
    return lanes;
}

template <class T>
inline Lanes<T> first_lanes(Lanes<T> lanes, i64 count) {
    for (i64 i = count; i < lane_count<T>; ++i) lanes.at[i] = 0;
    return lanes;
}

inline double lane_sum(const Lanes<double>& v) { return (v[0] + v[2]) + (v[1] + v[3]); }
inline float lane_sum(const Lanes<float>& v) {
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

// The order of the vector form: neighbours two apart, then halves.
inline float paired_sum(const Lanes<float>& v) {
    return ((v[0] + v[2]) + (v[1] + v[3])) + ((v[4] + v[6]) + (v[5] + v[7]));
}
inline double paired_sum(const Lanes<double>& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

template <class T>
inline void lane_sums(const Lanes<T>& a, const Lanes<T>& b, const Lanes<T>& c, const Lanes<T>& d, T* sums) {
    sums[0] = paired_sum(a), sums[1] = paired_sum(b), sums[2] = paired_sum(c), sums[3] = paired_sum(d);
}

inline Lanes<double> widened(const float* from) {
    return Lanes<double>{{from[0], from[1], from[2], from[3]}};
}

inline void ask_second_level(const void*) {}
inline void ask_first_level(const void*) {}

#endif

template <class T>
inline Lanes<T> load(const T* from) {
    Lanes<T> lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

template <class T>
inline void store(T* to, Lanes<T> lanes) {
    std::memcpy(to, &lanes, sizeof lanes);
}

// How rows of one width are read in lanes: `whole` columns as full lanes, then `rest` more, below a lane's count.
template <class T>
struct Columns {
    i64 whole, rest;
    const T* end;  // of the array that holds the rows

    Columns(const T* rows, i64 n_rows, i64 n_columns)
        : whole(n_columns - n_columns % lane_count<T>), rest(n_columns % lane_count<T>), end(rows + n_rows * n_columns) {}

    // The last lanes of a row, filled up with 0. Whole lanes are read and masked, but never beyond the array's end.
    Lanes<T> last(const T* row) const {
        const T* from = row + whole;
        if (end - from >= lane_count<T>) {
            return first_lanes<T>(load(from), rest);
        }
        T copy[lane_count<T>] = {};
        std::memcpy(copy, from, static_cast<std::size_t>(rest) * sizeof(T));
        return load(copy);
    }
};

}  // namespace
}  // namespace ridgeway
