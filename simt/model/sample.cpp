#include "model/sample.hpp"

#include <cmath>
#include <set>

namespace simt::model {

std::vector<std::uint64_t> sample_of_blocks(dim3 grid, std::uint64_t most) {
  const std::uint64_t all = std::uint64_t{grid.x} * grid.y * grid.z;
  const auto width = grid.y * grid.z > 1
                         ? std::uint64_t{grid.x}
                         : static_cast<std::uint64_t>(std::lround(std::sqrt(static_cast<double>(all))));
  if (all == 0 || most == 0) return {};
  const std::uint64_t height = (all + width - 1) / width;
  std::set<std::uint64_t> numbers;
  const auto add = [&](std::uint64_t number) {
    if (number < all && numbers.size() < most) numbers.insert(number);
  };
  add(0);
  add(all - 1);
  for (const std::uint64_t row : {std::uint64_t{0}, height - 1, height / 2})
    for (const std::uint64_t column : {std::uint64_t{0}, width - 1, width / 2}) add(row * width + column);
  for (std::uint64_t i = 0; i < most; ++i) add(i * (all / most) + i * (all % most) / most);
  return {numbers.begin(), numbers.end()};
}

}  // namespace simt::model
