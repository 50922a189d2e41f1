// Numbers in memory, for order statistics.
#pragma once

#include <cstdint>
#include <vector>

#include <foldline/foldline.hpp>

namespace foldline::cli {

/// Numbers as 64-bit integer keys of the same order (-0 before +0), which compare fast. All are of one kind;
/// NaNs, which have no order, are only counted.
class Values {
 public:
  enum class Kind : std::uint8_t { int64, uint64, float64 };

  /// The kind that holds every number of the type.
  static Kind kind_of(ElementType type);
  /// An empty collection of that kind.
  explicit Values(Kind kind = Kind::float64) : kind_(kind) {}

  /// Reserves memory for `count` numbers in all.
  void reserve(std::int64_t count) { keys_.reserve(static_cast<std::size_t>(count)); }
  /// Appends the elements of a vector.
  void append(const VectorView& x);
  /// Appends the numbers of another collection. Of two kinds the result is float64, or int64 if both are
  /// integers. Throws DataError for a number that this does not hold exactly.
  void append(const Values& other);

  /// Number of elements that are not NaN.
  std::int64_t size() const { return std::ssize(keys_); }
  std::int64_t nans() const { return nans_; }
  Kind kind() const { return kind_; }
  ElementType type() const;
  /// The keys, which may be reordered.
  std::vector<std::int64_t>& keys() { return keys_; }
  const std::vector<std::int64_t>& keys() const { return keys_; }
  /// The number that a key stands for.
  Scalar number(std::int64_t key) const;

 private:
  void convert_to(Kind kind);

  Kind kind_;
  std::vector<std::int64_t> keys_;
  std::int64_t nans_ = 0;
};

/// The key of a number of that kind.
std::int64_t key_of(double number);
std::int64_t key_of(std::int64_t number);
std::int64_t key_of(std::uint64_t number);

}  // namespace foldline::cli
