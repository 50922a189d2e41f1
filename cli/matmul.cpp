#include "matmul.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "json_report.hpp"
#include "memory.hpp"
#include "results_file.hpp"
#include "source.hpp"

namespace foldline::cli {
namespace {

/// A matrix that is read from a file into memory.
class Factor {
 public:
  Factor(const std::string& file, const Options& options) : reader_(open_whole_array(file, options)) {
    const std::vector<std::int64_t>& shape = *reader_.shape();
    if (shape.size() != 2)
      throw DataError(fmt::format("{}: has {} {}; a matrix has two", reader_.name(), shape.size(),
                                  shape.size() == 1 ? "axis" : "axes"));
    if (type() != ElementType::float32 && type() != ElementType::float64)
      throw DataError(fmt::format("{}: is of {}; products are of float32 and float64, so convert it first",
                                  reader_.name(), name_of(type())));
  }
  void read() {
    bytes_.resize(static_cast<std::size_t>(*reader_.size() * size_of(type())));
    if (bytes_.empty()) return;
    if (reader_.read(bytes_) != *reader_.size())
      throw DataError(reader_.name() + ": ends before its last element; it was cut off or is being written");
  }

  const std::string& name() const { return reader_.name(); }
  ElementType type() const { return reader_.type(); }
  std::int64_t rows() const { return (*reader_.shape())[0]; }
  std::int64_t columns() const { return (*reader_.shape())[1]; }
  MatrixView view() const {
    const bool row_major = !reader_.fortran_order();
    return {bytes_.data(),
            type(),
            rows(),
            columns(),
            row_major ? Layout::row_major : Layout::column_major,
            row_major ? columns() : rows()};
  }

 private:
  ArrayReader reader_;
  std::vector<std::byte> bytes_;
};

void check_together(const Factor& a, const Factor& b) {
  if (a.columns() != b.rows())
    throw DataError(
        fmt::format("{} is {} x {} and {} is {} x {}; the first needs as many columns as the second has rows",
                    a.name(), a.rows(), a.columns(), b.name(), b.rows(), b.columns()));
  if (a.type() != b.type())
    throw DataError(fmt::format("{} is of {} and {} of {}; they must be of one type", a.name(),
                                name_of(a.type()), b.name(), name_of(b.type())));
}

Plan make_plan(const Factor& a, const Factor& b, const Context& context) {
  try {
    require_device(context.execution.device);
    return plan_matrix_product(a.type(), a.rows(), b.columns(), a.columns(), context);
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what());
  }
}

std::string explanation(const Factor& a, const Factor& b, const Plan& plan) {
  const bool exact = plan.accuracy == Accuracy::exact;
  const std::string what =
      fmt::format("matmul of {} x {} x {} elements, ", a.rows(), a.columns(), b.columns());
  if (plan.device.kind == Device::Kind::cuda)
    return what +
           (exact ? "each entry rounded once: products of slices by tensor cores" : "in working precision") +
           " on " + name_of(plan.device) + '.';
  return what + fmt::format("{}, {} threads.",
                            exact ? "each entry rounded once: products of slices by the BLAS library"
                                  : "by the BLAS library",
                            plan.threads);
}

}  // namespace

std::string multiply_files(const Options& options, const std::function<void(const std::string&)>& explain) {
  Factor a(options.files[0], options);
  Factor b(*options.second_file, options);
  check_together(a, b);
  const ElementType type = options.output_type.value_or(a.type());
  const std::vector<std::int64_t> shape = {a.rows(), b.columns()};
  const Plan plan = make_plan(a, b, options.context);
  std::vector<std::byte> product;
  // Checked by division, since the product of the sizes might overflow.
  if (b.columns() != 0 && a.rows() > memory_for_data() / size_of(type) / b.columns())
    throw Error(fmt::format("{}: the product, {} x {} elements, does not fit the memory",
                            options.output.value_or("matmul"), a.rows(), b.columns()));
  product.resize(static_cast<std::size_t>(a.rows() * b.columns() * size_of(type)));
  explain(explanation(a, b, plan));
  const std::unique_ptr<ResultsFile> results = create_results(options, {type, shape, false, ""});
  a.read();
  b.read();
  matrix_product(a.view(), b.view(), MutableArrayView(product.data(), type, shape, row_major_strides(shape)),
                 {}, options.context);
  results->write(product);
  results->commit();
  if (!options.json) return "";
  Found found;
  found.files = {a.name(), b.name()};
  found.types = {a.type()};
  found.shape = shape;
  found.plan = plan;
  found.explanation = explanation(a, b, plan);
  nlohmann::ordered_json json;
  json["operation"] = options.command;
  json["output"] = *options.output;
  add_provenance(json, found, options);
  json["output_type"] = name_of(type);
  return dump(json);
}

}  // namespace foldline::cli
