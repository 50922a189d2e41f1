#include "compute.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "columns.hpp"
#include "groups.hpp"
#include "planning.hpp"
#include "progress.hpp"
#include "skip_nan.hpp"
#include "workers.hpp"

namespace foldline::cli {
namespace {

/// What was passed over.
struct Skipped {
  std::int64_t missing = 0, nan = 0;
};

/// Calls add(block) for every block of the source that this thread gets. Which thread gets which block is
/// left to chance: the sums are exact, so it cannot change the result.
template <class Add>
Skipped drain(Source& source, const Options& options, Progress& progress, const Add& add) {
  Skipped skipped;
  Block block;
  NanFilter filter;
  while (source.next(block)) {
    skipped.missing += block.missing;
    if (options.skip_nan) skipped.nan += filter.apply(block, takes_pairs(options.operation));
    add(block);
    progress.show(source.bytes_read());
  }
  return skipped;
}

void count(Found& found, const Skipped& skipped) {
  found.skipped_missing += skipped.missing;
  found.skipped_nan += skipped.nan;
}

/// The sums of one file, one for each column.
struct ColumnSums {
  std::vector<Accumulator> sums;
  Skipped skipped;
};

ColumnSums add_columns(Source& source, const Options& options, const Plan& plan, std::size_t columns) {
  // One thread per block: with a team for every block, which spins while it waits for the next, beside
  // a thread that reads, 12 GB from the page cache took 4.2 s on 2 cores; this way 1.0 to 1.2 s.
  const Context context = block_context(plan, options);
  Progress progress(source.bytes_in_all());
  const auto work = [&] {
    ColumnSums mine{std::vector<Accumulator>(columns, Accumulator(options.operation)), {}};
    mine.skipped = drain(source, options, progress, [&](const Block& block) {
      if (takes_pairs(options.operation))
        return mine.sums[0].add(block.vectors[0], block.vectors[1], context);
      for (std::size_t i = 0; i < columns; ++i) mine.sums[i].add(block.vectors[i], context);
    });
    return mine;
  };
  std::vector<ColumnSums> parts = run_on_threads(plan.threads, work);
  ColumnSums total = std::move(parts[0]);
  for (std::size_t part = 1; part < parts.size(); ++part) {
    for (std::size_t i = 0; i < columns; ++i) total.sums[i].merge(parts[part].sums[i]);
    total.skipped.missing += parts[part].skipped.missing;
    total.skipped.nan += parts[part].skipped.nan;
  }
  return total;
}

/// A group of one file, with what tells its place among the others.
struct FoundGroup {
  Place first;
  std::size_t key;
};

std::vector<FoundGroup> in_order_of_appearance(GroupTable& table, std::size_t keys) {
  std::vector<FoundGroup> groups;
  for (std::size_t key = 0; key < keys; ++key) {
    std::optional<Place> first;
    for (std::size_t column = 0; column < table.columns(); ++column)
      if (const Group* group = table.find(key, column))
        first = first ? std::min(*first, group->first) : group->first;
    if (first) groups.push_back({*first, key});
  }
  std::ranges::sort(groups, {}, [](const FoundGroup& group) { return std::tie(group.first, group.key); });
  return groups;
}

class StreamReduction {
 public:
  StreamReduction(const Options& options, const std::function<void(const std::string&)>& explain)
      : options_(options), explain_(explain) {}

  Found run() {
    for (const std::string& file : options_.files) add_file(file);
    found_.has_columns = columns_.size() > 1;
    if (found_.has_columns && summarises(options_)) leave_out_columns();
    std::ranges::sort(found_.rows, {},
                      [](const Row& row) { return std::pair(row.group, row.column_number); });
    return std::move(found_);
  }

 private:
  void add_file(const std::string& file) {
    const std::unique_ptr<Source> source = open_source(file, options_);
    const Plan plan = make_plan(options_, *source);
    source->divide_among(plan.threads);
    note(*source, plan);
    const std::vector<std::size_t> numbers = column_numbers(*source);
    if (!options_.text_options.key.empty())
      add_groups(*source, plan, numbers);
    else
      add_sums(add_columns(*source, options_, plan, numbers.size()), numbers);
    if (summarises(options_)) note_columns(*source, numbers);
  }

  void note(const Source& source, const Plan& plan) {
    const std::string sentence = explanation(options_, source, plan);
    explain_(sentence);
    found_.explanation += (found_.explanation.empty() ? "" : " ") + sentence;
    if (found_.files.empty() || plan.threads > found_.plan.threads) found_.plan = plan;
    for (const std::string& file : source.files()) found_.files.push_back(file);
    for (const ElementType type : source.types())
      if (std::ranges::find(found_.types, type) == found_.types.end()) found_.types.push_back(type);
    for (FirstLine& line : source.first_lines()) found_.first_lines.push_back(std::move(line));
    if (options_.files.size() == 1) found_.shape = source.shape();
  }

