// Where results go: a new array, or the caller's `out`; and what the caller gets.
#pragma once

#include <cstddef>
#include <utility>

#include "array.hpp"

namespace foldline::python {

/// Throws a TypeError unless results of a type may become those of out='s, as in NumPy.
void require_castable(ElementType from, ElementType to, const char* caller);

/// An array that results are written to, and what is done with it when they are there.
class Output {
 public:
  /// A new one; `giver` is of the library that the caller gets an array of, null for NumPy.
  Output(const AxisValues& shape, ElementType type, nb::object giver);

  /// The caller's, if `out` is not None; a new one that is copied to it if results cannot be written there
  /// directly. `dtype`, unless it is None, is the type that results are rounded to first. Throws as NumPy.
  static Output make(nb::handle out, nb::handle dtype, const AxisValues& shape, ElementType usual,
                     const Array& x, const char* caller, const Array& mask = {});

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(PyArray_DATA(as_array(array_))); }
  [[nodiscard]] ElementType type() const { return type_; }
  /// In bytes.
  [[nodiscard]] std::int64_t stride(std::size_t axis) const {
    return PyArray_STRIDES(as_array(array_))[axis];
  }
  [[nodiscard]] AxisValues strides() const;
  [[nodiscard]] MutableArrayView view() const;

  [[nodiscard]] nb::handle array() const { return array_; }

  void fill_with_zero();

  /// The caller's array; a NumPy scalar; or an array of the library that the input is of.
  nb::object finish(const char* caller);

 private:
  Output(nb::object out, ElementType type) : array_(std::move(out)), is_callers_(true), type_(type) {}

  nb::object array_, out_, giver_;
  bool is_callers_ = false;
  ElementType type_;
};

}  // namespace foldline::python
