// Integers from text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "io/text_number.hpp"

namespace foldline::io {

/// An integer read from text: (-1)^negative * magnitude; unspecified unless the status is `number`.
struct WrittenInteger {
  NumberStatus status = NumberStatus::not_a_number;
  bool negative = false;
  std::uint64_t magnitude = 0;
};

/// Reads all of `text`, which is a sign and any decimal whose value is an integer (12, 12.0, 1.2e1) or
/// hexadecimal digits (0xc). The status is `out_of_range` if the magnitude needs more than 64 bits, and
/// `not_an_integer` for a decimal with a fraction.
WrittenInteger read_integer(std::string_view text);

/// "true" and "false", in any case of letters.
std::optional<bool> read_truth_value(std::string_view text);

}  // namespace foldline::io
