// From text to the nodes of an Expression.
#pragma once

#include <string_view>
#include <vector>

#include "expression.hpp"

namespace foldline::cli {

/// Throws ExpressionError.
std::vector<Expression::Node> parse_expression(std::string_view text);

}  // namespace foldline::cli
