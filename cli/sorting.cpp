#include "sorting.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <numeric>
#include <utility>

#include "numbers.hpp"

namespace foldline::cli {
namespace {

/// One part of the keys of all rows, to compare rows by.
class KeyColumn {
 public:
  void add(const std::string& text) {
    const std::optional<double> number = number_of(text);
    are_numbers_ = are_numbers_ && number && !std::isnan(*number);
    numbers_.push_back(are_numbers_ ? *number : 0);
    texts_.push_back(text);
  }

  /// Compares by size if all are numbers (1 and 1.0 are then equal), else as texts.
  std::weak_ordering compare(std::size_t a, std::size_t b) const {
    if (!are_numbers_) return texts_[a] <=> texts_[b];
    return numbers_[a] < numbers_[b]   ? std::weak_ordering::less
           : numbers_[a] > numbers_[b] ? std::weak_ordering::greater
                                       : std::weak_ordering::equivalent;
  }

 private:
  bool are_numbers_ = true;
  std::vector<double> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace

Found sorted(Found found, const Options& options) {
  if (!options.text_options.sorted) return found;
  std::vector<KeyColumn> columns(found.key_names.size());
  for (const Row& row : found.rows) {
    const std::vector<std::string> parts = key_parts(row);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].add(parts[i]);
  }
  std::vector<std::size_t> order(found.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Rows of equal keys keep their order. (std::stable_sort uses a function that C++17 deprecates, of which
  // clang warns.)
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    for (const KeyColumn& column : columns)
      if (const std::weak_ordering result = column.compare(a, b); result != 0) return result < 0;
    return a < b;
  });
  std::vector<Row> rows;
  rows.reserve(order.size());
  for (const std::size_t i : order) rows.push_back(found.rows[i]);
  found.rows = std::move(rows);
  return found;
}

}  // namespace foldline::cli