  /// Which of the first file's columns each of this file's is.
  std::vector<std::size_t> column_numbers(const Source& source) {
    const bool pairs = takes_pairs(options_.operation);
    const std::vector<std::string> columns = pairs ? std::vector<std::string>{""} : source.columns();
    if (columns_.empty()) columns_ = columns;
    if (options_.text_options.each_column || summarises(options_))
      return matched_columns(columns, columns_, source.files()[0]);
    std::vector<std::size_t> numbers(columns.size());  // the options name them, in the same order for all
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  void add_sums(ColumnSums part, const std::vector<std::size_t>& numbers) {
    count(found_, part.skipped);
    for (std::size_t i = 0; i < numbers.size(); ++i) merge("", numbers[i], SmallSum(std::move(part.sums[i])));
  }

  /// What is said of a summary's columns beside their sums.
  void note_columns(const Source& source, const std::vector<std::size_t>& numbers) {
    found_.missing.resize(columns_.size());
    const std::vector<std::int64_t> missing = source.missing();
    for (std::size_t i = 0; i < missing.size(); ++i) found_.missing[numbers[i]] += missing[i];
    for (LeftOut& column : source.left_out()) {
      column.column = numbers[column.number];
      found_.left_out.push_back(std::move(column));
    }
  }

  /// A column that any of the files leaves out, and that no other said so of before.
  void leave_out_columns() {
    std::ranges::stable_sort(found_.left_out, {}, &LeftOut::column);
    const auto same = std::ranges::unique(found_.left_out, {}, &LeftOut::column);
    found_.left_out.erase(same.begin(), same.end());
    std::erase_if(found_.rows, [&](const Row& row) {
      return std::ranges::binary_search(found_.left_out, row.column_number, {}, &LeftOut::column);
    });
    found_.skipped_missing = 0;
    for (const Row& row : found_.rows) found_.skipped_missing += found_.missing[row.column_number];
  }

  void add_groups(Source& source, const Plan& plan, const std::vector<std::size_t>& numbers) {
    if (!found_.has_groups) found_.key_names = source.key_names();
    found_.has_groups = true;
    GroupTable table(options_.operation, block_context(plan, options_), numbers.size());
    Progress progress(source.bytes_in_all());
    const std::vector<Skipped> parts = run_on_threads(plan.threads, [&] {
      GroupTable::Scratch scratch;
      return drain(source, options_, progress, [&](const Block& block) { table.add(block, scratch); });
    });
    for (const Skipped& part : parts) count(found_, part);
    const std::vector<std::string> keys = source.keys();
    for (const FoundGroup& found : in_order_of_appearance(table, keys.size()))
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (Group* group = table.find(found.key, i))
          merge(keys[found.key], numbers[i], std::move(group->sum));
  }

  /// Adds to the row of this key and column, or makes one.
  void merge(const std::string& key, std::size_t column, SmallSum sum) {
    std::vector<std::size_t>& rows = rows_.try_emplace(key, columns_.size(), no_row).first->second;
    if (rows[column] != no_row)
      return found_.rows[rows[column]].sum.merge(options_.operation, sum,
                                                 block_context(found_.plan, options_));
    const auto other = std::ranges::find_if(rows, [](std::size_t row) { return row != no_row; });
    const std::size_t group = other == rows.end() ? groups_++ : found_.rows[*other].group;
    rows[column] = found_.rows.size();
    found_.rows.push_back({key, columns_.size() > 1 ? columns_[column] : "", group, column, std::move(sum)});
  }

  static constexpr std::size_t no_row = static_cast<std::size_t>(-1);

  const Options& options_;
  const std::function<void(const std::string&)>& explain_;
  Found found_;
  std::vector<std::string> columns_;                                ///< of the first file
  std::unordered_map<std::string, std::vector<std::size_t>> rows_;  ///< by key: the row of each column
  std::size_t groups_ = 0;
};

}  // namespace

std::vector<std::string> key_parts(const Row& row) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = row.key.find('\0', begin)) != std::string::npos; begin = end + 1)
    parts.push_back(row.key.substr(begin, end - begin));
  parts.push_back(row.key.substr(begin));
  return parts;
}

Context block_context(const Plan& plan, const Options& options) {
  Context context = options.context;
  context.threads = 1;
  context.target = plan.target;
  return context;
}

Found compute(const Options& options, const std::function<void(const std::string&)>& explain) {
  return StreamReduction(options, explain).run();
}

}  // namespace foldline::cli
