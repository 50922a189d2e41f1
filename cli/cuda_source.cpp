#include "cuda_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace foldline::cli {
namespace {

struct Spelling {
  std::string_view name;
  int operands;
  std::string_view cuda;  // an expression of the operands a and b
};

/// Functions and operators that have another name in CUDA C++.
constexpr Spelling spellings[] = {
    {"+", 1, "a"},
    {"-", 1, "-a"},
    {"+", 2, "a + b"},
    {"-", 2, "a - b"},
    {"*", 2, "a * b"},
    {"/", 2, "a / b"},
    {"^", 2, "pow(a, b)"},
    {"abs", 1, "fabs(a)"},
    {"gamma", 1, "tgamma(a)"},
    {"ln", 1, "log(a)"},
    {"max", 2, "fmax(a, b)"},
    {"min", 2, "fmin(a, b)"},
    {"mod", 2, "fmod(a, b)"},
    {"sign", 1, "a > 0 ? 1 : a < 0 ? -1 : a"},
};

std::string expression_of(const Function& function) {
  const auto* const found = std::ranges::find_if(spellings, [&](const Spelling& spelling) {
    return spelling.name == function.name && spelling.operands == function.operands;
  });
  if (found != std::end(spellings)) return std::string(found->cuda);
  return fmt::format("{}({})", function.name, function.operands == 1 ? "a" : "a, b");
}

std::string value_of(const Expression::Node& node) {
  if (node.kind == Expression::NodeKind::variable) return "x";
  if (node.kind == Expression::NodeKind::number)
    return fmt::format("__longlong_as_double({:#x})", std::bit_cast<std::uint64_t>(node.number));
  const std::string expression = expression_of(*node.function);
  return node.function->operands == 1
             ? fmt::format("[](double a) -> double {{ return {}; }}(v{})", expression, node.operands[0])
             : fmt::format("[](double a, double b) -> double {{ return {}; }}(v{}, v{})", expression,
                           node.operands[0], node.operands[1]);
}

}  // namespace

std::string cuda_source(const Expression& formula) {
  std::string body;
  std::size_t i = 0;
  for (const Expression::Node& node : formula.nodes())
    body += fmt::format("const double v{} = {};\n", i++, value_of(node));
  return body + fmt::format("return v{};\n", i - 1);
}

}  // namespace foldline::cli
