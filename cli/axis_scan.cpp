#include "axis_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "axis_layout.hpp"
#include "memory.hpp"
#include "progress.hpp"
#include "scan_step.hpp"
#include "workers.hpp"

namespace foldline::cli {
namespace {

constexpr std::int64_t block_bytes = std::int64_t{16} << 20;

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
    context_.threads = 1;  // each thread scans vectors of its own
    explain(explanation());
  }

  Found run() {
    ArrayWriter writer =
        ArrayWriter::create_npy(*options_.output, {type_, array_.shape(), array_.fortran_order()});
    if (*array_.size() > 0) scan(writer);
    writer.commit();
    Found found;
    found.files = {array_.name()};
    found.types = {array_.type()};
    found.shape = array_.shape();
    found.plan = plan_;
    found.explanation = explanation();
    return found;
  }

 private:
  /// Whole matrices at a time if they are small, else rows of one.
  void scan(ArrayWriter& writer) {
    const std::int64_t row = layout_.inner * element_, matrix = layout_.length * row;
    const std::int64_t matrices = std::clamp<std::int64_t>(block_bytes / matrix, 1, layout_.outer);
    const std::int64_t rows = matrix <= block_bytes
                                  ? layout_.length
                                  : std::clamp<std::int64_t>(block_bytes / row, 1, layout_.length);
    if (matrices * layout_.inner > memory_for_data() / 2 / 500)
      throw Error(fmt::format("{}: {} sums at a time do not fit the memory; cut the array into pieces",
                              array_.name(), matrices * layout_.inner));
    for (std::int64_t done = 0; done < layout_.outer; done += matrices) {
      const std::int64_t count = std::min(matrices, layout_.outer - done);
      std::vector<RunningScan> scans(static_cast<std::size_t>(count * layout_.inner), make_scan(options_));
      for (std::int64_t at = 0; at < layout_.length; at += rows)
        scan_rows(scans, count, std::min(rows, layout_.length - at), writer);
    }
  }

  /// The next rows of each of `matrices` matrices, which lie one after the other.
  void scan_rows(std::vector<RunningScan>& scans, std::int64_t matrices, std::int64_t rows,
                 ArrayWriter& writer) {
    const std::int64_t elements = matrices * rows * layout_.inner, output_element = size_of(type_);
    read(elements);
    out_.resize(static_cast<std::size_t>(elements * output_element));
    std::atomic<std::int64_t> next = 0;
    run_on_threads(plan_.threads, [&] {
      for (std::int64_t i = next++; i < matrices * layout_.inner; i = next++) {
        const std::int64_t first = i / layout_.inner * rows * layout_.inner + i % layout_.inner;
        scan_block(scans[static_cast<std::size_t>(i)],
                   VectorView(block_.data() + first * element_, array_.type(), rows, layout_.inner),
                   MutableVectorView(out_.data() + first * output_element, type_, rows, layout_.inner),
                   context_, array_.name());
      }
      return true;
    });
    writer.write(out_);
    progress_.show(array_.position() * element_);
  }

  void read(std::int64_t elements) {
    block_.resize(static_cast<std::size_t>(elements * element_));
    std::span<std::byte> rest = block_;
    while (!rest.empty()) rest = rest.subspan(static_cast<std::size_t>(array_.read(rest) * element_));
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
  Context context_;
  Plan plan_;
  std::vector<std::byte> block_, out_;
};

}  // namespace

Found scan_along_axis(const Options& options, const std::function<void(const std::string&)>& explain) {
  return AxisScan(options, explain).run();
}

}  // namespace foldline::cli
