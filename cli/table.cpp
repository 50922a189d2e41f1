#include "table.hpp"

#include <algorithm>

namespace foldline::cli {
namespace {

/// Number of UTF-8 characters, each assumed to be one column wide.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string quoted_field(const std::string& text, char separator) {
  const std::string special = std::string("\"\r\n#") + separator;
  const bool blank_at_end = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (text.find_first_of(special) == std::string::npos && !blank_at_end) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

std::string without_controls(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  // U+0080 to U+009F: U+009B begins control sequences of terminals.
  for (std::size_t at = 0; (at = text.find('\xc2', at)) != std::string::npos && at + 1 < text.size(); ++at)
    if (static_cast<unsigned char>(text[at + 1]) < 0xa0) text[at] = text[at + 1] = ' ';
  return text;
}

std::string csv_line(const Cells& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != cells.data()) line += ',';
    line += quoted_field(cell, ',');
  }
  return line += '\n';
}

std::string tsv_line(const Cells& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != cells.data()) line += '\t';
    line += without_controls(cell);
  }
  return line += '\n';
}

void AlignedTable::fit(const Cells& cells) {
  widths_.resize(std::max(widths_.size(), cells.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], width_of(cells[i]));
}

std::string AlignedTable::line(const Cells& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string blanks(widths_[i] - width_of(cells[i]), ' ');
    const std::string cell = without_controls(cells[i]);
    if (i > 0) line += "  ";
    line += i < labels_ ? cell + blanks : blanks + cell;
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line += '\n';
}

std::string aligned(const std::vector<Cells>& lines, std::size_t labels) {
  AlignedTable table(labels);
  for (const Cells& cells : lines) table.fit(cells);
  std::string text;
  for (const Cells& cells : lines) text += table.line(cells);
  return text;
}

}  // namespace foldline::cli
