#include "results.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace foldline::bench {

void Results::add(Row row) {
  groups_[name_of(row.group)].push_back(rows_.size());
  rows_.push_back(std::move(row));
}

double Results::roof(int threads, bool writes) const {
  double best = 0;
  for (const Row& row : rows_) {
    // An operation may stop at the first infinity, and has then not read what is counted.
    const bool counts = row.interleaved && row.group.writes == writes && row.group.data != "infinite" &&
                        from_memory(row.group) && (!writes || row.role == Role::plain);
    if (counts && row.group.threads == threads) best = std::max(best, row.rate());
  }
  return best;
}

const Row* Results::first(const Case& group, Role role) const {
  const auto members = groups_.find(name_of(group));
  if (members == groups_.end()) return nullptr;
  for (const std::size_t i : members->second)
    if (rows_[i].role == role && rows_[i].interleaved) return &rows_[i];
  return nullptr;
}

const Row* Results::best_plain(const Case& group) const {
  const auto members = groups_.find(name_of(group));
  if (members == groups_.end()) return nullptr;
  const Row* best = nullptr;
  for (const std::size_t i : members->second)
    if (rows_[i].role == Role::plain && (best == nullptr || rows_[i].rate() > best->rate())) best = &rows_[i];
  return best;
}

const Row* Results::find(const Case& group, const std::string& contestant) const {
  const auto members = groups_.find(name_of(group));
  if (members == groups_.end()) return nullptr;
  for (const std::size_t i : members->second)
    if (rows_[i].contestant.starts_with(contestant)) return &rows_[i];
  return nullptr;
}

double Results::of_roof(const Row& row) const {
  if (!from_memory(row.group)) return 0;
  const double best = roof(row.group.threads, row.group.writes);
  return best > 0 ? row.rate() / best : 0;
}

bool agrees(const Row& row) {
  if (row.role != Role::foldline) return true;
  return std::ranges::equal(row.result, row.second, [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
  });
}

}  // namespace foldline::bench
