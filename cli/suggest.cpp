#include "suggest.hpp"

#include <algorithm>
#include <numeric>

namespace foldline::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i holds the distances between the first i letters of a and every beginning of b.
  std::vector<std::size_t> two_before(b.size() + 1), before(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_before, before);
    std::swap(before, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, before[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  std::size_t nearest = std::max<std::size_t>(1, word.size() / 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    // A word that shares no letter is no suggestion: "x" is one change away from "-".
    if (distance >= nearest || distance >= std::max(word.size(), candidate.size())) continue;
    nearest = distance;
    found = &candidate;
  }
  return found == nullptr ? "" : "; did you mean '" + *found + "'?";
}

}  // namespace foldline::cli
