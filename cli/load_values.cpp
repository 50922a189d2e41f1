#include "load_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>

#include "columns.hpp"
#include "memory.hpp"
#include "planning.hpp"
#include "progress.hpp"
#include "workers.hpp"

namespace foldline::cli {
namespace {

constexpr std::int64_t bytes_per_value = 8;

class Loader {
 public:
  Loader(const Options& options, const std::function<void(const std::string&)>& explain)
      : options_(options), explain_(explain) {}

  LoadedValues run() {
    for (const std::string& file : options_.files) add_file(file);
    loaded_.found.has_columns = loaded_.names.size() > 1;
    return std::move(loaded_);
  }

 private:
  void add_file(const std::string& file) {
    const std::unique_ptr<Source> source = open_source(file, options_);
    const Plan plan = make_plan(options_, *source);
    source->divide_among(plan.threads);
    note(*source, plan);
    const std::vector<std::size_t> numbers = column_numbers(*source);
    const std::string name = source->files()[0];
    if (source->size()) {
      count_ += *source->size();
      require_memory(name, "needs");
    }
    Progress progress(source->bytes_in_all());
    std::mutex appending;
    try {
      // A growing vector needs its old memory beside the new one.
      if (source->size() && loaded_.columns.size() == 1) loaded_.columns[0].reserve(count_);
      run_on_threads(plan.threads, [&] {
        for (Block block; source->next(block); progress.show(source->bytes_read())) {
          std::vector<Values> values;  // converted before the lock is taken
          for (const VectorView& vector : block.vectors) {
            values.emplace_back(Values::kind_of(vector.type()));
            values.back().reserve(vector.size());
            values.back().append(vector);
          }
          const std::lock_guard lock(appending);
          loaded_.found.skipped_missing += block.missing;
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (!source->size()) count_ += values[i].size();
            loaded_.columns[numbers[i]].append(values[i]);
          }
          require_memory(name, "needs more than");
        }
        return true;
      });
    } catch (const std::bad_alloc&) {
      throw Error(too_large(name, "needs more than", "there is no more"));
    }
  }

  void require_memory(const std::string& file, const char* needs) const {
    const std::int64_t most = memory_for_data();
    if (count_ <= most / bytes_per_value) return;
    throw Error(
        too_large(file, needs,
                  fmt::format("may take {:.1f} MB, half of what there is", static_cast<double>(most) / 1e6)));
  }

  std::string too_large(const std::string& file, const char* needs, const std::string& why) const {
    const double megabytes = static_cast<double>(count_) * bytes_per_value / 1e6;
    return fmt::format(
        "{}: {} {} {:.1f} MB of memory, 8 bytes for each number, and {}; take a part of the data, or a "
        "machine with "
        "more",
        file, options_.command, needs, megabytes, why);
  }

  void note(const Source& source, const Plan& plan) {
    Found& found = loaded_.found;
    const std::string sentence = fmt::format("{} of all numbers of {}, in memory, read by {} threads.",
                                             options_.command, source.files()[0], plan.threads);
    explain_(sentence);
    found.explanation += (found.explanation.empty() ? "" : " ") + sentence;
    if (found.files.empty() || plan.threads > found.plan.threads) found.plan = plan;
    found.files.push_back(source.files()[0]);
    if (std::ranges::find(found.types, source.type()) == found.types.end())
      found.types.push_back(source.type());
    if (options_.files.size() == 1) found.shape = source.shape();
  }

  /// For each column of this file, the index of the same column in the first file.
  std::vector<std::size_t> column_numbers(const Source& source) {
    const std::vector<std::string> columns = source.columns();
    if (loaded_.names.empty()) {
      loaded_.names = columns;
      loaded_.columns.resize(columns.size());
    }
    if (options_.text_options.each_column) return matched_columns(columns, loaded_.names, source.files()[0]);
    std::vector<std::size_t> numbers(
        columns.size());  // the options select them, in the same order in all files
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  const Options& options_;
  const std::function<void(const std::string&)>& explain_;
  LoadedValues loaded_;
  std::int64_t count_ = 0;  ///< numbers of all columns, those not read yet included if known
};

}  // namespace

LoadedValues load_values(const Options& options, const std::function<void(const std::string&)>& explain) {
  LoadedValues loaded = Loader(options, explain).run();
  if (options.skip_nan)
    for (const Values& column : loaded.columns) loaded.found.skipped_nan += column.nans();
  return loaded;
}

}  // namespace foldline::cli
