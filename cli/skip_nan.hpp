// --skip-nan: takes NaNs out of blocks.
#pragma once

#include "source.hpp"

namespace foldline::cli {

/// Buffers of one thread, kept between blocks.
class NanFilter {
 public:
  /// Takes the NaNs out of each vector, and their groups with them; `pairs`: an element goes if it or its
  /// partner is NaN, and counts once. Returns how many went. Views of the block then look into this object
  /// where something went.
  std::int64_t apply(Block& block, bool pairs);

 private:
  struct Vector {
    std::vector<std::byte> bytes;
    std::vector<std::uint32_t> keys;
  };

  void take_out(Block& block, std::size_t vector, std::int64_t count);

  std::vector<char> is_nan_;  ///< 1 for each element that goes
  std::vector<Vector> kept_;
};

}  // namespace foldline::cli
