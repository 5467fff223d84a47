// Arrays as Python hands them over: C-contiguous, of a known type, kept alive while a kernel runs.
//
// Python has validated shapes before it calls the core. What is checked here, always, is the type of the numbers; shapes
// are checked in builds with RIDGEWAY_CHECKS (make sanitize).
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "numbers.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace ridgeway {

enum class Number : char { none, f32, f64, i32, i64, u8, u32, u64, boolean };

template <class T>
constexpr Number number_of = Number::none;
template <>
inline constexpr Number number_of<float> = Number::f32;
template <>
inline constexpr Number number_of<double> = Number::f64;
template <>
inline constexpr Number number_of<std::int32_t> = Number::i32;
template <>
inline constexpr Number number_of<std::int64_t> = Number::i64;
template <>
inline constexpr Number number_of<std::uint8_t> = Number::u8;
template <>
inline constexpr Number number_of<std::uint32_t> = Number::u32;
template <>
inline constexpr Number number_of<std::uint64_t> = Number::u64;
template <>
inline constexpr Number number_of<bool> = Number::boolean;

// Reads a buffer format such as "d", "l" or "=Q".
inline Number number_of_format(const char* format, Py_ssize_t size) {
    const std::string code = format == nullptr ? "B" : format;
    const char last = code.empty() ? ' ' : code.back();
    switch (last) {
        case 'f': return Number::f32;
        case 'd': return Number::f64;
        case '?': return Number::boolean;
        case 'B': return Number::u8;
        case 'i': case 'l': case 'q': case 'n':
            return size == 4 ? Number::i32 : Number::i64;
        case 'I': case 'L': case 'Q': case 'N':
            return size == 4 ? Number::u32 : Number::u64;
        default: return Number::none;
    }
}

// An array that a kernel reads. It holds a reference to the Python object, so it may outlive the call that made it.
class In {
public:
    Number number = Number::none;
    int n_dims = 0;

    i64 shape(int axis) const { return axis < n_dims ? shape_[axis] : 1; }
    i64 size() const {
        i64 product = 1;
        for (int axis = 0; axis < n_dims; ++axis) product *= shape_[axis];
        return product;
    }

    template <class T>
    const T* as() const {
        require(number_of<T>);
        return static_cast<const T*>(data_);
    }

    // Reads the object's buffer; false if it has none that fits.
    bool from(nb::handle source, int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) {
        Py_buffer view;
        if (PyObject_GetBuffer(source.ptr(), &view, flags) != 0) {
            PyErr_Clear();
            return false;
        }
        number = number_of_format(view.format, view.itemsize);
        n_dims = view.ndim;
        data_ = view.buf;
        const bool fits = number != Number::none && n_dims <= MAX_DIMS;
        for (int axis = 0; fits && axis < n_dims; ++axis) shape_[axis] = view.shape[axis];
        PyBuffer_Release(&view);
        owner_ = nb::borrow(source);
        return fits;
    }

protected:
    static constexpr int MAX_DIMS = 4;
    void require(Number expected) const {
        if (number != expected) throw nb::type_error("an array has another type of numbers than its kernel expects");
    }
    void* data_ = nullptr;
    i64 shape_[MAX_DIMS] = {};
    nb::object owner_;
};

// An array that a kernel writes.
class Out : public In {
public:
    template <class T>
    T* as() const {
        require(number_of<T>);
        return static_cast<T*>(data_);
    }
    bool from(nb::handle source) { return In::from(source, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE); }
};

using MaybeIn = std::optional<In>;
using MaybeOut = std::optional<Out>;

// Calls body with a 0 of the type of the array's numbers, float or double.
template <class Body>
auto by_float(const In& array, Body&& body) {
    if (array.number == Number::f32) return body(float{});
    if (array.number == Number::f64) return body(double{});
    throw nb::type_error("an array of numbers has another type than float32 or float64");
}

// Calls body with a 0 of the type of column numbers, 32 or 64 bits.
template <class Body>
auto by_index(const In& array, Body&& body) {
    if (array.number == Number::u32) return body(std::uint32_t{});
    if (array.number == Number::u64) return body(std::uint64_t{});
    throw nb::type_error("column numbers have another type than uint32 or uint64");
}

#ifdef RIDGEWAY_CHECKS
inline void check(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
}
#else
inline void check(bool, const char*) {}
#endif

}  // namespace ridgeway

namespace nanobind::detail {

template <>
struct type_caster<ridgeway::In> {
    NB_TYPE_CASTER(ridgeway::In, const_name("numpy.typing.NDArray[typing.Any]"))
    bool from_python(handle source, uint8_t, cleanup_list*) noexcept { return value.from(source); }
};

template <>
struct type_caster<ridgeway::Out> {
    NB_TYPE_CASTER(ridgeway::Out, const_name("numpy.typing.NDArray[typing.Any]"))
    bool from_python(handle source, uint8_t, cleanup_list*) noexcept { return value.from(source); }
};

}  // namespace nanobind::detail
