// One result of a report, in every form.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compute.hpp"
#include "options.hpp"

namespace foldline::cli {

/// What a report shows of each sum.
struct Quantity {
  std::string name;
  std::optional<Operation> operation;  ///< none: how many elements there are
};

/// One, or those of `stats`.
std::vector<Quantity> quantities_of(const Options& options);

/// A quantity of an accumulator, rounded. Where others are to be shown beside it, or all of its digits, it
/// may be a number that its integer type cannot hold; else that is an OverflowError.
class Result {
 public:
  Result(const Accumulator& accumulator, const Quantity& quantity, const Found& found,
         const Options& options);

  /// As --format says.
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
