#include "results.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace foldline::bench {
namespace {

/// The best rate of these rows in each round of a series; empty if none took part.
std::vector<double> best_of_rounds(int series, const std::vector<const Row*>& rows) {
  std::vector<double> best;
  for (const Row* const row : rows) {
    if (row->series != series || series == 0) continue;
    best.resize(row->timing.rounds.size());
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::max(best[i], row->rate(i));
  }
  return best;
}

}  // namespace

void Results::add(Row row) {
  groups_[name_of(row.group)].push_back(rows_.size());
  rows_.push_back(std::move(row));
}

std::vector<const Row*> Results::roof_rows(int threads, bool writes) const {
  std::vector<const Row*> list;
  for (const Row& row : rows_) {
    // An operation may stop at the first infinity, before it has read all that is counted.
    const bool counts = row.series != 0 && row.group.writes == writes && row.group.data != "infinite" &&
                        from_memory(row.group) && (!writes || row.role == Role::plain);
    if (counts && row.group.threads == threads) list.push_back(&row);
  }
  return list;
}

Roof Results::roof(int threads, bool writes) const {
  const std::vector<const Row*> rows = roof_rows(threads, writes);
  Roof roof;
  for (const Row* const row : rows) {
    roof.of_run = std::max(roof.of_run, row->rate());
    const std::vector<double> best = best_of_rounds(row->series, rows);
    const auto [lowest, highest] = std::ranges::minmax_element(best);
    roof.lowest = roof.lowest == 0 ? *lowest : std::min(roof.lowest, *lowest);
    roof.highest = std::max(roof.highest, *highest);
  }
  return roof;
}

const Row* Results::first(const Case& group, Role role) const {
  const auto members = groups_.find(name_of(group));
  if (members == groups_.end()) return nullptr;
  for (const std::size_t i : members->second)
    if (rows_[i].role == role && rows_[i].series != 0) return &rows_[i];
  return nullptr;
}

const Row* Results::find(const Case& group, const std::string& contestant) const {
  const auto members = groups_.find(name_of(group));
  if (members == groups_.end()) return nullptr;
  for (const std::size_t i : members->second)
    if (rows_[i].contestant.starts_with(contestant)) return &rows_[i];
  return nullptr;
}

Ratio Results::of_roof(const Row& row) const {
  if (!from_memory(row.group)) return {};
  return ratio(row, roof_rows(row.group.threads, row.group.writes));
}

Ratio Results::over_best(const Row& row, Role role) const {
  std::vector<const Row*> others;
  const auto members = groups_.find(name_of(row.group));
  if (members == groups_.end()) return {};
  for (const std::size_t i : members->second)
    if (rows_[i].role == role) others.push_back(&rows_[i]);
  return ratio(row, others);
}

Ratio Results::ratio(const Row& row, const std::vector<const Row*>& others) {
  double best_of_run = 0;
  for (const Row* const other : others) best_of_run = std::max(best_of_run, other->rate());
  if (best_of_run == 0) return {};
  std::vector<double> rounds = best_of_rounds(row.series, others);
  for (std::size_t i = 0; i < rounds.size(); ++i) rounds[i] = row.rate(i) / rounds[i];
  return {std::move(rounds), row.rate() / best_of_run};
}

bool agrees(const Row& row) {
  if (row.role != Role::foldline) return true;
  return std::ranges::equal(row.result, row.second, [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
  });
}

}  // namespace foldline::bench
