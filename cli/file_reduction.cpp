#include "file_reduction.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "columns.hpp"
#include "memory.hpp"
#include "planning.hpp"
#include "skip_nan.hpp"
#include "workers.hpp"

namespace foldline::cli {
namespace {

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

/// Adds up the columns of a file.
std::vector<ColumnSums> add_columns(Source& source, const Options& options, const Plan& plan,
                                    std::size_t columns, Progress& progress) {
  // Each block is added by one thread. An OpenMP team for each block spins while the next one is read: 12 GB
  // from the page cache took 4.2 s on 2 cores that way, and 1.0 to 1.2 s this way.
  const std::vector<GpuInfo> all_gpus = options.all_gpus ? gpus() : std::vector<GpuInfo>();
  std::atomic<std::size_t> next_gpu = 0;
  return run_on_threads(plan.threads, [&] {
    Context context = block_context(plan, options);
    if (!all_gpus.empty()) context.execution.device = all_gpus[next_gpu++ % all_gpus.size()].device;
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

FilePart part_of(FilePart whole, int part, int parts) {
  const std::int64_t size = whole.end - whole.begin;
  const auto at = [&](int number) {
    return whole.begin + size / parts * number + size % parts * number / parts;
  };
  return {at(part), at(part + 1)};
}

}  // namespace

FileReduction::FileReduction(const Options& options, const std::function<void(const std::string&)>& explain)
    : options_(options), explain_(explain), progress_(std::nullopt, options.files.size()) {
  if (!options_.text_options.key.empty()) found_.keys = std::make_shared<TextKeys>(most_keys(options_));
}

void FileReduction::add(const std::string& file) {
  Opened opened = open(file);
  if (found_.keys)
    add_groups(opened);
  else
    keep(read(opened));
}

void FileReduction::next_file() {
  progress_.next_file();
  ++file_number_;
}

void FileReduction::look_at(const std::string& file) { open(file); }

std::optional<FileSums> FileReduction::read_part(const std::string& file, int part, int parts,
                                                 std::optional<std::int64_t> begin) {
  Opened opened = open(file);
  const std::optional<FilePart> whole = opened.source->unread();
  if (!whole) return std::nullopt;
  FilePart own = part_of(*whole, part, parts);
  if (begin) own = {*begin, std::max(*begin, own.end)};
  opened.source->read_only(own, part == 0 || begin);
  own.begin = opened.source->unread()->begin;
  FileSums found = read(opened);
  found.part = {own.begin, std::max(own.begin, opened.source->unread()->begin)};
  return found;
}

FileReduction::Opened FileReduction::open(const std::string& file) {
  Opened opened = {open_source(file, options_, found_.keys), {}, {}};
  Source& source = *opened.source;
  opened.plan = make_plan(options_, source);
  source.divide_among(opened.plan.threads);
  if (&file != opened_) note(source, opened.plan);
  opened_ = &file;
  progress_.set_total(source.bytes_in_all());
  opened.numbers = column_numbers(source);
  if (!found_.sums)
    found_.sums = std::make_shared<SumTable>(options_.operation, block_context(opened.plan, options_),
                                             found_.columns.size(), most_bytes_of_groups(options_));
  return opened;
}

void FileReduction::note(const Source& source, const Plan& plan) {
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
std::vector<std::size_t> FileReduction::column_numbers(const Source& source) {
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

FileSums FileReduction::read(Opened& opened) {
  Source& source = *opened.source;
  FileSums found;
  found.sums = add_columns(source, options_, opened.plan, opened.numbers.size(), progress_);
  if (summarises(options_)) {
    found.missing = source.missing();
    found.left_out = source.left_out();
  }
  found.lines = source.lines_read();
  found.numbers = std::move(opened.numbers);
  return found;
}

void FileReduction::keep(FileSums found, std::int64_t lines_before) {
  for (ColumnSums& part : found.sums) {
    count(found_, part.skipped);
    found_.sums->add(part.sums, found.numbers);
  }
  if (!summarises(options_)) return;
  found_.missing.resize(found_.columns.size());
  for (std::size_t i = 0; i < found.missing.size(); ++i) found_.missing[found.numbers[i]] += found.missing[i];
  for (LeftOut& column : found.left_out) {
    column.column = found.numbers[column.number];
    column.line += lines_before;
    column.file_number = file_number_;
    found_.left_out.push_back(std::move(column));
  }
}

void FileReduction::add_groups(Opened& opened) {
  Source& source = *opened.source;
  if (!found_.has_groups) found_.key_names = source.key_names();
  found_.has_groups = true;
  const std::vector<Skipped> parts = run_on_threads(opened.plan.threads, [&] {
    SumTable::Scratch scratch;
    return drain(source, options_, progress_,
                 [&](const Block& block) { found_.sums->add(block, opened.numbers, scratch); });
  });
  for (const Skipped& part : parts) count(found_, part);
}

Found FileReduction::finish() {
  add_rows();
  return std::move(found_);
}

void FileReduction::add_rows() {
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

}  // namespace foldline::cli
