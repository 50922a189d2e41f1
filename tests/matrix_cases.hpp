// Matrices with awkward data and layouts, and their exact products by rational arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "device_copy.hpp"
#include "foldline/array_view.hpp"

namespace matrix_cases {

using foldline::ElementType;
using foldline::MutableArrayView;
using foldline::VectorView;

/// A matrix in a piece of memory with gaps, whose elements need not be aligned.
class Matrix {
 public:
  Matrix(ElementType type, std::int64_t rows, std::int64_t columns, generators::Random& random)
      : type_(type), rows_(rows), columns_(columns) {
    const std::int64_t gap = random.one_in(3) ? random.between(1, 5) : 0;
    row_stride_ = columns + gap;
    column_stride_ = 1;
    if (random.one_in(4)) {  // no stride is 1
      column_stride_ = random.between(2, 3);
      row_stride_ *= column_stride_;
    }
    if (random.coin()) {  // column-major
      row_stride_ = column_stride_;
      column_stride_ = (rows + gap) * row_stride_;
    }
    const std::int64_t size = foldline::size_of(type);
    const std::int64_t elements = std::max<std::int64_t>(rows - 1, 0) * row_stride_ +
                                  std::max<std::int64_t>(columns - 1, 0) * column_stride_ + 1;
    first_ = random.one_in(8) ? 1 : 0;                                                   // a byte off
    bytes_.assign(static_cast<std::size_t>(elements * size + first_), std::byte{0xff});  // NaNs
    if (random.one_in(4)) {  // from the last row up
      first_ += std::max<std::int64_t>(rows - 1, 0) * row_stride_ * size;
      row_stride_ = -row_stride_;
    }
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  ElementType type() const { return type_; }
  MutableArrayView view() { return view_at(bytes_.data() + first_); }
  /// Of a copy in the memory of a device, or of the matrix itself on the CPU.
  MutableArrayView view(foldline::Device device) {
    if (device.kind == foldline::Device::Kind::cpu) return view();
    copy_.emplace(bytes_, device);
    return view_at(copy_->at(bytes_.data() + first_));
  }
  /// Brings what view(device) was of back, if it was a copy.
  void fetch() {
    if (copy_) copy_->fetch(bytes_);
  }
  VectorView row(std::int64_t i) const { return {at(i, 0), type_, columns_, column_stride_}; }
  VectorView column(std::int64_t j) const { return {at(0, j), type_, rows_, row_stride_}; }
  std::uint64_t bits(std::int64_t i, std::int64_t j) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at(i, j), static_cast<std::size_t>(foldline::size_of(type_)));
    return bits;
  }
  double operator()(std::int64_t i, std::int64_t j) const { return oracle::decode(bits(i, j), type_); }
  void set(std::int64_t i, std::int64_t j, double value) {
    if (type_ == ElementType::float32) value = static_cast<double>(static_cast<float>(value));
    const std::uint64_t bits = oracle::encode(value, type_);
    std::memcpy(const_cast<std::byte*>(at(i, j)), &bits, static_cast<std::size_t>(foldline::size_of(type_)));
  }
  template <class Make>
  void fill(Make make) {
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < columns_; ++j) set(i, j, make());
  }
  /// How many bytes between the elements are not as they were.
  std::int64_t changed_gaps() const {
    std::vector<std::byte> rest = bytes_;
    const auto size = static_cast<std::size_t>(foldline::size_of(type_));
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < columns_; ++j)
        std::memset(rest.data() + (at(i, j) - bytes_.data()), 0xff, size);
    return std::ranges::count_if(rest, [](std::byte byte) { return byte != std::byte{0xff}; });
  }

 private:
  MutableArrayView view_at(std::byte* first) const {
    return {first, type_, {rows_, columns_}, {row_stride_, column_stride_}};
  }
  const std::byte* at(std::int64_t i, std::int64_t j) const {
    return bytes_.data() + first_ + (i * row_stride_ + j * column_stride_) * foldline::size_of(type_);
  }

  ElementType type_;
  std::int64_t rows_, columns_, row_stride_ = 0, column_stride_ = 0, first_ = 0;
  std::vector<std::byte> bytes_;
  std::optional<cases::DeviceCopy> copy_;
};

enum class Kind : std::uint8_t {
  uniform,
  normal,
  whole,
  wide,
  subnormal,
  smallest,
  tie,
  cancelling,
  special,
  zeros
};

/// A random number of a kind.
double element(Kind kind, generators::Random& random);

ElementType any_type(generators::Random& random);

/// alpha (row i of A) . (column j of B) + beta c, by rational arithmetic where all is finite.
std::uint64_t expected(const Matrix& a, const Matrix& b, std::int64_t i, std::int64_t j, double alpha,
                       double beta, double c, ElementType type);

/// A random exact product, all from the seed, on a processor; empty, or what is wrong with it.
std::string check_random_product(std::uint64_t seed, const foldline::Context& processor);

}  // namespace matrix_cases
