#include "compute.hpp"

#include <algorithm>

#include "file_reduction.hpp"

namespace foldline::cli {

Accumulator Found::total(const Row& row) const {
  return totals.empty() ? sums->at(row.key.number(), row.column_number) : totals[row.column_number];
}
std::int64_t Found::count(const Row& row) const {
  return totals.empty() ? sums->count(row.key.number(), row.column_number)
                        : totals[row.column_number].count();
}

void leave_out_columns(Found& found, const Options& options) {
  if (!found.has_columns || !summarises(options)) return;
  std::vector<bool> seen(found.columns.size());
  std::erase_if(found.left_out, [&](const LeftOut& column) {
    const bool was_seen = seen[column.column];
    seen[column.column] = true;
    return was_seen;
  });
  std::ranges::sort(found.left_out, {}, &LeftOut::column);
  std::erase_if(found.rows, [&](const Row& row) {
    return std::ranges::binary_search(found.left_out, row.column_number, {}, &LeftOut::column);
  });
  found.skipped_missing = 0;
  for (const Row& row : found.rows) found.skipped_missing += found.missing[row.column_number];
}

std::vector<std::string> key_parts(const Row& row) {
  std::vector<std::string> parts;
  const std::string_view key = row.key.text();
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = key.find('\0', begin)) != std::string_view::npos; begin = end + 1)
    parts.emplace_back(key.substr(begin, end - begin));
  parts.emplace_back(key.substr(begin));
  return parts;
}

Context block_context(const Plan& plan, const Options& options) {
  Context context = options.context;
  context.execution.threads = 1;
  context.execution.target = plan.target;
  return context;
}

Found compute(const Options& options, const std::function<void(const std::string&)>& explain) {
  FileReduction reduction(options, explain);
  for (const std::string& file : options.files) {
    reduction.add(file);
    reduction.next_file();
  }
  Found found = reduction.finish();
  leave_out_columns(found, options);
  return found;
}

}  // namespace foldline::cli
