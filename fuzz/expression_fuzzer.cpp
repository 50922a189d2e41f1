// Any text as a formula: refused with a fault that lies in it, or a tree that can be computed.
#include "../cli/expression.hpp"

#include <array>
#include <cmath>

#include "require.hpp"

using foldline::cli::Expression;
using foldline::cli::ExpressionError;
using foldline::fuzz::require;

namespace {

void check(const Expression& expression, std::string_view text) {
  const auto& nodes = expression.nodes();
  require(!nodes.empty() && nodes.size() <= text.size(), "no more nodes than characters");
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind == Expression::NodeKind::call)
      require(nodes[i].operands[0] < i && nodes[i].operands[1] < i, "operands come first");
  std::array<double, 300> x = {}, y = {};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) - 7.25;
  expression(x, y);
  std::array<double, 1> one = {};
  expression(std::span(x).subspan(200, 1), one);
  require(one[0] == y[200] || (std::isnan(one[0]) && std::isnan(y[200])),
          "a block gives what one value gives");
  if (expression.is_constant()) require(y[0] == expression.value(), "a constant is one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check(Expression(text), text);
  } catch (const ExpressionError& error) {
    require(error.position() <= size, "the fault is in the text");
    require(error.pointing_at(text).size() < 400, "the message is short");
  }
  return 0;
}
