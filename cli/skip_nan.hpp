// --skip-nan: removes NaNs from blocks.
#pragma once

#include "source.hpp"

namespace foldline::cli {

/// Buffers of one thread, kept between blocks.
class NanFilter {
 public:
  /// Removes the NaNs of each vector, and their groups. `pairs`: removes a pair if either element is NaN, and
  /// counts it once. Returns how many were removed. Vectors that lost elements then point into this object.
  std::int64_t apply(Block& block, bool pairs);

 private:
  struct Vector {
    std::vector<std::byte> bytes;
    std::vector<std::uint32_t> keys;
  };

  void take_out(Block& block, std::size_t vector, std::int64_t count);

  std::vector<char> is_nan_;  ///< 1 for each element to remove
  std::vector<Vector> kept_;
};

}  // namespace foldline::cli
