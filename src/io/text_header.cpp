#include "io/text_header.hpp"

#include <algorithm>

#include "io/text_damage.hpp"
#include "io/text_scan.hpp"

namespace foldline::io {
namespace {

bool is_named(const TextColumn& column) { return std::holds_alternative<std::string>(column); }

/// The selected fields that the row has.
std::vector<std::size_t> selected_fields(const std::vector<std::string>& row, const TextFormat& format) {
  std::vector<std::size_t> fields;
  if (format.columns.empty()) {
    for (std::size_t field = 0; field < row.size(); ++field) fields.push_back(field);
  } else {
    for (const TextColumn& column : format.columns)
      fields.push_back(static_cast<std::size_t>(std::get<std::int64_t>(column) - 1));
    std::erase_if(fields, [&](std::size_t field) { return field >= row.size(); });
  }
  return fields;
}

}  // namespace

bool names_columns(const TextFormat& format) {
  return std::ranges::any_of(format.columns, is_named) || std::ranges::any_of(format.key, is_named);
}

HeaderGuess guess_header(const std::vector<std::string>& row, const TextFormat& format) {
  if (names_columns(format)) return {.is_header = true};
  const FieldKinds kind_of(format);
  HeaderGuess guess;
  std::optional<std::size_t> ambiguous;
  bool has_number = false;
  for (const std::size_t field : selected_fields(row, format)) {
    const FieldKind kind = kind_of(without_blanks(row[field]));
    if (kind == FieldKind::damaged) return {.damaged = field};
    if (kind == FieldKind::ambiguous) ambiguous = ambiguous.value_or(field);
    if (kind == FieldKind::name) guess.is_header = true;
    if (kind == FieldKind::number) has_number = true;
  }
  guess.is_mixed = format.numeric_columns && guess.is_header && has_number;
  if (!guess.is_header) guess.damaged = ambiguous;
  return guess;
}

}  // namespace foldline::io
