// Memory that a kernel works in, on whole cache lines. Bindings make it; kernels allocate nothing.
#pragma once

#include <new>

#include "numbers.hpp"

namespace ridgeway {

template <class T>
class Scratch {
public:
    explicit Scratch(i64 n) : data_(static_cast<T*>(::operator new(bytes(n), ALIGNED))) {}
    ~Scratch() { ::operator delete(data_, ALIGNED); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    T* data() const { return data_; }

private:
    static constexpr std::align_val_t ALIGNED{64};
    static std::size_t bytes(i64 n) { return static_cast<std::size_t>(n < 1 ? 1 : n) * sizeof(T); }
    T* data_;
};

}  // namespace ridgeway
