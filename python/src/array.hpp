// What a Python caller gives as an array, read where it lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "foldline/array_view.hpp"
#include "numpy_api.hpp"

namespace foldline::python {

/// Elements in memory of the host; strides are in bytes and of any sign.
struct Array {
  nb::object owner;  // keeps the memory
  const std::byte* data = nullptr;
  ElementType type = ElementType::float64;
  bool is_swapped = false;  // in the other byte order
  AxisValues shape, strides;
  std::int64_t size = 0;
  nb::object giver;  // whose kind of array the results are; null for NumPy's

  [[nodiscard]] std::int64_t axes() const { return static_cast<std::int64_t>(shape.size()); }
  /// Whether an ArrayView can describe it.
  [[nodiscard]] bool is_viewable() const;
  /// Which has to be possible.
  [[nodiscard]] ArrayView view() const;
};

/// A NumPy array or scalar, anything with __dlpack__, the buffer protocol or __array__, and what NumPy makes
/// an array of, such as lists of numbers. Only these are copied. Throws TypeErrors that name `caller`.
Array array_from(nb::handle x, const char* caller);

/// Throws a TypeError if x is a masked array of NumPy.
void refuse_masked(nb::handle x, const std::string& message);

/// The same of a NumPy array.
Array array_from_numpy(nb::object array, const char* caller);

/// The same of what has __dlpack__.
Array array_from_dlpack(nb::handle x, const char* caller);

/// What a DLPack capsule says of an array, wherever it is; `giver` gave it.
Array array_from_capsule(nb::object capsule, nb::handle giver, const char* caller);

/// A mask: as array_from, of bool only.
Array mask_from(nb::handle where, const char* caller);

}  // namespace foldline::python
