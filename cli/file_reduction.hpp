// Adds up files, one after the other, whole or in parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute.hpp"
#include "progress.hpp"

namespace foldline::cli {

/// Numbers of skipped elements.
struct Skipped {
  std::int64_t missing = 0, nan = 0;
};

/// The sums of one thread, one for each vector.
struct ColumnSums {
  AccumulatorArray sums;
  Skipped skipped;
};

/// What was found in a file, or in a part of it.
struct FileSums {
  FilePart part;                     ///< that was read: from its first row to that after its last
  std::vector<ColumnSums> sums;      ///< of each thread
  std::vector<std::size_t> numbers;  ///< for each column, the index of the same column in the first file
  std::vector<std::int64_t> missing;
  std::vector<LeftOut> left_out;
  std::int64_t lines = 0;
};

class FileReduction {
 public:
  /// `explain` is called with a sentence before each file is read. Both must outlive it.
  FileReduction(const Options& options, const std::function<void(const std::string&)>& explain);

  /// @{ Throw DataError; UsageError if this machine cannot do what the options ask for.
  void add(const std::string& file);
  /// Of a file that another process reads only the names of its columns.
  void look_at(const std::string& file);
  /// Reads part `part` of `parts`, or of a text the rows from `begin` on, where one begins, to the end of the
  /// part. None if parts of the file cannot be read on their own.
  std::optional<FileSums> read_part(const std::string& file, int part, int parts,
                                    std::optional<std::int64_t> begin);
  /// @}
  /// Adds what was read, after so many lines of the same file.
  void keep(FileSums found, std::int64_t lines_before = 0);
  void next_file();

  /// What was found in all files.
  Found finish();

 private:
  struct Opened {
    std::unique_ptr<Source> source;
    Plan plan;
    std::vector<std::size_t> numbers;
  };
  Opened open(const std::string& file);
  void note(const Source& source, const Plan& plan);
  std::vector<std::size_t> column_numbers(const Source& source);
  FileSums read(Opened& opened);
  void add_groups(Opened& opened);
  void add_rows();

  const Options& options_;
  const std::function<void(const std::string&)>& explain_;
  Found found_;
  Progress progress_;
  std::size_t file_number_ = 0;
  const std::string* opened_ = nullptr;  ///< the file that was noted last
};

}  // namespace foldline::cli
