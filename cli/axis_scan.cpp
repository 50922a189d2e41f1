#include "axis_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include <foldline/array_view.hpp>
#include <foldline/scan.hpp>

#include "axis_layout.hpp"
#include "memory.hpp"
#include "progress.hpp"
#include "results_file.hpp"
#include "scan_step.hpp"
#include "workers.hpp"

namespace foldline::cli {
namespace {

constexpr std::int64_t scan_block_bytes = std::int64_t{16} << 20;

class AxisScan {
 public:
  AxisScan(const Options& options, const std::function<void(const std::string&)>& explain)
      : options_(options),
        array_(open_whole_array(options.files[0], options)),
        layout_(layout_of(array_, checked_axis(array_, *options.axis))),
        type_(scan_type(array_.type(), options)),
        element_(size_of(array_.type())),
        progress_(*array_.size() * element_),
        context_(options.context),
        plan_(plan(Operation::sum, array_.type(), *array_.size(), options.context)) {
    context_.execution.threads = plan_.threads;
    explain(explanation());
  }

  Found run() {
    const std::unique_ptr<ResultsFile> results =
        create_results(options_, {type_, array_.shape(), array_.fortran_order(), ""});
    if (*array_.size() > 0) scan(*results);
    results->commit();
    Found found;
    found.files = {array_.name()};
    found.types = {array_.type()};
    found.shape = array_.shape();
    found.plan = plan_;
    found.explanation = explanation();
    return found;
  }

 private:
  /// Scans small matrices several at a time by one library call, large ones some rows at a time.
  void scan(ResultsFile& results) {
    const std::int64_t matrix = layout_.length * layout_.inner * element_;
    if (matrix > scan_block_bytes) {
      for (std::int64_t i = 0; i < layout_.outer; ++i) scan_by_rows(results);
      return;
    }
    const std::int64_t matrices = scan_block_bytes / matrix;
    for (std::int64_t done = 0; done < layout_.outer; done += matrices)
      scan_matrices(std::min(matrices, layout_.outer - done), results);
  }

  /// Scans the next `matrices` matrices.
  void scan_matrices(std::int64_t count, ResultsFile& results) {
    const std::int64_t matrix = layout_.length * layout_.inner;
    const std::vector<std::int64_t> shape = {count, layout_.length, layout_.inner};
    const std::vector<std::int64_t> strides = {matrix, layout_.inner, 1};
    read(count * matrix);
    const ArrayView a(block_.data(), array_.type(), shape, strides);
    const MutableArrayView out(out_.data(), type_, shape, strides);
    scan_part(array_.name(), type_, [&] {
      if (options_.exclusive)
        exclusive_scan_axis(a, 1, out, options_.init, context_);
      else
        inclusive_scan_axis(a, 1, out, context_);
    });
    write(results);
  }

  /// The next matrix, of which memory holds some rows at a time: the scans of its columns go on from block to
  /// block, which the library's scan along an axis, of an array that is all there, can't.
  void scan_by_rows(ResultsFile& results) {
    const std::int64_t rows =
        std::clamp<std::int64_t>(scan_block_bytes / (layout_.inner * element_), 1, layout_.length);
    if (layout_.inner > memory_for_data() / 2 / 500)
      throw Error(fmt::format("{}: {} sums at a time do not fit the memory; cut the array into pieces",
                              array_.name(), layout_.inner));
    std::vector<RunningScan> scans(static_cast<std::size_t>(layout_.inner), make_scan(options_));
    for (std::int64_t at = 0; at < layout_.length; at += rows)
      scan_rows(scans, std::min(rows, layout_.length - at), results);
  }

  void scan_rows(std::vector<RunningScan>& scans, std::int64_t rows, ResultsFile& results) {
    read(rows * layout_.inner);
    Context context = context_;
    context.execution.threads = 1;  // each thread scans columns of its own
    std::atomic<std::int64_t> next = 0;
    run_on_threads(plan_.threads, [&] {
      for (std::int64_t i = next++; i < layout_.inner; i = next++) {
        const VectorView x(block_.data() + i * element_, array_.type(), rows, layout_.inner);
        const MutableVectorView out(out_.data() + i * size_of(type_), type_, rows, layout_.inner);
        scan_part(array_.name(), type_, [&] { scans[static_cast<std::size_t>(i)].next(x, out, context); });
      }
      return true;
    });
    write(results);
  }

  /// Reads the next elements, and makes room for as many results.
  void read(std::int64_t elements) {
    block_.resize(static_cast<std::size_t>(elements * element_));
    out_.resize(static_cast<std::size_t>(elements * size_of(type_)));
    std::span<std::byte> rest = block_;
    while (!rest.empty()) rest = rest.subspan(static_cast<std::size_t>(array_.read(rest) * element_));
  }

  void write(ResultsFile& results) {
    results.write(out_);
    if (!on_terminal_) progress_.show(array_.position() * element_);
  }

  std::string explanation() const {
    return fmt::format("scan of {} along axis {}: {} vectors of {} elements, {} threads.", array_.name(),
                       *options_.axis, layout_.outer * layout_.inner, layout_.length, plan_.threads);
  }

  const Options& options_;
  ArrayReader array_;
  AxisLayout layout_;
  ElementType type_;
  std::int64_t element_;
  Progress progress_;
  bool on_terminal_ = is_terminal(destination_of(options_));
  Context context_;
  Plan plan_;
  std::vector<std::byte> block_, out_;
};

}  // namespace

Found scan_along_axis(const Options& options, const std::function<void(const std::string&)>& explain) {
  return AxisScan(options, explain).run();
}

}  // namespace foldline::cli
