#include "samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "array_output.hpp"
#include "json_report.hpp"
#include "memory.hpp"
#include "numbers.hpp"
#include "planning.hpp"
#include "results_file.hpp"
#include "source.hpp"

namespace foldline::cli {
namespace {

/// Samples and, if they are given, their abscissas.
class Samples {
 public:
  Samples(Source& source, bool has_places) : has_places_(has_places) {
    const std::string name = source.files()[0];
    if (const auto shape = source.shape())
      if (std::ranges::count_if(*shape, [](std::int64_t extent) { return extent != 1; }) > 1)
        throw DataError(fmt::format("{}: has {} axes; samples lie along one", name, shape->size()));
    for (Block block; source.next(block);) {
      missing_ += block.missing;
      for (std::size_t i = 0; i < block.vectors.size(); ++i) {
        types_[i] = block.vectors[i].type();
        append(block.vectors[i], bytes_[i]);
      }
      if (std::ssize(bytes_[0]) + std::ssize(bytes_[1]) > memory_for_data())
        throw Error(name + ": the samples do not fit into half of the memory");
    }
  }

  std::int64_t size() const { return std::ssize(bytes_[0]) / size_of(types_[0]); }
  bool has_places() const { return has_places_; }
  std::int64_t missing() const { return missing_; }
  VectorView y() const { return {bytes_[0].data(), types_[0], size()}; }
  VectorView x() const { return {bytes_[1].data(), types_[1], size()}; }

 private:
  static void append(const VectorView& from, std::vector<std::byte>& to) {
    const std::int64_t size = size_of(from.type());
    for (std::int64_t i = 0; i < from.size(); i += from.stride() == 1 ? from.size() : 1)
      to.insert(to.end(), from.at(i), from.at(i) + (from.stride() == 1 ? from.size() : 1) * size);
  }

  bool has_places_;
  std::array<ElementType, 2> types_ = {ElementType::float64, ElementType::float64};
  std::int64_t missing_ = 0;
  std::array<std::vector<std::byte>, 2> bytes_;
};

double integral_of(const Samples& samples, double dx, bool by_parabolas, const Context& context) {
  if (samples.has_places())
    return by_parabolas ? simpson(samples.y(), samples.x(), context)
                        : trapezoid(samples.y(), samples.x(), context);
  return by_parabolas ? simpson(samples.y(), dx, context) : trapezoid(samples.y(), dx, context);
}

void write_integrals(const Samples& samples, double dx, const std::string& heading, const Options& options) {
  std::vector<std::byte> out(static_cast<std::size_t>(samples.size()) * sizeof(double));
  const MutableVectorView results(out.data(), ElementType::float64, samples.size());
  if (samples.has_places())
    cumulative_trapezoid(samples.y(), samples.x(), results, options.context);
  else
    cumulative_trapezoid(samples.y(), dx, results, options.context);
  const std::unique_ptr<ResultsFile> file =
      create_results(options, {ElementType::float64, std::vector{samples.size()}, false, heading});
  file->write(out);
  file->commit();
}

}  // namespace

std::string integrate_samples(const Options& options,
                              const std::function<void(const std::string&)>& explain) {
  const std::unique_ptr<Source> source = open_source(options.files[0], options);
  Found found;
  found.files = source->files();
  for (const ElementType type : source->types())
    if (std::ranges::find(found.types, type) == found.types.end()) found.types.push_back(type);
  found.first_lines = source->first_lines();
  found.plan = make_plan(options, *source);
  const Samples samples(*source, have_places(options));
  const double dx = options.samples.dx.value_or(1);
  found.shape = std::vector{samples.size()};
  found.skipped_missing = samples.missing();
  found.explanation =
      fmt::format("{} of {} samples {}, in memory; terms are added up exactly.", options.command,
                  samples.size(), samples.has_places() ? "at given places" : fmt::format("{} apart", dx));
  explain(found.explanation);
  nlohmann::ordered_json json;
  json["operation"] = options.command;
  if (!samples.has_places()) json["dx"] = dx;
  if (options.output) {
    write_integrals(samples, dx, source->has_header() ? source->columns()[0] : "", options);
    if (!options.json) return "";
    json["output"] = *options.output;
  } else {
    const double value = integral_of(samples, dx, options.samples.by_parabolas, options.context);
    const std::string hex = hexadecimal(Scalar(value));
    if (!options.json) return (options.format == NumberFormat::hex ? hex : shortest(Scalar(value))) + "\n";
    json["result"] = as_json(Scalar(value));
    json["hex"] = hex;
  }
  add_provenance(json, found, options);
  json["output_type"] = name_of(ElementType::float64);
  return dump(json);
}

}  // namespace foldline::cli
