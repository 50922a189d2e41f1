/// @file
/// Views of n-dimensional arrays and of matrices in memory. Unlike a VectorView, an ArrayView is checked when
/// it is made: one that exists is valid.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "foldline/export.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// A number for each axis of an array: its extents or its strides. Made of a braced list, or of a
/// std::vector, std::array or std::span of std::int64_t. Up to 8 numbers are inside of it: no memory is
/// allocated.
class AxisValues {
 public:
  /// Of no axes.
  AxisValues() = default;
  /// Those of a braced list.
  AxisValues(std::initializer_list<std::int64_t> values)
      : AxisValues(std::span<const std::int64_t>(values.begin(), values.size())) {}
  /// Those of a range.
  template <std::ranges::contiguous_range Range>
    requires(std::same_as<std::remove_cv_t<std::ranges::range_value_t<Range>>, std::int64_t> &&
             !std::same_as<Range, AxisValues>)
  AxisValues(const Range& values)  // NOLINT(google-explicit-constructor): as a span
      : size_(std::ranges::size(values)) {
    if (size_ > inside) more_.resize(size_);
    std::copy_n(std::ranges::data(values), size_, data());
  }
  /// Copies are independent.
  AxisValues(const AxisValues& other) =
      default;  // nor is there a move, which would leave a size without numbers
  /// As the copy constructor.
  AxisValues& operator=(const AxisValues& other) = default;
  ~AxisValues() = default;
  /// value(axis) for each axis.
  template <class Value>
  [[nodiscard]] static AxisValues generate(std::size_t axes, Value value) {
    AxisValues values;
    values.size_ = axes;
    if (axes > inside) values.more_.resize(axes);
    for (std::size_t axis = 0; axis < axes; ++axis)
      values.data()[axis] = static_cast<std::int64_t>(value(axis));
    return values;
  }

  /// Number of axes.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// @{ The numbers, as those of a std::vector.
  [[nodiscard]] const std::int64_t* data() const { return size_ <= inside ? inside_.data() : more_.data(); }
  [[nodiscard]] std::int64_t* data() { return size_ <= inside ? inside_.data() : more_.data(); }
  [[nodiscard]] const std::int64_t* begin() const { return data(); }
  [[nodiscard]] std::int64_t* begin() { return data(); }
  [[nodiscard]] const std::int64_t* end() const { return data() + size_; }
  [[nodiscard]] std::int64_t* end() { return data() + size_; }
  [[nodiscard]] std::int64_t operator[](std::size_t axis) const { return data()[axis]; }
  [[nodiscard]] std::int64_t& operator[](std::size_t axis) { return data()[axis]; }
  /// @}
  /// A copy that can grow.
  [[nodiscard]] std::vector<std::int64_t> to_vector() const { return {begin(), end()}; }
  /// As many numbers, and the same.
  friend bool operator==(const AxisValues& x, const AxisValues& y) { return std::ranges::equal(x, y); }

 private:
  static constexpr std::size_t inside = 8;

  std::size_t size_ = 0;
  std::array<std::int64_t, inside> inside_{};
  std::vector<std::int64_t> more_;
};

/// A std::mdspan, of the standard library or its reference implementation, that a view can be made of: its
/// elements are in memory (not made by an accessor), with a stride for each axis.
template <class Mdspan>
concept MdspanOfElements = requires(const Mdspan& array, typename Mdspan::element_type* element) {
  requires Element<std::remove_cv_t<typename Mdspan::element_type>>;
  requires std::same_as<typename Mdspan::reference, typename Mdspan::element_type&>;
  requires std::same_as<typename Mdspan::data_handle_type, decltype(element)>;
  requires Mdspan::is_always_strided();
  { Mdspan::rank() } -> std::convertible_to<std::size_t>;
  array.extent(0);
  array.stride(0);
  array.data_handle();
};

