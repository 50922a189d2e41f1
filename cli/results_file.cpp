#include "results_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <foldline/array_writer.hpp>
#include <foldline/output_file.hpp>

#include "array_output.hpp"
#include "memory.hpp"
#include "numbers.hpp"
#include "table.hpp"

namespace foldline::cli {
namespace {

class NpyResults : public ResultsFile {
 public:
  explicit NpyResults(ArrayWriter writer) : writer_(std::move(writer)) {}

  void write(std::span<const std::byte> elements) override { writer_.write(elements); }
  void commit() override { writer_.commit(); }

 private:
  ArrayWriter writer_;
};

class TextResults : public ResultsFile {
 public:
  TextResults(const Destination& destination, ResultsLayout layout, NumberFormat format)
      : file_(OutputFile::create(destination.path)),
        layout_(std::move(layout)),
        separator_(destination.format == OutputFormat::csv   ? ','
                   : destination.format == OutputFormat::tsv ? '\t'
                                                             : ' '),
        format_(format) {
    if (layout_.shape) {
      const auto is_long = [](std::int64_t length) { return length > 1; };
      const std::size_t axes = layout_.shape->size();
      if (axes > 1) row_ = layout_.shape->back();
      if (axes > 2) rows_ = (*layout_.shape)[axes - 2];
      // Along one axis both orders are the same.
      held_ = layout_.fortran_order && std::ranges::count_if(*layout_.shape, is_long) > 1;
    }
    if (destination.format != OutputFormat::text && !layout_.heading.empty())
      text_ = quoted_field(layout_.heading, separator_) + "\n";
  }

  void write(std::span<const std::byte> elements) override {
    if (held_) return hold(elements);
    const auto size = static_cast<std::size_t>(size_of(layout_.type));
    for (; !elements.empty(); elements = elements.subspan(size)) append(elements.data());
  }

  void commit() override {
    if (held_) append_in_c_order();
    flush();
    file_.commit();
  }

 private:
  void append(const std::byte* element) {
    const Scalar value = load(element, layout_.type);
    if (in_row_ > 0)
      text_ += separator_;
    else if (in_matrix_ == rows_ && rows_ != 0) {
      text_ += '\n';  // between matrices
      in_matrix_ = 0;
    }
    text_ += format_ == NumberFormat::hex ? hexadecimal(value) : shortest(value);
    if (++in_row_ == row_) {
      text_ += '\n';
      in_row_ = 0;
      ++in_matrix_;
    }
    constexpr std::size_t enough = std::size_t{1} << 16;
    if (text_.size() >= enough) flush();
  }

  void flush() {
    file_.write(std::as_bytes(std::span(text_)));
    text_.clear();
  }

  /// Keeps elements in Fortran order: no row is complete before the end.
  void hold(std::span<const std::byte> elements) {
    if (std::ssize(bytes_) + std::ssize(elements) > memory_for_data())
      throw Error(
          fmt::format("{}: in Fortran order the rows of the text are complete only at the end, and the "
                      "results do not fit "
                      "half of the memory; write a .npy file",
                      file_.name()));
    bytes_.insert(bytes_.end(), elements.begin(), elements.end());
  }

  void append_in_c_order() {
    const std::vector<std::int64_t>& shape = *layout_.shape;
    std::vector<std::int64_t> index(shape.size(), 0);
    const std::int64_t size = size_of(layout_.type), count = std::ssize(bytes_) / size;
    for (std::int64_t done = 0; done < count; ++done) {
      std::int64_t at = 0;
      for (std::size_t axis = shape.size(); axis-- > 0;) at = at * shape[axis] + index[axis];
      append(bytes_.data() + at * size);
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (++index[axis] != shape[axis]) break;
        index[axis] = 0;
      }
    }
  }

  OutputFile file_;
  ResultsLayout layout_;
  char separator_;
  NumberFormat format_;
  std::int64_t row_ = 1;                     ///< numbers in a row of text
  std::int64_t rows_ = 0;                    ///< rows of each matrix, if there are several
  std::int64_t in_row_ = 0, in_matrix_ = 0;  ///< how many of these are written
  bool held_ = false;                        ///< whether elements are kept until commit()
  std::vector<std::byte> bytes_;             ///< the elements kept
  std::string text_;                         ///< not written yet
};

}  // namespace

std::unique_ptr<ResultsFile> create_results(const Options& options, const ResultsLayout& layout) {
  const Destination destination = destination_of(options);
  if (destination.format == OutputFormat::npy)
    return std::make_unique<NpyResults>(
        ArrayWriter::create_npy(destination.path, {layout.type, layout.shape, layout.fortran_order}));
  if (destination.format != OutputFormat::text && layout.shape && layout.shape->size() > 2)
    throw UsageError(fmt::format("{}: the results have {} axes, a table has two; write a .npy file",
                                 destination.path == "-" ? "standard output" : destination.path,
                                 layout.shape->size()));
  return std::make_unique<TextResults>(destination, layout, options.format);
}

}  // namespace foldline::cli
