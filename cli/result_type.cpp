#include "result_type.hpp"

#include <algorithm>

namespace foldline::cli {

ElementType result_type(Operation operation, std::span<const ElementType> elements, const Options& options) {
  if (options.output_type) return *options.output_type;
  if (elements.empty() || std::ranges::any_of(elements, is_floating)) return ElementType::float64;
  if (elements.size() == 1) return default_result_type(operation, elements[0]);
  const auto is_uint64 = [&](ElementType type) {
    return default_result_type(Operation::sum, type) == ElementType::uint64;
  };
  const bool integer = !is_floating(default_result_type(operation, elements[0]));
  if (!integer) return ElementType::float64;
  return std::ranges::all_of(elements, is_uint64) ? ElementType::uint64 : ElementType::int64;
}

}  // namespace foldline::cli
