#include "compute.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "columns.hpp"
#include "memory.hpp"
#include "planning.hpp"
#include "progress.hpp"
#include "skip_nan.hpp"
#include "workers.hpp"

namespace foldline::cli {
namespace {

/// Numbers of skipped elements.
struct Skipped {
  std::int64_t missing = 0, nan = 0;
};

/// Calls add(block) for every block that this thread reads. Threads share the blocks in any order: the sums
/// are exact, so the order cannot change the result.
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

/// The sums of one thread, one for each vector.
struct ColumnSums {
  AccumulatorArray sums;
  Skipped skipped;
};

/// Adds up the columns of a file.
std::vector<ColumnSums> add_columns(Source& source, const Options& options, const Plan& plan,
                                    std::size_t columns, Progress& progress) {
  // Each block is added by one thread. An OpenMP team for each block spins while the next one is read: 12 GB
  // from the page cache took 4.2 s on 2 cores that way, and 1.0 to 1.2 s this way.
  const Context context = block_context(plan, options);
  return run_on_threads(plan.threads, [&] {
    ColumnSums mine{AccumulatorArray(options.operation, static_cast<std::int64_t>(columns)), {}};
    mine.skipped = drain(source, options, progress, [&](const Block& block) {
      if (takes_pairs(options.operation))
        return mine.sums.add(0, block.vectors[0], block.vectors[1], context);
      for (std::size_t i = 0; i < columns; ++i)
        mine.sums.add(static_cast<std::int64_t>(i), block.vectors[i], context);
    });
    return mine;
  });
}

class StreamReduction {
 public:
  StreamReduction(const Options& options, const std::function<void(const std::string&)>& explain, Share share)
      : options_(options), explain_(explain), share_(share) {}

  Found run() {
    if (!options_.text_options.key.empty()) found_.keys = std::make_shared<TextKeys>(most_keys(options_));
    for (std::size_t i = 0; i < options_.files.size(); ++i) {
      if (share_.file != nullptr) *share_.file = i;
      add_file(options_.files[i],
               i % static_cast<std::size_t>(share_.ranks) == static_cast<std::size_t>(share_.rank));
      progress_.next_file();
    }
    add_rows();
    if (share_.ranks == 1) leave_out_columns(found_, options_);
    return std::move(found_);
  }

 private:
  /// Of a file that another process reads only the names of its columns.
  void add_file(const std::string& file, bool is_read_here) {
    const std::unique_ptr<Source> source = open_source(file, options_, found_.keys);
    const Plan plan = make_plan(options_, *source);
    source->divide_among(plan.threads);
    note(*source, plan);
    progress_.set_total(source->bytes_in_all());
    const std::vector<std::size_t> numbers = column_numbers(*source);
    if (!found_.sums)
      found_.sums = std::make_shared<SumTable>(options_.operation, block_context(plan, options_),
                                               found_.columns.size(), most_bytes_of_groups(options_));
    if (!is_read_here) return;
    if (found_.keys)
      add_groups(*source, plan, numbers);
    else
      add_sums(*source, plan, numbers);
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

  /// For each column of this file, the index of the same column in the first file.
  std::vector<std::size_t> column_numbers(const Source& source) {
    const bool pairs = takes_pairs(options_.operation);
    const std::vector<std::string> columns = pairs ? std::vector<std::string>{""} : source.columns();
    if (found_.columns.empty()) found_.columns = columns;
    const bool is_summary = summarises(options_) && (columns.size() > 1 || found_.columns.size() > 1);
    if (options_.text_options.each_column || is_summary)
      return matched_columns(columns, found_.columns, source.files()[0]);
    std::vector<std::size_t> numbers(
        columns.size());  // the options select them, in the same order in all files
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  void add_sums(Source& source, const Plan& plan, const std::vector<std::size_t>& numbers) {
    for (ColumnSums& part : add_columns(source, options_, plan, numbers.size(), progress_)) {
      count(found_, part.skipped);
      found_.sums->add(part.sums, numbers);
    }
  }

  /// Notes missing values of the columns of a summary, and which columns are left out.
  void note_columns(const Source& source, const std::vector<std::size_t>& numbers) {
    found_.missing.resize(found_.columns.size());
    const std::vector<std::int64_t> missing = source.missing();
    for (std::size_t i = 0; i < missing.size(); ++i) found_.missing[numbers[i]] += missing[i];
    for (LeftOut& column : source.left_out()) {
      column.column = numbers[column.number];
      found_.left_out.push_back(std::move(column));
    }
  }

  void add_groups(Source& source, const Plan& plan, const std::vector<std::size_t>& numbers) {
    if (!found_.has_groups) found_.key_names = source.key_names();
    found_.has_groups = true;
    const std::vector<Skipped> parts = run_on_threads(plan.threads, [&] {
      SumTable::Scratch scratch;
      return drain(source, options_, progress_,
                   [&](const Block& block) { found_.sums->add(block, numbers, scratch); });
    });
    for (const Skipped& part : parts) count(found_, part);
  }

  void add_rows() {
    const std::size_t columns = found_.columns.size();
    found_.has_columns = columns > 1;
    const auto add_row = [&](TextKey key, std::size_t column) {
      found_.rows.push_back({key, static_cast<std::uint32_t>(column)});
    };
    if (!found_.keys) {
      found_.rows.reserve(columns);
      for (std::size_t column = 0; column < columns; ++column) add_row({}, column);
      return;
    }
    found_.rows.reserve(static_cast<std::size_t>(found_.keys->size()) * columns);
    for (const TextKey key : found_.keys->in_order())
      for (std::size_t column = 0; column < columns; ++column)
        if (found_.sums->count(key.number(), column) != 0) add_row(key, column);
  }

  const Options& options_;
  const std::function<void(const std::string&)>& explain_;
  Share share_;
  Found found_;
  Progress progress_{std::nullopt, options_.files.size()};
};

}  // namespace

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

Found compute(const Options& options, const std::function<void(const std::string&)>& explain, Share share) {
  return StreamReduction(options, explain, share).run();
}

}  // namespace foldline::cli
