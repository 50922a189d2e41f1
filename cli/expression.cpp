#include "expression.hpp"

#include <algorithm>

#include "expression_parser.hpp"

namespace foldline::cli {
namespace {

/// Values computed at a time: the intermediate results of a formula of 30 nodes stay in the L1 cache.
constexpr std::size_t row_size = 128;

}  // namespace

std::string ExpressionError::pointing_at(std::string_view text) const {
  constexpr std::size_t width = 60, before = 30;
  const std::size_t begin = position_ < before ? 0 : std::min(position_ - before, text.size());
  std::string shown(text.substr(begin, width));
  // No line breaks or control characters in the message.
  std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  const std::string left = begin > 0 ? "..." : "", right = begin + width < text.size() ? "..." : "";
  const std::size_t column = left.size() + position_ - begin;
  const std::size_t tail = std::min(length_, width - std::min(width, position_ - begin));
  return std::string(what()) + "\n  " + left + shown + right + "\n  " + std::string(column, ' ') + "^" +
         std::string(tail > 1 ? tail - 1 : 0, '~');
}

Expression::Expression(std::string_view text) : nodes_(parse_expression(text)) {}

void Expression::operator()(std::span<const double> x, std::span<double> y) const {
  std::vector<double> rows(nodes_.size() * row_size);
  const auto row = [&](std::size_t node) { return rows.data() + node * row_size; };
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].kind == NodeKind::number) std::fill_n(row(i), row_size, nodes_[i].number);

  for (std::size_t first = 0; first < x.size(); first += row_size) {
    const std::size_t n = std::min(row_size, x.size() - first);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      if (node.kind == NodeKind::variable)
        std::copy_n(&x[first], n, row(i));
      else if (node.kind == NodeKind::call)
        node.function->apply(row(node.operands[0]), row(node.operands[1]), row(i), n);
    }
    std::copy_n(row(nodes_.size() - 1), n, &y[first]);
  }
}

}  // namespace foldline::cli
