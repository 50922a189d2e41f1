#include "scan_step.hpp"

#include <fmt/format.h>

#include <cmath>

namespace foldline::cli {
namespace {

bool is_whole(const Scalar& number) {
  return !is_floating(number.type()) ||
         (std::isfinite(number.floating()) && std::trunc(number.floating()) == number.floating());
}

}  // namespace

RunningScan make_scan(const Options& options) {
  return options.exclusive ? RunningScan(ScanKind::exclusive, options.init)
                           : RunningScan(ScanKind::inclusive);
}

ElementType scan_type(ElementType elements, const Options& options) {
  const ElementType type = options.output_type.value_or(default_result_type(Operation::sum, elements));
  if (is_floating(type)) return type;
  if (is_floating(elements))
    throw UsageError(
        fmt::format("scan: sums of {} are no integers in general; give a floating-point --output-type",
                    name_of(elements)));
  if (!is_whole(options.init))
    throw UsageError(
        fmt::format("scan: with this --init sums are no integers, but the results are {}; give a "
                    "floating-point --output-type",
                    name_of(type)));
  return type;
}

void scan_part(const std::string& file, ElementType results, const std::function<void()>& scan) {
  try {
    scan();
  } catch (const OverflowError& error) {
    throw OverflowError(fmt::format("scan: {}: one of the sums does not fit {}", file, name_of(results)),
                        "ask for another type, or for sums modulo its size", error.can_wrap());
  }
}

}  // namespace foldline::cli
