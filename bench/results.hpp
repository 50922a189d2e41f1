// What was measured, and the ratios between it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contestant.hpp"
#include "measure.hpp"
#include "problem.hpp"

namespace foldline::bench {

struct Row {
  Case group;
  std::string contestant;
  Role role;
  Timing timing;
  Values result = {};
  Values second = {};       ///< foldline only
  bool interleaved = true;  ///< false: measured by another process, before or after the others

  /// Gigabytes per second, counting what one call must read.
  double rate() const { return static_cast<double>(group.bytes) / timing.median; }
};

class Results {
 public:
  /// Data of so many bytes comes from memory and not from cache.
  explicit Results(std::int64_t memory_bytes) : memory_bytes_(memory_bytes) {}

  void add(Row row);
  const std::vector<Row>& rows() const { return rows_; }
  bool from_memory(const Case& group) const { return group.bytes >= memory_bytes_; }

  /// The best rate at which any contestant of the run read memory with so many threads, or, if it `writes`,
  /// the best at which any copied it; 0 if none did.
  double roof(int threads, bool writes) const;

  /// The first contestant of that role in the group, or null.
  const Row* first(const Case& group, Role role) const;
  /// The fastest plain contestant, or null.
  const Row* best_plain(const Case& group) const;
  /// The first contestant whose name begins so, or null.
  const Row* find(const Case& group, const std::string& contestant) const;

  // How often the row's rate contains another; 0 if there is no other.
  double of_roof(const Row& row) const;
  double of_plain(const Row& row) const { return ratio(row, best_plain(row.group)); }
  double of_peer(const Row& row) const { return ratio(row, first(row.group, Role::peer)); }

 private:
  static double ratio(const Row& row, const Row* other) {
    return other == nullptr ? 0 : row.rate() / other->rate();
  }

  std::int64_t memory_bytes_;
  std::vector<Row> rows_;
  std::map<std::string, std::vector<std::size_t>> groups_;
};

/// False if foldline gave two results that differ; equal bits, any NaN taken for any other.
bool agrees(const Row& row);

}  // namespace foldline::bench
