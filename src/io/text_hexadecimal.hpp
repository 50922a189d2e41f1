// Hexadecimal numbers, as C's %a writes them, and their one rounding.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace foldline::io {

/// (-1)^negative * significand * 2^exponent.
struct Hexadecimal {
  bool negative = false;
  std::uint64_t significand = 0;
  std::int64_t exponent = 0;
  /// Nonzero digits were dropped: the significand then has at least 61 bits, and its last bit is set to stand
  /// for them, so that rounding to 59 bits or less is right.
  bool inexact = false;
};

/// Reads all of `text`: a sign, 0x, hexadecimal digits with or without a point, and a binary exponent (p and
/// a decimal number) or none; nothing if it is anything else.
std::optional<Hexadecimal> read_hexadecimal(std::string_view text);

/// The bits of a binary floating-point number without its sign: to nearest, ties to even.
std::uint64_t round_to_bits(const Hexadecimal& number, int exponent_bits, int fraction_bits);

}  // namespace foldline::io
