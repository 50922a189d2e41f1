// The layout of a text, from the format and the start of the text: dialect, header, columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foldline/text_reader.hpp"
#include "io/text_dialect.hpp"
#include "io/text_source.hpp"

namespace foldline::io {

struct TextLayout {
  TextDialect dialect;
  bool has_header = false;
  std::vector<std::string> first_row = {};  ///< its fields
  std::vector<std::string> names =
      {};  ///< names of the columns, from the header or a comment; empty if there are none
  std::vector<std::string> comments = {};  ///< before the first row, as far as they may name columns
  /// The field, from 0, that each vector takes its values from. Empty if all fields belong to one vector.
  std::vector<std::size_t> columns = {};
  std::vector<std::size_t> key = {};  ///< the fields that name a row's group
  std::int64_t lines = 0;             ///< lines dropped from the source

  std::size_t vectors() const { return columns.empty() ? 1 : columns.size(); }
  /// Whether rows may have any number of fields: blank-separated numbers, all wanted.
  bool any_width() const { return columns.empty() && dialect.separator() == ' ' && !has_header; }
  /// The name of a vector's column, or its number, from 1; "" if the fields of several belong to it.
  std::string label_of(std::size_t vector) const;
  /// The name of a field, or its number, from 1.
  std::string label_of_field(std::size_t field) const;
  /// "column 2", or with its name: `column 2 ("co2")`.
  std::string name_of(std::size_t field) const;
};

/// Whether a character can separate fields: no number, quote or line end has it.
bool can_separate(char c);

/// Whether row ends do not matter, so that lines of blank-separated numbers can be read in parts.
bool has_no_rows(const TextFormat& format);

/// What helps where a field ends like that.
TextRemedy remedy_of(FieldEnd end);

/// Throws InvalidArgument if the format makes no sense for any text.
void validate(const TextFormat& format);

/// Finds the layout and drops the header, and blank lines and comments before it, from the source. Throws
/// DataError.
TextLayout find_layout(TextSource& source, const TextFormat& format);

}  // namespace foldline::io
