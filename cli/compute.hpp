// Data flows: files -> blocks -> sums.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <foldline/foldline.hpp>

#include "groups.hpp"
#include "options.hpp"
#include "source.hpp"

namespace foldline::cli {

/// One line of the results: the sum of everything, of a column, of a group, or of a column of a group.
struct Row {
  TextKey key;  ///< of its group
  std::uint32_t column_number = 0;
};

/// What a computation found.
struct Found {
  std::vector<Row> rows;             ///< by group, in the order in which they appear, then by column
  std::vector<std::string> columns;  ///< their names; "" if there is but one
  std::shared_ptr<SumTable> sums;    ///< sums of the rows
  std::vector<Accumulator> totals;   ///< instead, by column, if several processes have shared the files
  std::shared_ptr<TextKeys> keys;    ///< keys of the groups
  bool has_groups = false, has_columns = false;
  std::vector<std::string> key_names;  ///< names of the columns that --by selects
  std::vector<std::string> files;
  std::vector<FirstLine> first_lines;              ///< first lines of the files that are texts
  std::vector<ElementType> types;                  ///< element types of the files, each once
  std::optional<std::vector<std::int64_t>> shape;  ///< shape, if there is a single array
  std::int64_t skipped_missing = 0, skipped_nan = 0;
  std::vector<LeftOut> left_out;      ///< columns of a summary that have no row
  std::vector<std::int64_t> missing;  ///< missing values of each column of a summary
  Plan plan;                          ///< plan for the largest file
  std::string explanation;            ///< how each file was read and added

  const std::string& column(const Row& row) const { return columns[row.column_number]; }
  Accumulator total(const Row& row) const;
  std::int64_t count(const Row& row) const;
};

/// The parts of the row's key, one for each column that --by selects.
std::vector<std::string> key_parts(const Row& row);

/// The context of library calls that add one block: a single thread.
Context block_context(const Plan& plan, const Options& options);

/// Reads the files to their end. `explain` is called with a sentence before each file is read. Throws
/// DataError; UsageError if this machine cannot do what the options ask for.
Found compute(const Options& options, const std::function<void(const std::string&)>& explain);

/// Removes the rows of columns that a summary leaves out in any file, and keeps the first reason for each.
void leave_out_columns(Found& found, const Options& options);

}  // namespace foldline::cli
