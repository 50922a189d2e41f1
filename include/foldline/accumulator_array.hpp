/// @file
/// Many partial results in little memory: one for each group of values, or for each column of a wide table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "foldline/accumulator.hpp"

namespace foldline {

/// An array of accumulators of one operation. As exact as Accumulator, and the same results whatever the
/// order; but where an Accumulator has room for every sum there is, these begin with 128 or 256 bits, and
/// only those whose values need more get it. An element takes 32 bytes for sums and means, 72 for variances,
/// 128 for statistics, and up to 2.4 KB more if its values are of very different magnitudes.
///
/// Movable. Not for use by two threads at once.
class FOLDLINE_API AccumulatorArray {
 public:
  /// Accumulators 0 to size - 1, empty ones.
  explicit AccumulatorArray(Operation operation, std::int64_t size = 0);
  /// @{ What was moved from may only be assigned to or destroyed.
  AccumulatorArray(AccumulatorArray&& other) noexcept;
  AccumulatorArray& operator=(AccumulatorArray&& other) noexcept;
  /// @}
  ~AccumulatorArray();

  /// As given to the constructor.
  [[nodiscard]] Operation operation() const;
  /// Number of accumulators.
  [[nodiscard]] std::int64_t size() const;
  /// Appends empty ones. Throws InvalidArgument for a size smaller than it is.
  void resize(std::int64_t size);

  /// @{ Adds x, or the pairs of x and y, to one accumulator. Throws what Accumulator::add throws, and
  /// InvalidArgument if there is no such accumulator.
  void add(std::int64_t index, const VectorView& x, const Context& context = {});
  void add(std::int64_t index, const VectorView& x, const VectorView& y, const Context& context = {});
  /// @}
  /// @{ Adds x_i, or the pair of x_i and y_i, to accumulator indices[i]: exactly, on this thread. Throws
  /// InvalidArgument also if there are not as many indices as values; nothing is added then.
  void add(std::span<const std::uint32_t> indices, const VectorView& x);
  void add(std::span<const std::uint32_t> indices, const VectorView& x, const VectorView& y);
  /// @}
  /// Adds what accumulator `other_index` of another array for the same operation has gathered.
  void merge(std::int64_t index, const AccumulatorArray& other, std::int64_t other_index);

  /// Number of values (or pairs) added to an accumulator.
  [[nodiscard]] std::int64_t count(std::int64_t index) const;
  /// An accumulator of its own.
  [[nodiscard]] Accumulator at(std::int64_t index) const;
  /// Memory in use, in bytes.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  struct FOLDLINE_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace foldline
