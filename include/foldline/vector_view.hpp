/// @file
/// Views of vectors in memory: the only way data enters the library, or is written by it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>

#include "foldline/types.hpp"

namespace foldline {

/// A range that a view can be made of: elements side by side in memory, as in std::vector, std::span and
/// std::array. Not std::list, whose elements lie apart, nor std::vector<bool>, which has none in memory.
template <class Range>
concept ContiguousElements =
    std::ranges::contiguous_range<Range> && Element<std::remove_cv_t<std::ranges::range_value_t<Range>>>;

/// A strided vector that someone else owns: element i is at `data + i * stride` elements, i in [0, size).
/// The stride may be negative (data then points to the element with the highest address, as in NumPy) or zero
/// (one element seen `size` times). `data` need not be aligned. The view must not outlive the data.
class VectorView {
 public:
  VectorView() = default;

  /// For data whose type is known when the program is compiled.
  template <Element T>
  VectorView(const T* data, std::int64_t size, std::int64_t stride = 1)
      : data_(data), size_(size), stride_(stride), type_(element_type_of<T>) {}

  /// For data whose type is known at run time only, and for data that is not aligned to it.
  VectorView(const void* data, ElementType type, std::int64_t size, std::int64_t stride = 1)
      : data_(data), size_(size), stride_(stride), type_(type) {}

  /// Any contiguous range of elements: std::vector, std::span, std::array.
  template <ContiguousElements Range>
  VectorView(const Range& range)  // NOLINT(google-explicit-constructor): a span converts, so does this
      : VectorView(std::ranges::data(range), static_cast<std::int64_t>(std::ranges::size(range))) {}

  /// Address of element 0.
  [[nodiscard]] const void* data() const { return data_; }
  /// Number of elements.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Distance of neighbours, in elements.
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  /// Type of the elements.
  [[nodiscard]] ElementType type() const { return type_; }
  /// Address of element i; i in [0, size).
  [[nodiscard]] const std::byte* at(std::int64_t i) const {
    return static_cast<const std::byte*>(data_) + i * stride_ * size_of(type_);
  }
  /// Elements [first, first + count).
  [[nodiscard]] VectorView part(std::int64_t first, std::int64_t count) const {
    return {at(first), type_, count, stride_};
  }

 private:
  const void* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t stride_ = 1;
  ElementType type_ = ElementType::float64;
};

/// The same for a vector that is written to, such as the result of a scan. The stride must not be zero,
/// unless there is at most one element.
class MutableVectorView {
 public:
  /// No elements.
  MutableVectorView() = default;

  /// For data whose type is known when the program is compiled.
  template <Element T>
    requires(!std::is_const_v<T>)
  MutableVectorView(T* data, std::int64_t size, std::int64_t stride = 1)
      : data_(data), size_(size), stride_(stride), type_(element_type_of<T>) {}

  /// For data whose type is known at run time only, and for data that is not aligned to it.
  MutableVectorView(void* data, ElementType type, std::int64_t size, std::int64_t stride = 1)
      : data_(data), size_(size), stride_(stride), type_(type) {}

  /// Any contiguous range of elements that can be written to: a std::vector, std::span or std::array.
  template <ContiguousElements Range>
    requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>> &&
             (std::is_lvalue_reference_v<Range> || std::ranges::borrowed_range<Range>))
  MutableVectorView(Range&& range)  // NOLINT(google-explicit-constructor): a span converts, so does this
      : MutableVectorView(std::ranges::data(range), static_cast<std::int64_t>(std::ranges::size(range))) {}

  /// Address of element 0.
  [[nodiscard]] void* data() const { return data_; }
  /// Number of elements.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Distance of neighbours, in elements.
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  /// Type of the elements.
  [[nodiscard]] ElementType type() const { return type_; }
  /// Address of element i; i in [0, size).
  [[nodiscard]] std::byte* at(std::int64_t i) const {
    return static_cast<std::byte*>(data_) + i * stride_ * size_of(type_);
  }
  /// Elements [first, first + count).
  [[nodiscard]] MutableVectorView part(std::int64_t first, std::int64_t count) const {
    return {at(first), type_, count, stride_};
  }
  /// The same for reading.
  operator VectorView() const {  // NOLINT(google-explicit-constructor): what can be written can be read
    return {data_, type_, size_, stride_};
  }

 private:
  void* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t stride_ = 1;
  ElementType type_ = ElementType::float64;
};

/// What operations take as a vector: a range of elements, or a view.
template <class Vector>
concept VectorOfElements =
    std::same_as<Vector, VectorView> || std::same_as<Vector, MutableVectorView> || ContiguousElements<Vector>;

}  // namespace foldline
