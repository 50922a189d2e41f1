// Tables as CSV, as TSV, or aligned for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace foldline::cli {

using Cells = std::vector<std::string>;

/// A field as RFC 4180 says it: in quotes if it has a quote, a line end or the separator, and if blanks at
/// its ends or a '#' could be taken for something else.
std::string quoted_field(const std::string& text, char separator);

/// The text with blanks in place of control characters, which could look like the end of a field or line, or
/// control a terminal.
std::string without_controls(std::string text);

/// A line with commas between the cells, quoted where necessary.
std::string csv_line(const Cells& cells);
/// A line with tabs between the cells, without controls.
std::string tsv_line(const Cells& cells);

/// Lines with blanks between columns of equal width: the first `labels` columns begin at the left, numbers
/// end at the right.
class AlignedTable {
 public:
  explicit AlignedTable(std::size_t labels) : labels_(labels) {}

  /// Makes the columns as wide as these cells.
  void fit(const Cells& cells);
  /// Cells that the columns fit, as a line.
  std::string line(const Cells& cells) const;

 private:
  std::size_t labels_;
  std::vector<std::size_t> widths_;
};

/// A whole table of such lines.
std::string aligned(const std::vector<Cells>& lines, std::size_t labels);

}  // namespace foldline::cli
