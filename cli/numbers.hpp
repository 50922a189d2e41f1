// Numbers as text.
#pragma once

#include <optional>
#include <string>

#include <foldline/scalar.hpp>

namespace foldline::cli {

/// The fewest significant digits that name `value` among the numbers of its type; all digits of an integer,
/// "true" or "false" for bool.
std::string shortest(const Scalar& value);

/// C99 hexadecimal, "0x1.8p+1"; of an integer "-0x2a".
std::string hexadecimal(const Scalar& value);

/// The double nearest to a decimal or hexadecimal number, if all of the text is one.
std::optional<double> number_of(const std::string& text);

/// The number that a text is: an int64 or uint64 if it is a decimal integer that fits one, else the nearest
/// double.
std::optional<Scalar> scalar_of(const std::string& text);

}  // namespace foldline::cli
