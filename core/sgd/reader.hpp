// Rows of T read in the precision W of the coefficients: T itself, or floats as doubles.
#pragma once

#include "lanes.hpp"

namespace ridgeway {
namespace {

template <class T, class W>
struct Reader;

template <class T>
struct Reader<T, T> {
    Columns<T> columns;

    Reader(const T* rows, i64 n_rows, i64 n_columns) : columns(rows, n_rows, n_columns) {}
    i64 whole() const { return columns.whole; }
    i64 rest() const { return columns.rest; }
    Lanes<T> at(const T* row, i64 c) const { return load(row + c); }
    Lanes<T> last(const T* row) const { return columns.last(row); }
    static Lanes<T> square(Lanes<T> x) { return x * x; }
};

template <>
struct Reader<float, double> {
    i64 n_whole, n_rest;
    const float* end;

    Reader(const float* rows, i64 n_rows, i64 n_columns)
        : n_whole(n_columns - n_columns % 4), n_rest(n_columns % 4), end(rows + n_rows * n_columns) {}
    i64 whole() const { return n_whole; }
    i64 rest() const { return n_rest; }
    Lanes<double> at(const float* row, i64 c) const { return widened(row + c); }
    Lanes<double> last(const float* row) const {
        const float* from = row + n_whole;
        if (end - from >= 4) return first_lanes<double>(widened(from), n_rest);
        float copy[4] = {};
        std::memcpy(copy, from, static_cast<std::size_t>(n_rest) * sizeof(float));
        return widened(copy);
    }
    // In the precision of the rows, so that rows whose squared norm overflows there are refused here, too.
    static Lanes<double> square(Lanes<double> x) {
        const Lanes<double> exact = x * x;
        float rounded[4];
        for (int i = 0; i < 4; ++i) rounded[i] = static_cast<float>(exact[i]);
        return widened(rounded);
    }
};

}  // namespace
}  // namespace ridgeway
