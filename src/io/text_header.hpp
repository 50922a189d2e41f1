// Decides whether a text's first line names its columns, or has numbers, some of them damaged.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "foldline/text_reader.hpp"

namespace foldline::io {

/// Whether a column is selected by name, so that the first line must be a header.
bool names_columns(const TextFormat& format);

struct HeaderGuess {
  bool is_header = false;
  std::optional<std::size_t> damaged = std::nullopt;  ///< a field that must not be taken for a name
  bool is_mixed = false;  ///< with numeric_columns: names and numbers are mixed, so it may be either
};

/// Looks at the fields of the first line that the format selects.
HeaderGuess guess_header(const std::vector<std::string>& row, const TextFormat& format);

}  // namespace foldline::io
