/// @file
/// What a rank asks for: ranks that call together must ask for the same.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "foldline/context.hpp"
#include "foldline/operation.hpp"
#include "foldline/types.hpp"

namespace foldline::mpi::detail {

enum class Function : std::int64_t {
  reduce,
  all_reduce_accumulator,
  all_reduce,
  reduce_scatter,
  column_sums,
  inclusive_scan,
  exclusive_scan
};

constexpr const char* name_of(Function function) {
  constexpr std::array names = {"reduce",      "all_reduce(Accumulator)", "all_reduce",    "reduce_scatter",
                                "column_sums", "inclusive_scan",          "exclusive_scan"};
  return names[static_cast<std::size_t>(function)];
}

/// All members are 64-bit integers, so that it travels as such.
struct Call {
  std::int64_t function = 0, operation = 0;
  std::int64_t x_type = 0, y_type = 0, result_type = 0;
  std::int64_t size = 0;  ///< where all ranks have as many elements or columns
  std::int64_t has_ddof = 0, ddof = 0;
  std::int64_t overflow = 0, accuracy = 0;
  std::int64_t init_type = 0, init_bits = 0;

  Call() = default;
  Call(Function called, Operation op, const Context& context = {})
      : function(static_cast<std::int64_t>(called)),
        operation(static_cast<std::int64_t>(op)),
        overflow(static_cast<std::int64_t>(context.overflow)),
        accuracy(static_cast<std::int64_t>(context.accuracy)) {}

  friend bool operator==(const Call&, const Call&) = default;

  [[nodiscard]] std::string function_name() const {
    const bool is_reduction = function == static_cast<std::int64_t>(Function::reduce);
    return is_reduction ? std::string(foldline::name_of(static_cast<Operation>(operation)))
                        : name_of(static_cast<Function>(function));
  }
};

/// How two calls differ: "numbers of elements: 3 and 4".
inline std::string difference(const Call& a, const Call& b) {
  const auto both = [](const char* what, const auto& one, const auto& other) {
    return std::string(what) + ": " + std::string(one) + " and " + std::string(other);
  };
  const auto types = [&](const char* what, std::int64_t one, std::int64_t other) {
    return both(what, foldline::name_of(static_cast<ElementType>(one)),
                foldline::name_of(static_cast<ElementType>(other)));
  };
  const auto numbers = [&](const char* what, std::int64_t one, std::int64_t other) {
    return both(what, std::to_string(one), std::to_string(other));
  };
  if (a.function != b.function) return both("functions", a.function_name(), b.function_name());
  if (a.operation != b.operation)
    return both("operations", foldline::name_of(static_cast<Operation>(a.operation)),
                foldline::name_of(static_cast<Operation>(b.operation)));
  if (a.x_type != b.x_type) return types("element types", a.x_type, b.x_type);
  if (a.y_type != b.y_type) return types("element types of the second vector", a.y_type, b.y_type);
  if (a.result_type != b.result_type) return types("result types", a.result_type, b.result_type);
  if (a.size != b.size) {
    const bool columns = a.function == static_cast<std::int64_t>(Function::column_sums);
    return numbers(columns ? "numbers of columns" : "numbers of elements", a.size, b.size);
  }
  if (a.has_ddof != b.has_ddof || a.ddof != b.ddof) return numbers("ddof", a.ddof, b.ddof);
  if (a.init_type != b.init_type || a.init_bits != b.init_bits) return "values of init";
  return "contexts (accuracy or overflow)";
}

}  // namespace foldline::mpi::detail
