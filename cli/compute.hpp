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

/// One sum: that of everything, of a column, of a group, or of a column of a group.
struct Row {
  std::string_view key;  ///< of its group, as a TextKey has it
  std::uint32_t group = 0;
  std::uint32_t column_number = 0;
};

/// What a computation found.
struct Found {
  std::vector<Row> rows;             ///< by group, in the order in which they appear, then by column
  std::vector<std::string> columns;  ///< their names; "" if there is but one
  std::shared_ptr<SumTable> sums;    ///< of the rows
  std::shared_ptr<TextKeys> keys;    ///< of the groups
  bool has_groups = false, has_columns = false;
  std::vector<std::string> key_names;  ///< of the columns that --by names
  std::vector<std::string> files;
  std::vector<FirstLine> first_lines;              ///< of the files that are texts
  std::vector<ElementType> types;                  ///< of the files, each once
  std::optional<std::vector<std::int64_t>> shape;  ///< of a single array
  std::int64_t skipped_missing = 0, skipped_nan = 0;
  std::vector<LeftOut> left_out;      ///< columns of a summary that have no row
  std::vector<std::int64_t> missing;  ///< values of each of its columns, by their numbers
  Plan plan;                          ///< of the largest file
  std::string explanation;            ///< how each file was read and added

  const std::string& column(const Row& row) const { return columns[row.column_number]; }
  Accumulator total(const Row& row) const;
};

/// The texts of the columns that --by names, in the row's group.
std::vector<std::string> key_parts(const Row& row);

/// The context that a thread adds its blocks with.
Context block_context(const Plan& plan, const Options& options);

/// Reads the files to their end. `explain` is called with a sentence before each file is read. Throws
/// DataError; UsageError if this machine cannot do what the options ask for.
Found compute(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
