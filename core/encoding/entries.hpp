// Rows made of entries: dense or CSR. An encoding writes its entries slot by slot: in slot s, row i has values[s, i] in
// column codes[s, i], or nothing where that is -1. Words come row by row.
#pragma once

#include "numbers.hpp"

namespace ridgeway {
namespace {

constexpr i64 ROWS_FILLED_TOGETHER = 256;  // so that they lie in the cache for all slots

template <class T>
struct Slots {
    const std::int32_t* codes;  // (n, n_rows)
    const T* values;            // (n, n_rows)
    i64 n, n_rows;
};

// Row i has values[starts[i]] to values[ends[i] - 1], in the columns buckets[...].
template <class T>
struct WordEntries {
    const i64 *starts, *ends;
    const std::int32_t* buckets;
    const T* values;
    i64 n_rows;
};

// CSR rows that are being filled: the next entry of row i goes to places[i], which moves on.
template <class T>
struct OpenRows {
    i64* places;
    std::int32_t* indices;
    T* data;

    void append(i64 row, std::int32_t column, T value) const {
        const i64 place = places[row]++;
        indices[place] = column;
        data[place] = value;
    }
};

template <class T, class Put>
inline void for_each_entry(const Slots<T>& slots, Put&& put) {
    for (i64 first = 0; first < slots.n_rows; first += ROWS_FILLED_TOGETHER) {
        const i64 end = least(first + ROWS_FILLED_TOGETHER, slots.n_rows);
        for (i64 s = 0; s < slots.n; ++s) {
            for (i64 i = first; i < end; ++i) {
                const std::int32_t code = slots.codes[s * slots.n_rows + i];
                if (code >= 0) put(i, code, slots.values[s * slots.n_rows + i]);
            }
        }
    }
}

// Writes all entries to out (n_rows, n_columns).
template <class T>
void fill_dense(const Slots<T>& slots, T* out, i64 n_columns) {
    for_each_entry(slots, [=](i64 i, std::int32_t column, T value) { out[i * n_columns + column] = value; });
}

// Writes all words to out (n_rows, n_columns), in the columns from `first` on.
template <class T>
void fill_dense_words(const WordEntries<T>& words, i64 first, T* out, i64 n_columns) {
    for (i64 i = 0; i < words.n_rows; ++i) {
        T* row = out + i * n_columns + first;
        for (i64 j = words.starts[i]; j < words.ends[i]; ++j) row[words.buckets[j]] = words.values[j];
    }
}

// Appends the entries that are not 0 to their rows.
template <class T>
void fill_sparse(const Slots<T>& slots, const OpenRows<T>& rows) {
    for_each_entry(slots, [&rows](i64 i, std::int32_t column, T value) {
        if (value != 0) rows.append(i, column, value);
    });
}

// Appends all words to their rows, in the columns from `first` on.
template <class T>
void fill_sparse_words(const WordEntries<T>& words, i64 first, const OpenRows<T>& rows) {
    for (i64 i = 0; i < words.n_rows; ++i) {
        for (i64 j = words.starts[i]; j < words.ends[i]; ++j) {
            rows.append(i, static_cast<std::int32_t>(first + words.buckets[j]), words.values[j]);
        }
    }
}

}  // namespace
}  // namespace ridgeway
