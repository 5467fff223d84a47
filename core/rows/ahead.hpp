// Rows that memory is asked for before their turn.
#pragma once

#include "lanes.hpp"

namespace ridgeway {
namespace {

constexpr i64 ROWS_AHEAD = 32;  // rows that are read in any order are asked of memory so many before their turn

template <class T>
inline void ask_for_row(const T* row, i64 n_columns) {
    const char* address = reinterpret_cast<const char*>(row);
    for (i64 at = 0; at < n_columns * static_cast<i64>(sizeof(T)); at += CACHE_LINE_BYTES) {
        ask_second_level(address + at);
    }
}

constexpr i64 BYTES_AHEAD = 8192, RECOGNIZED_BYTES = 1024;

// Loops over several wide rows at a time are no stream that the processor recognizes: they ask memory for later rows,
// at least BYTES_AHEAD. Returns how many numbers ahead those of a group of `group` numbers are; 0 for small groups.
template <class T>
inline i64 numbers_ahead(i64 group) {
    const i64 bytes = group * static_cast<i64>(sizeof(T));
    return bytes < RECOGNIZED_BYTES ? 0 : group * ((BYTES_AHEAD + bytes - 1) / bytes);
}

}  // namespace
}  // namespace ridgeway
