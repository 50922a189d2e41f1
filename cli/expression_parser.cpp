// Recursive descent; the depth is counted where every recursion passes, in `signed_`.
#include "expression_parser.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "suggest.hpp"

namespace foldline::cli {
namespace {

using Node = Expression::Node;
using NodeKind = Expression::NodeKind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Node> parse() {
    if (text_.size() > Expression::max_size)
      fail(fmt::format("the formula has {} characters; use {} or fewer", text_.size(), Expression::max_size),
           Expression::max_size, 1);
    sum();
    if (at_ != text_.size()) fail_at_stray();
    return std::move(nodes_);
  }

 private:
  using Index = std::uint32_t;

  [[noreturn]] static void fail(const std::string& message, std::size_t position, std::size_t length) {
    throw ExpressionError(message, position, length);
  }
  [[noreturn]] void fail_here(const std::string& message) { fail(message, at_, 1); }

  [[noreturn]] void fail_at_stray() {
    const char c = text_[at_];
    if (c == ')') fail_here("this parenthesis closes nothing; remove it");
    if (is_digit(c) || is_letter(c) || c == '(' || c == '.')
      fail_here("an operator is missing here; for a product write 2*x");
    if (c == ',') fail_here("a comma is only between the arguments of a function; for decimals write 0.5");
    fail_here("this character has no meaning here; see foldline integrate --help");
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    skip_blanks();
    return true;
  }

  Index add(const Node& node) {
    nodes_.push_back(node);
    return static_cast<Index>(nodes_.size() - 1);
  }
  Index number(double value) { return add({NodeKind::number, value}); }
  bool is_number(Index i) const { return nodes_[i].kind == NodeKind::number; }

  /// Adds a call of the function at `position`; of numbers, computes it at once.
  Index call(const Function& function, Index a, Index b, std::size_t position, std::size_t length) {
    const bool is_pair = function.operands == 2;
    if (!is_number(a) || (is_pair && !is_number(b))) {
      if (function.name == "/" && is_number(b) && nodes_[b].number == 0)
        fail("division by zero", position, length);
      return add({NodeKind::call, 0, &function, {a, is_pair ? b : a}});
    }
    double value = 0;
    const double x = nodes_[a].number, y = nodes_[is_pair ? b : a].number;
    function.apply(&x, &y, &value, 1);
    if (function.name == "/" && y == 0) fail("division by zero", position, length);
    if (std::isnan(value)) fail("this has no value: it is not a number", position, length);
    nodes_.resize(a);  // the operands are the last nodes
    return number(value);
  }

  // NOLINTBEGIN(misc-no-recursion): bounded by max_depth
  Index sum() {
    Index left = product();
    for (;;) {
      const std::size_t position = at_;
      const char* const sign = take("+") ? "+" : take("-") ? "-" : nullptr;
      if (sign == nullptr) return left;
      left = call(*find_function(sign, 2), left, product(), position, 1);
    }
  }

  Index product() {
    Index left = signed_();
    for (;;) {
      const std::size_t position = at_;
      const char* const sign = take("*") ? "*" : take("/") ? "/" : nullptr;
      if (sign == nullptr) return left;
      left = call(*find_function(sign, 2), left, signed_(), position, 1);
    }
  }

  Index signed_() {
    skip_blanks();
    if (++depth_ > Expression::max_depth)
      fail_here(fmt::format("more than {} parentheses, signs and powers inside each other; use fewer",
                            Expression::max_depth));
    const std::size_t position = at_;
    Index result = 0;
    if (const char* const sign = take("+") ? "+" : take("-") ? "-" : nullptr) {
      const Index operand = signed_();
      result = call(*find_function(sign, 1), operand, operand, position, 1);
    } else {
      result = power();
    }
    --depth_;
    return result;
  }

  Index power() {
    const Index base = primary();
    const std::size_t position = at_;
    if (!take("^") && !take("**")) return base;
    const Index exponent = signed_();
    // A square is a product, which is rounded correctly and faster than a power.
    if (is_number(exponent) && nodes_[exponent].number == 2 && !is_number(base)) {
      nodes_.resize(exponent);
      return call(*find_function("*", 2), base, base, position, 1);
    }
    return call(*find_function("^", 2), base, exponent, position, 1);
  }

  Index primary() {
    skip_blanks();
    if (at_ == text_.size()) fail_here(at_ == 0 ? "the formula is empty" : "the formula ends too early");
    const std::size_t position = at_;
    const char c = text_[at_];
    Index result = 0;
    if (is_digit(c) || c == '.') {
      result = number(take_number());
    } else if (is_letter(c)) {
      result = named(take_name(), position);
    } else if (take("(")) {
      result = sum();
      close(position);
    } else {
      fail_here(c == ')' || c == '*' || c == '/' || c == '^' || c == ','
                    ? "a number, x or a parenthesis is missing before this"
                    : "this character has no meaning here; see foldline integrate --help");
    }
    skip_blanks();
    return result;
  }

  void close(std::size_t opened) {
    if (take(")")) return;
    if (at_ != text_.size()) fail_at_stray();
    fail("this parenthesis is not closed", opened, 1);
  }

  Index named(std::string_view name, std::size_t position) {
    const bool is_called = take("(");
    if (is_function(name)) {
      if (!is_called) fail(fmt::format("'{0}' is a function; write {0}(x)", name), position, name.size());
      return function_call(name, position);
    }
    const Constant* const constant = find_constant(name);
    if (constant == nullptr && name != "x") fail_unknown(name, position);
    if (is_called)
      fail(fmt::format("'{0}' is not a function; for a product write {0}*(...)", name), position,
           name.size());
    return constant != nullptr ? number(constant->value) : add({NodeKind::variable});
  }

  [[noreturn]] static void fail_unknown(std::string_view name, std::size_t position) {
    const std::string word(name.substr(0, 40));
    const std::string guess = suggestion(word, known_names());
    fail(fmt::format("unknown name '{}'{}", word, guess.empty() ? "; the variable is x" : guess), position,
         name.size());
  }

  /// The arguments of a function, from behind the opening parenthesis.
  Index function_call(std::string_view name, std::size_t position) {
    std::vector<Index> arguments;
    do arguments.push_back(sum());
    while (take(","));
    close(position + name.size());
    const Function* const function =
        arguments.size() > 2 ? nullptr : find_function(name, static_cast<int>(arguments.size()));
    if (function == nullptr)
      fail(fmt::format("'{}' takes {}, but is given {}", name,
                       find_function(name, 1) != nullptr ? "1 argument" : "2 arguments", arguments.size()),
           position, name.size());
    return call(*function, arguments.front(), arguments.back(), position, name.size());
  }
  // NOLINTEND(misc-no-recursion)

  std::string_view take_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  double take_number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') ++at_;
    digits();
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      const std::size_t mark = at_++;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (at_ == text_.size() || !is_digit(text_[at_]))
        at_ = mark;  // the constant e, of which fail_at_stray will say that an operator is missing
      digits();
    }
    const std::optional<double> value = number_of(std::string(text_.substr(begin, at_ - begin)));
    if (!value) fail("this is not a number", begin, at_ - begin);
    if (std::isinf(*value))
      fail("this number is more than a double holds; write inf for infinity", begin, at_ - begin);
    return *value;
  }

  std::string_view text_;
  std::size_t at_ = 0, depth_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace

std::vector<Node> parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace foldline::cli
