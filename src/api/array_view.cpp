#include "foldline/array_view.hpp"

#include <algorithm>
#include <string>

#include "foldline/error.hpp"

namespace foldline {

namespace {

std::string text_of(const AxisValues& numbers) {
  std::string text = "(";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return text + ")";
}

void check_extents(const AxisValues& shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw InvalidArgument("array: the shape " + text_of(shape) + " has a negative extent");
    if (extent > 0 && __builtin_mul_overflow(product, extent, &product))
      throw InvalidArgument("array: the shape " + text_of(shape) + " has more than 2^63 - 1 elements");
  }
}

/// Whether every element's address, in bytes from 0, is one that a signed 64-bit number can hold.
bool is_addressable(const void* data, ElementType type, const AxisValues& shape, const AxisValues& strides) {
  auto lowest = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data));
  std::int64_t highest = lowest;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::int64_t elements = 0;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &elements) ||
        __builtin_mul_overflow(elements, size_of(type), &bytes))
      return false;
    std::int64_t& end = bytes < 0 ? lowest : highest;
    if (__builtin_add_overflow(end, bytes, &end)) return false;
  }
  return lowest >= 0 && !__builtin_add_overflow(highest, size_of(type), &highest);
}

}  // namespace

AxisValues row_major_strides(const AxisValues& shape) {
  check_extents(shape);
  AxisValues strides = shape;
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

ArrayView::ArrayView(const void* data, ElementType type, const AxisValues& shape, const AxisValues& strides)
    : data_(data), type_(type), shape_(shape), strides_(strides) {
  if (!is_known(type_))
    throw InvalidArgument("array: the element type " + std::to_string(static_cast<int>(type_)) +
                          " is unknown");
  if (shape_.size() != strides_.size())
    throw InvalidArgument("array: the shape " + text_of(shape_) + " and the strides " + text_of(strides_) +
                          " must have the same number of axes");
  check_extents(shape_);
  size_ = 1;
  for (const std::int64_t extent : shape_) size_ *= extent;
  if (size_ == 0) return;
  if (data_ == nullptr)
    throw InvalidArgument("array: its shape is " + text_of(shape_) + " but its data is null");
  if (!is_addressable(data_, type_, shape_, strides_))
    throw InvalidArgument("array: the shape " + text_of(shape_) + " with strides " + text_of(strides_) +
                          " reaches past the end of the address space");
}

ArrayView::ArrayView(const VectorView& vector)
    : ArrayView(vector.data(), vector.type(), {vector.size()}, {vector.stride()}) {}

MutableArrayView::MutableArrayView(void* data, ElementType type, const AxisValues& shape,
                                   const AxisValues& strides)
    : ArrayView(data, type, shape, strides) {
  for (std::size_t axis = 0; size() > 0 && axis < ArrayView::shape().size(); ++axis)
    if (ArrayView::strides()[axis] == 0 && ArrayView::shape()[axis] > 1)
      throw InvalidArgument(
          "array: the elements of an array that is written must be distinct, but the shape " +
          text_of(ArrayView::shape()) + " has the strides " + text_of(ArrayView::strides()));
}

namespace {

AxisValues matrix_strides(std::int64_t rows, std::int64_t columns, Layout layout,
                          std::int64_t leading_dimension) {
  const bool row_major = layout == Layout::row_major;
  const std::int64_t contiguous = row_major ? columns : rows;
  if (leading_dimension < contiguous)
    throw InvalidArgument("matrix: the leading dimension is " + std::to_string(leading_dimension) +
                          "; it must be at least the number of " + (row_major ? "columns, " : "rows, ") +
                          std::to_string(contiguous));
  if (row_major) return {leading_dimension, 1};
  return {1, leading_dimension};
}

}  // namespace

MatrixView::MatrixView(const void* data, ElementType type, std::int64_t rows, std::int64_t columns,
                       Layout layout, std::int64_t leading_dimension)
    : array_(data, type, {rows, columns}, matrix_strides(rows, columns, layout, leading_dimension)) {}

MatrixView MatrixView::transposed() const {
  return MatrixView(ArrayView(array_.data(), array_.type(), {columns(), rows()},
                              {array_.strides()[1], array_.strides()[0]}));
}

}  // namespace foldline
