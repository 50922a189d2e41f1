// Formulas in x: a grammar of our own, with nothing in it that could do more than compute a number.
//
//   sum      = product { ("+" | "-") product }
//   product  = signed { ("*" | "/") signed }
//   signed   = ("+" | "-") signed | power
//   power    = primary [ ("^" | "**") signed ]             -x^2 is -(x^2), 2^-x is 2^(-x), a^b^c is a^(b^c)
//   primary  = number | "x" | constant | function "(" sum { "," sum } ")" | "(" sum ")"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "expression_functions.hpp"

namespace foldline::cli {

/// A formula that cannot be understood.
class ExpressionError : public std::runtime_error {
 public:
  /// `length` characters of the text, from `position` on, are what is wrong.
  ExpressionError(const std::string& message, std::size_t position, std::size_t length)
      : std::runtime_error(message), position_(position), length_(length) {}

  std::size_t position() const { return position_; }
  std::size_t length() const { return length_; }
  /// The message, and below it the part of the text around the fault, with a caret under it.
  std::string pointing_at(std::string_view text) const;

 private:
  std::size_t position_, length_;
};

/// A syntax tree. Its nodes are in an order in which they can be computed: operands come first.
class Expression {
 public:
  static constexpr std::size_t max_size = 4096, max_depth = 200;

  enum class NodeKind : std::uint8_t { number, variable, call };
  struct Node {
    NodeKind kind;
    double number = 0;                           ///< of a number
    const Function* function = nullptr;          ///< of a call; operators are functions, too
    std::array<std::uint32_t, 2> operands = {};  ///< nodes before this one; as many as the function takes
  };

  /// Throws ExpressionError: for text longer than max_size, nested deeper than max_depth, or that is no
  /// formula; for parts without x that divide by zero or have no value.
  explicit Expression(std::string_view text);

  /// y[i] is the value for x[i].
  void operator()(std::span<const double> x, std::span<double> y) const;
  /// Whether there is no x in it. Then it is one number.
  bool is_constant() const { return nodes_.back().kind == NodeKind::number; }
  /// The value of a constant formula.
  double value() const { return nodes_.back().number; }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  std::vector<Node> nodes_;
};

}  // namespace foldline::cli
