#include "axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "array_output.hpp"
#include "axis_layout.hpp"
#include "json_report.hpp"
#include "memory.hpp"
#include "progress.hpp"
#include "result_type.hpp"
#include "results_file.hpp"
#include "source.hpp"
#include "workers.hpp"

namespace foldline::cli {
namespace {

/// Enough that all threads have something to do and reading is not slowed down by its calls.
constexpr std::int64_t block_bytes = std::int64_t{16} << 20;

class AxisReduction {
 public:
  AxisReduction(const Options& options, const std::function<void(const std::string&)>& explain)
      : options_(options),
        array_(open_whole_array(options.files[0], options)),
        axis_(checked_axis(array_, *options.axis)),
        layout_(layout_of(array_, axis_)),
        element_(size_of(array_.type())),
        progress_(*array_.size() * element_) {
    const std::vector<ElementType> types = {array_.type()};
    results_.type = result_type(options.operation, types, options);
    results_.shape = *array_.shape();
    results_.shape.erase(results_.shape.begin() + static_cast<std::ptrdiff_t>(axis_));
    results_.fortran_order = array_.fortran_order();
    check_plan();
    refuse_nothing();
    explain(explanation());
  }

  std::string run() {
    if (options_.output || options_.output_format)
      writer_ = create_results(options_, {results_.type, results_.shape, results_.fortran_order, ""});
    if (layout_.outer > 0 && layout_.inner > 0) fits() ? reduce_whole_matrices() : reduce_by_rows();
    if (writer_) writer_->commit();
    if (options_.json) return json();
    return writer_ ? "" : as_text(results_, options_.format);
  }

 private:
  std::int64_t matrix_elements() const { return layout_.length * layout_.inner; }

  /// Whether one matrix fits the memory.
  bool fits() const { return matrix_elements() <= memory_for_data() / 2 / element_; }

  void check_plan() {
    try {
      plan_ = plan(options_.operation, array_.type(), *array_.size(), options_.context);
    } catch (const InvalidArgument& error) {
      throw UsageError(error.what());
    }
  }

  void refuse_nothing() const {
    const bool extremum =
        options_.operation == Operation::minimum || options_.operation == Operation::maximum;
    if (extremum && layout_.length == 0 && layout_.outer > 0 && layout_.inner > 0)
      throw DataError(
          fmt::format("{}: has no elements along axis {}, so there is no {}; give one that is not empty",
                      array_.name(), *options_.axis, options_.command));
  }

  /// As many matrices at a time as make a block.
  void reduce_whole_matrices() {
    const std::int64_t bytes = std::max<std::int64_t>(matrix_elements() * element_, 1);
    const std::int64_t together = std::clamp<std::int64_t>(block_bytes / bytes, 1, layout_.outer);
    for (std::int64_t done = 0; done < layout_.outer; done += together) {
      const std::int64_t count = std::min(together, layout_.outer - done);
      read(count * matrix_elements());
      const std::vector<std::int64_t> shape = {count, layout_.length, layout_.inner};
      std::byte* const out = room_for(count * layout_.inner);
      reduce_axis(options_.operation,
                  ArrayView(block_.data(), array_.type(), shape, row_major_strides(shape)), 1,
                  MutableArrayView(out, results_.type, {count, layout_.inner}, {layout_.inner, 1}),
                  options_.ddof, options_.context);
      deliver(out, count * layout_.inner);
    }
  }

  /// A matrix larger than memory: an accumulator for each column.
  void reduce_by_rows() {
    if (layout_.inner > memory_for_data() / 2 / 4400)
      throw Error(fmt::format(
          "{}: neither {} bytes nor the sums of {} columns fit half of the memory; cut the array into pieces",
          array_.name(), matrix_elements() * element_, layout_.inner));
    Context context = options_.context;
    context.threads = 1;
    const std::int64_t together = std::max<std::int64_t>(1, block_bytes / (layout_.inner * element_));
    for (std::int64_t matrix = 0; matrix < layout_.outer; ++matrix) {
      std::vector<Accumulator> columns(static_cast<std::size_t>(layout_.inner),
                                       Accumulator(options_.operation));
      for (std::int64_t done = 0; done < layout_.length; done += together) {
        const std::int64_t rows = std::min(together, layout_.length - done);
        read(rows * layout_.inner);
        add_rows(columns, rows, context);
      }
      std::byte* const out = room_for(layout_.inner);
      for (std::size_t i = 0; i < columns.size(); ++i)
        store(columns[i].rounded(options_.operation, results_.type, options_.ddof, options_.context.overflow),
              out + static_cast<std::int64_t>(i) * size_of(results_.type));
      deliver(out, layout_.inner);
    }
  }

  void add_rows(std::vector<Accumulator>& columns, std::int64_t rows, const Context& context) {
    std::atomic<std::int64_t> next = 0;
    run_on_threads(plan_.threads, [&] {
      for (std::int64_t i = next++; i < layout_.inner; i = next++)
        columns[static_cast<std::size_t>(i)].add(
            VectorView(block_.data() + i * element_, array_.type(), rows, layout_.inner), context);
      return true;
    });
  }

  void read(std::int64_t elements) {
    try {
      block_.resize(static_cast<std::size_t>(elements * element_));
    } catch (const std::bad_alloc&) {
      throw Error(fmt::format("{}: {} bytes of it are needed at once and memory is full; cut it into pieces",
                              array_.name(), elements * element_));
    }
    std::span<std::byte> rest = block_;
    while (!rest.empty()) rest = rest.subspan(static_cast<std::size_t>(array_.read(rest) * element_));
    progress_.show(array_.position() * element_);
  }

  /// Where the next results go: memory that is kept if they are printed, or reused if they go to a file.
  std::byte* room_for(std::int64_t elements) {
    const auto bytes = static_cast<std::size_t>(elements * size_of(results_.type));
    if (writer_) results_.bytes.clear();
    results_.bytes.resize(results_.bytes.size() + bytes);
    return results_.bytes.data() + results_.bytes.size() - bytes;
  }

  void deliver(const std::byte* results, std::int64_t elements) {
    if (writer_) writer_->write({results, static_cast<std::size_t>(elements * size_of(results_.type))});
  }

  std::string explanation() const {
    return fmt::format("{} Along axis {} of {}: {} results, {}.",
                       explain(plan_, options_.operation, array_.type(), *array_.size()), *options_.axis,
                       array_.name(), layout_.outer * layout_.inner,
                       fits() ? "read in blocks of whole vectors" : "an accumulator for each");
  }

  std::string json() const {
    nlohmann::ordered_json json;
    json["operation"] = options_.command;
    json["axis"] = axis_;
    if (writer_)
      json["output"] = *options_.output;
    else
      json["result"] = as_json(results_);
    json["result_shape"] = results_.shape;
    json["count"] = layout_.length;
    Found found;
    found.shape = array_.shape();
    found.types = {array_.type()};
    found.files = {array_.name()};
    found.plan = plan_;
    found.explanation = explanation();
    add_provenance(json, found, options_);
    return dump(json);
  }

  const Options& options_;
  ArrayReader array_;
  std::size_t axis_;
  AxisLayout layout_;
  std::int64_t element_;
  Plan plan_ = {};
  Progress progress_;
  ArrayOfResults results_;
  std::unique_ptr<ResultsFile> writer_;  ///< none if they are printed
  std::vector<std::byte> block_;
};

}  // namespace

std::string reduce_along_axis(const Options& options,
                              const std::function<void(const std::string&)>& explain) {
  return AxisReduction(options, explain).run();
}

}  // namespace foldline::cli
