/// @file
/// Views of n-dimensional arrays and of matrices in memory. Unlike a VectorView, an ArrayView is checked when
/// it is made: one that exists is valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "foldline/export.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// The strides, in elements, of a dense array whose last axis is contiguous (C order).
/// Throws InvalidArgument if an extent is negative or their product exceeds 2^63 - 1.
[[nodiscard]] FOLDLINE_API std::vector<std::int64_t> row_major_strides(
    const std::vector<std::int64_t>& shape);

/// An n-dimensional strided array that someone else owns: element (i_0, i_1, ...) is at
/// `data + i_0 strides[0] + i_1 strides[1] + ...` elements, i_k in [0, shape[k]). Strides may be negative
/// (data then points to the element of index 0 all the same, as in NumPy) or zero (one element seen many
/// times). An array of no axes is a single element. `data` need not be aligned. The view must not outlive the
/// data.
///
/// Every constructor throws InvalidArgument if shape and strides differ in length, an extent is negative, the
/// product of the nonzero extents exceeds 2^63 - 1, data is null though there are elements, or an element
/// lies outside the address space.
class FOLDLINE_API ArrayView {
 public:
  /// One axis of no elements.
  ArrayView() = default;

  /// For data whose type is known at run time only, and for data that is not aligned to it.
  ArrayView(const void* data, ElementType type, std::vector<std::int64_t> shape,
            std::vector<std::int64_t> strides);

  /// For data whose type is known when the program is compiled.
  template <Element T>
  ArrayView(const T* data, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides)
      : ArrayView(static_cast<const void*>(data), element_type_of<T>, std::move(shape), std::move(strides)) {}

  /// Dense and in row-major (C) order.
  template <Element T>
  ArrayView(const T* data, const std::vector<std::int64_t>& shape)
      : ArrayView(data, shape, row_major_strides(shape)) {}

  /// One axis.
  ArrayView(const VectorView& vector);  // NOLINT(google-explicit-constructor): it loses nothing

  /// Any contiguous range of elements, as one axis.
  template <ContiguousElements Range>
  ArrayView(const Range& range)  // NOLINT(google-explicit-constructor): as VectorView
      : ArrayView(VectorView(range)) {}

  /// Address of the element of index 0.
  [[nodiscard]] const void* data() const { return data_; }
  /// Type of the elements.
  [[nodiscard]] ElementType type() const { return type_; }
  /// Number of axes.
  [[nodiscard]] std::int64_t axes() const { return static_cast<std::int64_t>(shape_.size()); }
  /// Lengths of the axes.
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  /// In elements.
  [[nodiscard]] const std::vector<std::int64_t>& strides() const { return strides_; }
  /// Number of elements.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Address of the element `offset` elements away from the one of index 0.
  [[nodiscard]] const std::byte* at(std::int64_t offset) const {
    return static_cast<const std::byte*>(data_) + offset * size_of(type_);
  }

 private:
  const void* data_ = nullptr;
  ElementType type_ = ElementType::float64;
  std::vector<std::int64_t> shape_ = {0}, strides_ = {1};
  std::int64_t size_ = 0;
};

/// An ArrayView whose elements may be written. They must be distinct: a stride of zero along an axis of more
/// than one element is refused (InvalidArgument), other ways to overlap are the caller's to avoid.
class FOLDLINE_API MutableArrayView : public ArrayView {
 public:
  MutableArrayView() = default;
  /// For data whose type is known at run time only.
  MutableArrayView(void* data, ElementType type, std::vector<std::int64_t> shape,
                   std::vector<std::int64_t> strides);

  /// For data whose type is known when the program is compiled.
  template <Element T>
    requires(!std::is_const_v<T>)
  MutableArrayView(T* data, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides)
      : MutableArrayView(static_cast<void*>(data), element_type_of<T>, std::move(shape), std::move(strides)) {
  }

  /// Dense and in row-major (C) order.
  template <Element T>
    requires(!std::is_const_v<T>)
  MutableArrayView(T* data, const std::vector<std::int64_t>& shape)
      : MutableArrayView(data, shape, row_major_strides(shape)) {}

  /// Any contiguous range of elements that are not const, as one axis.
  template <ContiguousElements Range>
    requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>)
  MutableArrayView(Range&& range)  // NOLINT(google-explicit-constructor): as VectorView
      : MutableArrayView(std::ranges::data(range), {static_cast<std::int64_t>(std::ranges::size(range))},
                         {1}) {}

  /// Address of the element of index 0.
  [[nodiscard]] void* data() const {
    return const_cast<void*>(ArrayView::data());
  }  // NOLINT: was not const when it came
  /// Address of the element `offset` elements away from the one of index 0.
  [[nodiscard]] std::byte* at(std::int64_t offset) const {
    return static_cast<std::byte*>(data()) + offset * size_of(type());
  }
};

/// Which index of a matrix has neighbours in memory.
enum class Layout : std::uint8_t {
  row_major,    ///< the column: rows are contiguous (C, NumPy's default)
  column_major  ///< the row: columns are contiguous (Fortran, BLAS, Julia, R)
};

/// A matrix as BLAS describes it; converts to an ArrayView of axes (row, column). The leading dimension is
/// the distance, in elements, of neighbouring rows (row-major) or columns (column-major).
class FOLDLINE_API MatrixView {
 public:
  /// Throws InvalidArgument as ArrayView does, and if the leading dimension is smaller than a row (row-major)
  /// or column (column-major).
  MatrixView(const void* data, ElementType type, std::int64_t rows, std::int64_t columns, Layout layout,
             std::int64_t leading_dimension);

  /// For data whose type is known when the program is compiled.
  template <Element T>
  MatrixView(const T* data, std::int64_t rows, std::int64_t columns, Layout layout,
             std::int64_t leading_dimension)
      : MatrixView(static_cast<const void*>(data), element_type_of<T>, rows, columns, layout,
                   leading_dimension) {}

  /// Without gaps.
  template <Element T>
  MatrixView(const T* data, std::int64_t rows, std::int64_t columns, Layout layout = Layout::row_major)
      : MatrixView(data, rows, columns, layout, layout == Layout::row_major ? columns : rows) {}

  /// Type of the elements.
  [[nodiscard]] ElementType type() const { return array_.type(); }
  /// Number of rows.
  [[nodiscard]] std::int64_t rows() const { return array_.shape()[0]; }
  /// Number of columns.
  [[nodiscard]] std::int64_t columns() const { return array_.shape()[1]; }
  /// The transpose: the same elements, seen with rows and columns exchanged.
  [[nodiscard]] MatrixView transposed() const;
  /// The matrix as an array of axes (row, column).
  [[nodiscard]] const ArrayView& array() const { return array_; }
  /// As array().
  operator const ArrayView&() const { return array_; }  // NOLINT(google-explicit-constructor): it is one

 private:
  explicit MatrixView(ArrayView array) : array_(std::move(array)) {}

  ArrayView array_;
};

}  // namespace foldline
