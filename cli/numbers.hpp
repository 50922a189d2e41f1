// Numbers as text.
#pragma once

#include <string>

#include <foldline/types.hpp>

namespace foldline::cli {

/// The fewest significant digits that name `value` among the numbers of `type`; value is one of them.
std::string shortest(double value, ElementType type);

/// C99 hexadecimal, "0x1.8p+1".
std::string hexadecimal(double value);

}  // namespace foldline::cli
