// Measurements, and the ratios between them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contestant.hpp"
#include "measure.hpp"
#include "problem.hpp"
#include "ratio.hpp"

namespace foldline::bench {

struct Row {
  Case group;
  std::string contestant;
  Role role;
  Timing timing;
  Values result = {};
  Values second = {};  ///< foldline only
  int series = 0;      ///< the same for rows that took turns; 0: measured by another process, apart

  /// Gigabytes per second, counting what one call must read.
  double rate() const { return static_cast<double>(group.bytes) / timing.median; }
  double rate(std::size_t round) const { return static_cast<double>(group.bytes) / timing.rounds[round]; }
};

/// The best rate at which contestants read (or copied) memory, in GB/s; 0 if none did. A "roof": no operation
/// can be faster.
struct Roof {
  double of_run = 0;               ///< by medians
  double lowest = 0, highest = 0;  ///< the best of a round, over all rounds
};

class Results {
 public:
  /// `memory_bytes`: data of this size and more is in memory, not in a cache.
  explicit Results(std::int64_t memory_bytes) : memory_bytes_(memory_bytes) {}

  /// A number for the rows that take turns with each other and with no others.
  int new_series() { return ++series_; }
  void add(Row row);
  const std::vector<Row>& rows() const { return rows_; }
  bool from_memory(const Case& group) const { return group.bytes >= memory_bytes_; }

  /// The best rate at which contestants with so many threads read memory or, if `writes`, copied it.
  Roof roof(int threads, bool writes) const;

  /// The first contestant of that role in the group, or null.
  const Row* first(const Case& group, Role role) const;
  /// The first contestant whose name begins so, or null.
  const Row* find(const Case& group, const std::string& contestant) const;

  /// The row's rate over the roof: in each round the best rate at which a contestant of the same round read
  /// (or copied) memory; of the run the best of all that did. None for data in cache.
  Ratio of_roof(const Row& row) const;
  /// The same, over the best plain contestant of the group.
  Ratio of_plain(const Row& row) const { return over_best(row, Role::plain); }
  /// The same, over the group's first peer.
  Ratio of_peer(const Row& row) const { return over(row, first(row.group, Role::peer)); }
  /// The same, over the fastest peer of each round.
  Ratio of_fastest_peer(const Row& row) const { return over_best(row, Role::peer); }
  /// The same, over another row, which may be null.
  static Ratio over(const Row& row, const Row* other) {
    return other == nullptr ? Ratio() : ratio(row, {other});
  }

 private:
  std::vector<const Row*> roof_rows(int threads, bool writes) const;
  /// Over the best of the group's contestants of that role.
  Ratio over_best(const Row& row, Role role) const;
  /// Over the best of others: in each round of those that took turns with the row, of the run of all.
  static Ratio ratio(const Row& row, const std::vector<const Row*>& others);

  std::int64_t memory_bytes_;
  int series_ = 0;
  std::vector<Row> rows_;
  std::map<std::string, std::vector<std::size_t>> groups_;
};

/// False if foldline gave two results that differ; equal bits, any NaN taken for any other.
bool agrees(const Row& row);

}  // namespace foldline::bench
