// Prefetching of rows that are read later.
#pragma once

#include "lanes.hpp"

namespace ridgeway {
namespace {

constexpr i64 ROWS_AHEAD = 32;  // rows in random order are prefetched so many rows ahead

template <class T>
inline void ask_for_row(const T* row, i64 n_columns) {
    const char* address = reinterpret_cast<const char*>(row);
    for (i64 at = 0; at < n_columns * static_cast<i64>(sizeof(T)); at += CACHE_LINE_BYTES) {
        ask_second_level(address + at);
    }
}

constexpr i64 BYTES_AHEAD = 8192, RECOGNIZED_BYTES = 1024;

// The processor does not recognize a loop over several wide rows at a time as a stream, so the loop prefetches numbers
// at least BYTES_AHEAD. Returns how many numbers ahead to prefetch for groups of `group` numbers; 0 for small groups.
template <class T>
inline i64 numbers_ahead(i64 group) {
    const i64 bytes = group * static_cast<i64>(sizeof(T));
    return bytes < RECOGNIZED_BYTES ? 0 : group * ((BYTES_AHEAD + bytes - 1) / bytes);
}

}  // namespace
}  // namespace ridgeway
