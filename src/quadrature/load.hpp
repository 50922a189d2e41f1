// Elements of any type as doubles.
#pragma once

#include <cstring>

#include "foldline/vector_view.hpp"

namespace foldline::quadrature {

namespace detail {
template <Element T>
void load_as(const VectorView& x, double* out) {
  for (std::int64_t i = 0; i < x.size(); ++i) {
    if constexpr (std::same_as<T, bool>) {
      out[i] = *x.at(i) == std::byte{0} ? 0 : 1;
    } else {
      T value;
      std::memcpy(&value, x.at(i), sizeof value);  // it may lie anywhere
      if constexpr (std::same_as<T, half> || std::same_as<T, bfloat16>)
        out[i] = static_cast<double>(static_cast<float>(value));
      else
        out[i] = static_cast<double>(value);
    }
  }
}
}  // namespace detail

/// out[i] = x[i]; integers beyond 2^53 are rounded.
inline void load(const VectorView& x, double* out) {
  switch (x.type()) {
    case ElementType::half:
      return detail::load_as<half>(x, out);
    case ElementType::bfloat16:
      return detail::load_as<bfloat16>(x, out);
    case ElementType::float32:
      return detail::load_as<float>(x, out);
    case ElementType::float64:
      return detail::load_as<double>(x, out);
    case ElementType::int8:
      return detail::load_as<std::int8_t>(x, out);
    case ElementType::int16:
      return detail::load_as<std::int16_t>(x, out);
    case ElementType::int32:
      return detail::load_as<std::int32_t>(x, out);
    case ElementType::int64:
      return detail::load_as<std::int64_t>(x, out);
    case ElementType::uint8:
      return detail::load_as<std::uint8_t>(x, out);
    case ElementType::uint16:
      return detail::load_as<std::uint16_t>(x, out);
    case ElementType::uint32:
      return detail::load_as<std::uint32_t>(x, out);
    case ElementType::uint64:
      return detail::load_as<std::uint64_t>(x, out);
    case ElementType::boolean:
      return detail::load_as<bool>(x, out);
  }
}

}  // namespace foldline::quadrature