/// The strides, in elements, of a dense array whose last axis is contiguous (C order).
/// Throws InvalidArgument if an extent is negative or their product exceeds 2^63 - 1.
[[nodiscard]] FOLDLINE_API AxisValues row_major_strides(const AxisValues& shape);

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
  ArrayView(const void* data, ElementType type, const AxisValues& shape, const AxisValues& strides);

  /// For data whose type is known when the program is compiled.
  template <Element T>
  ArrayView(const T* data, const AxisValues& shape, const AxisValues& strides)
      : ArrayView(static_cast<const void*>(data), element_type_of<T>, shape, strides) {}

  /// Dense and in row-major (C) order.
  template <Element T>
  ArrayView(const T* data, const AxisValues& shape) : ArrayView(data, shape, row_major_strides(shape)) {}

  /// One axis.
  ArrayView(const VectorView& vector);  // NOLINT(google-explicit-constructor): it loses nothing

  /// Any contiguous range of elements, as one axis.
  template <ContiguousElements Range>
  ArrayView(const Range& range)  // NOLINT(google-explicit-constructor): as VectorView
      : ArrayView(VectorView(range)) {}

  /// A std::mdspan.
  template <MdspanOfElements Mdspan>
  ArrayView(const Mdspan& array)  // NOLINT(google-explicit-constructor): as VectorView
      : ArrayView(array.data_handle(),
                  AxisValues::generate(Mdspan::rank(), [&](auto i) { return array.extent(i); }),
                  AxisValues::generate(Mdspan::rank(), [&](auto i) { return array.stride(i); })) {}

  /// Address of the element of index 0.
  [[nodiscard]] const void* data() const { return data_; }
  /// Type of the elements.
  [[nodiscard]] ElementType type() const { return type_; }
  /// Number of axes.
  [[nodiscard]] std::int64_t axes() const { return static_cast<std::int64_t>(shape_.size()); }
  /// Lengths of the axes.
  [[nodiscard]] const AxisValues& shape() const { return shape_; }
  /// In elements.
  [[nodiscard]] const AxisValues& strides() const { return strides_; }
  /// Number of elements.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Address of the element `offset` elements away from the one of index 0.
  [[nodiscard]] const std::byte* at(std::int64_t offset) const {
    return static_cast<const std::byte*>(data_) + offset * size_of(type_);
  }

 private:
  const void* data_ = nullptr;
  ElementType type_ = ElementType::float64;
  AxisValues shape_ = {0}, strides_ = {1};
  std::int64_t size_ = 0;
};

/// An ArrayView whose elements may be written. They must be distinct: a stride of zero along an axis of more
/// than one element is refused (InvalidArgument), other ways to overlap are the caller's to avoid.
class FOLDLINE_API MutableArrayView : public ArrayView {
 public:
  MutableArrayView() = default;
  /// For data whose type is known at run time only.
  MutableArrayView(void* data, ElementType type, const AxisValues& shape, const AxisValues& strides);

  /// For data whose type is known when the program is compiled.
  template <Element T>
    requires(!std::is_const_v<T>)
  MutableArrayView(T* data, const AxisValues& shape, const AxisValues& strides)
      : MutableArrayView(static_cast<void*>(data), element_type_of<T>, shape, strides) {}

  /// Dense and in row-major (C) order.
  template <Element T>
    requires(!std::is_const_v<T>)
  MutableArrayView(T* data, const AxisValues& shape)
      : MutableArrayView(data, shape, row_major_strides(shape)) {}

  /// Any contiguous range of elements that are not const, as one axis.
  template <ContiguousElements Range>
    requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>> &&
             (std::is_lvalue_reference_v<Range> || std::ranges::borrowed_range<Range>))
  MutableArrayView(Range&& range)  // NOLINT(google-explicit-constructor): as VectorView
      : MutableArrayView(std::ranges::data(range), {static_cast<std::int64_t>(std::ranges::size(range))},
                         {1}) {}

  /// A std::mdspan of elements that are not const.
  template <MdspanOfElements Mdspan>
    requires(!std::is_const_v<typename Mdspan::element_type>)
  MutableArrayView(const Mdspan& array)  // NOLINT(google-explicit-constructor): as VectorView
      : MutableArrayView(array.data_handle(),
                         AxisValues::generate(Mdspan::rank(), [&](auto i) { return array.extent(i); }),
                         AxisValues::generate(Mdspan::rank(), [&](auto i) { return array.stride(i); })) {}

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
