// One result of a report, in all its formats.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compute.hpp"
#include "options.hpp"

namespace foldline::cli {

/// A quantity that a report shows.
struct Quantity {
  std::string name;
  std::optional<Operation> operation;  ///< none for the number of elements
};

/// The quantities that the command shows: one, or all of `stats`.
std::vector<Quantity> quantities_of(const Options& options);

/// A quantity of an accumulator, rounded. The constructor throws OverflowError if an integer type cannot hold
/// the result; but not for `stats`, which has other results to show, or --format exact, which shows all
/// digits.
class Result {
 public:
  Result(const Accumulator& accumulator, const Quantity& quantity, const Found& found,
         const Options& options);

  /// As text in the format of --format.
  std::string text() const;
  /// Null if it is no number, or one that its type cannot hold.
  nlohmann::ordered_json json() const;
  nlohmann::ordered_json hex() const;
  /// Every digit.
  std::string exact() const;
  bool overflows() const { return !value_; }

 private:
  const Accumulator& accumulator_;
  std::optional<Operation> operation_;
  const Options& options_;
  ElementType type_;
  std::optional<Scalar> value_;
};

}  // namespace foldline::cli
