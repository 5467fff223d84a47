// Rows in whole lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "numbers.hpp"

namespace ridgeway {

// Rows in whole aligned lanes, 0 where nothing else is written: kernels read them without a look at their last columns.
template <class T>
class Padded {
public:
    const i64 stride;

    Padded(i64 n_rows, i64 n_columns)
        : stride((n_columns + LANE - 1) / LANE * LANE), numbers_(static_cast<std::size_t>(n_rows * stride + LINE)) {
        const auto beyond = reinterpret_cast<std::uintptr_t>(numbers_.data()) / sizeof(T) % LINE;
        first_ = numbers_.data() + (LINE - beyond) % LINE;
    }
    template <class From>
    Padded(const From* rows, i64 n_rows, i64 n_columns) : Padded(n_rows, n_columns) {
        for (i64 i = 0; i < n_rows; ++i) {
            for (i64 c = 0; c < n_columns; ++c) first_[i * stride + c] = static_cast<T>(rows[i * n_columns + c]);
        }
    }
    Padded(const Padded&) = delete;
    T* data() { return first_; }
    T& operator[](i64 i) { return first_[i]; }

private:
    static constexpr i64 LANE = 32 / sizeof(T), LINE = 64 / sizeof(T);
    std::vector<T> numbers_;
    T* first_;
};

}  // namespace ridgeway
