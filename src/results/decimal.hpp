// Exact decimal digits of binary numbers.
#pragma once

#include <cstdint>
#include <string>

namespace foldline {

/// +-(the number of `size` 32-bit digits, lowest first) * 2^exponent, with every digit and no exponent:
/// "-0.15625", "3", "0". O(size * (size + |exponent| / 32)).
std::string decimal_digits(bool negative, const std::uint32_t* digit, int size, int exponent);

/// "nan", "inf" or "-inf".
std::string special_name(double value);

}  // namespace foldline
