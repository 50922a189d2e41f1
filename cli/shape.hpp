// Reads the shape that a user gives for raw numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace foldline::cli {

/// Lengths separated by commas: "1000" or "1000,3". None if it is anything else, has more than 64 lengths or
/// a length of 2^63 or more.
std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text);

}  // namespace foldline::cli
