// Writes a number to memory of the caller's, which need not be aligned.
#pragma once

#include <cstring>

#include "foldline/scalar.hpp"
#include "foldline/vector_view.hpp"

namespace foldline::c {

inline void store(const Scalar& number, const MutableVectorView& to) {
  number.visit([&](auto value) { std::memcpy(to.data(), &value, sizeof value); });
}

}  // namespace foldline::c
