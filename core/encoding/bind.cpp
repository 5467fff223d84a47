#include "array.hpp"
#include "encoding/entries.hpp"
#include "encoding/words.hpp"

namespace ridgeway {
namespace {
namespace bound {

// Hashed words of rows, as Python hands them over.
struct Words {
    In starts, ends, buckets, values;

    template <class T>
    WordEntries<T> entries() const {
        return {starts.as<i64>(), ends.as<i64>(), buckets.as<std::int32_t>(), values.as<T>(), ends.size()};
    }
};

// CSR rows that are being filled.
struct SparseRows {
    Out places, indices, data;

    template <class T>
    OpenRows<T> open() const {
        return {places.as<i64>(), indices.as<std::int32_t>(), data.as<T>()};
    }
};

Strings strings_of(const In& data, const In& offsets) {
    return {data.as<std::uint8_t>(), offsets.as<i64>(), offsets.size() - 1};
}

template <class T>
Slots<T> slots_of(const In& codes, const In& values) {
    return {codes.as<std::int32_t>(), values.as<T>(), codes.shape(0), codes.shape(1)};
}

void hash_strings(const In& data, const In& offsets, i64 buckets, const Out& out) {
    check(out.size() == offsets.size() - 1 && buckets > 0, "hash_strings: offsets (n + 1,), out (n,)");
    ridgeway::hash_strings(strings_of(data, offsets), buckets, out.as<std::int32_t>());
}

void count_words(const In& data, const In& offsets, const Out& out) {
    check(out.size() == offsets.size() - 1, "count_words: offsets (n + 1,), out (n,)");
    ridgeway::count_words(strings_of(data, offsets), out.as<i64>());
}

void hash_words(const In& data, const In& offsets, const In& starts, i64 buckets, const Out& out) {
    check(starts.size() == offsets.size() && buckets > 0, "hash_words: offsets and starts (n + 1,)");
    ridgeway::hash_words(strings_of(data, offsets), starts.as<i64>(), buckets, out.as<std::int32_t>());
}

void join_words(const Out& buckets, const In& starts, const Out& ends, const Out& values) {
    check(starts.size() == ends.size() + 1 && buckets.size() == values.size(),
          "join_words: starts (n + 1,), ends (n,), buckets and values (words,)");
    by_float(values, [&]<class T>(T) {
        ridgeway::join_words(
            buckets.as<std::int32_t>(), starts.as<i64>(), ends.size(), ends.as<i64>(), values.as<T>());
    });
}

void fill_dense(const In& codes, const In& values, const Out& out) {
    check(codes.n_dims == 2 && values.size() == codes.size() && out.shape(0) == codes.shape(1),
          "fill_dense: codes and values (slots, n), out (n, d)");
    by_float(values, [&]<class T>(T) {
        ridgeway::fill_dense(slots_of<T>(codes, values), out.as<T>(), out.shape(1));
    });
}

void fill_dense_words(const Words& words, i64 first, const Out& out) {
    check(words.ends.size() == out.shape(0), "fill_dense_words: words of n rows, out (n, d)");
    by_float(words.values, [&]<class T>(T) {
        ridgeway::fill_dense_words(words.entries<T>(), first, out.as<T>(), out.shape(1));
    });
}

void fill_sparse(const In& codes, const In& values, const SparseRows& rows) {
    check(codes.n_dims == 2 && values.size() == codes.size() && rows.places.size() == codes.shape(1),
          "fill_sparse: codes and values (slots, n), rows (n, d)");
    by_float(values, [&]<class T>(T) { ridgeway::fill_sparse(slots_of<T>(codes, values), rows.open<T>()); });
}

void fill_sparse_words(const Words& words, i64 first, const SparseRows& rows) {
    check(words.ends.size() == rows.places.size(), "fill_sparse_words: words of n rows, rows (n, d)");
    by_float(words.values, [&]<class T>(T) {
        ridgeway::fill_sparse_words(words.entries<T>(), first, rows.open<T>());
    });
}

}  // namespace bound
}  // namespace

void bind_encoding(nb::module_& m) {
    const nb::call_guard<nb::gil_scoped_release> no_gil;
    using namespace bound;
    nb::class_<Words>(m, "Words", "Words of n rows: row i has buckets and values starts[i] to ends[i] - 1.")
        .def(nb::init<In, In, In, In>(), "starts"_a, "ends"_a, "buckets"_a, "values"_a);
    nb::class_<SparseRows>(m, "OpenRows", "CSR rows to append to: the next entry of row i goes to places[i].")
        .def(nb::init<Out, Out, Out>(), "places"_a, "indices"_a, "data"_a);

    m.def("hash_strings", &bound::hash_strings, "data"_a, "offsets"_a, "buckets"_a, "out"_a, no_gil,
          "Fill out (n,) with the bucket of each string: its 64-bit FNV-1a hash, spread, modulo buckets.");
    m.def("count_words", &bound::count_words, "data"_a, "offsets"_a, "out"_a, no_gil,
          "Fill out (n,) with the number of words of each string.");
    m.def("hash_words", &bound::hash_words, "data"_a, "offsets"_a, "starts"_a, "buckets"_a, "out"_a, no_gil,
          "Fill out[starts[i]:starts[i + 1]] with the buckets of the words of string i, in increasing order.");
    m.def("join_words", &bound::join_words, "buckets"_a, "starts"_a, "ends"_a, "values"_a, no_gil,
          "Join equal buckets of each row in place; values become counts over their norm, ends[i] where row i ends.");
    m.def("fill_dense", &bound::fill_dense, "codes"_a, "values"_a, "out"_a, no_gil,
          "Put values (slots, n) into the columns codes (slots, n) of out (n, d); a code of -1 is no entry.");
    m.def("fill_dense_words", &bound::fill_dense_words, "words"_a, "first"_a, "out"_a, no_gil,
          "Put the words of each row into the columns of out (n, d) from first on.");
    m.def("fill_sparse", &bound::fill_sparse, "codes"_a, "values"_a, "rows"_a, no_gil,
          "Append the entries that are not 0, of codes and values (slots, n), to rows (n, d).");
    m.def("fill_sparse_words", &bound::fill_sparse_words, "words"_a, "first"_a, "rows"_a, no_gil,
          "Append the words of each row to rows (n, d), in the columns from first on.");
}

}  // namespace ridgeway
