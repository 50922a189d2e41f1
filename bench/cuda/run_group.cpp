#include "run_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "measure.hpp"

namespace foldline::bench::cuda {
namespace {

void show(const std::string& text) { fmt::print(stderr, "{}\n", text); }

/// Compares the first numbers of foldline's result, which are all that the peer gives. Copies and readers are
/// never wrong.
bool is_close(const Row& row, const Values& right, double tolerance) {
  if (row.role != Role::peer || tolerance < 0) return true;
  for (std::size_t i = 0; i < std::min(row.result.size(), right.size()); ++i)
    if (!(std::abs(row.result[i] - right[i]) <= tolerance)) return false;
  return true;
}

}  // namespace

void run_group(const Case& group, const Competition& competition, std::int64_t pieces, cudaStream_t stream,
               const Method& method, Results& results) {
  show(name_of(group));
  const int series = results.new_series();
  std::vector<Row> rows;
  std::vector<DeviceContestant> measured;
  for (const DeviceContestant& made : competition.contestants) {
    Row row = {group, made.name, made.role, {}, made.result(), made.second ? made.second() : Values{},
               series};
    if (!agrees(row)) show("WRONG: two results differ: " + name_of(group) + ", " + made.name);
    if (!rows.empty() && !is_close(row, rows.front().result, competition.tolerance)) {
      show("left out, because its result is wrong: " + made.name);
      continue;
    }
    rows.push_back(std::move(row));
    measured.push_back(made);
    measured.back().capturable &= group.threads == on_gpu;
  }
  std::vector<Timing> timings = measure(measured, pieces, method, stream);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].timing = std::move(timings[i]);
    results.add(std::move(rows[i]));
  }
}

}  // namespace foldline::bench::cuda
