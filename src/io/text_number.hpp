// Numbers from text: each decimal or hexadecimal number rounded once, to nearest, ties to even, to its type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "foldline/types.hpp"

namespace foldline::io {

enum class NumberStatus : std::uint8_t { number, not_a_number, not_an_integer, out_of_range };

/// Reads all of `text` as a number and stores it at `value`, which need not be aligned. Without blanks. Of a
/// status other than `number` the value is unspecified.
///
/// Floating-point types take decimals (1, -1., .5, 1e3), hexadecimal numbers (0x1.8p3) and, in any case of
/// letters, inf, infinity and nan; all with an optional sign. Out of range is an infinity. Integers take what
/// read_integer does; bool 0, 1 and what read_truth_value does. Needs the default floating-point environment.
using ParseNumber = NumberStatus (*)(std::string_view text, std::byte* value);

ParseNumber number_parser(ElementType type);

/// Whether a field is what spreadsheets write for a value that could not be computed: "#DIV/0!", "#NAME?".
bool is_spreadsheet_error(std::string_view text);

}  // namespace foldline::io
