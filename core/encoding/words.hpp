// Hashes of strings and of their words. Saved models rely on the buckets: they never change.
#pragma once

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace ridgeway {
namespace {

using Byte = std::uint8_t;
using Bucket = std::int32_t;

// FNV-1a, 64 bits, and a finalizer (that of MurmurHash3) that spreads its low bits.
class Hash {
public:
    void add(Byte byte) { state_ = (state_ ^ byte) * 0x100000001B3u; }

    Bucket bucket(std::uint64_t n_buckets) const {
        std::uint64_t spread = state_;
        spread = (spread ^ (spread >> 33)) * 0xFF51AFD7ED558CCDu;
        spread = (spread ^ (spread >> 33)) * 0xC4CEB9FE1A85EC53u;
        return static_cast<Bucket>((spread ^ (spread >> 33)) % n_buckets);
    }

private:
    std::uint64_t state_ = 0xCBF29CE484222325u;
};

// Strings as Arrow keeps them: string i is the UTF-8 bytes offsets[i] to offsets[i + 1] of data.
struct Strings {
    const Byte* data;
    const i64* offsets;
    i64 n;
};

// out (n) is filled with the bucket of each string.
void hash_strings(const Strings& strings, i64 n_buckets, Bucket* out) {
    for (i64 i = 0; i < strings.n; ++i) {
        Hash hash;
        for (i64 j = strings.offsets[i]; j < strings.offsets[i + 1]; ++j) hash.add(strings.data[j]);
        out[i] = hash.bucket(static_cast<std::uint64_t>(n_buckets));
    }
}

// Whether the character that begins here belongs to a word: ASCII letters and digits, and every non-ASCII character
// except punctuation.
inline bool is_letter(const Byte* at, const Byte* end) {
    const Byte byte = *at, next = at + 1 < end ? at[1] : 0;
    const auto within = [byte](Byte first, Byte last) { return first <= byte && byte <= last; };
    if (byte < 0x80) return within('0', '9') || within('A', 'Z') || within('a', 'z');
    if (byte == 0xC2) return false;                                    // U+0080 to U+00BF: signs
    if (byte == 0xE2 && (next == 0x80 || next == 0x81)) return false;  // U+2000 to U+207F: dashes, quotes
    return !(byte == 0xE3 && next == 0x80);                            // U+3000 to U+303F: CJK punctuation
}

// Bytes of the character that begins here, at most those up to the end.
inline i64 width(const Byte* at, const Byte* end) {
    const i64 whole = *at < 0xC0 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
    return least<i64>(whole, end - at);
}

// Calls take(hash) for each word between two places, in their order.
template <class Take>
inline void for_each_word(const Byte* at, const Byte* end, Take&& take) {
    Hash hash;
    bool inside = false;
    while (at < end) {
        const Byte* next = at + width(at, end);
        if (is_letter(at, end)) {
            for (; at < next; ++at) hash.add(*at);
            inside = true;
        } else if (inside) {
            take(hash);
            hash = Hash{};
            inside = false;
        }
        at = next;
    }
    if (inside) take(hash);
}

// out (n) is filled with the number of words of each string.
void count_words(const Strings& strings, i64* out) {
    for (i64 i = 0; i < strings.n; ++i) {
        const Byte *at = strings.data + strings.offsets[i], *end = strings.data + strings.offsets[i + 1];
        i64 count = 0;
        for (bool inside = false; at < end; at += width(at, end)) {
            const bool letter = is_letter(at, end);
            count += letter && !inside;
            inside = letter;
        }
        out[i] = count;
    }
}

// out[starts[i]] to out[starts[i + 1] - 1] is filled with the buckets of the words of string i, in increasing order;
// starts (n + 1) leaves room for as many as count_words counts.
void hash_words(const Strings& strings, const i64* starts, i64 n_buckets, Bucket* out) {
    for (i64 i = 0; i < strings.n; ++i) {
        Bucket *first = out + starts[i], *to = first;
        for_each_word(strings.data + strings.offsets[i], strings.data + strings.offsets[i + 1], [&](const Hash& hash) {
            *to++ = hash.bucket(static_cast<std::uint64_t>(n_buckets));
        });
        std::sort(first, to);
    }
}

// Joins equal buckets, which are neighbours, of each row i, from starts[i] to starts[i + 1] - 1, in place. ends (n) is
// filled with where each row ends then, and values with how often each bucket came, over the norm of the row's counts.
template <class T>
void join_words(Bucket* buckets, const i64* starts, i64 n_rows, i64* ends, T* values) {
    for (i64 i = 0; i < n_rows; ++i) {
        const i64 first = starts[i];
        i64 end = first;
        for (i64 j = first; j < starts[i + 1]; ++j) {
            if (end > first && buckets[end - 1] == buckets[j]) {
                values[end - 1] += 1;
            } else {
                buckets[end] = buckets[j];
                values[end++] = 1;
            }
        }
        double squares = 0;
        for (i64 j = first; j < end; ++j) squares += static_cast<double>(values[j]) * values[j];
        const double norm = std::sqrt(squares);
        for (i64 j = first; j < end; ++j) values[j] = static_cast<T>(values[j] / norm);
        ends[i] = end;
    }
}

}  // namespace
}  // namespace ridgeway
