#include "columns.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>

#include <foldline/error.hpp>

#include "printable.hpp"

namespace foldline::cli {

std::vector<std::size_t> matched_columns(const std::vector<std::string>& columns,
                                         const std::vector<std::string>& first, const std::string& file) {
  if (columns.size() != first.size())
    throw DataError(
        fmt::format("{}: has {} columns, the first file has {}; choose those that all have with --column",
                    file, columns.size(), first.size()));
  if (columns == first) {  // the usual case; the search below takes much memory for half a million columns
    std::vector<std::size_t> same(columns.size());
    std::iota(same.begin(), same.end(), std::size_t{0});
    return same;
  }
  std::multimap<std::string, std::size_t> left;  // equal names stay in the order in which they came
  for (std::size_t i = 0; i < first.size(); ++i) left.emplace(first[i], i);
  std::vector<std::size_t> numbers;
  numbers.reserve(columns.size());
  for (const std::string& column : columns) {
    const auto found = left.lower_bound(column);
    if (found == left.end() || found->first != column)
      throw DataError(
          fmt::format("{}: the first file has no column '{}' to add this one's to; choose those that all "
                      "have with --column",
                      file, printable(column)));
    numbers.push_back(found->second);
    left.erase(found);
  }
  return numbers;
}

}  // namespace foldline::cli
