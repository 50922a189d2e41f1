// What formulas can call, and the names they know.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace foldline::cli {

struct Function {
  std::string_view name;  ///< operators have theirs: "+", "^"
  int operands;           ///< 1 or 2
  /// out[i] = function(a[i], b[i]); b is not looked at if there is one operand.
  void (*apply)(const double* a, const double* b, double* out, std::size_t n);
};

/// The function or operator of that name and number of operands ("-" has two forms); null if there is none.
const Function* find_function(std::string_view name, int operands);
/// Whether a function has that name, with any number of operands; no operator.
bool is_function(std::string_view name);

struct Constant {
  std::string_view name;
  double value;
};
/// Null if there is none of that name.
const Constant* find_constant(std::string_view name);

/// Names of functions, constants and x, for suggestions and help.
std::vector<std::string> known_names();

}  // namespace foldline::cli
