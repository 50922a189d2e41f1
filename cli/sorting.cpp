#include "sorting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numbers.hpp"

namespace foldline::cli {
namespace {

bool has_order(const Row& row) {
  const std::optional<double> number = number_of(row.key);
  return number && !std::isnan(*number);
}

/// Equal keys, such as 1 and 1.0, and the columns of a group stay as they are.
std::pair<std::size_t, std::size_t> place(const Row& row) { return {row.group, row.column_number}; }

}  // namespace

Found sorted(Found found, const Options& options) {
  if (!options.text_options.sorted) return found;
  if (std::ranges::all_of(found.rows, has_order))
    std::ranges::sort(found.rows, {},
                      [](const Row& row) { return std::pair(*number_of(row.key), place(row)); });
  else
    std::ranges::sort(found.rows, {}, [](const Row& row) { return std::pair(row.key, place(row)); });
  return found;
}

}  // namespace foldline::cli
