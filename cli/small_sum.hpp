// An accumulator that holds a few values as they are.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <foldline/foldline.hpp>

namespace foldline::cli {

/// A million groups of ten doubles take 200 MB this way, as accumulators 4 GB; and values that come one by
/// one are added 64 at a time, since a call of Accumulator::add costs as much as adding 50.
class SmallSum {
 public:
  SmallSum() = default;
  explicit SmallSum(Accumulator accumulator) : accumulator_(std::move(accumulator)) {}

  /// Adds one vector, or the pairs of two. Contiguous, always of the same type.
  void add(Operation operation, const std::vector<VectorView>& vectors, const Context& context);
  void merge(Operation operation, const SmallSum& other, const Context& context);
  /// All that has been added.
  Accumulator total(Operation operation, const Context& context) const;

 private:
  void add_pending(Accumulator& accumulator, const Context& context) const;

  std::array<std::vector<std::byte>, 2> pending_;
  ElementType type_ = ElementType::float64;
  std::optional<Accumulator> accumulator_;
};

}  // namespace foldline::cli
