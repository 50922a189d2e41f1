#include "shape.hpp"

#include <charconv>

namespace foldline::cli {

std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text) {
  constexpr std::size_t most_dimensions = 64;
  std::vector<std::int64_t> shape;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (;;) {
    std::int64_t length = 0;
    const auto [next, error] = std::from_chars(at, end, length);
    if (error != std::errc() || length < 0 || *at == '-' || shape.size() == most_dimensions)
      return std::nullopt;
    shape.push_back(length);
    if (next == end) return shape;
    if (*next != ',') return std::nullopt;
    at = next + 1;
  }
}

}  // namespace foldline::cli
