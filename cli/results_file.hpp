// Writes arrays of results to a file block by block: .npy, CSV or text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "destination.hpp"

namespace foldline::cli {

/// Type and shape of an array to write.
struct ResultsLayout {
  ElementType type = ElementType::float64;
  /// Without one the array is one-dimensional and as long as what is written.
  std::optional<std::vector<std::int64_t>> shape = std::nullopt;
  bool fortran_order = false;
  std::string heading = {};  ///< of a column, the first line of CSV; "" for none
};

/// A file that gets its name only when it is complete: see ArrayWriter.
class ResultsFile {
 public:
  ResultsFile() = default;
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;
  virtual ~ResultsFile() = default;

  /// The next elements, in the order of the layout.
  virtual void write(std::span<const std::byte> elements) = 0;
  virtual void commit() = 0;
};

/// Begins the file that the options name. In text, numbers are as --format says; a row for each run along the
/// last axis, or one number a line if there is one axis. What is in Fortran order is held in memory until it
/// is complete. Throws UsageError for a table of more than two axes.
std::unique_ptr<ResultsFile> create_results(const Options& options, const ResultsLayout& layout);

}  // namespace foldline::cli
