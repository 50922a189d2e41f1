#include "result.hpp"

#include <fmt/format.h>

#include "array_output.hpp"
#include "numbers.hpp"
#include "result_type.hpp"

namespace foldline::cli {
namespace {

ElementType type_of(const Accumulator& accumulator, const std::optional<Operation>& operation,
                    const Found& found, const Options& options) {
  if (!operation) return ElementType::int64;
  // In statistics the extrema of no elements are NaN, which integer types lack.
  if (options.operation == Operation::statistics && accumulator.count() == 0) return ElementType::float64;
  return result_type(*operation, found.types, options);
}

}  // namespace

std::vector<Quantity> quantities_of(const Options& options) {
  if (options.counts) return {{options.command, std::nullopt}};
  if (options.operation != Operation::statistics) return {{options.command, options.operation}};
  return {{"count", std::nullopt},           {"min", Operation::minimum},
          {"max", Operation::maximum},       {"sum", Operation::sum},
          {"mean", Operation::mean},         {"std", Operation::standard_deviation},
          {"variance", Operation::variance}, {"range", Operation::range},
          {"abs-sum", Operation::abs_sum},   {"norm", Operation::two_norm}};
}

Result::Result(const Accumulator& accumulator, const Quantity& quantity, const Found& found,
               const Options& options)
    : accumulator_(accumulator),
      operation_(quantity.operation),
      options_(options),
      type_(type_of(accumulator, quantity.operation, found, options)) {
  if (!operation_) {
    value_ = Scalar(accumulator.count());
    return;
  }
  try {
    value_ = accumulator.rounded(*operation_, type_, options.ddof, options.context.overflow);
  } catch (const OverflowError&) {
    if (options.operation != Operation::statistics && options.format != NumberFormat::exact) throw;
  }
}

std::string Result::text() const {
  if (options_.format == NumberFormat::exact) return exact();
  if (!value_) return fmt::format("overflows {}: {}", name_of(type_), exact());
  return options_.format == NumberFormat::hex && operation_ ? hexadecimal(*value_) : shortest(*value_);
}

nlohmann::ordered_json Result::json() const {
  return value_ ? as_json(*value_) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json Result::hex() const {
  return value_ ? nlohmann::ordered_json(hexadecimal(*value_)) : nlohmann::ordered_json(nullptr);
}

std::string Result::exact() const {
  return operation_ ? accumulator_.exact(*operation_, options_.ddof) : shortest(*value_);
}

}  // namespace foldline::cli
