#include "scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "axis_scan.hpp"
#include "json_report.hpp"
#include "planning.hpp"
#include "progress.hpp"
#include "results_file.hpp"
#include "scan_step.hpp"
#include "skip_nan.hpp"

namespace foldline::cli {
namespace {

/// Scans a source front to back in constant memory.
class StreamScan {
 public:
  StreamScan(const Options& options, const std::function<void(const std::string&)>& explain)
      : options_(options),
        source_(open_source(options.files[0], options)),
        progress_(source_->bytes_in_all()) {
    if (source_->columns().size() > 1)
      throw UsageError(options.files[0] + ": has more than one column; name the one to scan with --column");
    const auto long_axes = [](std::int64_t length) { return length > 1; };
    if (source_->fortran_order() && std::ranges::count_if(*source_->shape(), long_axes) > 1)
      throw DataError(
          options.files[0] +
          ": is in Fortran order, so its elements are not stored in the order of a scan; give --axis, "
          "or save it in C order (numpy.ascontiguousarray)");
    found_.files = source_->files();
    found_.first_lines = source_->first_lines();
    found_.types = {source_->type()};
    found_.shape = source_->shape();
    found_.plan = make_plan(options, *source_);
    // The next block is read while this one is scanned and written; more threads would wait for the disk.
    if (options.context.execution.threads == 0) found_.plan.threads = 1;
    const Device& device = found_.plan.device;
    found_.explanation =
        fmt::format("scan of {} in blocks, {}; the next block is read meanwhile.", options.files[0],
                    device.kind == Device::Kind::cpu ? fmt::format("{} threads", found_.plan.threads)
                                                     : "on " + name_of(device));
    explain(found_.explanation);
    context_ = options.context;
    context_.execution.threads = found_.plan.threads;
  }

  Found run() {
    const ElementType type = scan_type(source_->type(), options_);
    // --skip-nan makes the length unknown.
    const bool all = !options_.skip_nan;
    const std::unique_ptr<ResultsFile> results =
        create_results(options_, {type, all ? source_->shape() : std::nullopt, source_->fortran_order(),
                                  source_->has_header() ? source_->columns()[0] : ""});
    RunningScan scan = make_scan(options_);
    Block now, next;
    for (bool more = read(now); more;) {
      std::future<bool> reading = std::async(std::launch::async, [&] { return read(next); });
      const VectorView x = now.vectors[0];
      out_.resize(static_cast<std::size_t>(x.size() * size_of(type)));
      scan_part(options_.files[0], type,
                [&] { scan.next(x, MutableVectorView(out_.data(), type, x.size()), context_); });
      results->write(out_);
      more = reading.get();
      std::swap(now, next);
    }
    if (!all || !found_.shape) found_.shape = std::vector<std::int64_t>{count_};
    results->commit();
    return std::move(found_);
  }

 private:
  bool read(Block& block) {
    if (!source_->next(block)) return false;
    found_.skipped_missing += block.missing;
    if (options_.skip_nan) found_.skipped_nan += filter_of(block).apply(block, false);
    count_ += block.vectors[0].size();
    if (!on_terminal_) progress_.show(source_->bytes_read());
    return true;
  }

  /// A block uses its filter's memory until it has been scanned, so two filters take turns.
  NanFilter& filter_of(const Block& block) { return filters_[static_cast<std::size_t>(block.number % 2)]; }

  const Options& options_;
  std::unique_ptr<Source> source_;
  Progress progress_;
  bool on_terminal_ = is_terminal(destination_of(options_));
  Found found_;
  Context context_;
  std::array<NanFilter, 2> filters_;
  std::vector<std::byte> out_;
  std::int64_t count_ = 0;
};

}  // namespace

std::string scan_file(const Options& options, const std::function<void(const std::string&)>& explain) {
  const Found found = options.axis ? scan_along_axis(options, explain) : StreamScan(options, explain).run();
  if (!options.json) return "";
  nlohmann::ordered_json json;
  json["operation"] = options.command;
  if (options.axis) json["axis"] = *options.axis;
  json["output"] = *options.output;
  add_provenance(json, found, options);
  json["output_type"] = name_of(scan_type(found.types[0], options));
  return dump(json);
}

}  // namespace foldline::cli
